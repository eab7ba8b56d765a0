"""Who waits for a debate's head to move.

Everything here runs on the thread of the event loop: registering and reading a known head happen in one step, so a
commit cannot slip between them.  ``advance`` costs one dictionary write and one look-up when nobody waits.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from events.errors import StoreUnavailable

KNOWN_HEADS: Final = 16_384
"""Heads remembered before all are forgotten; a forgotten one is read from the store again."""


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
        self._closed = False

    def known(self, debate: str) -> int | None:
        """The committed head, or None when it is not remembered."""
        return self._heads.get(debate)

    def advance(self, debate: str, head: int) -> None:
        """The debate's head is now ``head``: remember it and wake those who waited for it."""
        heads = self._heads
        if debate not in heads and len(heads) >= KNOWN_HEADS:
            heads.clear()
        heads[debate] = head
        if self._waiting and debate in self._waiting:
            for waiter in self._waiting[debate]:
                if waiter.position < head and not waiter.future.done():
                    waiter.future.set_result(None)

    def forget(self) -> None:
        """Heads may have moved unseen: none is known any more."""
        self._heads.clear()

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
                future.exception()   # seen: a waiter that left another way owes nobody a warning

    def close(self) -> None:
        """Nothing will be committed any more: all who wait fail with ``StoreUnavailable``."""
        self._closed = True
        for waiters in self._waiting.values():
            for waiter in waiters:
                if not waiter.future.done():
                    waiter.future.set_exception(StoreUnavailable("the store was closed"))
