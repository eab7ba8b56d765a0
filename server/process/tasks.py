"""Background tasks that do not end each other: the boundary between debates."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
import structlog

logger = structlog.get_logger()


class BackgroundTasks:
    """The background tasks of one part of the server.  A bug in one of them is logged and ends that task alone."""

    def __init__(self) -> None:
        self._group: anyio.abc.TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Within it tasks may be started; at its end they are awaited, or cancelled with it."""
        async with anyio.create_task_group() as self._group:
            yield

    def start_soon(self, function: Callable[..., Awaitable[Any]], *args: Any, debate: str) -> None:
        """Run a task of a debate until it is done.  Its result is dropped; a failure is logged with ``debate``."""
        assert self._group is not None, "no tasks run yet"
        self._group.start_soon(_contained, function, args, debate)


async def _contained(function: Callable[..., Awaitable[Any]], args: tuple[Any, ...], debate: str) -> None:
    try:
        await function(*args)
    except Exception:
        logger.exception("task_failed", task=getattr(function, "__qualname__", ""), debate=debate)
