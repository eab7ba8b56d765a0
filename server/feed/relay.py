"""Send text in flight and waits from the node that runs a debate to the nodes whose spectators watch it.

The node that runs a debate publishes new text once a tick, as long as another node listens.  A node that listens says
so every ``INTEREST_EVERY_S``, and says whether it misses text: then the whole text so far is published once.  A lost or
repeated message costs deltas and nothing else, because the log has every turn.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import anyio
import msgspec
from msgspec import Struct

from events.cluster.bus import Bus, SingleNodeBus
from server.feed.channel import Channel, TextInFlight

INTEREST_EVERY_S: Final = 1.0
"""Seconds between two messages that this node listens, and at least between two requests for missing text."""
INTEREST_S: Final = 5.0
"""Text is published until so many seconds after the last message of a node that listens."""
MAX_TEXT: Final = 200_000
"""Characters of a text in flight that are published and kept; the rest is read once the turn is recorded."""
WAIT_S: Final = 4.0
"""A wait that was not announced again for so many seconds is over."""


class TextUpdate(Struct, frozen=True, tag="said"):
    """Text of a turn that is being spoken, from the character ``at`` on."""

    turn: int
    side: str
    attempt: int
    started_at: str
    at: int
    text: str


class WaitUpdate(Struct, frozen=True, tag="waits"):
    """What the debate waits for; no words if the wait is over."""

    words: str


class Interest(Struct, frozen=True, tag="listens"):
    """A node has spectators of the debate; ``is_text_missing`` if it does not know the text so far."""

    is_text_missing: bool = msgspec.field(name="lacks")


Message = TextUpdate | WaitUpdate | Interest
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final[msgspec.msgpack.Decoder[Message]] = msgspec.msgpack.Decoder(Message)


class _Published:
    """A debate that this node runs, and what was published of it."""

    def __init__(self, until: float) -> None:
        self.text: TextInFlight | None = None
        self.sent = 0
        """Characters of the text that were published."""
        self.until = until
        """Time up to which another node is taken to listen."""
        self.is_due = False
        self.wait = ""


class _Subscribed:
    """A debate that this node has spectators of."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.asked_at = self.waits_since = 0.0


