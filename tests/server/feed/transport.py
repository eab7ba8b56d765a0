"""A transport for detached sockets that fills and drains on demand, with a client that reads its bytes."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

from server.feed.websocket.wire import COMPRESSED
from tests.server.harness import Spectator as Reader

TAIL = b"\x00\x00\xff\xff"


def each_frame(stream: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The frames of a server: first byte, payload, and the whole frame."""
    at = 0
    while at < len(stream):
        size, start = stream[at + 1] & 0x7F, at + 2
        if more := {126: 2, 127: 8}.get(size, 0):
            size = int.from_bytes(stream[start : start + more], "big")
            start += more
        yield stream[at], stream[start : start + size], stream[at : start + size]
        at = start + size


class Decompressor:
    """The decompressor of a client: one window for the whole connection."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(-12)

    def message(self, first: int, payload: bytes) -> str:
        return (self._inflate.decompress(payload + TAIL) if first & COMPRESSED else payload).decode()


class FakeTransport:
    """A transport: bytes wait in it until the test drains it; above ``high`` it pauses the protocol.

    ``late``: pauses in a later step of the event loop, as uvloop does; otherwise it pauses within the write.
    """

    def __init__(self, protocol: Any, *, high: int = 2000, late: Callable[..., Any] | None = None) -> None:
        self.protocol, self.high, self.late = protocol, high, late
        self.waiting = b""
        self.most = 0
        self.is_paused = self.is_closed = False
        self.reader = Reader()
        self.messages: list[str] = []
        self.compressed = 0
        self._inflating = Decompressor()
        self._unread = b""

    def write(self, data: bytes) -> None:
        assert not self.is_closed, "written to after it closed"
        self.waiting += data
        self.most = max(self.most, len(self.waiting))
        if self.late is None:
            self._pause()
        else:
            self.late(self._pause)

    def _pause(self) -> None:
        if len(self.waiting) > self.high and not self.is_paused and not self.is_closed:
            self.is_paused = True
            self.protocol.pause_writing()

    def get_write_buffer_size(self) -> int:
        return len(self.waiting)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True
        self.protocol.connection_lost(None)

    def drain(self, most: int | None = None) -> None:
        """Let the client read up to ``most`` bytes, or all."""
        most = len(self.waiting) if most is None else most
        self._unread += self.waiting[:most]
        self.waiting = self.waiting[most:]
        self._read()
        if self.is_paused and len(self.waiting) <= self.high // 4:
            self.is_paused = False
            self.protocol.resume_writing()

    def _read(self) -> None:
        """Read the complete frames."""
        while (end := _end(self._unread)) is not None:
            [(first, payload, _)] = each_frame(self._unread[:end])
            self._unread = self._unread[end:]
            if first & 0x08:
                continue
            self.compressed += bool(first & COMPRESSED)
            message = self._inflating.message(first, payload)
            self.messages.append(message)
            self.reader.take(message)


def _end(stream: bytes) -> int | None:
    """The end of the first frame; None if it is not complete."""
    if len(stream) < 2:
        return None
    start, size = 2, stream[1] & 0x7F
    if more := {126: 2, 127: 8}.get(size, 0):
        start += more
        if len(stream) < start:
            return None
        size = int.from_bytes(stream[2:start], "big")
    return start + size if len(stream) >= start + size else None
