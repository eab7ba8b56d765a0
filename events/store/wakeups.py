"""Who waits for a debate's head to move.

Everything here runs on the thread of the event loop: registering and reading a known head happen in one step, so a
commit cannot slip between them.  ``advance`` costs one dictionary write and one look-up when nobody waits.  Who waited
finds at hand what was committed: a follower that stands at the end reads no file and changes no thread.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from events.errors import StoreUnavailable
from events.record import Recorded

KNOWN_HEADS: Final = 16_384
"""Heads remembered before all are forgotten; a forgotten one is read from the store again."""
TAIL: Final = 32
"""Newest records of a debate that are kept at hand until its follower has them."""
TAILS: Final = 512
"""Debates of which some are."""


class Waiter:
    """One reader that lacks what comes after ``position``."""

    __slots__ = ("future", "position")

    def __init__(self, position: int, future: asyncio.Future[None]) -> None:
        self.position, self.future = position, future


class Wakeups:
    """Committed heads as this process saw them, and those who wait for the next."""

    def __init__(self) -> None:
        self._heads: dict[str, int] = {}
        self._waiting: dict[str, set[Waiter]] = {}
        self._tails: dict[str, tuple[Recorded, ...]] = {}
        self._closed = False

    def known(self, debate: str) -> int | None:
        """The committed head, or None when it is not remembered."""
        return self._heads.get(debate)

    def newest(self, debate: str, after: int) -> tuple[Recorded, ...] | None:
        """All records after a position, where they are at hand: who waited for them need not ask the store.

        They are handed out once: who else wants them finds them there.
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
        """The debate's head is now ``head``: remember it and wake those who waited for it, with what was committed."""
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
        """What was committed joins what is still at hand; the debates that were idle for longest make room."""
        tail = self._tails.pop(debate, ())
        if len(records) <= TAIL and records:
            joins = tail and tail[-1].position + 1 == records[0].position
            self._tails[debate] = (tail + records)[-TAIL:] if joins else records
        if len(self._tails) > TAILS:
            del self._tails[next(iter(self._tails))]

    def forget(self) -> None:
        """Heads may have moved unseen: none is known any more."""
        self._heads.clear()
        self._tails.clear()

    def waited_for(self) -> tuple[str, ...]:
        """The debates that somebody waits for."""
        return tuple(self._waiting)

    @contextmanager
    def waiting(self, debate: str, position: int) -> Iterator[asyncio.Future[None]]:
        """A future that is done once the head is beyond ``position``; fails when the log closes."""
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
                future.exception()  # seen: a waiter that left another way owes nobody a warning

    def close(self) -> None:
        """Nothing will be committed any more: all who wait fail with ``StoreUnavailable``."""
        self._closed = True
        for waiters in self._waiting.values():
            for waiter in waiters:
                if not waiter.future.done():
                    waiter.future.set_exception(StoreUnavailable("the store was closed"))
