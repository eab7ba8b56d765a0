"""The web server's part of a socket: a request comes in, ``spectate`` answers it, a connection is handed over or kept.

In the place of uvicorn, whose protocol is held by ``tests/server/feed/test_detached.py``.
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
from tests.simulation.pipe import Pipe


class Sorted(Spectator):
    """A spectator whose place in a set does not depend on its address."""

    __slots__ = ("_number",)

    def __init__(self, group: SpectatorGroup, owner: SpectatorOwner, after: int | None, number: int) -> None:
        super().__init__(group, owner, after)
        self._number = number

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other


class Doors(Connections):
    """The crowd, with spectators in order."""

    _came = 0

    def spectator(self, channel: Channel, after: int | None, *, director: bool, deflate: bool) -> Spectator:
        """See ``Connections``."""
        self._came += 1
        return Sorted(self.group(channel, director=director, deflate=deflate), self, after, self._came)


class Kept:
    """A connection that stays with the web server: what the application sends waits while the far end does not read."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
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
        """The far end sends a closing frame and nothing else."""
        del data
        if not self.close_sent:
            self.close_sent = True
            self._pipe.write(serialize_close(1000, ""))
        self._pipe.close()
        self.gone.set()

    async def send(self, message: Any) -> None:
        """Of ASGI: as uvicorn, which waits before it writes."""
        await self._writable.wait()
        if message["type"] == "websocket.accept":
            return
        if self.gone.is_set() or self.close_sent:
            raise OSError
        if message["type"] == "websocket.send":
            self._pipe.write(serialize(Opcode.TEXT, message["text"].encode()))
        else:
            self.close_sent = True
            self._pipe.write(serialize_close(message["code"], message["reason"]))


def scope_of(app: Any, debate: str, query: str, extensions: dict[str, Any], *, deflate: bool) -> dict[str, Any]:
    """What a web server says of a request."""
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


async def admit(app: Any, pipe: Pipe, debate: str, query: str, *, deflate: bool, detached: bool) -> None:
    """Serve one request to its end, or until its connection has left the web server."""
    kept = pipe.protocol = Kept(pipe)
    is_away = False

    def detach(take: Callable[[], Spectator]) -> None:
        nonlocal is_away
        if pipe.is_closing():
            raise OSError
        taker = take()
        is_away = True
        pipe.set_protocol(taker)
        taker.connection_made(pipe)

    connected = False

    async def receive() -> dict[str, Any]:
        nonlocal connected
        if not connected:
            connected = True
            return {"type": "websocket.connect"}
        await kept.gone.wait()
        return {"type": "websocket.disconnect", "code": 1006}

    extensions = {EXTENSION: {"detach": detach}} if detached else {}
    try:
        await spectate(WebSocket(scope_of(app, debate, query, extensions, deflate=deflate), receive, kept.send))
    except OSError:
        pass
    finally:
        if not is_away:
            pipe.close()
            if pipe.get_write_buffer_size():  # who never reads is not waited for
                pipe.loop.call_later(20, pipe.abort)


def app_of(service: Any, crowd: Connections, access: Any) -> Any:
    """What an application holds."""
    return SimpleNamespace(state=SimpleNamespace(service=service, connections=crowd, access=access))
