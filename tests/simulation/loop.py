"""An event loop with virtual time: while every task waits, the clock jumps to the next timer.

It has no selector, no pipe and no thread, so that a loop costs microseconds.  What runs in it runs the same way each
time: tasks are hashed by number and not by address, so that the order of a set of tasks is fixed.
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
    """No timer is left, or too much time has passed, and the schedule has not ended."""


class NumberedTask(asyncio.Task[Any]):
    """A task that is hashed by its number."""

    def __init__(self, coroutine: Any, *, loop: "VirtualLoop", **how: Any) -> None:
        loop.tasks_made += 1
        self._number = loop.tasks_made
        super().__init__(coroutine, loop=loop, **how)

    def __hash__(self) -> int:
        return self._number


class VirtualLoop(asyncio.BaseEventLoop):
    """The loop of ``asyncio`` with another step: the clock stands still while any callback is ready."""

    _ready: deque[Any]

    def __init__(self, most_s: float) -> None:
        super().__init__()
        self.now, self._most_s = 0.0, most_s
        self._due: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers = 0
        self.tasks_made = 0
        self.failures: list[BaseException] = []
        self.set_task_factory(lambda _, coroutine, **how: NumberedTask(coroutine, loop=self, **how))
        self.set_exception_handler(self._keep)

    def time(self) -> float:
        """Virtual seconds since the start."""
        return self.now

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """See ``asyncio``; without its checks for debugging."""
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
        """Run what is ready; if nothing is, go to the next timer.  Raises ``Stuck`` if there is none."""
        ready, due = self._ready, self._due
        if not ready:
            while due and due[0][2].cancelled():
                heappop(due)
            if not due or due[0][0] == inf:
                raise Stuck(f"at {self.now:.3f} s every task waits and no timer is left")
            self.now = max(self.now, due[0][0])
            if self.now > self._most_s:
                raise Stuck(f"after {self.now:.0f} s the schedule has not ended")
        now = self.now
        while due and due[0][0] <= now:
            ready.append(heappop(due)[2])
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _timer_handle_cancelled(self, _handle: asyncio.TimerHandle) -> None:
        """It is dropped when it is due."""

    def _write_to_self(self) -> None:
        """There is no other thread."""

    def _keep(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception that nothing caught, in a callback or a task."""
        self.fail(context.get("exception") or RuntimeError(context["message"]))

    def fail(self, error: BaseException) -> None:
        """End the schedule with this error."""
        self.failures.append(error)
        self.stop()


def run(main: Callable[[], Awaitable[T]], loop: VirtualLoop) -> T:
    """Run to the end, then cancel what still runs.  Raises the first error, or ``Stuck``."""
    try:
        return anyio.run(main, backend_options={"loop_factory": lambda: loop})
    except RuntimeError:  # the loop was stopped by ``fail``
        if not loop.failures:
            raise
        raise loop.failures[0] from None
