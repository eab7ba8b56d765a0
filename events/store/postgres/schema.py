"""The tables in PostgreSQL, and their migrations (``moot migrate``).

``debates`` is narrow and written with every batch: the last position of a debate, and its owner.  ``listing`` holds the
rows of the list; a row is written only when an event changes it.  ``events`` is the log.
"""

from importlib import resources
from typing import Final

import psycopg
from msgspec import Struct

from events.errors import NotMigrated
from events.store.postgres.connection import PATIENCE_S, Address, Connection, connect, with_patience

LOCK: Final = 0x6D6F6F74  # "moot": key of the lock that migrations take

MIGRATIONS: Final = tuple(
    resources.files("events").joinpath(f"store/postgres/migrations/{number}.sql").read_text(encoding="utf-8")
    for number in (1, 2, 3, 4, 5, 6)
)
"""Each migrates the schema by one version.  A released migration never changes."""
VERSION: Final = len(MIGRATIONS)


class Migrated(Struct, frozen=True):
    """Versions of the schema before and after; 0 is a database without the schema."""

    before: int
    after: int


async def migrate(url: str) -> Migrated:
    """Migrate the schema to this version; safe to repeat, and while other processes migrate.

    Raises ``BadStore``, ``NotMigrated`` for a schema of a newer Moot, ``StoreUnavailable``.
    """
    address = Address(url)
    connection = await with_patience(address, lambda: connect(address), PATIENCE_S)
    try:
        async with connection, connection.transaction():
            # An index over a large table may take long, and so may waiting for another migration.
            await connection.execute("SET LOCAL statement_timeout = 0")
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            before = await read_version(connection)
            if before > VERSION:
                raise _newer(address, before)
            for version in range(before, VERSION):
                await connection.execute(MIGRATIONS[version])
                await connection.execute("INSERT INTO moot.migrations (version) VALUES (%s)", (version + 1,))
    except (psycopg.Error, OSError) as error:
        raise address.explain(error) from error
    return Migrated(before, VERSION)


async def check(address: Address, connection: Connection) -> None:
    """Raise ``NotMigrated`` for a schema of another version."""
    version = await read_version(connection)
    if version > VERSION:
        raise _newer(address, version)
    if version < VERSION:
        found = f"has schema {version} of {VERSION}" if version else "has no tables of Moot's"
        raise NotMigrated(f"the store {address.name} {found}: run `moot migrate`")


async def read_version(connection: Connection) -> int:
    """The version of the schema; 0 without one."""
    cursor = await connection.execute("SELECT to_regclass('moot.migrations') IS NOT NULL")
    if await cursor.fetchone() == (False,):
        return 0
    cursor = await connection.execute("SELECT coalesce(max(version), 0) FROM moot.migrations")
    ((version,),) = await cursor.fetchall()
    return int(version)


def _newer(address: Address, version: int) -> NotMigrated:
    return NotMigrated(
        f"the store {address.name} has schema {version}, written by a newer Moot (this one knows {VERSION})"
    )
