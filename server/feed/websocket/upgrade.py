"""uvicorn's WebSocket protocol, from which an application may detach an accepted connection.

The scope's extensions hold ``moot.detach`` with a function ``detach``.  The application calls it after
``websocket.accept``, in the same step of the event loop, with a function that makes a protocol; that protocol gets the
transport.  The web server then keeps nothing of the connection but the protocol's ``owner``, which it shuts down like a
connection.  ``tests/server/feed/test_detached.py`` checks what this relies on in uvicorn.
"""

from asyncio import Transport
from collections.abc import Callable
from typing import Any, Final, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

EXTENSION: Final = "moot.detach"
MAX_EARLY: Final = 1 << 16
"""Bytes that a client may send before the handshake is answered."""


class DetachableProtocol(WebSocketsSansIOProtocol):
    """A connection that the application may detach."""

    _early = b""
    """Bytes that came before the handshake was answered."""

    def handle_connect(self, event: Request) -> None:
        """Offer the extension to the application, whose task starts after this."""
        super().handle_connect(event)
        if not self.close_sent:
            self._extensions[EXTENSION] = {"detach": self.detach}

    def data_received(self, data: bytes) -> None:
        """Keep bytes that come before the handshake is answered: another protocol may have the connection then."""
        if not self.handshake_initiated or self.handshake_complete:
            super().data_received(data)
        elif len(self._early) + len(data) > MAX_EARLY:
            self.transport.abort()
        else:
            self._early += data

    async def send(self, message: Any) -> None:
        """Send as uvicorn does; if the connection was accepted and not detached, read the early bytes."""
        await super().send(message)
        if self._early and message["type"] != "websocket.accept" and not self.transport.is_closing():
            early, self._early = self._early, b""
            super().data_received(early)

    @property
    def _extensions(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.scope["extensions"])

    def detach(self, make_protocol: Callable[[], Any]) -> None:
        """Give the connection to another ``asyncio.Protocol``.  It must be accepted, and nothing sent since.

        ``make_protocol`` makes it, with an ``owner`` of all detached connections: its ``register`` gets the set of the
        server's connections, to be in it while there is a detached one, and its ``shutdown`` is called when the server
        stops.  Raises ``ClientDisconnected``.
        """
        if self.transport.is_closing():
            raise ClientDisconnected
        assert self.handshake_complete, "accept first"
        assert not self.close_sent, "already closed"
        protocol = make_protocol()
        transport, self.transport = self.transport, cast(Transport, _DETACHED)
        self.stop_keepalive()
        self.connections.discard(self)
        protocol.owner.register(self.connections)
        del self._extensions[EXTENSION]  # it refers back to this object
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._early:
            protocol.data_received(self._early)
        self.disconnected = True  # nothing is sent through here any more


class DetachedTransport(Transport):
    """Takes the place of a transport that another protocol has now."""

    def is_closing(self) -> bool:
        """Always: nothing can be sent through here."""
        return True

    def close(self) -> None:
        """Do nothing: the other protocol closes the transport."""


_DETACHED: Final = DetachedTransport()
