"""The part of a log that SQLite and PostgreSQL share: requests go to one writer, readings through queries."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, ClassVar, Protocol, Self

from anyio import to_thread

from events.errors import BrokenChain, StoreUnavailable
from events.record import Draft, Envelope, Recorded, first_break
from events.store.listing import ALL, Limits, Summary
from events.store.log import SearchPage, SummaryPage, read_search_cursor, search_page
from events.store.requests import Backlog, WriteRequest, adopt_request, append_request
from events.store.tombstone import Tombstone
from events.text.said import Term, terms_of
from events.types import Event


class RequestWriter(Protocol):
    """The writer of a store.  It answers each request by the request's future."""

    trouble: StoreUnavailable | None
    """Why the last attempt to write failed; None once one succeeded."""
    backlog: Backlog
    loop: asyncio.AbstractEventLoop

    def submit(self, request: WriteRequest) -> None:
        """Take a request that the backlog has counted.  Raises ``StoreUnavailable`` once closed."""
        ...


class StoredLog(ABC):
    """``EventLog`` over a store with one writer.  An append that is cancelled may still be recorded."""

    queries: ClassVar[ModuleType]
    """The functions that read from the store, each with a connection as its first argument."""

    def __init__(self, name: str, writer: RequestWriter | None) -> None:
        self.name = name
        """The store in messages; never a password."""
        self._requests = writer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    @property
    def read_only(self) -> bool:
        """Whether this opening of the store only reads."""
        return self._requests is None

    @property
    def trouble(self) -> StoreUnavailable | None:
        """See ``EventLog``."""
        return self._requests.trouble if self._requests else None

    @property
    def queued(self) -> tuple[int, int]:
        """See ``EventLog``."""
        return (self._requests.backlog.requests, self._requests.backlog.bytes) if self._requests else (0, 0)

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        writer = self._requests or self._refuse()
        return await self._answered(writer, append_request(debate, expected, events, writer.loop))

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """See ``EventLog``."""
        writer = self._requests or self._refuse()
        debate = records[0].debate
        if broken := await to_thread.run_sync(first_break, records, debate):
            raise BrokenChain(debate, *broken)
        await self._answered(writer, adopt_request(records, writer.loop))

    @staticmethod
    async def _answered(writer: RequestWriter, request: WriteRequest) -> tuple[Recorded, ...]:
        if not writer.backlog.take(request.size):
            await writer.backlog.wait(request.size)
        writer.submit(request)
        return await request.future

    async def tombstones(self, prefix: str = "") -> tuple[Tombstone, ...]:
        """See ``EventLog``."""
        found: tuple[Tombstone, ...] = await self._reading(self.queries.read_tombstones, prefix)
        return found

    async def _check_not_deleted(self, debate: str, head: int, position: int) -> None:
        """Raise ``DebateDeleted`` for a reader at ``position`` of a debate that was deleted."""
        for left in await self.tombstones(debate) if not head and position > 0 else ():
            if left.debate == debate:
                raise left.refusal()

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """See ``EventLog``."""
        found: tuple[Envelope, ...] = await self._reading(self.queries.read_envelopes, debate, after, limit)
        return found

    async def summaries(
        self, after: str | None = None, limit: int = 50, query: str = "", limits: Limits = ALL
    ) -> SummaryPage:
        """See ``EventLog``."""
        page: SummaryPage = await self._reading(self.queries.read_summaries, after, limit, query, limits)
        return page

    async def search(self, query: str, after: str | None = None, limit: int = 20) -> SearchPage:
        """See ``EventLog``.  The first search builds the index."""
        terms, before = terms_of(query), read_search_cursor(after)
        if not terms:
            return SearchPage(hits=(), next=None)
        return search_page(await self._found(terms, before, limit + 1), terms, limit)

    @abstractmethod
    async def _found(
        self, terms: tuple[Term, ...], before: tuple[int, int] | None, limit: int
    ) -> Sequence[tuple[int, int, Summary, Recorded]]:
        """The newest records before a place that have all terms: number of the debate, position, row, record."""

    async def unfinished(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        debates: tuple[str, ...] = await self._reading(self.queries.read_unfinished)
        return debates

    async def calibrations(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        debates: tuple[str, ...] = await self._reading(self.queries.read_calibrations)
        return debates

    async def unconcluded(self) -> dict[str, int]:
        """See ``EventLog``."""
        counts: dict[str, int] = await self._reading(self.queries.read_unconcluded)
        return counts

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """See ``EventLog``."""
        found: dict[str, bytes] = await self._reading(self.queries.read_notes, kind, key)
        return found

    @abstractmethod
    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """See ``EventLog``."""

    @abstractmethod
    async def close(self) -> None:
        """See ``EventLog``."""

    @abstractmethod
    async def _reading(self, read: Callable[..., Any], *args: object) -> Any:
        """Run ``read`` with a connection."""

    def _refuse(self) -> RequestWriter:
        raise StoreUnavailable(f"the store {self.name} is open for reading only")
