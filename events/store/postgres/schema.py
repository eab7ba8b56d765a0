"""The tables in PostgreSQL, and their migrations (``moot migrate``).

``debates`` is narrow and written with every batch: the last position of a debate, and its owner.  ``listing`` holds the
rows of the list; a row is written only when an event changes it.  ``events`` is the log.
"""

from typing import Any, Final

import psycopg
from msgspec import Struct

from events.errors import NotMigrated
from events.store.postgres.connection import PATIENCE_S, Address, Connection, connect, with_patience

LOCK: Final = 0x6D6F6F74  # "moot": key of the lock that migrations take

_FIRST: Final = """
CREATE SCHEMA IF NOT EXISTS moot;
CREATE TABLE IF NOT EXISTS moot.migrations (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE SEQUENCE moot.streams INCREMENT BY 64;
CREATE TABLE moot.debates (
    stream bigint PRIMARY KEY,
    debate text COLLATE "C" NOT NULL UNIQUE,
    version integer NOT NULL,
    digest bytea NOT NULL,
    epoch bigint NOT NULL,
    owner text COLLATE "C",
    lease_until timestamptz
) WITH (fillfactor = 50);
CREATE INDEX debates_by_owner ON moot.debates (owner) WHERE owner IS NOT NULL;
CREATE TABLE moot.listing (
    stream bigint PRIMARY KEY,
    opened_at text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    calibrates boolean NOT NULL,
    folded text COLLATE "C" NOT NULL,
    summary bytea NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX listing_by_age ON moot.listing (opened_at, stream);
CREATE INDEX listing_open ON moot.listing (opened_at, stream) WHERE state = 'open';
CREATE INDEX listing_calibrating ON moot.listing (opened_at, stream) WHERE calibrates;
CREATE TABLE moot.events (
    stream bigint NOT NULL,
    position integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    cause integer,
    schema integer NOT NULL,
    salt bytea NOT NULL,
    digest bytea NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (stream, position)
);
CREATE TABLE moot.nodes (
    node text COLLATE "C" PRIMARY KEY,
    address text NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE TABLE moot.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    debate text COLLATE "C" NOT NULL,
    act bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    taken_by text COLLATE "C",
    answer bytea
);
CREATE INDEX inbox_waiting ON moot.inbox (debate, id) WHERE taken_by IS NULL;
"""

_SECOND: Final = "CREATE INDEX listing_unconcluded ON moot.listing (state) WHERE state <> 'concluded'"

_THIRD: Final = """
UPDATE moot.listing SET folded = folded || row.marks FROM (
    SELECT stream, concat(
        CASE WHEN said ->> 'exhibition' IS NULL THEN U&'\\E019' ELSE U&'\\E018' END,
        CASE said ->> 'state' WHEN 'open' THEN U&'\\E000' WHEN 'paused' THEN U&'\\E001' WHEN 'halted' THEN U&'\\E002'
            WHEN 'concluded' THEN U&'\\E003' END,
        CASE said ->> 'format' WHEN 'exchange' THEN U&'\\E008' WHEN 'protocol' THEN U&'\\E009'
            WHEN 'deliberation' THEN U&'\\E00A' WHEN 'calibration' THEN U&'\\E00B' END,
        CASE said ->> 'winner' WHEN 'pro' THEN U&'\\E010' WHEN 'con' THEN U&'\\E011' WHEN 'neither' THEN U&'\\E012' END
    ) AS marks
    FROM (SELECT stream, convert_from(summary, 'UTF8')::json AS said FROM moot.listing) AS known
) AS row
WHERE listing.stream = row.stream
"""
"""Marks for rows of an older Moot: see ``events.store.listing``."""

_FOURTH: Final = """
CREATE TABLE moot.said (
    stream bigint NOT NULL,
    position integer NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (stream, position)
);
CREATE INDEX said_words ON moot.said USING gin (words);
CREATE TABLE moot.said_reached (
    stream bigint PRIMARY KEY,
    reached integer NOT NULL
);
"""
"""The index of what was said: see ``events.store.postgres.search``."""

MIGRATIONS: Final = (_FIRST, _SECOND, _THIRD, _FOURTH)
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
    if not (await _only(cursor)):
        return 0
    cursor = await connection.execute("SELECT coalesce(max(version), 0) FROM moot.migrations")
    version: int = await _only(cursor)
    return version


async def _only(cursor: psycopg.AsyncCursor[tuple[Any, ...]]) -> Any:
    row = await cursor.fetchone()
    assert row is not None
    return row[0]


def _newer(address: Address, version: int) -> NotMigrated:
    return NotMigrated(
        f"the store {address.name} has schema {version}, written by a newer Moot (this one knows {VERSION})"
    )
