"""A client that reads bytes, folds messages as the page does, and compares each message with the log.

``PromiseBroken`` names the promise that was broken.
"""

import zlib
from typing import Any, Final

import msgspec
from websockets.frames import Opcode

from events.patch import merge
from events.record import WITHHELD
from events.types import ALL_PRIVATE
from events.view import view as views
from server.feed.websocket.deflate import TAIL
from server.feed.websocket.wire import COMPRESSED
from tests.simulation.shared_log import SharedLog

BITS: Final = 12
MASK: Final = b"\0\0\0\0"
Speech = tuple[int, int]


class PromiseBroken(Exception):
    """A promise was broken."""


def masked(opcode: int, payload: bytes) -> bytes:
    """A WebSocket frame as a client sends it."""
    return bytes((0x80 | opcode, 0x80 | len(payload))) + MASK + payload


def next_frame(stream: bytearray) -> tuple[int, bytes] | None:
    """Take the first whole frame out of the stream: its first byte and its payload.  None if there is none."""
    if len(stream) < 2:
        return None
    start, size = 2, stream[1] & 0x7F
    if more := {126: 2, 127: 8}.get(size, 0):
        start += more
        size = int.from_bytes(stream[2:start], "big")
    if len(stream) < start + size:
        return None
    first, payload = stream[0], bytes(stream[start : start + size])
    del stream[: start + size]
    return first, payload


class Oracle:
    """What the messages of all clients are compared with: the log, and the text of each attempt."""

    def __init__(self, shared: SharedLog, debate: str) -> None:
        self.shared, self.debate = shared, debate
        self.speeches: dict[Speech, str] = {}
        """The whole text of each attempt, also of one that breaks off."""
        self._read: dict[str, dict[str, Any]] = {}
        self._views: dict[tuple[int, bool], Any] = {}

    @property
    def head(self) -> int:
        """The last committed position."""
        return len(self.shared.records(self.debate))

    def decode(self, text: str) -> dict[str, Any]:
        """The message, decoded once for all clients."""
        message = self._read.get(text)
        if message is None:
            message = self._read[text] = msgspec.json.decode(text)
        return message

    def view(self, position: int, *, director: bool) -> Any:
        """The view of the log at a position, as JSON."""
        found = self._views.get((position, director))
        if found is None:
            fold = self.shared.fold(self.debate, position)
            shown = views.for_director(fold) if director else fold.view
            found = self._views[position, director] = msgspec.json.decode(msgspec.json.encode(shown))
        return found

    def speaking(self, position: int) -> Speech | None:
        """Turn and attempt that are spoken at a position; None if no turn is."""
        current = self.shared.fold(self.debate, position).debate.transcript.current
        return (current.number, current.attempt) if current is not None and current.state == "speaking" else None

    def is_concluded(self, position: int) -> bool:
        """Whether the debate has concluded, so that nothing is private any more."""
        return self.shared.fold(self.debate, position).view.state == "concluded"


