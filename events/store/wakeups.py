"""Waiting for new records of a debate.

Everything runs on the thread of the event loop: a reader registers and reads the known head in one step, so it misses
no commit.  Without waiting readers ``advance`` costs one dictionary write and one look-up.  A waiting reader gets the
committed records from memory, without reading the store in another thread.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from events.errors import StoreUnavailable, UnknownDebate
from events.record import Recorded

KNOWN_HEADS: Final = 16_384
"""Known heads, at most; then all are forgotten, and read from the store again when needed."""
TAIL: Final = 32
"""Newest records of a debate that are kept in memory for its reader."""
TAILS: Final = 512
"""Debates with records in memory, at most."""


class Waiter:
    """A reader that waits for records after ``position``."""

    __slots__ = ("future", "position")

    def __init__(self, position: int, future: asyncio.Future[None]) -> None:
        self.position, self.future = position, future


class Wakeups:
    """Committed heads that this process knows, and the readers that wait for the next records."""

    def __init__(self) -> None:
        self._heads: dict[str, int] = {}
        self._waiting: dict[str, set[Waiter]] = {}
        self._tails: dict[str, tuple[Recorded, ...]] = {}
        self._closed = False

    def known(self, debate: str) -> int | None:
        """The committed head, or None if it is not known."""
        return self._heads.get(debate)

    def newest(self, debate: str, after: int) -> tuple[Recorded, ...] | None:
        """All records after a position, if they are in memory; else None.

        Records are given out once: other readers find them in the store.
        """
        head = self._heads.get(debate)
        if head is None or self._closed:
            return None
        if after >= head:
            return ()
        tail = self._tails.pop(debate, ())
        if not tail or tail[-1].position != head or tail[0].position > after + 1:
            return None
        return tail[after + 1 - tail[0].position :]

    def advance(self, debate: str, head: int, records: tuple[Recorded, ...] = ()) -> None:
        """Set the debate's head, and wake its waiting readers; they get ``records`` from memory."""
        heads = self._heads
        if debate not in heads and len(heads) >= KNOWN_HEADS:
            self.forget()
        heads[debate] = head
        if self._waiting and debate in self._waiting:
            self._keep(debate, records)
            for waiter in self._waiting[debate]:
                if waiter.position < head and not waiter.future.done():
                    waiter.future.set_result(None)

    def _keep(self, debate: str, records: tuple[Recorded, ...]) -> None:
        """Keep committed records in memory; the debates that were idle for longest are dropped."""
        tail = self._tails.pop(debate, ())
        if len(records) <= TAIL and records:
            joins = tail and tail[-1].position + 1 == records[0].position
            self._tails[debate] = (tail + records)[-TAIL:] if joins else records
        if len(self._tails) > TAILS:
            del self._tails[next(iter(self._tails))]

    def forget(self) -> None:
        """Forget all heads: they may have moved unseen."""
        self._heads.clear()
        self._tails.clear()

    def end(self, debate: str) -> None:
        """The debate is deleted: forget it, and fail its waiting readers with ``UnknownDebate``."""
        self._heads.pop(debate, None)
        self._tails.pop(debate, None)
        for waiter in self._waiting.get(debate, ()):
            if not waiter.future.done():
                waiter.future.set_exception(UnknownDebate(debate))

    def waited_for(self) -> tuple[str, ...]:
        """The debates with waiting readers."""
        return tuple(self._waiting)

    @contextmanager
    def waiting(self, debate: str, position: int) -> Iterator[asyncio.Future[None]]:
        """A future that is done once there are records after ``position``; fails when the log closes."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiter = Waiter(position, future)
        self._waiting.setdefault(debate, set()).add(waiter)
        if self._closed:
            future.set_exception(StoreUnavailable("the store is closed"))
        try:
            yield future
        finally:
            others = self._waiting[debate]
            others.discard(waiter)
            if not others:
                del self._waiting[debate]
            if future.done() and not future.cancelled():
                future.exception()  # retrieved: without this, asyncio warns of a reader that left in another way

    def close(self) -> None:
        """Fail all waiting readers with ``StoreUnavailable``."""
        self._closed = True
        for waiters in self._waiting.values():
            for waiter in waiters:
                if not waiter.future.done():
                    waiter.future.set_exception(StoreUnavailable("the store was closed"))
