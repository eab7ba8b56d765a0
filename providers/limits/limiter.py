"""Limits the calls to one provider: how many at once and per minute, in an order that is fair between debates.

A free place goes to the waiting debate that has had the fewest calls, and within it to its oldest call.  A debate that
joins late starts with the count of the waiting debate that has had the fewest, so it cannot hold the others back.
"""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio

from . import Limit
from .minute import MinuteCount


class CallLimiter:
    """The places and the minute of one provider."""

    def __init__(self, limit: Limit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = limit, clock
        self._queues: dict[str, deque[anyio.Event]] = {}
        self._served: dict[str, int] = {}
        self._running: dict[str, int] = {}
        self._paced: list[str] = []
        """Debates that have a place and wait for the minute, one entry for each call."""
        self.running = 0
        self._calls, self._tokens = MinuteCount(clock()), MinuteCount(clock())

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return sum(map(len, self._queues.values()))

    def ahead(self, debate: str) -> int | None:
        """Calls of other debates that come before the next call of ``debate``; None if none of its calls waits."""
        if debate not in self._queues:
            return None
        own, ahead, is_before = self._served[debate], 0, True
        for each, queue in self._queues.items():
            if each == debate:
                is_before = False
            else:
                ahead += min(len(queue), max(0, own - self._served[each] + is_before))
        return ahead

    def is_paced(self, debate: str) -> bool:
        """Whether a call of ``debate`` has a place and waits for the minute."""
        return debate in self._paced

    @asynccontextmanager
    async def place(self, debate: str) -> AsyncIterator[None]:
        """Wait for a place, and give it back at the end."""
        await self._enter(debate)
        try:
            await self._pace(debate)
            yield
        finally:
            self._leave(debate)

    def spend(self, tokens: int) -> None:
        """Count the tokens of a call."""
        if most := self._limit.tokens_per_minute:
            self._tokens.wait_s(self._clock(), most)  # begins the present minute
            # More tokens than a whole minute allows count as a whole minute.
            self._tokens.now = min(most, self._tokens.now + tokens)

    async def _enter(self, debate: str) -> None:
        most = self._limit.concurrent
        if most is None or (self.running < most and not self._queues):
            self._admit(debate)
            return
        turn = anyio.Event()
        if debate not in self._served:
            self._served[debate] = self._least_served()
        self._queues.setdefault(debate, deque()).append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():  # this call already has the place: pass it on
                self._leave(debate)
            else:
                self._remove(debate, turn)
            raise

    def _admit(self, debate: str) -> None:
        self.running += 1
        self._served[debate] = self._served.get(debate, 0) + 1
        self._running[debate] = self._running.get(debate, 0) + 1

    def _least_served(self) -> int:
        """The fewest calls that a waiting debate has had."""
        return min((self._served[each] for each in self._queues), default=0)

    def _leave(self, debate: str) -> None:
        self.running -= 1
        self._running[debate] -= 1
        if not self._running[debate]:
            del self._running[debate]
        if self._queues and (self._limit.concurrent is None or self.running < self._limit.concurrent):
            following = min(self._queues, key=lambda each: self._served[each])
            turn = self._queues[following].popleft()
            if not self._queues[following]:
                del self._queues[following]
            self._admit(following)
            turn.set()

    def forget(self, debate: str) -> None:
        """Drop the count of a debate that has ended.  A debate that still has calls here keeps its count."""
        if debate not in self._queues and debate not in self._running:
            self._served.pop(debate, None)

    def _remove(self, debate: str, turn: anyio.Event) -> None:
        queue = self._queues[debate]
        queue.remove(turn)
        if not queue:
            del self._queues[debate]

    async def _pace(self, debate: str) -> None:
        """Wait until the minute has room for one more call and for more tokens."""
        if not self._limit.tokens_per_minute and not self._limit.calls_per_minute:
            return
        self._paced.append(debate)
        try:
            while wait_s := self._wait_s():  # noqa: ASYNC110 - it waits for time to pass
                await anyio.sleep(wait_s)
            self._calls.now += 1
        finally:
            self._paced.remove(debate)

    def _wait_s(self) -> float:
        at, limit = self._clock(), self._limit
        used = ((self._tokens, limit.tokens_per_minute), (self._calls, limit.calls_per_minute))
        return max(count.wait_s(at, most) for count, most in used if most)
