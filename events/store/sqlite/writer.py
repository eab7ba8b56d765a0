"""The one writer of a SQLite store: a thread that commits all waiting requests in one transaction.

Each request gets its own answer, after the commit.  The event loop hands over the requests of one step together, and is
woken once for each transaction: all requests share the cost of the thread.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

from events.errors import StoreUnavailable
from events.record import Recorded
from events.store.requests import MAX_TOGETHER, PROBE_S, Backlog, WriteRequest, WriteResult
from events.store.sqlite.commit import Committer

Committed = Callable[[str, int, tuple[Recorded, ...]], None]
"""Called with a debate, its last position, and the committed records of one request."""


class SqliteWriter:
    """The writer thread.  ``committed`` is called in the event loop, before the request gets its answer."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        committed: Committed,
        discard_index: Callable[[], None] = lambda: None,
    ) -> None:
        """``discard_index``: delete the index of what was said, after a deletion."""
        self.trouble: StoreUnavailable | None = None
        """Why the last transaction failed; None once one succeeded."""
        self.backlog = Backlog()
        self._path, self._committed = path, committed
        self._committer = Committer(path, connection, discard_index)
        self.loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[list[WriteRequest] | None] = SimpleQueue()
        self._gathering: list[WriteRequest] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="moot-log-writer", daemon=True)
        self._thread.start()

    def submit(self, request: WriteRequest) -> None:
        """Take a request that the backlog has counted.  Raises ``StoreUnavailable`` once closed."""
        if self._closed:
            self.backlog.release(1, request.size)
            raise StoreUnavailable(f"the store {self._path} is closed")
        if not self._gathering:
            self.loop.call_soon(self._hand_over)
        self._gathering.append(request)

    async def close(self) -> None:
        """Write the accepted requests, then end the thread."""
        if not self._closed:
            self._closed = True
            self.backlog.close(StoreUnavailable(f"the store {self._path} is closed"))
            self._hand_over()
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _hand_over(self) -> None:
        if self._gathering:
            self._queue.put(self._gathering)
            self._gathering = []

    def _run(self) -> None:
        waiting: list[WriteRequest] = []
        ending = False
        while waiting or not ending:
            try:
                while len(waiting) < MAX_TOGETHER and not ending:
                    gathered = self._queue.get(block=not waiting, timeout=PROBE_S if self.trouble else None)
                    ending = gathered is None
                    waiting += gathered or ()
            except Empty:
                if not waiting:
                    self.trouble = self._committer.probe()
                    continue
            requests, waiting = waiting[:MAX_TOGETHER], waiting[MAX_TOGETHER:]
            answers = self._committer.flush(requests)
            self.trouble = next((each for each in answers if isinstance(each, StoreUnavailable)), None)
            try:
                self.loop.call_soon_threadsafe(self._deliver, requests, answers)
            except RuntimeError:
                return  # the event loop has ended: no request waits any more

    def _deliver(self, requests: list[WriteRequest], answers: list[WriteResult]) -> None:
        size, committed = 0, self._committed
        for request, answer in zip(requests, answers, strict=True):
            size += request.size
            future = request.future
            if isinstance(answer, Exception):
                if not future.done():
                    future.set_exception(answer)
                continue
            if answer and not request.is_repeated:
                committed(request.debate, answer[-1].position, answer)
            if not future.done():
                future.set_result(answer)
        self.backlog.release(len(requests), size)
