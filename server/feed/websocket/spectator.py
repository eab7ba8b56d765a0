"""One socket: a few slots, no task, no queue."""

import asyncio
from typing import TYPE_CHECKING, Any

from server import observe
from server.feed.cursor import Cursor
from server.feed.websocket.incoming import Heard, Incoming
from server.feed.websocket.wire import CLOSE, NOTHING_SAID, PING, PONG, closing, framed

if TYPE_CHECKING:
    from server.feed.websocket.broadcast_group import BroadcastGroup
    from server.feed.websocket.connections import Connections

PINGED = framed(PING, b"")


class Spectator(asyncio.Protocol):
    """A spectator is live, and told with its gallery what that is told, or has a place of its own and catches up."""

    __slots__ = (
        "_incoming",
        "after",
        "bucket",
        "gallery",
        "is_awaited",
        "is_closing",
        "is_paused",
        "place",
        "transport",
    )

    def __init__(self, gallery: "BroadcastGroup", after: int | None) -> None:
        self.gallery = gallery
        self.after = after
        """The position from which it wants to go on; None once it has been told anything."""
        self.place: Cursor | None = None
        """Where it stands while it catches up; None while it is live."""
        self.transport: asyncio.Transport = None  # type: ignore[assignment]  # from the first call on
        self.bucket = 0
        self.is_awaited = False
        """Whether it was pinged and nothing came since."""
        self.is_paused = False
        """Whether more waits to be written than it takes."""
        self.is_closing = False
        self._incoming: Incoming | None = None

    @property
    def keeper(self) -> "Connections":
        """Who answers for it."""
        return self.gallery.crowd

    @property
    def position(self) -> int:
        """The last event that was written to it."""
        return (self.place or self.gallery.place).position

    def is_busy(self) -> bool:
        """Whether it can be told nothing now."""
        return self.is_paused or self.is_closing

    @property
    def waiting(self) -> int:
        """Bytes that the system has not taken yet."""
        return self.transport.get_write_buffer_size()

    # what the transport says

    def connection_made(self, transport: Any) -> None:
        """It has the connection: in the same step it is told where the debate stands."""
        self.transport = transport
        self.gallery.crowd.admit(self)
        self.gallery.enter(self)
        if self.gallery.crowd.is_stopping:
            self.gallery.crowd.send_away(self)

    def connection_lost(self, error: Exception | None) -> None:
        """It has gone."""
        del error
        self.gallery.leave(self)
        self.gallery.crowd.forget(self)

    def pause_writing(self) -> None:
        """It reads more slowly than it is told."""
        self.is_paused = True
        if not self.is_closing:
            self.gallery.hold(self)
            self.gallery.crowd.wait_for(self)

    def resume_writing(self) -> None:
        """It has read most of what it had."""
        self.is_paused = False
        if not self.is_closing:
            self.gallery.crowd.wait_no_more(self)
            self.gallery.crowd.soon(self.gallery.catch_up, self)

    def data_received(self, data: bytes) -> None:
        """Whatever it says has no meaning; that it speaks shows that it is there."""
        self.is_awaited = False
        incoming = self._incoming or Incoming(deflate=self.gallery.deflate)
        for heard in incoming.feed(data):
            self._answer(heard)
        self._incoming = None if incoming.is_idle else incoming

    def _answer(self, heard: Heard) -> None:
        match heard.kind:
            case "ping" if not self.is_busy():  # who does not read needs no answer
                self.transport.write(framed(PONG, heard.payload))
            case "close":
                if not self.is_closing:
                    self.is_closing = True
                    self.gallery.leave(self)
                    reply = heard.code.to_bytes(2, "big") if heard.code != NOTHING_SAID else b""
                    self.transport.write(framed(CLOSE, reply))
                self.gallery.crowd.let_go(self)
                self.transport.close()
            case "broken":
                self.close(heard.code, heard.payload.decode())
                self.transport.close()

    # what is done with it

    def ping(self) -> None:
        """Ask whether it is there."""
        self.is_awaited = True
        self.transport.write(PINGED)

    def close(self, code: int, reason: str) -> None:
        """Close with a number of ours; the crowd ends what is left of it after its grace."""
        if self.is_closing:
            return
        self.is_closing = True
        observe.CLOSES.labels(str(code)).inc()
        self.gallery.leave(self)
        self.transport.write(closing(code, reason))
        self.gallery.crowd.let_go(self)
