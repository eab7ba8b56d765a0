"""Text in flight and waits, between the node that runs a debate and those whose spectators watch it.

The node that runs a debate tells what was said since it told last, once a tick, while anybody listens.  Who listens
says so every ``ASK_S``, and whether something is lacking: then the whole text so far is told once.  What gets lost or
comes twice costs deltas and nothing else, since the log has every turn.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import anyio
import msgspec
from msgspec import Struct

from events.cluster.bus import Bus, SingleNodeBus
from events.view.view import Fold
from server.feed.in_flight import Speech

ASK_S: Final = 1.0
"""How often a node says that it listens; as often at most it says at once that something is lacking."""
INTEREST_S: Final = 5.0
"""After this time without a word from anybody who listens nothing is told."""
MOST_TEXT: Final = 200_000
"""Characters of a text in flight that are told and kept; what is longer is read when it has been recorded."""
WAIT_S: Final = 4.0
"""A wait that was not repeated for so long is over."""


class Said(Struct, frozen=True, tag="said"):
    """Text of a turn that is being spoken, from the character ``at`` on."""

    turn: int
    side: str
    attempt: int
    started_at: str
    at: int
    text: str


class Waits(Struct, frozen=True, tag="waits"):
    """What the debate waits for, or nothing any more."""

    words: str


class Listens(Struct, frozen=True, tag="listens"):
    """Somebody watches; ``lacks`` says that the text so far is not known there."""

    lacks: bool


Message = Said | Waits | Listens
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final[msgspec.msgpack.Decoder[Message]] = msgspec.msgpack.Decoder(Message)


class Watched(Protocol):
    """A debate as it is watched here."""

    debate: str
    speech: Speech | None
    wait: str
    fold: Fold

    def speech_now(self) -> Speech | None:
        """The text in flight, if it is the turn's that is being spoken."""
        ...


class _Telling:
    """A debate that is run here: what was told of it."""

    def __init__(self, until: float) -> None:
        self.speech: Speech | None = None
        self.told = 0
        self.until = until
        """The time up to which somebody is taken to listen."""
        self.is_due = False
        self.wait = ""


class _Hearing:
    """A debate that is watched here: when something was said about it."""

    def __init__(self, room: Watched) -> None:
        self.room = room
        self.asked_at = self.waits_since = 0.0


