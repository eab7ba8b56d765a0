"""How many calls a provider gets at once and in a minute, and whose turn it is: the debate that has had the fewest.

A place that falls free goes to the waiting debate with the fewest calls so far, and within it to the oldest call.  A
debate that joins late begins where the least served of the waiting ones stands, so that it overtakes nobody for long.
"""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

import anyio
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from msgspec import Meta, Struct

Most = Annotated[int, Meta(ge=1)]


class Limit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one provider may be asked for; None is no limit."""

    concurrent: Most | None = None
    calls_per_minute: Most | None = None
    tokens_per_minute: Most | None = None


class Gate:
    """One provider's."""

    def __init__(self, limit: Limit, *, clock: Callable[[], float] = time.time) -> None:
        self._limit, self._clock = limit, clock
        self._queues: dict[str, deque[anyio.Event]] = {}
        self._served: dict[str, int] = {}
        self._inside: dict[str, int] = {}
        self.running = 0
        self._window = MovingWindowRateLimiter(MemoryStorage())
        self._calls = limit.calls_per_minute and RateLimitItemPerMinute(limit.calls_per_minute)
        self._tokens = limit.tokens_per_minute and RateLimitItemPerMinute(limit.tokens_per_minute)

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def place(self, debate: str) -> AsyncIterator[None]:
        """Wait for a place, and give it back."""
        await self._enter(debate)
        try:
            await self._pace()
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
            self._served[debate] = min((self._served[each] for each in self._queues), default=0)
        self._queues.setdefault(debate, deque()).append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():   # the place was ours already: it goes to the next one
                self._leave(debate)
            else:
                self._forget(debate, turn)
            raise

    def _admit(self, debate: str) -> None:
        self.running += 1
        self._served[debate] = self._served.get(debate, 0) + 1
        self._inside[debate] = self._inside.get(debate, 0) + 1

    def _leave(self, debate: str) -> None:
        self.running -= 1
        self._inside[debate] -= 1
        if self._queues and (self._limit.concurrent is None or self.running < self._limit.concurrent):
            following = min(self._queues, key=lambda each: self._served[each])
            turn = self._queues[following].popleft()
            if not self._queues[following]:
                del self._queues[following]
            self._admit(following)
            turn.set()
        if not self._queues and not self.running:   # nobody is owed anything any more
            self._served.clear()
            self._inside.clear()

    def _forget(self, debate: str, turn: anyio.Event) -> None:
        queue = self._queues[debate]
        queue.remove(turn)
        if not queue:
            del self._queues[debate]

    async def _pace(self) -> None:
        """Wait until the minute has room for one more call, and for tokens at all."""
        if self._tokens:
            while not self._window.test(self._tokens, "tokens"):   # noqa: ASYNC110 - time is what is waited for
                await anyio.sleep(self._wait_s("tokens"))
        if self._calls:
            while not self._window.hit(self._calls, "calls"):   # noqa: ASYNC110 - likewise
                await anyio.sleep(self._wait_s("calls"))

    def _wait_s(self, what: str) -> float:
        item = self._calls if what == "calls" else self._tokens
        assert item
        return max(0.05, self._window.get_window_stats(item, what).reset_time - self._clock())

    def _left(self, what: str) -> int:
        assert self._tokens
        return self._window.get_window_stats(self._tokens, what).remaining
