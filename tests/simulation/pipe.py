"""A connection seen from the server: bytes wait in it until the far end reads them, as fast as that reads."""

import asyncio
import random
from typing import Any

from tests.simulation.loop import Loop

LOW: int = 4
"""Writing goes on once a quarter of what stopped it is left, as ``asyncio`` has it."""


class Pace:
    """How the far end reads: so many bytes at once, every so often; nothing until ``stalled_until``."""

    def __init__(self, every_s: float, most: int) -> None:
        self.every_s, self.most = every_s, most
        self.stalled_until = 0.0

    def stall(self, seconds: float, loop: Loop) -> None:
        """Read nothing for a while."""
        self.stalled_until = loop.now + seconds


class Pipe(asyncio.Transport):
    """Above ``high`` bytes its protocol is paused: at once, or (``late``, as uvloop does) in the next step."""

    def __init__(self, loop: Loop, far: Any, pace: Pace, *, high: int, late: bool, chance: random.Random) -> None:
        super().__init__()
        self.loop, self.far, self.pace, self.high, self.late = loop, far, pace, high, late
        self.protocol: Any = None
        self.most = 0
        """Bytes that waited at the worst moment."""
        self.longest = 0
        """Bytes of the longest write."""
        self.faults: list[str] = []
        self.unread_s = 0.0
        """Seconds for which somebody who reads nothing may be kept; 0 for any number."""
        self._waiting = bytearray()
        self._chance = chance
        self._reads = 0
        self._is_paused = self._is_read = False
        self.is_closed = self.is_lost = self.is_cut = False

    def write(self, data: Any) -> None:
        """See ``asyncio.Transport``."""
        if self.is_lost:
            return  # as asyncio: dropped without a word
        if self.is_closed:
            self.faults.append("written to after it was closed")
        self._waiting += data
        self.longest = max(self.longest, len(data))
        self.most = max(self.most, len(self._waiting))
        if self.late:
            self.loop.call_soon(self._pause)
        else:
            self._pause()
        self.read_soon()

    def _pause(self) -> None:
        if len(self._waiting) > self.high and not self._is_paused and not self.is_lost:
            self._is_paused = True
            if self.unread_s:
                self.loop.call_later(self.unread_s, self._look, self._reads)
            self.protocol.pause_writing()

    def _look(self, reads: int) -> None:
        if self._is_paused and self._reads == reads and not self.is_lost:
            self.faults.append(f"kept for {self.unread_s:g} s without reading")

    def get_write_buffer_size(self) -> int:
        """Bytes that wait."""
        return len(self._waiting)

    def is_closing(self) -> bool:
        """See ``asyncio.Transport``."""
        return self.is_closed or self.is_lost

    def close(self) -> None:
        """What waits is still written."""
        if not self.is_closed:
            self.is_closed = True
            if not self._waiting:
                self.loop.call_soon(self._lose)

    def abort(self) -> None:
        """What waits is dropped."""
        self.is_closed = True
        self._waiting.clear()
        self.loop.call_soon(self._lose)

    def set_protocol(self, protocol: Any) -> None:
        """See ``asyncio.Transport``."""
        self.protocol = protocol

    def _lose(self) -> None:
        if not self.is_lost:
            self.is_lost = True
            self.protocol.connection_lost(None)
            self.far.lost()

    # the far end

    def cut(self, notice_s: float | None) -> None:
        """Nothing gets through any more; the server notices after a while, or (None) has to find out."""
        self.is_cut = True
        if notice_s is not None:
            self.loop.call_later(notice_s, self.abort)

    def send(self, data: bytes) -> None:
        """The far end says something."""
        if not self.is_cut:
            self.loop.call_later(self.pace.every_s, self._arrive, data)

    def _arrive(self, data: bytes) -> None:
        if not self.is_lost and not self.is_cut:
            self.protocol.data_received(data)

    def read_soon(self) -> None:
        """The far end reads once it is its time."""
        if not self._is_read and self._waiting and not self.is_cut:
            self._is_read = True
            wait = max(self.pace.every_s, self.pace.stalled_until - self.loop.now)
            self.loop.call_later(wait, self._read)

    def _read(self) -> None:
        self._is_read = False
        if self.is_lost or self.is_cut:
            return
        if self.pace.stalled_until > self.loop.now:
            self.read_soon()
            return
        most = self._chance.randint(1, self.pace.most) if self.pace.most < self.high else self.pace.most
        data = bytes(self._waiting[:most])
        del self._waiting[:most]
        self._reads += 1
        if self._is_paused and len(self._waiting) <= self.high // LOW:
            self._is_paused = False
            self.protocol.resume_writing()
        self.far.receive(data)
        if self.is_closed and not self._waiting:
            self._lose()
        self.read_soon()
