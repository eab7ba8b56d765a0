"""Follows the log of each debate that this process runs, and exports what ends."""

from typing import Any, Final, Protocol

import anyio
import anyio.abc
import structlog
from anyio import to_thread

from events.errors import Fenced, LogError, StoreUnavailable
from events.store.log import EventLog, follow, read_pages
from server.process.tasks import BackgroundTasks
from server.telemetry.trace import DebateTrace, Result, Span

logger = structlog.get_logger()

STORE_WAIT_S: Final = 1.0
CLOSE_S: Final = 5.0
"""Seconds that the collector has at the end of the process."""


class Exports(Protocol):
    """Where spans and results go."""

    def send(self, debate: str, ended: Span | Result) -> None:
        """Take one; never blocks."""
        ...

    def close(self) -> None:
        """Send the rest; may block."""
        ...


class _Followed:
    """A debate that is followed; only what comes after ``after`` is exported."""

    def __init__(self, trace: DebateTrace, after: int) -> None:
        self.trace, self.after, self.scope = trace, after, anyio.CancelScope()
        self.until: int | None = None
        """The last position that is exported, once the debate rests; None if it is not known."""


class TelemetryWatcher:
    """A ``Watcher`` that exports traces.  ``run`` holds its tasks."""

    def __init__(self, log: EventLog, exports: Exports, *, has_texts: bool) -> None:
        self._log, self._exports, self._has_texts = log, exports, has_texts
        self._followed: dict[str, _Followed] = {}
        self._ending: list[tuple[str, _Followed]] = []
        """The debates that rest, until their rest is exported."""
        self._tasks = BackgroundTasks()
        self._is_closing = False

    async def watch(self, debate: str, position: int) -> None:
        """See ``Watcher``.  A debate that has just been opened is followed from its first event on."""
        if debate not in self._followed:
            followed = self._followed[debate] = _Followed(DebateTrace(has_texts=self._has_texts), position)
            self._tasks.start_soon(self._follow, debate, followed, debate=debate)

    def rested(self, debate: str) -> None:
        """See ``Watcher``: what was appended up to now is exported."""
        if not self._is_closing and (followed := self._followed.pop(debate, None)):
            followed.scope.cancel()
            followed.until = self._log.known_head(debate)
            self._ending.append((debate, followed))
            self._tasks.start_soon(self._finish, debate, followed, debate=debate)

    def lost(self, debate: str) -> None:
        """See ``Watcher``."""
        if followed := self._followed.pop(debate, None):
            followed.scope.cancel()

    async def run(
        self, moderators: Any, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Export until it is cancelled, and then what is queued."""
        del moderators
        try:
            async with self._tasks.running():
                task_status.started()
                try:
                    await anyio.sleep_forever()
                finally:
                    self._is_closing = True
        finally:
            with anyio.move_on_after(CLOSE_S, shield=True):
                for debate, followed in (*self._ending, *self._followed.items()):
                    await self._finish(debate, followed)
                await to_thread.run_sync(self._exports.close, abandon_on_cancel=True)

    async def _follow(self, debate: str, followed: _Followed) -> None:
        with followed.scope:
            while True:
                try:
                    async for record in follow(self._log, debate, followed.trace.position):
                        self._take(debate, followed, record)
                except StoreUnavailable as error:
                    logger.warning("store_unavailable", debate=debate, message=str(error))
                    await anyio.sleep(STORE_WAIT_S)
                except (LogError, Fenced):  # it was deleted, or another node has it
                    return

    async def _finish(self, debate: str, followed: _Followed) -> None:
        """Export the rest of a debate that rests; a collector may miss it if the store is away just then."""
        try:
            async for records in read_pages(self._log, debate, followed.trace.position):
                for record in records:
                    if followed.until is None or record.position <= followed.until:
                        self._take(debate, followed, record)
            if (debate, followed) in self._ending:
                self._ending.remove((debate, followed))
        except LogError as error:
            logger.warning("trace_cut_short", debate=debate, message=str(error))

    def _take(self, debate: str, followed: _Followed, record: Any) -> None:
        for ended in followed.trace.take(record):
            if record.position > followed.after:
                self._exports.send(debate, ended)