class CheckingClient:
    """A client of one debate.  Its connection calls ``receive`` and ``lost``."""

    def __init__(self, oracle: Oracle, name: str, *, director: bool) -> None:
        self.oracle, self.name, self.director = oracle, name, director
        self.view: Any = {}
        self.position = 0
        self.text = ""
        self.speech: Speech | None = None
        self.is_live = False
        self.spectators = -1
        self.closed: tuple[int, str] | None = None
        """Code and reason of the close frame of this connection."""
        self.asked: int | None = None
        self.received = 0
        """Messages received on this connection."""
        self.answers: list[bytes] = []
        """Frames to be sent back to the server."""
        self._stream = bytearray()
        self._inflate: Any = None

    def begin(self, after: int | None) -> None:
        """Start a new connection, which has no text in flight yet."""
        self.asked, self.received, self.closed, self.is_live = after, 0, None, False
        self.text, self.speech, self.spectators = "", None, -1
        self._stream.clear()
        self._inflate = zlib.decompressobj(-BITS)
        if after is None:
            self.view, self.position = {}, 0

    def receive(self, data: bytes) -> None:
        """Take in bytes and check each message.  Raises ``PromiseBroken``."""
        self._stream += data
        while (frame := next_frame(self._stream)) is not None:
            first, payload = frame
            if self.closed is not None:
                raise PromiseBroken("bytes came after the close frame")
            match first & 0x0F:
                case 0x9:
                    self.answers.append(masked(Opcode.PONG, payload))
                case 0x8:
                    code = int.from_bytes(payload[:2], "big")
                    self.closed = code, payload[2:].decode()
                    self.answers.append(masked(Opcode.CLOSE, payload[:2]))
                    self._check_closing(*self.closed)
                case 0xA:
                    pass
                case _:
                    if first & COMPRESSED:
                        payload = self._inflate.decompress(payload + TAIL)
                    self.take(payload.decode())

    def _check_closing(self, code: int, reason: str) -> None:
        if code == 4408 and reason.rpartition("after=")[2] != str(self.position):
            raise PromiseBroken(f"closed with {reason!r} at position {self.position}")

    def take(self, text: str) -> None:
        """Check one message and apply it."""
        message = self.oracle.decode(text)
        self.received += 1
        match message["kind"]:
            case "snapshot":
                self._snapshot(message)
            case "frame":
                self._frame(message)
            case "delta":
                self._delta(message)
            case "live":
                if self.is_live:
                    raise PromiseBroken("live was sent twice")
                self.is_live = True
            case "status":
                self.spectators = message.get("spectators", self.spectators)

    def _snapshot(self, message: dict[str, Any]) -> None:
        position = message["position"]
        if self.received != 1:
            raise PromiseBroken("a snapshot that is not the first message")
        if position > self.oracle.head:
            raise PromiseBroken(f"a snapshot of position {position}, which was not committed")
        if position < self.position:
            raise PromiseBroken(f"a snapshot of position {position} for a client that has {self.position}")
        self.view, self.position = message["view"], position
        self.check_view()
        if (speaking := message["speaking"]) is not None:
            self._delta(speaking | {"at": 0})

    def _frame(self, message: dict[str, Any]) -> None:
        position, oracle = message["position"], self.oracle
        if position != self.position + 1:
            raise PromiseBroken(f"position {position} after {self.position}")
        if position > oracle.head:
            raise PromiseBroken(f"position {position} was not committed")
        record = oracle.shared.records(oracle.debate)[position - 1]
        if (message["id"], message["digest"]) != (record.id, record.digest.hex()):
            raise PromiseBroken(f"position {position} is not what the log has")
        if record.event.private == ALL_PRIVATE:
            is_hidden = message["event"] == msgspec.json.decode(WITHHELD)
            if not is_hidden and not self.director and not oracle.is_concluded(oracle.head):
                raise PromiseBroken(f"position {position} is the director's")
            if is_hidden and self.director:
                raise PromiseBroken(f"position {position} is withheld from the director")
        self.view = merge(self.view, message["patch"])
        self.position = position
        if self.speech is not None and self.speech != oracle.speaking(position):
            turn, event = str(self.speech[0]), message["event"]
            shown = self.view["turns"][turn].get("text", "")
            if event["type"] == "turn_spoken" and not event["text"] == shown == self._whole().strip():
                raise PromiseBroken(f"the text in flight of turn {turn} is not the text of the event")
            self.speech, self.text = None, ""

    def _whole(self) -> str:
        assert self.speech is not None
        return self.oracle.speeches[self.speech]

    def _delta(self, message: dict[str, Any]) -> None:
        speech = (message["turn"], message["attempt"])
        if speech != self.oracle.speaking(self.position):
            raise PromiseBroken(f"text of attempt {speech} at position {self.position}, where it is not spoken")
        if speech != self.speech:
            self.speech, self.text = speech, ""
        if message["at"] != len(self.text):
            raise PromiseBroken(f"text from {message['at']} on after {len(self.text)} characters")
        self.text += message["text"]
        if not self._whole().startswith(self.text):
            raise PromiseBroken(f"the text of attempt {speech} was not spoken")

    def check_view(self) -> None:
        """Check that the view, folded from a snapshot and frames, is the view of the log."""
        if self.position == 0 or self.oracle.view(self.position, director=self.director) == self.view:
            return
        if self.view == self.oracle.view(self.position, director=not self.director):
            raise PromiseBroken(f"the view of position {self.position} is that of the other audience")
        raise PromiseBroken(f"the view of position {self.position} is not that of the log")
