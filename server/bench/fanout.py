"""Frames to 500 spectators through the real server, against the same bytes written to 500 plain sockets in a loop.

Both are given as deliveries per second of this process's own CPU: the clients are another process, and what other
programs do meanwhile does not count.
"""

import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio
import anyio.abc
import uvicorn
from anyio import to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from events.record import new_id
from events.types import Event
from server.access import Access
from server.bench.figure import Figure, figure, interleaved
from server.bench.material import opening, turn_events
from server.cli.serve import web_config
from server.service import Service, running
from server.settings import Settings

SPECTATORS: Final = 500
FRAMES: Final = 10
QUIET_S: Final = 0.3
TURNS: Final = 200
_SHORT: Final = 126


async def fanout(*, quick: bool) -> Figure:
    """Deliveries of a frame to a socket, per second of our CPU."""
    repetitions = 3 if quick else 7
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        settings = Settings(store=f"sqlite:{Path(folder) / 'moot.db'}", log_level="error")
        debate = new_id()
        async with running(settings) as service, _served(service) as port, _plain() as (plain_port, sockets):
            await service.log.append(debate, 0, [opening(TURNS)])
            async with _audience(port, f"/ws/debates/{debate}") as watching, _audience(plain_port) as reading:
                await watching.hear()
                await reading.hear()
                await anyio.sleep(QUIET_S)   # the news of 500 arrivals has gone round
                events = _events()

                async def ours() -> float:
                    head = await service.log.head(debate)
                    began = time.process_time()
                    for position, event in enumerate(islice(events, FRAMES), head):
                        await service.log.append(debate, position, [event])
                    await watching.hear()
                    return SPECTATORS * FRAMES / (time.process_time() - began)

                async def limit() -> float:
                    newest = await service.log.head(debate)
                    texts, _ = await service.hub.frames_page(debate, max(newest - FRAMES, 0), FRAMES)
                    messages = [on_the_wire(text) for text in texts]
                    began = time.process_time()
                    await to_thread.run_sync(_write, sockets, messages)
                    await reading.hear()
                    return SPECTATORS * FRAMES / (time.process_time() - began)

                reached, bare = await interleaved(ours, limit, repetitions)
    return figure(
        "fan-out", reached, bare, aim=0.8, unit="deliveries/s of CPU",
        against=f"the same bytes in a send() loop over {SPECTATORS} sockets",
    )


def _events() -> Iterator[Event]:
    for turn in count(1):
        yield from turn_events(turn)


def _write(sockets: list[socket.socket], messages: list[bytes]) -> None:
    for message in messages:
        for each in sockets:
            each.sendall(message)


def on_the_wire(text: str) -> bytes:
    """A text message as a server sends it.  Source: RFC 6455, section 5.2."""
    payload = text.encode()
    if len(payload) < _SHORT:
        return struct.pack("!BB", 0x81, len(payload)) + payload
    if len(payload) < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, len(payload)) + payload
    return struct.pack("!BBQ", 0x81, 127, len(payload)) + payload


class _Audience:
    """The process with the clients."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdout is not None
        self._said = BufferedByteReceiveStream(process.stdout)

    async def hear(self) -> str:
        """Its next line."""
        return (await self._said.receive_until(b"\n", 100)).decode()


@asynccontextmanager
async def _audience(port: int, path: str = "") -> AsyncIterator[_Audience]:
    """Clients of a port, ended at the end."""
    command = [sys.executable, "-m", "server.bench.spectators", *map(str, (port, SPECTATORS, FRAMES)), path]
    async with await anyio.open_process(command, stderr=None) as process:
        try:
            yield _Audience(process)
        finally:
            process.kill()


@asynccontextmanager
async def _served(service: Service) -> AsyncIterator[int]:
    """The real application on a free port."""
    server = uvicorn.Server(web_config(service, Access(service.settings)))
    with socket.create_server(("127.0.0.1", 0), backlog=2 * SPECTATORS) as listening:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:  # noqa: ASYNC110 - uvicorn offers nothing to wait on
                await anyio.sleep(0.01)
            try:
                yield listening.getsockname()[1]
            finally:
                server.should_exit = True


@asynccontextmanager
async def _plain() -> AsyncIterator[tuple[int, list[socket.socket]]]:
    """A port that takes connections and keeps them."""
    sockets: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=2 * SPECTATORS) as listening:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(to_thread.run_sync, _accept, listening, sockets)
            yield listening.getsockname()[1], sockets
        for each in sockets:
            each.close()


def _accept(listening: socket.socket, sockets: list[socket.socket]) -> None:
    while len(sockets) < SPECTATORS:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets.append(connection)
