"""What ``reader.c`` and ``sender.c`` do, for machines without a C compiler; those files describe stdin and stdout.

``python -m tests.measuring.fallback reader PORT COUNT STALLED PATH OFFER LOOK_US``
``python -m tests.measuring.fallback sender COUNT SIZE JOINED``
"""

import base64
import os
import re
import selectors
import socket
import sys
import time
from typing import Final

from websockets.frames import Opcode

from server.feed.websocket.wire import serialize

FRAME: Final = re.compile(rb'\{"kind":"(frame|snapshot)","position":(\d+)')
TEXT, CLOSE, PING = 1, 8, 9
PONG: Final = b"\x8a\x80\0\0\0\0"


class ReaderSocket:
    """One socket: its messages, its position, its bytes, and when it reached its target."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.messages = self.position = self.bytes = self.gaps = self.reached_ns = 0
        self._rest = b""

    def take(self) -> None:
        """Read what the socket has."""
        received = self.connection.recv(1 << 18)
        if not received:
            raise SystemExit("the server closed a socket")
        self.bytes += len(received)
        buffer, at = self._rest + received, 0
        while (header := read_header(buffer, at)) is not None:
            start, size = header
            if start + size > len(buffer):
                break
            self._message(buffer[at] & 0x0F, buffer[start : start + min(size, 64)])
            at = start + size
        self._rest = buffer[at:]

    def _message(self, opcode: int, prefix: bytes) -> None:
        if opcode == CLOSE:
            raise SystemExit("a socket was closed")
        if opcode == PING:
            self.connection.sendall(PONG)
        if opcode != TEXT:
            return
        self.messages += 1
        if found := FRAME.match(prefix):
            position = int(found[2])
            self.gaps += found[1] == b"frame" and self.position not in {0, position - 1}
            self.position = position


def read_header(buffer: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload starts, and its size; None while the header is incomplete.  Source: RFC 6455, section 5.2."""
    if len(buffer) < at + 2:
        return None
    size = buffer[at + 1] & 0x7F
    width = {126: 2, 127: 8}.get(size, 0)
    if len(buffer) < at + 2 + width:
        return None
    return at + 2 + width, int.from_bytes(buffer[at + 2 : at + 2 + width], "big") if width else size


class ReaderSockets:
    """All sockets, and the target of each."""

    def __init__(self, spectators: list[ReaderSocket], stalled: int) -> None:
        self.stalled, self.reading = spectators[:stalled], spectators[stalled:]
        self._targets: list[tuple[ReaderSocket, int]] = []
        self._by_position = False

    def command(self, line: str) -> str:
        """Execute the command of a line; the answer."""
        word, _, number = line.strip().partition(" ")
        if word == "read":
            self.reading, self.stalled = self.reading + self.stalled, []
            return "reading"
        self._by_position = word == "upto"
        self._targets = [(each, int(number) + (0 if self._by_position else each.messages)) for each in self.reading]
        for each in self.reading:
            each.reached_ns = 0
        return "armed"

    def done(self) -> str | None:
        """The answer when every socket has reached its target; None before."""
        for each, target in self._targets:
            if not each.reached_ns and (each.position if self._by_position else each.messages) >= target:
                each.reached_ns = time.monotonic_ns()
        if not self._targets or not all(each.reached_ns for each, _ in self._targets):
            return None
        times = sorted(each.reached_ns for each, _ in self._targets)
        self._targets = []
        size = sum(each.bytes for each in self.reading)
        for each in self.reading:
            each.bytes = 0
        number = len(times)
        gaps = sum(each.gaps for each in self.reading)
        return f"done {size} {times[number // 2]} {times[number - 1 - number // 100]} {times[-1]} {gaps}"


def _connect(port: int, path: str, offer: str, *, stalled: bool) -> ReaderSocket:
    connection = socket.socket()
    if stalled:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if path:
        key = base64.b64encode(os.urandom(16)).decode()
        extensions = f"Sec-WebSocket-Extensions: {offer}\r\n" if offer else ""
        asked = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{extensions}\r\n"
        )
        connection.sendall(asked.encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):  # byte by byte: frames may follow at once
            answer += connection.recv(1)
        if not answer.startswith(b"HTTP/1.1 101"):
            raise SystemExit(answer.decode(errors="replace"))
    return ReaderSocket(connection)


def read(port: int, count: int, stalled: int, path: str, offer: str, look_s: float) -> None:
    """Read every ``look_s`` seconds until stdin ends."""
    readers = ReaderSockets([_connect(port, path, offer, stalled=n < stalled) for n in range(count)], stalled)
    with selectors.DefaultSelector() as selector:
        for spectator in readers.reading:
            selector.register(spectator.connection, selectors.EVENT_READ, spectator)
        selector.register(sys.stdin, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            time.sleep(look_s)
            for key, _ in selector.select():
                if key.data is not None:
                    key.data.take()
                    continue
                line = sys.stdin.readline()
                if not line:
                    return
                woken = readers.stalled if line.startswith("read") else []
                print(readers.command(line), flush=True)
                for spectator in woken:
                    selector.register(spectator.connection, selectors.EVENT_READ, spectator)
            if (line := readers.done() or "") != "":
                print(line, flush=True)


def send(count: int, size: int, joined: int) -> None:
    """Send until stdin ends."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        print(listening.getsockname()[1], flush=True)
        connections = [listening.accept()[0] for _ in range(count)]
    for connection in connections:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    message = serialize(Opcode.TEXT, b"x" * size) * joined
    for line in sys.stdin:
        began = time.process_time_ns()
        for _ in range(int(line)):
            for connection in connections:
                connection.sendall(message)
        print(time.process_time_ns() - began, flush=True)


if __name__ == "__main__":
    program, *arguments = sys.argv[1:]
    if program == "reader":
        port, count, stalled, path, offer, look_us = arguments
        read(int(port), int(count), int(stalled), path, offer, int(look_us) / 1e6)
    else:
        send(*map(int, arguments))
