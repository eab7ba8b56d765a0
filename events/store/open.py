"""From a store's name to a log.

``sqlite:PATH``, ``sqlite:`` alone for the user's own, ``memory:``, ``postgres://USER@HOST:PORT/NAME``.
"""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from events.cluster.bus import Bus, SingleNodeBus
from events.errors import BadStore
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.naming import is_postgres, redacted
from events.store.sqlite.log import SqliteLog


def default_path() -> Path:
    """``moot/moot.db`` in the folder where this system keeps a user's data."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "moot" / "moot.db"
    # The XDG specification says to ignore a value that is not absolute.
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "share") / "moot" / "moot.db"


def sqlite_path(url: str) -> Path | None:
    """The file behind ``url``; None when it names another kind of store.  Raises ``BadStore``."""
    kind, colon, rest = url.partition(":")
    if colon and kind == "sqlite":
        return Path(rest).expanduser() if rest else default_path()
    if url == "memory:" or is_postgres(url):
        return None
    raise BadStore(f"{redacted(url)!r} is no store: write sqlite:PATH, sqlite:, memory: or postgres://USER@HOST/NAME")


async def open_log(url: str, *, read_only: bool = False, address: str = "", lease_s: float | None = None) -> EventLog:
    """The log that ``url`` names; the caller closes it.  Raises ``BadStore``, ``StoreBusy``, ``StoreUnavailable``.

    ``lease_s`` is for a store that several nodes share; without it what is usual.
    """
    path = sqlite_path(url)
    if is_postgres(url):
        from events.store.postgres.log import LEASE_S, PostgresLog  # noqa: PLC0415 - psycopg takes 0.3 s, which SQLite does not pay

        return await PostgresLog.open(url, read_only=read_only, lease_s=lease_s or LEASE_S)
    if path is None:
        return MemoryLog()
    return await SqliteLog.open(path, read_only=read_only, address=address)


@asynccontextmanager
async def opened_log(
    url: str, *, read_only: bool = False, address: str = "", lease_s: float | None = None
) -> AsyncIterator[EventLog]:
    """``open_log``, closed at the end."""
    log = await open_log(url, read_only=read_only, address=address, lease_s=lease_s)
    try:
        yield log
    finally:
        await log.close()


def open_bus(url: str, log: EventLog) -> Bus:
    """The bus that ``url`` names, ``nats://HOST:PORT``; without one that of ``log``'s own store.  Raises ``BadStore``.

    It is made in the loop it will be used in, and need not be reached yet.
    """
    if url.startswith(("nats://", "tls://")):
        from events.cluster.nats_bus import NatsBus  # noqa: PLC0415 - nats takes 0.15 s, which one node does not pay

        return NatsBus(url)
    if url:
        raise BadStore(f"{redacted(url)!r} is no bus: write nats://HOST:PORT, or nothing for the store's own")
    if isinstance(log, MemoryLog | SqliteLog):
        return SingleNodeBus()
    from events.cluster.postgres_bus import PostgresBus  # noqa: PLC0415 - psycopg, as above
    from events.store.postgres.log import PostgresLog  # noqa: PLC0415 - psycopg, as above

    assert isinstance(log, PostgresLog)
    return PostgresBus(log)
