"""uvicorn's WebSocket class, which lets an application take an accepted connection away.

The scope's extensions then hold ``moot.detach`` with a function ``detach``: called after ``websocket.accept``, in the
same step of the loop, with what makes a protocol, it gives that protocol the transport.  The web server keeps nothing
of the connection but the protocol's ``keeper``, which it shuts down as if it were one connection.
``tests/server/feed/test_detached.py`` holds what this relies on.
"""

from asyncio import Protocol, Transport
from collections.abc import Callable
from typing import Any, Final, cast
from typing import Protocol as Shape

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

EXTENSION: Final = "moot.detach"
MOST_EARLY: Final = 1 << 16
"""Bytes that a client may send before it was answered."""


class Keeper(Shape):
    """Who answers for all connections that were taken away."""

    def kept_in(self, connections: set[Any]) -> None:
        """Be among the server's connections as long as there is one to answer for."""
        ...

    def shutdown(self) -> None:
        """The server stops."""
        ...


class Taker(Shape):
    """A protocol that takes a connection over: an ``asyncio.Protocol`` with a keeper."""

    @property
    def keeper(self) -> Keeper:
        """Who answers for it."""
        ...

    def connection_made(self, transport: Any) -> None:
        """It has the connection."""
        ...

    def data_received(self, data: bytes) -> None:
        """What came before it had."""
        ...


class Detachable(WebSocketsSansIOProtocol):
    """A connection that the application may take away."""

    _early = b""

    def handle_connect(self, event: Request) -> None:
        """Offer the extension to the application, whose task begins after this."""
        super().handle_connect(event)
        if not self.close_sent:
            self._extensions[EXTENSION] = {"detach": self.detach}

    def data_received(self, data: bytes) -> None:
        """Keep what comes before the answer: it is for whoever has the connection then."""
        if not self.handshake_initiated or self.handshake_complete:
            super().data_received(data)
        elif len(self._early) + len(data) > MOST_EARLY:
            self.transport.abort()
        else:
            self._early += data

    async def send(self, message: Any) -> None:
        """As ever; once accepted without being taken away, what came early is read."""
        await super().send(message)
        if self._early and message["type"] != "websocket.accept" and not self.transport.is_closing():
            early, self._early = self._early, b""
            super().data_received(early)

    @property
    def _extensions(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.scope["extensions"])

    def detach(self, take: Callable[[], Taker]) -> None:
        """Hand the connection over.  It must have been accepted, and nothing sent since."""
        if self.transport.is_closing():
            raise ClientDisconnected
        assert self.handshake_complete, "accept first"
        assert not self.close_sent, "already closed"
        taker = take()
        transport, self.transport = self.transport, cast(Transport, GONE)
        self.stop_keepalive()
        self.connections.discard(self)
        taker.keeper.kept_in(self.connections)
        del self._extensions[EXTENSION]  # the circle back to this object
        transport.set_protocol(cast(Protocol, taker))
        taker.connection_made(transport)
        if self._early:
            taker.data_received(self._early)
        self.disconnected = True  # nothing is sent through here any more


class Gone(Transport):
    """In the place of a transport that another protocol has now."""

    def is_closing(self) -> bool:
        """Nothing goes through here."""
        return True

    def close(self) -> None:
        """The other protocol closes it."""


GONE: Final = Gone()
