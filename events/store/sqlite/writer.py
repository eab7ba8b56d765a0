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
from events.store.sqlite.commit import Answer, Committer, Item

MOST_ITEMS: Final = 256
"""Items after which a flush takes no more: the first in it shall not wait for ever."""
MOST_QUEUED: Final = 8192
"""Items that are accepted and not yet answered, before who comes next waits."""
MOST_QUEUED_BYTES: Final = 64 << 20
"""The same in bytes of payload."""
PROBE_S: Final = 1.0
"""How often a store that could not be written is tried, where nobody else tries."""


Told = Callable[[str, int, tuple[Recorded, ...]], None]
"""Told of a debate, its head, and what was committed."""


class Writer:
    """The thread and its connection.  ``committed`` is called in the loop, before the answer is given."""

    def __init__(self, path: Path, connection: sqlite3.Connection, committed: Told) -> None:
        self.trouble: StoreUnavailable | None = None
        """Why the last flush could not be written; None once one could."""
        self.queued = 0
        self.queued_bytes = 0
        self._path, self._committed = path, committed
        self._committer = Committer(path, connection)
        self._loop = asyncio.get_running_loop()
        self.new_future: Callable[[], asyncio.Future[tuple[Recorded, ...]]] = self._loop.create_future
        self._queue: SimpleQueue[list[Item] | None] = SimpleQueue()
        self._gathering: list[Item] = []
        self._places: deque[tuple[asyncio.Future[None], int]] = deque()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="moot-log-writer", daemon=True)
        self._thread.start()

    def submit(self, item: Item) -> asyncio.Future[tuple[Recorded, ...]]:
        """The future of the item's answer; a place has been taken for it.  Raises ``StoreUnavailable`` once closed."""
        if self._closed:
            raise StoreUnavailable(f"the store {self._path} is closed")
        if not self._gathering:
            self._loop.call_soon(self._hand_over)
        self._gathering.append(item)
        return item.future

    def take_place(self, size: int) -> bool:
        """Take a place for an item of that size, if there is one and nobody waits for it."""
        if self._places or self.queued >= MOST_QUEUED or self.queued_bytes >= MOST_QUEUED_BYTES:
            return False
        self.queued += 1
        self.queued_bytes += size
        return True

    async def wait_place(self, size: int) -> None:
        """Stand in line for a place, and have it on return."""
        place: asyncio.Future[None] = self._loop.create_future()
        self._places.append((place, size))
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:  # given, and not needed any more
                self._release(1, size)
            raise

    def _release(self, items: int, size: int) -> None:
        self.queued -= items
        self.queued_bytes -= size
        while self._places and self.queued < MOST_QUEUED and self.queued_bytes < MOST_QUEUED_BYTES:
            place, size = self._places.popleft()
            if not place.done():
                self.queued += 1  # counted here: before its owner runs, another could take it
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
        waiting: list[Item] = []
        ending = False
        while waiting or not ending:
            try:
                while len(waiting) < MOST_ITEMS and not ending:
                    gathered = self._queue.get(block=not waiting, timeout=PROBE_S if self.trouble else None)
                    ending = gathered is None
                    waiting += gathered or ()
            except Empty:
                if not waiting:
                    self.trouble = self._committer.probe()
                    continue
            items, waiting = waiting[:MOST_ITEMS], waiting[MOST_ITEMS:]
            answers = self._committer.flush(items)
            self.trouble = next((each for each in answers if isinstance(each, StoreUnavailable)), None)
            try:
                self._loop.call_soon_threadsafe(self._deliver, items, answers)
            except RuntimeError:
                return  # the loop is gone, and with it everybody who could be told

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
                committed(item.debate, answer[-1].position, answer)
            if not future.done():
                future.set_result(answer)
        self._release(len(items), size)
