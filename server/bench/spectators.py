"""Spectators, a process of their own: raw sockets that do the handshake, then count frames and bytes.

``python -m server.bench.spectators PORT COUNT FRAMES PATH``: with a path they speak WebSocket, with an empty one they
read the same bytes from plain sockets.  ``ready`` is printed once all are connected; then the bytes so far each time
that every one of them has received FRAMES more frames.
"""

import base64
import os
import selectors
import socket
import sys
from typing import Final

MARK: Final = b'{"kind":"frame"'
LONG, LONGEST = 126, 127
"""Lengths in the second byte that stand for a longer number behind it.  Source: RFC 6455, section 5.2."""


class Spectator:
    """One socket and the frames that have come."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.frames = self.bytes = 0
        self._rest = b""

    def take(self) -> None:
        """Read what is there; count the debate's frames, pass over everything else."""
        came = self.connection.recv(1 << 18)
        if not came:
            raise SystemExit("the server closed a socket")
        buffer, at = self._rest + came, 0
        while (header := read_header(buffer, at)) is not None:
            start, size = header
            if start + size > len(buffer):
                break
            if buffer.startswith(MARK, start):
                self.frames += 1
                self.bytes += start + size - at
            at = start + size
        self._rest = buffer[at:]


def read_header(buffer: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload starts, and its size; None while the header is not whole."""
    if len(buffer) < at + 2:
        return None
    size = buffer[at + 1] & 0x7F
    width = {LONG: 2, LONGEST: 8}.get(size, 0)
    if len(buffer) < at + 2 + width:
        return None
    return at + 2 + width, int.from_bytes(buffer[at + 2 : at + 2 + width], "big") if width else size


def _connect(port: int, path: str) -> Spectator:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    spectator = Spectator(connection)
    if path:
        key = base64.b64encode(os.urandom(16)).decode()
        asked = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: moot.v1\r\n\r\n"
        )
        connection.sendall(asked.encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):   # byte by byte: what follows are frames already
            answer += connection.recv(1)
        if not answer.startswith(b"HTTP/1.1 101"):
            raise SystemExit(answer.decode(errors="replace"))
    return spectator


def main(port: int, count: int, frames: int, path: str) -> None:
    """Watch until the process is ended."""
    spectators = [_connect(port, path) for _ in range(count)]
    with selectors.DefaultSelector() as selector:
        for spectator in spectators:
            selector.register(spectator.connection, selectors.EVENT_READ, spectator)
        print("ready", flush=True)
        wanted = frames
        while True:
            for key, _ in selector.select():
                key.data.take()
            if all(spectator.frames >= wanted for spectator in spectators):
                print(sum(spectator.bytes for spectator in spectators), flush=True)
                wanted += frames


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