class Relay:
    """Both ends for all debates of this node.  ``stir`` is called with a debate of which something new is known."""

    def __init__(self, bus: Bus, stir: Callable[[str], None], tick_s: float) -> None:
        self._bus, self._stir, self._tick_s = bus, stir, tick_s
        self._is_alone = isinstance(bus, SingleNodeBus)
        self._told: dict[str, _Telling] = {}
        self._heard: dict[str, _Hearing] = {}

    async def run(self) -> None:
        """Say what is listened to, now and then, until cancelled."""
        if self._is_alone:
            await anyio.sleep_forever()
        while True:
            await anyio.sleep(ASK_S / 2)
            now = asyncio.get_running_loop().time()
            for debate, hearing in self._heard.items():
                if debate not in self._told and hearing.room.fold.view.state == "open":
                    self._look(hearing, now)

    def _look(self, hearing: _Hearing, now: float) -> None:
        if now - hearing.asked_at >= ASK_S:
            self._ask(hearing, now, lacks=_lacks(hearing.room))
        if hearing.room.wait and now - hearing.waits_since > WAIT_S:
            self._set_wait(hearing.room, "")

    # the node that runs the debate

    @contextmanager
    def telling(self, debate: str) -> Iterator[None]:
        """Within it the debate is run here."""
        if self._is_alone:
            yield
            return
        telling = self._told[debate] = _Telling(self._now() + INTEREST_S)
        if (hearing := self._heard.get(debate)) is not None:
            self._set_wait(hearing.room, "")
        try:
            with self._bus.subscribe(debate, lambda message: self._listened(debate, telling, message)):
                yield
        finally:
            if self._told.get(debate) is telling:
                del self._told[debate]

    def begin(self, debate: str, speech: Speech) -> None:
        """A turn is about to be spoken."""
        if (telling := self._told.get(debate)) is not None:
            telling.speech, telling.told = speech, 0

    def say(self, debate: str) -> None:
        """There is more text."""
        if (telling := self._told.get(debate)) is not None and not telling.is_due:
            telling.is_due = True
            asyncio.get_running_loop().call_later(self._tick_s, self._tell, debate, telling)

    def silence(self, debate: str) -> None:
        """The turn has been recorded, or has come to nothing."""
        if (telling := self._told.get(debate)) is not None:
            telling.speech = None

    def wait(self, debate: str, words: str) -> None:
        """The debate waits, or does so no more."""
        if (telling := self._told.get(debate)) is not None and (words or telling.wait):
            telling.wait = words
            self._publish(debate, Waits(words))

    def _tell(self, debate: str, telling: _Telling) -> None:
        telling.is_due = False
        speech = telling.speech
        if self._told.get(debate) is not telling or speech is None or self._now() > telling.until:
            return
        text = speech.text[telling.told : MOST_TEXT]
        if text or not telling.told:
            said = Said(speech.turn, speech.side, speech.attempt, speech.started_at, telling.told, text)
            self._publish(debate, said)
            telling.told += len(text)

    def _listened(self, debate: str, telling: _Telling, message: bytes) -> None:
        said = _read(message)
        if not isinstance(said, Listens):
            return
        is_first = self._now() > telling.until  # nothing was told since the last one left
        telling.until = self._now() + INTEREST_S
        if said.lacks or is_first:
            telling.told = 0
            if telling.wait:
                self._publish(debate, Waits(telling.wait))
            if telling.speech is not None:
                self.say(debate)

    # the node whose spectators watch it

    @contextmanager
    def following(self, room: Watched) -> Iterator[None]:
        """Within it the room is told what is said elsewhere."""
        if self._is_alone:
            yield
            return
        hearing = _Hearing(room)
        with self._bus.subscribe(room.debate, lambda message: self._hear(hearing, message)):
            self._heard[room.debate] = hearing
            if room.debate not in self._told:
                self._ask(hearing, self._now(), lacks=True)
            try:
                yield
            finally:
                if self._heard.get(room.debate) is hearing:
                    del self._heard[room.debate]

    def _hear(self, hearing: _Hearing, message: bytes) -> None:
        room = hearing.room
        if room.debate in self._told:  # whoever speaks of it has lost it, and does not know yet
            return
        match _read(message):
            case Said() as said if not self._take(room, said):
                if self._now() - hearing.asked_at >= ASK_S:
                    self._ask(hearing, self._now(), lacks=True)
            case Waits(words=words):
                hearing.waits_since = self._now()
                self._set_wait(room, words)
            case _:
                pass

    def _take(self, room: Watched, said: Said) -> bool:
        """Whether it follows what is known; what is known already, and what is old, does."""
        known = room.speech
        heard = said.turn, said.attempt
        if known is None or heard != (known.turn, known.attempt):
            if known is not None and heard < (known.turn, known.attempt):
                return True
            if said.at:
                return False
            known = room.speech = Speech(said.turn, said.side, said.attempt, said.started_at)
        have = len(known.text)
        if said.at > have:
            return False
        more = said.text[have - said.at :][: MOST_TEXT - have]
        if more:
            known.text += more
            self._stir(room.debate)
        return True

    def _set_wait(self, room: Watched, words: str) -> None:
        if room.wait != words:
            room.wait = words
            self._stir(room.debate)

    def _ask(self, hearing: _Hearing, now: float, *, lacks: bool) -> None:
        hearing.asked_at = now
        self._publish(hearing.room.debate, Listens(lacks))

    def _publish(self, debate: str, message: Message) -> None:
        self._bus.publish(debate, _encoder.encode(message))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _lacks(room: Watched) -> bool:
    """Whether a turn is being spoken of which nothing was heard."""
    current = room.fold.debate.transcript.current
    return current is not None and current.state == "speaking" and room.speech_now() is None


def _read(message: bytes) -> Message | None:
    """What another node said; None for what is no message of this version's."""
    try:
        return _decoder.decode(message)
    except msgspec.DecodeError:
        return None
