"""An event loop in which no time passes: where everything waits, the clock jumps to what is due next.

It has no selector, no pipe, no thread, so that one of them costs microseconds, and what runs in it runs the same way each
time: tasks are told apart by number, where elsewhere the order of a set of them depends on where they lie in memory.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import anyio

T = TypeVar("T")
RESOLUTION_S: Final = 1e-9


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
    """``asyncio``'s own loop over a clock that stands still while anything is ready."""

    def __init__(self, most_s: float) -> None:
        super().__init__()
        self.now, self._most_s = 0.0, most_s
        self.tasks_made = 0
        self.failures: list[BaseException] = []
        self._clock_resolution = RESOLUTION_S
        self._selector = self   # what the base class asks how long to wait
        self.set_task_factory(lambda loop, coroutine, **how: Numbered(coroutine, loop=loop, **how))   # type: ignore[arg-type]
        self.set_exception_handler(self._keep)

    def time(self) -> float:
        """Virtual seconds since the beginning."""
        return self.now

    def select(self, timeout: float | None) -> list[Any]:
        """Wait, as the base class thinks: the clock jumps.  Raises ``Stuck`` where nothing will ever happen."""
        if timeout is None:
            raise Stuck(f"at {self.now:.3f} s everything waits for something that nobody will do")
        if timeout > 0:
            self.now += timeout
            if self.now > self._most_s:
                raise Stuck(f"after {self.now:.0f} s it has not come to its end")
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

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
    except RuntimeError:   # stopped in the middle
        if not loop.failures:
            raise
        raise loop.failures[0] from None
