"""An event loop in which no time passes: where everything waits, the clock jumps to what is due next.

It has no selector, no pipe, no thread, so that one of them costs microseconds, and what runs in it runs the same way
each time: tasks are told apart by number, where elsewhere the order of a set of them depends on where they lie.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from heapq import heappop, heappush
from math import inf
from typing import Any, TypeVar, TypeVarTuple

import anyio

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Stuck(Exception):
    """Nothing is due any more and the schedule has not come to its end."""


class Numbered(asyncio.Task[Any]):
    """A task whose place in a set does not depend on its address."""

    def __init__(self, coroutine: Any, *, loop: "Loop", **how: Any) -> None:
        loop.tasks_made += 1
        self._number = loop.tasks_made
        super().__init__(coroutine, loop=loop, **how)

    def __hash__(self) -> int:
        return self._number


class Loop(asyncio.BaseEventLoop):
    """``asyncio``'s own loop but for its step: the clock stands still while anything is ready."""

    _ready: deque[Any]

    def __init__(self, most_s: float) -> None:
        super().__init__()
        self.now, self._most_s = 0.0, most_s
        self._due: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers = 0
        self.tasks_made = 0
        self.failures: list[BaseException] = []
        self.set_task_factory(lambda _, coroutine, **how: Numbered(coroutine, loop=self, **how))
        self.set_exception_handler(self._keep)

    def time(self) -> float:
        """Virtual seconds since the beginning."""
        return self.now

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """See ``asyncio``: without what it checks for those who debug."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """See ``asyncio``."""
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """See ``asyncio``."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers += 1
        heappush(self._due, (when, self._timers, handle))
        return handle

    def _run_once(self) -> None:
        """One step: what is ready, and what falls due once nothing is.  Raises ``Stuck`` where nothing ever will."""
        ready, due = self._ready, self._due
        if not ready:
            while due and due[0][2].cancelled():
                heappop(due)
            if not due or due[0][0] == inf:
                raise Stuck(f"at {self.now:.3f} s everything waits for something that nobody will do")
            self.now = max(self.now, due[0][0])
            if self.now > self._most_s:
                raise Stuck(f"after {self.now:.0f} s it has not come to its end")
        now = self.now
        while due and due[0][0] <= now:
            ready.append(heappop(due)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _timer_handle_cancelled(self, _handle: asyncio.TimerHandle) -> None:
        """It is dropped when it falls due."""

    def _write_to_self(self) -> None:
        """Nobody calls from another thread."""

    def _keep(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody caught: a fault of whatever ran in a callback."""
        self.fail(context.get("exception") or RuntimeError(context["message"]))

    def fail(self, error: BaseException) -> None:
        """Something is wrong: the schedule ends here."""
        self.failures.append(error)
        self.stop()


def run(main: Callable[[], Awaitable[T]], loop: Loop) -> T:
    """Run to the end, then end whatever still runs.  Raises what went wrong first, ``Stuck`` if nothing else did."""
    try:
        return anyio.run(main, backend_options={"loop_factory": lambda: loop})
    except RuntimeError:  # stopped in the middle
        if not loop.failures:
            raise
        raise loop.failures[0] from None
