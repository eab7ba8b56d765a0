"""One detached socket: a few slots, no task, no queue."""

import asyncio
from typing import Any, Protocol

from websockets.frames import Close, Frame, Opcode

from server.feed.cursor import Cursor
from server.feed.websocket.incoming import Incoming
from server.feed.websocket.wire import serialize, serialize_close
from server.process import observe

PING = serialize(Opcode.PING, b"")


class SpectatorGroup(Protocol):
    """The sockets that get the same bytes as a spectator."""

    cursor: Cursor
    deflate: bool

    def join(self, spectator: "Spectator") -> None:
        """Send a socket everything after its position, and then what the others get."""

    def leave(self, spectator: "Spectator") -> None:
        """Send a socket nothing more."""

    def fall_behind(self, spectator: "Spectator") -> None:
        """Give a socket that does not keep up a cursor of its own."""

    def catch_up(self, spectator: "Spectator") -> None:
        """Write the next page to a socket that is behind."""


class SpectatorOwner(Protocol):
    """The detached sockets of the process, with their timers."""

    def add(self, spectator: "Spectator") -> None:
        """Take over a socket."""

    def remove(self, spectator: "Spectator") -> None:
        """Forget a socket that has gone."""

    def mark_slow(self, spectator: "Spectator") -> None:
        """Close a socket later unless it reads."""

    def unmark_slow(self, spectator: "Spectator") -> None:
        """The socket has read."""

    def start_closing(self, spectator: "Spectator") -> None:
        """Abort a socket later unless it closes."""


class Spectator(asyncio.Protocol):
    """A socket is live and gets what its group gets, or it is behind and catches up with a cursor of its own."""

    __slots__ = (
        "_incoming",
        "after",
        "awaits_pong",
        "bucket",
        "cursor",
        "group",
        "is_closing",
        "is_paused",
        "owner",
        "transport",
    )

    def __init__(self, group: SpectatorGroup, owner: SpectatorOwner, after: int | None) -> None:
        self.group, self.owner = group, owner
        self.after = after
        """The position that the client has; None if it has nothing, and once it was sent anything."""
        self.cursor: Cursor | None = None
        """Its own cursor while it is behind; None while it is live."""
        self.transport: asyncio.Transport = None  # type: ignore[assignment]  # set by connection_made
        self.bucket = 0
        self.awaits_pong = False
        """Whether it was pinged and has sent nothing since."""
        self.is_paused = False
        """Whether the transport's buffer is full."""
        self.is_closing = False
        self._incoming: Incoming | None = None

    @property
    def position(self) -> int:
        """The position of the last event that was written to it."""
        return (self.cursor or self.group.cursor).position

    def is_busy(self) -> bool:
        """Whether nothing can be written to it now."""
        return self.is_paused or self.is_closing

    @property
    def waiting(self) -> int:
        """Bytes in the transport's buffer."""
        return self.transport.get_write_buffer_size()

    # called by the transport

    def connection_made(self, transport: Any) -> None:
        """Join the group in the same step of the event loop."""
        self.transport = transport
        self.owner.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the group."""
        del error
        self.group.leave(self)
        self.owner.remove(self)

    def pause_writing(self) -> None:
        """The buffer is full: the client reads more slowly than the group writes."""
        self.is_paused = True
        if not self.is_closing:
            self.group.fall_behind(self)
            self.owner.mark_slow(self)

    def resume_writing(self) -> None:
        """The client has read most of the buffer."""
        self.is_paused = False
        if not self.is_closing:
            self.owner.unmark_slow(self)
            asyncio.get_running_loop().call_soon(self.group.catch_up, self)

    def data_received(self, data: bytes) -> None:
        """Messages of the client have no meaning, but any bytes show that it is there."""
        self.awaits_pong = False
        incoming = self._incoming or Incoming(deflate=self.group.deflate)
        for event in incoming.receive(data):
            self._answer(event)
        self._incoming = None if incoming.is_idle else incoming

    def _answer(self, event: Frame | Close) -> None:
        match event:
            case Frame(opcode=Opcode.PING) if not self.is_busy():  # a client that does not read needs no answer
                self.transport.write(serialize(Opcode.PONG, bytes(event.data)))
            case Frame(opcode=Opcode.CLOSE):
                if not self.is_closing:
                    self.is_closing = True
                    self.group.leave(self)
                    self.transport.write(serialize(Opcode.CLOSE, bytes(event.data[:2])))
                self.owner.start_closing(self)
                self.transport.close()
            case Close():
                self.close(event.code, event.reason)
                self.transport.close()

    # called by its group and its owner

    def ping(self) -> None:
        """Ask whether the client is there."""
        self.awaits_pong = True
        self.transport.write(PING)

    def close(self, code: int, reason: str) -> None:
        """Close with a code; the owner aborts the connection if the client does not close in time."""
        if self.is_closing:
            return
        self.is_closing = True
        observe.CLOSES.labels(str(int(code))).inc()
        self.group.leave(self)
        self.transport.write(serialize_close(code, reason))
        self.owner.start_closing(self)
