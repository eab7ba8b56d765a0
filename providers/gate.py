"""How many calls a provider gets at once and in a minute, and whose turn it is: the debate that has had the fewest.

A place that falls free goes to the waiting debate with the fewest calls so far, and within it to the oldest call.  A
debate that joins late begins where the least served of the waiting ones stands, so that it overtakes nobody for long.
"""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property

import anyio
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from .quota import Limit


class Gate:
    """One provider's."""

    def __init__(self, limit: Limit, *, clock: Callable[[], float] = time.time) -> None:
        self._limit, self._clock = limit, clock
        self._queues: dict[str, deque[anyio.Event]] = {}
        self._served: dict[str, int] = {}
        self._inside: dict[str, int] = {}
        self._paced: list[str] = []
        """Debates that have a place and wait for a minute with room, one entry a call."""
        self.running = 0
        self._calls = limit.calls_per_minute and RateLimitItemPerMinute(limit.calls_per_minute)
        self._tokens = limit.tokens_per_minute and RateLimitItemPerMinute(limit.tokens_per_minute)

    @cached_property
    def _window(self) -> MovingWindowRateLimiter:
        """Counts calls and tokens.  Made when a limit needs it: its storage starts a thread."""
        return MovingWindowRateLimiter(MemoryStorage())

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return sum(map(len, self._queues.values()))

    def ahead(self, debate: str) -> int | None:
        """Calls of others that are let in before the next one of ``debate``; None where none of its calls waits."""
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
        """Whether a call of ``debate`` has a place and waits for a minute with room."""
        return debate in self._paced

    @asynccontextmanager
    async def place(self, debate: str) -> AsyncIterator[None]:
        """Wait for a place, and give it back."""
        await self._enter(debate)
        try:
            await self._pace(debate)
            yield
        finally:
            self._leave(debate)

    def spend(self, tokens: int) -> None:
        """Count tokens that a call has used."""
        if self._tokens and tokens > 0:
            # More than a whole minute's worth counts as a whole minute's.
            self._window.hit(self._tokens, "tokens", cost=min(tokens, self._left("tokens") or tokens))

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
            if turn.is_set():  # the place was ours already: it goes to the next one
                self._leave(debate)
            else:
                self._forget(debate, turn)
            raise

    def _admit(self, debate: str) -> None:
        self.running += 1
        self._served[debate] = self._served.get(debate, 0) + 1
        self._inside[debate] = self._inside.get(debate, 0) + 1

    def _least_served(self) -> int:
        """Calls that the least served of the waiting debates has had."""
        return min((self._served[each] for each in self._queues), default=0)

    def _leave(self, debate: str) -> None:
        self.running -= 1
        self._inside[debate] -= 1
        if not self._inside[debate]:
            del self._inside[debate]
        if self._queues and (self._limit.concurrent is None or self.running < self._limit.concurrent):
            following = min(self._queues, key=lambda each: self._served[each])
            turn = self._queues[following].popleft()
            if not self._queues[following]:
                del self._queues[following]
            self._admit(following)
            turn.set()

    def forget(self, debate: str) -> None:
        """A debate has ended: what it has had counts no more.  One that still has calls here is not forgotten."""
        if debate not in self._queues and debate not in self._inside:
            self._served.pop(debate, None)

    def _forget(self, debate: str, turn: anyio.Event) -> None:
        queue = self._queues[debate]
        queue.remove(turn)
        if not queue:
            del self._queues[debate]

    async def _pace(self, debate: str) -> None:
        """Wait until the minute has room for one more call, and for tokens at all."""
        if not self._tokens and not self._calls:
            return
        self._paced.append(debate)
        try:
            if self._tokens:
                while not self._window.test(self._tokens, "tokens"):  # noqa: ASYNC110 - time is what is waited for
                    await anyio.sleep(self._wait_s("tokens"))
            if self._calls:
                while not self._window.hit(self._calls, "calls"):  # noqa: ASYNC110 - likewise
                    await anyio.sleep(self._wait_s("calls"))
        finally:
            self._paced.remove(debate)

    def _wait_s(self, what: str) -> float:
        item = self._calls if what == "calls" else self._tokens
        assert item
        return max(0.05, self._window.get_window_stats(item, what).reset_time - self._clock())

    def _left(self, what: str) -> int:
        assert self._tokens
        return self._window.get_window_stats(self._tokens, what).remaining
