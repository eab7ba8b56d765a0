"""Somebody who watches: reads bytes, folds messages as a page does, and holds each against what the log has.

A ``Broken`` names the promise that was not kept.
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
from tests.simulation.store import Shared

BITS: Final = 12
MASK: Final = b"\0\0\0\0"
Speech = tuple[int, int]


class Broken(Exception):
    """A promise was not kept."""


def masked(opcode: int, payload: bytes) -> bytes:
    """A frame as a client sends it."""
    return bytes((0x80 | opcode, 0x80 | len(payload))) + MASK + payload


def next_frame(stream: bytearray) -> tuple[int, bytes] | None:
    """The first byte and the payload of the first whole frame, taken out of the stream."""
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


class Truth:
    """What everybody's messages are held against: the log, what was said of each attempt, and what was read before."""

    def __init__(self, shared: Shared, debate: str) -> None:
        self.shared, self.debate = shared, debate
        self.said: dict[Speech, str] = {}
        """All that the speaker of an attempt will ever say."""
        self._read: dict[str, dict[str, Any]] = {}
        self._views: dict[tuple[int, bool], Any] = {}

    @property
    def head(self) -> int:
        """What was committed."""
        return len(self.shared.records(self.debate))

    def message(self, text: str) -> dict[str, Any]:
        """The message, parsed once for all who get it."""
        said = self._read.get(text)
        if said is None:
            said = self._read[text] = msgspec.json.decode(text)
        return said

    def view(self, position: int, *, director: bool) -> Any:
        """The log's view at a position, as JSON."""
        found = self._views.get((position, director))
        if found is None:
            fold = self.shared.fold(self.debate, position)
            shown = views.for_director(fold) if director else fold.view
            found = self._views[position, director] = msgspec.json.decode(msgspec.json.encode(shown))
        return found

    def speaking(self, position: int) -> Speech | None:
        """Turn and attempt that are being spoken at a position."""
        current = self.shared.fold(self.debate, position).debate.transcript.current
        return (current.number, current.attempt) if current is not None and current.state == "speaking" else None

    def is_concluded(self, position: int) -> bool:
        """Whether nothing is hidden from then on."""
        return self.shared.fold(self.debate, position).view.state == "concluded"


class Watcher:
    """One of them.  ``lost`` and ``receive`` are what its connection calls."""

    def __init__(self, truth: Truth, name: str, *, director: bool) -> None:
        self.truth, self.name, self.director = truth, name, director
        self.view: Any = {}
        self.position = 0
        self.text = ""
        self.speech: Speech | None = None
        self.is_live = False
        self.spectators = -1
        self.closed: tuple[int, str] | None = None
        """Number and reason of the closing frame, of this connection."""
        self.asked: int | None = None
        self.told = 0
        """Messages of this connection."""
        self.answers: list[bytes] = []
        """What the far end says back, to be sent by whoever holds the connection."""
        self._stream = bytearray()
        self._inflate: Any = None

    def begin(self, after: int | None) -> None:
        """A new connection: nothing is known of the text in flight."""
        self.asked, self.told, self.closed, self.is_live = after, 0, None, False
        self.text, self.speech, self.spectators = "", None, -1
        self._stream.clear()
        self._inflate = zlib.decompressobj(-BITS)
        if after is None:
            self.view, self.position = {}, 0

    def receive(self, data: bytes) -> None:
        """Bytes came."""
        self._stream += data
        while (frame := next_frame(self._stream)) is not None:
            first, payload = frame
            if self.closed is not None:
                raise Broken("something comes after the closing frame")
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
            raise Broken(f"closed with {reason!r} at position {self.position}")

    def take(self, text: str) -> None:
        """One message."""
        said = self.truth.message(text)
        self.told += 1
        match said["kind"]:
            case "snapshot":
                self._snapshot(said)
            case "frame":
                self._frame(said)
            case "delta":
                self._delta(said)
            case "live":
                if self.is_live:
                    raise Broken("told twice that it is live")
                self.is_live = True
            case "status":
                self.spectators = said.get("spectators", self.spectators)

    def _snapshot(self, said: dict[str, Any]) -> None:
        position = said["position"]
        if self.told != 1:
            raise Broken("a snapshot that does not come first")
        if position > self.truth.head:
            raise Broken(f"a snapshot of position {position}, which was not committed")
        if position < self.position:
            raise Broken(f"a snapshot of position {position} for somebody who has {self.position}")
        self.view, self.position = said["view"], position
        self.check_view()
        if (speaking := said["speaking"]) is not None:
            self._delta(speaking | {"at": 0})

    def _frame(self, said: dict[str, Any]) -> None:
        position, truth = said["position"], self.truth
        if position != self.position + 1:
            raise Broken(f"position {position} after {self.position}")
        if position > truth.head:
            raise Broken(f"position {position} was not committed")
        record = truth.shared.records(truth.debate)[position - 1]
        if (said["id"], said["digest"]) != (record.id, record.digest.hex()):
            raise Broken(f"position {position} is not what the log has")
        if record.event.private == ALL_PRIVATE:
            is_hidden = said["event"] == msgspec.json.decode(WITHHELD)
            if not is_hidden and not self.director and not truth.is_concluded(truth.head):
                raise Broken(f"position {position} is the director's")
            if is_hidden and self.director:
                raise Broken(f"position {position} is withheld from the director")
        self.view = merge(self.view, said["patch"])
        self.position = position
        if self.speech is not None and self.speech != truth.speaking(position):
            turn, event = str(self.speech[0]), said["event"]
            shown = self.view["turns"][turn].get("text", "")
            if event["type"] == "turn_spoken" and not event["text"] == shown == self._whole().strip():
                raise Broken(f"what was said in turn {turn} is not what the event has")
            self.speech, self.text = None, ""

    def _whole(self) -> str:
        assert self.speech is not None
        return self.truth.said[self.speech]

    def _delta(self, said: dict[str, Any]) -> None:
        speech = (said["turn"], said["attempt"])
        if speech != self.truth.speaking(self.position):
            raise Broken(f"text of attempt {speech} at position {self.position}, where nobody is speaking it")
        if speech != self.speech:
            self.speech, self.text = speech, ""
        if said["at"] != len(self.text):
            raise Broken(f"text from {said['at']} on after {len(self.text)} characters")
        self.text += said["text"]
        if not self._whole().startswith(self.text):
            raise Broken(f"the text of attempt {speech} was not said")

    def check_view(self) -> None:
        """What was folded from a snapshot and frames is the log's view."""
        if self.position == 0 or self.truth.view(self.position, director=self.director) == self.view:
            return
        if self.view == self.truth.view(self.position, director=not self.director):
            raise Broken(f"the view of position {self.position} is another audience's")
        raise Broken(f"the view of position {self.position} is not the log's")
