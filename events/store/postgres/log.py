"""The log in PostgreSQL, shared by any number of nodes; each debate is run by the node that holds its lease."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import ClassVar, Final, Self, TypeVar

import psycopg

from events.errors import DebateDeleted, LogError, StoreUnavailable
from events.record import Recorded, now
from events.store.listing import Summary
from events.store.postgres import rows as postgres_rows
from events.store.postgres import search as postgres_search
from events.store.postgres.connection import PATIENCE_S, Address, Connection, Pool
from events.store.postgres.deletion import delete, revive
from events.store.postgres.heads import HeadTracker
from events.store.postgres.listener import NotificationListener
from events.store.postgres.schema import check
from events.store.postgres.writer import PostgresWriter
from events.store.stored_log import StoredLog
from events.store.tombstone import Tombstone
from events.text.said import Term

LEASE_S: Final = 10.0
"""Seconds that a lease lasts, by the database's clock."""
_RELEASE: Final = "UPDATE moot.debates SET owner = NULL, lease_until = NULL WHERE owner = %s"
_NOTE: Final = (
    "INSERT INTO moot.notes (kind, key, value) VALUES (%s, %s, %s)"
    " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value"
)
_LEAVE: Final = "DELETE FROM moot.nodes WHERE node = %s"

T = TypeVar("T")


class PostgresLog(StoredLog):
    """``EventLog`` over a database.  Created by ``open``, in the event loop that uses it.

    ``node`` names this log to the other nodes.  ``epochs`` holds the epoch of each lease of this node: leases and
    appends that open a debate set it; an append in another epoch than the database's raises ``Fenced``.
    """

    queries: ClassVar = postgres_rows

    def __init__(self, url: str, *, read_only: bool, lease_s: float, patience_s: float) -> None:
        self.address = Address(url)
        self.node = secrets.token_hex(8)
        self.lease_s = lease_s
        self.epochs: dict[str, int] = {}
        self.pool = Pool(self.address, patience_s=patience_s)
        self._patience_s = patience_s
        self.listener = NotificationListener(self.address)
        self._heads = HeadTracker(self.listener, self.node)
        self._writer = (
            None
            if read_only
            else PostgresWriter(
                self.address,
                self.node,
                self.epochs,
                lease_s=lease_s,
                patience_s=patience_s,
                committed=self._heads.committed,
            )
        )
        super().__init__(self.address.name, self._writer)
        self._closed = False
        self._indexing = asyncio.Lock()

    @classmethod
    async def open(
        cls, url: str, *, read_only: bool = False, lease_s: float = LEASE_S, patience_s: float = PATIENCE_S
    ) -> Self:
        """Connect, and check the schema.  Raises ``BadStore``, ``NotMigrated``, ``StoreUnavailable``."""
        log = cls(url, read_only=read_only, lease_s=lease_s, patience_s=patience_s)
        try:
            await log.pool.run(lambda connection: check(log.address, connection))
        except BaseException:  # a cancelled opening closes its connections too
            await log.close()
            raise
        return log

    @property
    def silence_s(self) -> float:
        """See ``EventLog``."""
        return self.listener.silence_s

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return self._heads.known(debate)

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_records, debate, after, limit)

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """See ``EventLog``."""
        try:
            await super().adopt(records)
        except DebateDeleted:
            with self._as_owner():
                if not await self._reading(revive, records):
                    raise

    async def delete(self, debate: str, expected: int, reason: str, *, archived: bool = False) -> Tombstone:
        """See ``EventLog``.  The database frees the bytes of the rows by itself; see ``docs/operations.md``."""
        if self.read_only:
            self._refuse()
        deleted_at = now()
        with self._as_owner():
            left = await self._reading(delete, debate, expected, reason, deleted_at, archived)
        self._heads.end(debate)
        self.epochs.pop(debate, None)  # the debate may come back
        return left

    @contextmanager
    def _as_owner(self) -> Iterator[None]:
        """Say which role may delete, if that of this process may not."""
        try:
            yield
        except StoreUnavailable as error:
            if isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
                raise StoreUnavailable(
                    f"the store {self.name}: the role of this process may not delete;"
                    " run `moot delete` with the role that owns the tables, see docs/postgres.md",
                    "the role of this process may not delete",
                ) from error
            raise

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """See ``EventLog``."""
        if self.read_only:
            self._refuse()
        if value is None:
            await self.pool.rows("DELETE FROM moot.notes WHERE kind = %s AND key = %s", (kind, key))
        else:
            await self.pool.rows(_NOTE, (kind, key, value))

    async def _found(
        self, terms: tuple[Term, ...], before: tuple[int, int] | None, limit: int
    ) -> list[tuple[int, int, Summary, Recorded]]:
        async with self._indexing:
            while await self.pool.run(self._catch_up):
                pass
        return await self._reading(postgres_search.find, terms, before, limit)

    async def _catch_up(self, connection: Connection) -> bool:
        try:
            return await postgres_search.catch_up(connection)
        except psycopg.Error as error:
            if postgres_search.may_not_write(error):
                return False
            raise

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        return (await self._reading(postgres_rows.read_heads, [debate])).get(debate, 0)

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        with self._heads.waiting(debate, position) as beyond:
            head = self._heads.known(debate)
            if head is None:
                live = self.listener.is_live
                head = await self.head(debate)
                await self._check_not_deleted(debate, head, position)
                if live and self.listener.is_live:
                    self._heads.learn(debate, head)
            if head <= position:
                await beyond

    async def close(self) -> None:
        """See ``EventLog``.  The leases of this node end at once."""
        if self._closed:
            return
        self._closed = True
        self._heads.close()
        await self.listener.close()
        if self._writer is not None:
            await self._writer.close()
            self.pool.patience_s = 0
            with suppress(LogError):  # the leases end by themselves
                await self.pool.rows(_RELEASE, (self.node,))
                await self.pool.rows(_LEAVE, (self.node,))
        await self.pool.close()

    async def _reading(self, read: Callable[..., Awaitable[T]], *args: object) -> T:
        """Run ``read`` with a connection of the pool."""
        return await self.pool.run(lambda connection: read(connection, *args))