class Relay:
    """Both ends, for all debates of this node.  ``wake`` is called with a debate whose text or wait has changed."""

    def __init__(self, bus: Bus, wake: Callable[[str], None], tick_s: float) -> None:
        self._bus, self._wake, self._tick_s = bus, wake, tick_s
        self._is_alone = isinstance(bus, SingleNodeBus)
        self._published: dict[str, _Published] = {}
        self._subscribed: dict[str, _Subscribed] = {}

    async def run(self) -> None:
        """Tell the other nodes again and again what this node listens to, until cancelled."""
        if self._is_alone:
            await anyio.sleep_forever()
        while True:
            await anyio.sleep(INTEREST_EVERY_S / 2)
            now = self._now()
            for debate, subscribed in self._subscribed.items():
                if debate not in self._published and subscribed.channel.fold.view.state == "open":
                    self._renew(subscribed, now)

    def _renew(self, subscribed: _Subscribed, now: float) -> None:
        if now - subscribed.asked_at >= INTEREST_EVERY_S:
            self._ask(subscribed, now, is_text_missing=_is_text_missing(subscribed.channel))
        if subscribed.channel.wait and now - subscribed.waits_since > WAIT_S:
            self._set_wait(subscribed.channel, "")

    # the node that runs the debate

    @contextmanager
    def publishing(self, debate: str) -> Iterator[None]:
        """Within it this node runs the debate."""
        if self._is_alone:
            yield
            return
        published = self._published[debate] = _Published(self._now() + INTEREST_S)
        if (subscribed := self._subscribed.get(debate)) is not None:
            self._set_wait(subscribed.channel, "")
        try:
            with self._bus.subscribe(debate, lambda message: self._on_interest(debate, published, message)):
                yield
        finally:
            if self._published.get(debate) is published:
                del self._published[debate]

    def start_text(self, debate: str, text: TextInFlight) -> None:
        """A turn is about to be spoken."""
        if (published := self._published.get(debate)) is not None:
            published.text, published.sent = text, 0

    def text_added(self, debate: str) -> None:
        """Publish the text within a tick."""
        if (published := self._published.get(debate)) is not None and not published.is_due:
            published.is_due = True
            asyncio.get_running_loop().call_later(self._tick_s, self._publish_text, debate, published)

    def end_text(self, debate: str) -> None:
        """The turn was recorded or abandoned."""
        if (published := self._published.get(debate)) is not None:
            published.text = None

    def announce_wait(self, debate: str, words: str) -> None:
        """Publish what the debate waits for; no words if the wait is over."""
        if (published := self._published.get(debate)) is not None and (words or published.wait):
            published.wait = words
            self._publish(debate, WaitUpdate(words))

    def _publish_text(self, debate: str, published: _Published) -> None:
        published.is_due = False
        text = published.text
        if self._published.get(debate) is not published or text is None or self._now() > published.until:
            return
        more = text.text[published.sent : MAX_TEXT]
        if more or not published.sent:
            update = TextUpdate(text.turn, text.side, text.attempt, text.started_at, published.sent, more)
            self._publish(debate, update)
            published.sent += len(more)

    def _on_interest(self, debate: str, published: _Published, message: bytes) -> None:
        interest = _decoded(message)
        if not isinstance(interest, Interest):
            return
        is_first = self._now() > published.until  # no node listened until now, so nothing was published
        published.until = self._now() + INTEREST_S
        if interest.is_text_missing or is_first:
            published.sent = 0
            if published.wait:
                self._publish(debate, WaitUpdate(published.wait))
            if published.text is not None:
                self.text_added(debate)

    # a node whose spectators watch it

    @contextmanager
    def subscribing(self, channel: Channel) -> Iterator[None]:
        """Within it the channel gets the text and the waits that other nodes publish."""
        if self._is_alone:
            yield
            return
        subscribed = _Subscribed(channel)
        with self._bus.subscribe(channel.debate, lambda message: self._on_update(subscribed, message)):
            self._subscribed[channel.debate] = subscribed
            if channel.debate not in self._published:
                self._ask(subscribed, self._now(), is_text_missing=True)
            try:
                yield
            finally:
                if self._subscribed.get(channel.debate) is subscribed:
                    del self._subscribed[channel.debate]

    def _on_update(self, subscribed: _Subscribed, message: bytes) -> None:
        channel = subscribed.channel
        if channel.debate in self._published:  # the sender has lost the debate to this node and does not know it yet
            return
        match _decoded(message):
            case TextUpdate() as update if not self._apply(channel, update):
                if self._now() - subscribed.asked_at >= INTEREST_EVERY_S:
                    self._ask(subscribed, self._now(), is_text_missing=True)
            case WaitUpdate(words=words):
                subscribed.waits_since = self._now()
                self._set_wait(channel, words)
            case _:
                pass

    def _apply(self, channel: Channel, update: TextUpdate) -> bool:
        """Add the text of an update to the channel.  False if text before it is missing."""
        known, key = channel.text, (update.turn, update.attempt)
        if known is None or key != known.key:
            if known is not None and key < known.key:  # an old message
                return True
            if update.at:
                return False
            known = channel.text = TextInFlight(update.turn, update.side, update.attempt, update.started_at)
        have = len(known.text)
        if update.at > have:
            return False
        more = update.text[have - update.at :][: MAX_TEXT - have]
        if more:
            known.text += more
            self._wake(channel.debate)
        return True

    def _set_wait(self, channel: Channel, words: str) -> None:
        if channel.wait != words:
            channel.wait = words
            self._wake(channel.debate)

    def _ask(self, subscribed: _Subscribed, now: float, *, is_text_missing: bool) -> None:
        subscribed.asked_at = now
        self._publish(subscribed.channel.debate, Interest(is_text_missing))

    def _publish(self, debate: str, message: Message) -> None:
        self._bus.publish(debate, _encoder.encode(message))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _is_text_missing(channel: Channel) -> bool:
    """Whether a turn is being spoken and no text of it has come."""
    current = channel.fold.debate.transcript.current
    return current is not None and current.state == "speaking" and channel.text_in_flight() is None


def _decoded(message: bytes) -> Message | None:
    """A message of another node; None if this version does not know it."""
    try:
        return _decoder.decode(message)
    except msgspec.DecodeError:
        return None
