"""Open the log at an address."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CancelScope

from events.store.address import is_postgres, sqlite_path
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog


async def open_log(url: str, *, read_only: bool = False, address: str = "", lease_s: float | None = None) -> EventLog:
    """The log that ``url`` names; the caller closes it.  Raises ``BadStore``, ``StoreBusy``, ``StoreUnavailable``.

    ``lease_s``: length of leases in a store that several nodes share.
    """
    path = sqlite_path(url)
    if is_postgres(url):
        from events.store.postgres.log import LEASE_S, PostgresLog  # noqa: PLC0415 - psycopg takes 0.3 s to import

        return await PostgresLog.open(url, read_only=read_only, lease_s=lease_s or LEASE_S)
    if path is None:
        return MemoryLog()
    with CancelScope(shield=True):  # a store that is half open could not be closed
        log = await SqliteLog.open(path, read_only=read_only, address=address)
    return log  # noqa: RET504 - mypy takes a scope for one that may suppress errors


@asynccontextmanager
async def opened_log(
    url: str, *, read_only: bool = False, address: str = "", lease_s: float | None = None
) -> AsyncIterator[EventLog]:
    """``open_log`` as a context manager that closes the log."""
    log = await open_log(url, read_only=read_only, address=address, lease_s=lease_s)
    try:
        yield log
    finally:
        with CancelScope(shield=True):
            await log.close()
