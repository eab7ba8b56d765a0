"""The one writer of a SQLite store: a thread that commits whatever has gathered, together.

Each item has its own answer, given after the commit and never before.  The loop hands over what a tick gathered in one
piece, and is woken once a flush, so the cost of threads is shared by all who write.  Who writes more than the disk
takes waits for a place; who reads never does.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from events.errors import StoreUnavailable
from events.record import Recorded
from events.sqlite_commit import Answer, Committer, Item

MOST_ITEMS: Final = 1024
"""Items after which a flush takes no more: the first in it shall not wait for ever."""
MOST_QUEUED: Final = 8192
"""Items that are accepted and not yet answered, before who comes next waits."""
MOST_QUEUED_BYTES: Final = 64 << 20
"""The same in bytes of payload."""
PROBE_S: Final = 1.0
"""How often a store that could not be written is tried, where nobody else tries."""


class Writer:
    """The thread and its connection.  ``committed(debate, head)`` is called in the loop, before the answer is given."""

    def __init__(self, path: Path, connection: sqlite3.Connection, committed: Callable[[str, int], None]) -> None:
        self.trouble: StoreUnavailable | None = None
        """Why the last flush could not be written; None once one could."""
        self.queued = 0
        self.queued_bytes = 0
        self._path, self._committed = path, committed
        self._committer = Committer(path, connection)
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[list[Item] | None] = SimpleQueue()
        self._gathering: list[Item] = []
        self._places: deque[tuple[asyncio.Future[None], int]] = deque()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="moot-log-writer", daemon=True)
        self._thread.start()

    def new_future(self) -> asyncio.Future[tuple[Recorded, ...]]:
        """Where an item's answer will be."""
        return self._loop.create_future()

    async def write(self, item: Item) -> tuple[Recorded, ...]:
        """The item's answer, once it is durable.  Waits for a place first; raises ``StoreUnavailable`` once closed."""
        if self._closed:
            raise StoreUnavailable(f"the store {self._path} is closed")
        if self._places or not self._has_room:
            await self._place(item.size)
        else:
            self.queued += 1
            self.queued_bytes += item.size
        if not self._gathering:
            self._loop.call_soon(self._hand_over)
        self._gathering.append(item)
        return await item.future

    @property
    def _has_room(self) -> bool:
        return self.queued < MOST_QUEUED and self.queued_bytes < MOST_QUEUED_BYTES

    async def _place(self, size: int) -> None:
        """Wait in line; who gives the place also counts it."""
        place: asyncio.Future[None] = self._loop.create_future()
        self._places.append((place, size))
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():   # given and not taken: the next may have it
                self._release(1, size)
            raise

    def _release(self, items: int, size: int) -> None:
        self.queued -= items
        self.queued_bytes -= size
        while self._places and self._has_room:
            place, size = self._places.popleft()
            if not place.done():
                self.queued += 1
                self.queued_bytes += size
                place.set_result(None)

    async def close(self) -> None:
        """Write what was accepted, then end."""
        if not self._closed:
            self._closed = True
            for place, _ in self._places:
                if not place.done():
                    place.set_exception(StoreUnavailable(f"the store {self._path} is closed"))
            self._places.clear()
            self._hand_over()
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _hand_over(self) -> None:
        if self._gathering:
            self._queue.put(self._gathering)
            self._gathering = []

    def _run(self) -> None:
        ending = False
        while not ending:
            try:
                gathered = self._queue.get(timeout=PROBE_S if self.trouble else None)
            except Empty:
                self.trouble = self._committer.probe()
                continue
            if gathered is None:
                break
            items = gathered
            while len(items) < MOST_ITEMS:
                try:
                    more = self._queue.get_nowait()
                except Empty:
                    break
                if more is None:
                    ending = True
                    break
                items = items + more
            answers = self._committer.flush(items)
            self.trouble = next((each for each in answers if isinstance(each, StoreUnavailable)), None)
            try:
                self._loop.call_soon_threadsafe(self._deliver, items, answers)
            except RuntimeError:
                return   # the loop is gone, and with it everybody who could be told

    def _deliver(self, items: list[Item], answers: list[Answer]) -> None:
        size, committed = 0, self._committed
        for item, answer in zip(items, answers, strict=True):
            size += item.size
            future = item.future
            if isinstance(answer, Exception):
                if not future.done():
                    future.set_exception(answer)
                continue
            if answer:
                committed(item.debate, answer[-1].position)
            if not future.done():
                future.set_result(answer)
        self._release(len(items), size)
