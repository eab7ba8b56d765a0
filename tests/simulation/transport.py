"""A connection as the server sees it: bytes wait in a buffer until the client reads them, at the client's pace."""

import asyncio
import random
from typing import Any, Final

from tests.simulation.loop import VirtualLoop

LOW: Final = 4
"""The protocol is resumed when a quarter of the high-water mark is left, as in ``asyncio``."""


class ReadPace:
    """How the client reads: at most ``most`` bytes every ``every_s`` seconds, and nothing until ``stalled_until``."""

    def __init__(self, every_s: float, most: int) -> None:
        self.every_s, self.most = every_s, most
        self.stalled_until = 0.0

    def stall(self, seconds: float, loop: VirtualLoop) -> None:
        """Read nothing for that many seconds."""
        self.stalled_until = loop.now + seconds


class SimulatedTransport(asyncio.Transport):
    """Pauses its protocol above ``high`` bytes: at once, or, if ``late``, in the loop's next step (as uvloop does)."""

    def __init__(
        self, loop: VirtualLoop, client: Any, pace: ReadPace, *, high: int, late: bool, rng: random.Random
    ) -> None:
        super().__init__()
        self.loop, self.client, self.pace, self.high, self.late = loop, client, pace, high, late
        self.protocol: Any = None
        self.most = 0
        """The most bytes that waited at any time."""
        self.longest = 0
        """Bytes of the longest write."""
        self.faults: list[str] = []
        self.most_unread_s = 0.0
        """Seconds for which a client that reads nothing may be kept; 0 for any number."""
        self._waiting = bytearray()
        self._rng = rng
        self._reads = 0
        self._is_paused = self._is_read = False
        self.is_closed = self.is_lost = self.is_cut = False

    def write(self, data: Any) -> None:
        """See ``asyncio.Transport``."""
        if self.is_lost:
            return  # as asyncio, which drops it silently
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
            if self.most_unread_s:
                self.loop.call_later(self.most_unread_s, self._look, self._reads)
            self.protocol.pause_writing()

    def _look(self, reads: int) -> None:
        if self._is_paused and self._reads == reads and not self.is_lost:
            self.faults.append(f"kept for {self.most_unread_s:g} s without reading")

    def get_write_buffer_size(self) -> int:
        """See ``asyncio.Transport``."""
        return len(self._waiting)

    def is_closing(self) -> bool:
        """See ``asyncio.Transport``."""
        return self.is_closed or self.is_lost

    def close(self) -> None:
        """See ``asyncio.Transport``: the client still gets what waits."""
        if not self.is_closed:
            self.is_closed = True
            if not self._waiting:
                self.loop.call_soon(self._lose)

    def abort(self) -> None:
        """See ``asyncio.Transport``: what waits is dropped."""
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
            self.client.lost()

    # the client's end

    def cut(self, notice_s: float | None) -> None:
        """Lose all bytes from now on.  The server is told after ``notice_s`` seconds; with None it is never told."""
        self.is_cut = True
        if notice_s is not None:
            self.loop.call_later(notice_s, self.abort)

    def send(self, data: bytes) -> None:
        """The client sends bytes."""
        if not self.is_cut:
            self.loop.call_later(self.pace.every_s, self._arrive, data)

    def _arrive(self, data: bytes) -> None:
        if not self.is_lost and not self.is_cut:
            self.protocol.data_received(data)

    def read_soon(self) -> None:
        """Let the client read when its pace allows."""
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
        most = self._rng.randint(1, self.pace.most) if self.pace.most < self.high else self.pace.most
        data = bytes(self._waiting[:most])
        del self._waiting[:most]
        self._reads += 1
        if self._is_paused and len(self._waiting) <= self.high // LOW:
            self._is_paused = False
            self.protocol.resume_writing()
        self.client.receive(data)
        if self.is_closed and not self._waiting:
            self._lose()
        self.read_soon()
