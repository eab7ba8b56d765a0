"""The log in PostgreSQL: any number of nodes, each debate run by the one that holds its lease."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

from anyio import to_thread

from events import codec
from events.errors import BrokenChain, LogError, StoreUnavailable
from events.record import Draft, Envelope, Recorded, as_draft, first_break
from events.store.log import SummaryPage
from events.store.postgres import rows as postgres_rows
from events.store.postgres.connection import PATIENCE_S, Address, Connection, Pool
from events.store.postgres.flush import Item
from events.store.postgres.heads import HeadTracker
from events.store.postgres.listener import NotificationListener
from events.store.postgres.schema import check
from events.store.postgres.writer import ITEM_BYTES, Writer
from events.types import Event

LEASE_S: Final = 10.0
"""How long a node's word that it runs a debate holds, by the database's clock."""
_RELEASE: Final = "UPDATE moot.debates SET owner = NULL, lease_until = NULL WHERE owner = %s"
_LEAVE: Final = "DELETE FROM moot.nodes WHERE node = %s"

P = ParamSpec("P")
T = TypeVar("T")


class PostgresLog:
    """``EventLog`` over a database.  Made by ``open``; belongs to the event loop that it was opened in.

    ``node`` names this opening of the log to the others.  ``epochs`` says in which epoch this node holds a debate; the
    leases write it, an append that opens a debate writes it, and an append in another epoch than the database's is
    ``Fenced``.
    """

    def __init__(self, url: str, *, read_only: bool, lease_s: float, patience_s: float) -> None:
        self.address = Address(url)
        self.node = secrets.token_hex(8)
        self.lease_s = lease_s
        self.epochs: dict[str, int] = {}
        self.pool = Pool(self.address, patience_s=patience_s)
        self._patience_s = patience_s
        self.ear = NotificationListener(self.address)
        self._heads = HeadTracker(self.ear, self.node)
        self._writer = (
            None
            if read_only
            else Writer(
                self.address,
                self.node,
                self.epochs,
                lease_s=lease_s,
                patience_s=patience_s,
                committed=self._heads.committed,
            )
        )
        self._closed = False

    @classmethod
    async def open(
        cls, url: str, *, read_only: bool = False, lease_s: float = LEASE_S, patience_s: float = PATIENCE_S
    ) -> Self:
        """Connect, and see that the schema is there.  Raises ``BadStore``, ``NotMigrated``, ``StoreUnavailable``."""
        log = cls(url, read_only=read_only, lease_s=lease_s, patience_s=patience_s)
        try:
            await log.pool.run(lambda connection: check(log.address, connection))
        except BaseException:  # a cancelled opening, too, leaves no connection behind
            await log.close()
            raise
        return log

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    @property
    def read_only(self) -> bool:
        """Whether this opening only reads."""
        return self._writer is None

    @property
    def trouble(self) -> StoreUnavailable | None:
        """See ``EventLog``."""
        return self._writer.trouble if self._writer else None

    @property
    def queued(self) -> tuple[int, int]:
        """See ``EventLog``."""
        return self._writer.queued if self._writer else (0, 0)

    @property
    def silence_s(self) -> float:
        """See ``EventLog``."""
        return self.ear.silence_s

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return self._heads.known(debate)

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``; also raises ``Fenced``.  An append that is cancelled may still be recorded."""
        drafts = [as_draft(item) for item in events]
        payloads = [codec.encode(draft.event) for draft in drafts]
        writer = self._writer or self._refuse()
        loop = asyncio.get_running_loop()
        size = sum(map(len, payloads)) + ITEM_BYTES
        future = loop.create_future()
        await writer.submit(Item(debate, expected, future, loop.time(), size, drafts, payloads))
        records: tuple[Recorded, ...] = await future
        return records

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """See ``EventLog``.  Nobody holds what was adopted."""
        writer = self._writer or self._refuse()
        debate = records[0].debate
        if broken := await to_thread.run_sync(first_break, records, debate):
            raise BrokenChain(debate, *broken)
        loop = asyncio.get_running_loop()
        size = sum(len(record.payload) + ITEM_BYTES for record in records)
        future = loop.create_future()
        await writer.submit(Item(debate, 0, future, loop.time(), size, records=records))
        await future

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_records, debate, after, limit)

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_envelopes, debate, after, limit)

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        return (await self._reading(postgres_rows.read_heads, [debate])).get(debate, 0)

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        with self._heads.waiting(debate, position) as beyond:
            head = self._heads.known(debate)
            if head is None:
                live = self.ear.is_live
                head = await self.head(debate)
                if live and self.ear.is_live:
                    self._heads.learn(debate, head)
            if head <= position:
                await beyond

    async def summaries(self, after: str | None = None, limit: int = 50, query: str = "") -> SummaryPage:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_summaries, after, limit, query)

    async def unfinished(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_unfinished)

    async def calibrations(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_calibrations)

    async def unconcluded(self) -> dict[str, int]:
        """See ``EventLog``."""
        return await self._reading(postgres_rows.read_unconcluded)

    async def close(self) -> None:
        """See ``EventLog``; what this node held is free for the others at once."""
        if self._closed:
            return
        self._closed = True
        self._heads.close()
        await self.ear.close()
        if self._writer is not None:
            await self._writer.close()
            self.pool.patience_s = 0
            with suppress(LogError):  # a lease ends by itself
                await self.pool.run(self._leave)
        await self.pool.close()

    async def _leave(self, connection: Connection) -> None:
        await connection.execute(_RELEASE, (self.node,))
        await connection.execute(_LEAVE, (self.node,))

    def _refuse(self) -> Writer:
        raise StoreUnavailable(f"the store {self.address.name} is open for reading only")

    async def _reading(
        self, read: Callable[Concatenate[Connection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``read`` with a connection of the pool."""
        return await self.pool.run(lambda connection: read(connection, *args, **kwargs))
