"""The web server for one socket: ``spectate`` answers the request, then hands over the connection or keeps it.

It replaces uvicorn; ``tests/server/feed/test_detached.py`` tests the real one.
"""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from starlette.websockets import WebSocket
from websockets.frames import Opcode

from server.feed.channel import Channel
from server.feed.websocket.connections import Connections
from server.feed.websocket.deflate import ANSWER
from server.feed.websocket.spectator import Spectator, SpectatorGroup, SpectatorOwner
from server.feed.websocket.upgrade import EXTENSION
from server.feed.websocket.wire import serialize, serialize_close
from server.http.websocket import spectate
from tests.simulation.transport import SimulatedTransport


class OrderedSpectator(Spectator):
    """A spectator that is hashed by its number and not by its address."""

    __slots__ = ("_number",)

    def __init__(self, group: SpectatorGroup, owner: SpectatorOwner, after: int | None, number: int) -> None:
        super().__init__(group, owner, after)
        self._number = number

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other


class OrderedConnections(Connections):
    """Connections whose spectators are numbered."""

    _count = 0

    def spectator(self, channel: Channel, after: int | None, *, director: bool, deflate: bool) -> Spectator:
        """See ``Connections``."""
        self._count += 1
        return OrderedSpectator(self.group(channel, director=director, deflate=deflate), self, after, self._count)


class ServedConnection:
    """A connection that the web server keeps: the application waits while the client does not read."""

    def __init__(self, transport: SimulatedTransport) -> None:
        self._transport = transport
        self._writable, self.gone = asyncio.Event(), asyncio.Event()
        self._writable.set()
        self.close_sent = False

    def pause_writing(self) -> None:
        """See ``asyncio.Protocol``."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """See ``asyncio.Protocol``."""
        self._writable.set()

    def connection_lost(self, error: Exception | None) -> None:
        """See ``asyncio.Protocol``."""
        del error
        self.gone.set()
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """The client sends a close frame and nothing else."""
        del data
        if not self.close_sent:
            self.close_sent = True
            self._transport.write(serialize_close(1000, ""))
        self._transport.close()
        self.gone.set()

    async def send(self, message: Any) -> None:
        """The ``send`` of ASGI: like uvicorn, it waits before it writes."""
        await self._writable.wait()
        if message["type"] == "websocket.accept":
            return
        if self.gone.is_set() or self.close_sent:
            raise OSError
        if message["type"] == "websocket.send":
            self._transport.write(serialize(Opcode.TEXT, message["text"].encode()))
        else:
            self.close_sent = True
            self._transport.write(serialize_close(message["code"], message["reason"]))


def websocket_scope(app: Any, debate: str, query: str, extensions: dict[str, Any], *, deflate: bool) -> dict[str, Any]:
    """The ASGI scope of a request."""
    offers = [(b"sec-websocket-extensions", ANSWER.encode())] if deflate else []
    return {
        "type": "websocket",
        "path": f"/ws/debates/{debate}",
        "path_params": {"debate": debate},
        "subprotocols": [],
        "query_string": query.encode(),
        "headers": offers,
        "extensions": extensions,
        "app": app,
    }


async def serve(
    app: Any, transport: SimulatedTransport, debate: str, query: str, *, deflate: bool, detached: bool
) -> None:
    """Serve one request until it ends or its connection was handed over."""
    connection = transport.protocol = ServedConnection(transport)
    is_detached = False

    def detach(take: Callable[[], Spectator]) -> None:
        nonlocal is_detached
        if transport.is_closing():
            raise OSError
        protocol = take()
        is_detached = True
        transport.set_protocol(protocol)
        protocol.connection_made(transport)

    connected = False

    async def receive() -> dict[str, Any]:
        nonlocal connected
        if not connected:
            connected = True
            return {"type": "websocket.connect"}
        await connection.gone.wait()
        return {"type": "websocket.disconnect", "code": 1006}

    extensions = {EXTENSION: {"detach": detach}} if detached else {}
    try:
        await spectate(
            WebSocket(websocket_scope(app, debate, query, extensions, deflate=deflate), receive, connection.send)
        )
    except OSError:
        pass
    finally:
        if not is_detached:
            transport.close()
            if transport.get_write_buffer_size():  # do not wait for a client that never reads
                transport.loop.call_later(20, transport.abort)


def app_state(service: Any, connections: Connections, access: Any) -> Any:
    """The state that the endpoint reads from its application."""
    return SimpleNamespace(state=SimpleNamespace(service=service, connections=connections, access=access))
