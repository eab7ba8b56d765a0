"""The servers that are measured, each in this process: Moot, and the alternatives."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.server import ServerConnection, broadcast, serve

from events.record import new_id
from events.types import DebatePaused, ModeratorSpoke
from server.bench.material import opening
from server.cli.serve import web_config
from server.feed.websocket.connections import Connections
from server.http.access import Access
from server.service import Service, running
from server.settings import Settings

EVENT: Final = ModeratorSpoke(text="What the moderator has to say. " * 11, by="bench")
"""Its frame is 1 KB."""
QUIET_S: Final = 1.1
"""Seconds until every client was told the number of spectators."""
UNCOUNTED_S: Final = 3600.0
"""The clients count messages: no heartbeat comes among those that they expect."""


class MootServer:
    """Moot with one open debate."""

    def __init__(self, service: Service, connections: Connections, debate: str, port: int) -> None:
        self.service, self.connections, self.debate, self.port = service, connections, debate, port
        self.path = f"/ws/debates/{debate}"

    async def append(self, number: int = 1) -> int:
        """Append that many events at once; the new head."""
        head = await self.service.log.head(self.debate)
        await self.service.log.append(self.debate, head, [EVENT] * number)
        return head + number

    async def frame_size(self) -> int:
        """Bytes of the newest frame."""
        head = await self.service.log.head(self.debate)
        texts, _ = await self.service.hub.frames_page(self.debate, head - 1, 1)
        return len(texts[0].encode())


@asynccontextmanager
async def moot(**settings: Any) -> AsyncIterator[MootServer]:
    """The real server as ``moot serve`` configures it, over a log in memory, so that only the fan-out is measured."""
    chosen = Settings(store="memory:", log_level="error", **{"slow_reader_s": 3600, **settings})
    async with running(chosen) as service:
        service.hub.heartbeat_s = UNCOUNTED_S
        debate = new_id()
        paused = DebatePaused(reason="no debater speaks here", by="bench")
        await service.log.append(debate, 0, [opening(200), paused])
        config = web_config(service, Access(chosen))
        async with on_uvicorn(config) as port:
            yield MootServer(service, cast(Starlette, config.app).state.connections, debate, port)


@asynccontextmanager
async def on_uvicorn(config: uvicorn.Config) -> AsyncIterator[int]:
    """Serve an application on a free port; the port."""
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server._serve, [listening])
            while not server.started:  # noqa: ASYNC110 - uvicorn offers nothing to wait on
                await anyio.sleep(0.01)
            try:
                yield listening.getsockname()[1]
            finally:
                server.should_exit = True


@asynccontextmanager
async def starlette(*, deflate: bool = False) -> AsyncIterator[tuple[int, list[WebSocket]]]:
    """A Starlette endpoint; its port, and its sockets for a loop of ``send_text``."""
    sockets: list[WebSocket] = []

    async def watch(websocket: WebSocket) -> None:
        await websocket.accept()
        sockets.append(websocket)
        try:
            while True:
                await websocket.receive()
        except (WebSocketDisconnect, RuntimeError):
            return

    app = Starlette(routes=[WebSocketRoute("/", watch)])
    config = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_per_message_deflate=deflate,
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    async with on_uvicorn(config) as port:
        yield port, sockets


@asynccontextmanager
async def broadcasting() -> AsyncIterator[tuple[int, Callable[[str], None]]]:
    """A ``websockets`` server without compression; its port, and a function that broadcasts."""
    connected: set[ServerConnection] = set()

    async def watch(connection: ServerConnection) -> None:
        connected.add(connection)
        await connection.wait_closed()

    async with serve(watch, "127.0.0.1", 0, compression=None, backlog=2048) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield port, lambda text: broadcast(connected, text)
