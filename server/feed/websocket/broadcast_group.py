"""All sockets that are told the same: one debate, one audience, one encoding and, where agreed on, one compressor.

Everybody who is live stands at the gallery's place, so nobody needs one of his own.  Who reads too slowly leaves with a
copy of it, is told no deltas, catches up in pages from the ring or the log, and comes back.
"""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from events.errors import LogError
from server import observe
from server.feed.cursor import Cursor
from server.feed.hub import RING, Hub, Room
from server.feed.websocket import deflate as deflating
from server.feed.websocket.spectator import Spectator
from server.feed.websocket.wire import FAILED, TEXT, framed

if TYPE_CHECKING:
    from server.feed.websocket.connections import Connections

PAGE: Final = 1 << 16
"""Bytes of messages that are written in one go; a longer message goes alone."""
PAGE_FRAMES: Final = 256
MOMENT_S: Final = 0.01


class BroadcastGroup:
    """Where the sockets of one audience of a debate stand."""

    def __init__(self, crowd: "Connections", hub: Hub, room: Room, *, director: bool, deflate: bool) -> None:
        self.crowd, self.room, self.director, self.deflate = crowd, room, director, deflate
        self._hub = hub
        self.place = Cursor(room.position)
        self.place.is_live = True
        self._live: set[Spectator] = set()
        self._held: set[Spectator] = set()
        self._entered = 0
        self._is_woken = False
        self._snapshot: tuple[object, bytes, int] = (None, b"", 0)
        """What it was made for, its frame, and its length as text."""
        # Those who came less than a window ago read a compressor of their own.
        self._told = 0
        """Bytes that were told while there were newcomers, as text."""
        self._newcomers: deque[tuple[int, set[Spectator]]] = deque()
        self._shared = deflating.Compressor() if deflate else None
        self._fresh: deflating.Compressor | None = None
        room.hearers.append(self._wake)
        self.flush()

    # who is here

    def enter(self, spectator: Spectator) -> None:
        """Somebody comes: what he lacks is written, a snapshot where that is shorter, and he stands with the others."""
        self._entered += 1
        self._hub.enter(self.room)
        if self._entered == 1:
            self.place.spectators = self.room.counted  # he is told, and nobody else is here
        if self.room.position != self.place.position:
            self.flush()  # text in flight waits for its tick, an event for nobody
        after, spectator.after = spectator.after, None
        snapshot, size = self._snapshot_now()
        frames = None if after is None else self.room.frames_after(after, RING, director=self.director)
        self._held.add(spectator)
        spectator.place = Cursor(after or 0)
        if frames is None or sum(map(len, frames)) > size:
            spectator.place = self.place.copy()
            spectator.place.is_live, spectator.place.spectators, spectator.place.wait = False, -1, ""
            spectator.transport.write(snapshot)
        if not spectator.is_paused:
            self.catch_up(spectator)

    def leave(self, spectator: Spectator) -> None:
        """Somebody has gone, or is told nothing more."""
        if spectator not in self._held and not self._remove(spectator):
            return
        spectator.place = spectator.place or self.place.copy()
        self._held.discard(spectator)
        self._entered -= 1
        self._hub.leave(self.room)
        if not self._entered:
            self.room.hearers.remove(self._wake)
            self.crowd.close_gallery(self)

    def hold(self, spectator: Spectator) -> None:
        """Somebody does not keep up: from here on he has a place of his own."""
        if self._remove(spectator):
            spectator.place = self.place.copy()
            self._held.add(spectator)

    def _remove(self, spectator: Spectator) -> bool:
        if spectator in self._live:
            self._live.remove(spectator)
            return True
        for _, came in self._newcomers:
            if spectator in came:
                came.remove(spectator)
                return True
        return False

    # what is told

    def _wake(self) -> None:
        """There is something new: it is told in the next step of the loop, together with what else comes until then."""
        if not self._is_woken:
            self._is_woken = True
            self.crowd.soon(self.flush)

    def flush(self) -> None:
        """Tell everybody who is live what is new, encoded once."""
        self._is_woken = False
        if self.room.failure is not None:
            for spectator in self._everybody():
                spectator.close(FAILED, f"the store failed; come back with after={spectator.position}")
            return
        while (batch := self._lacking()) is not None:
            if not batch:
                return
            self._tell(batch)
            if self.place.position < self.room.position:
                self._hold_full()
        # more came at once than the ring holds
        behind = [spectator for spectator in self._everybody() if spectator.place is None]
        for spectator in behind:
            self.hold(spectator)
            self.crowd.soon(self.catch_up, spectator)
        self.place.position = self.room.position

    def _hold_full(self) -> None:
        """More follows in this very step, and a loop may say only in the next whose buffer is full."""
        for spectator in self._everybody():
            if spectator.place is None and spectator.waiting > PAGE:
                self.hold(spectator)
                self.crowd.soon(self.catch_up, spectator)  # where its buffer is empty by then it was never full

    def _lacking(self) -> list[bytes] | None:
        """The next page of what was not told here; None where the ring does not reach back so far."""
        frames = self.room.frames_after(self.place.position, PAGE_FRAMES, director=self.director)
        if frames is None:
            return None
        batch = page(frames)
        self.place.position += len(batch)
        if self.place.position == self.room.position:
            said_to = self.place.said_to
            batch += [message.encode() for message in self.room.news(self.place)]
            if self._held and said_to != self.place.said_to:
                observe.DELTAS_SKIPPED.inc(len(self._held))
        return batch

    def _everybody(self) -> list[Spectator]:
        return [*self._live, *self._held, *(each for _, came in self._newcomers for each in came)]

    def _tell(self, messages: Sequence[bytes]) -> None:
        if self._shared is None:
            self._write(self._live, b"".join(framed(TEXT, message) for message in messages))
            return
        shared = self._shared.frames(messages)
        self._write(self._live, shared)
        if not self._newcomers:
            return
        self._fresh = self._fresh or deflating.Compressor()
        fresh = self._fresh.frames(messages)
        for _, came in self._newcomers:
            self._write(came, fresh)
        self._told += sum(map(len, messages))
        while self._newcomers and self._newcomers[0][0] + deflating.WINDOW <= self._told:
            self._live |= self._newcomers.popleft()[1]

    def _write(self, spectators: set[Spectator], joined: bytes) -> None:
        for spectator in tuple(spectators):  # one who does not keep up leaves in the middle of this
            spectator.transport.write(joined)

    # who catches up

    def catch_up(self, spectator: Spectator) -> None:
        """Write the next page to somebody who is held; at the end of the last he is live."""
        place = spectator.place
        if place is None or spectator not in self._held or spectator.is_busy():
            return
        if place.position < self.room.position:
            frames = self.room.frames_after(place.position, PAGE_FRAMES, director=self.director)
            if frames is None:
                self._hub.spawn(self._from_the_log, spectator, place)
            else:
                self._write_page(spectator, place, frames)
            return
        if place.position > self.room.position:  # the log was read further than the room has come
            self.crowd.later(MOMENT_S, self.catch_up, spectator)
            return
        if place.position != self.place.position:
            self.flush()
        if spectator not in self._held:  # the room has failed
            return
        self._write_one(spectator, [message.encode() for message in self.room.missed(place, self.place)])
        spectator.place = None
        self._held.discard(spectator)
        self._stand(spectator)
        if spectator.is_busy():  # it was as much as that
            self.hold(spectator)

    async def _from_the_log(self, spectator: Spectator, place: Cursor) -> None:
        after = place.position
        try:
            async with self.crowd.reading:
                frames, _ = await self._hub.frames_page(self.room.debate, after, PAGE_FRAMES, director=self.director)
        except LogError as error:
            spectator.close(FAILED, f"{error}; come back with after={after}")
            return
        if spectator in self._held and spectator.place is place and place.position == after:
            self._write_page(spectator, place, frames)

    def _write_page(self, spectator: Spectator, place: Cursor, frames: list[str]) -> None:
        """Write as many of them as make a page, and go on in the next step."""
        written = page(frames)
        place.position += len(written)
        self._write_one(spectator, written)
        self.crowd.soon(self.catch_up, spectator)

    def _write_one(self, spectator: Spectator, messages: Sequence[bytes]) -> None:
        if messages:
            told = deflating.alone(messages) if self.deflate else b"".join(framed(TEXT, each) for each in messages)
            spectator.transport.write(told)

    def _stand(self, spectator: Spectator) -> None:
        """He has been told all that the others have."""
        if self._shared is None:
            self._live.add(spectator)
            return
        self._fresh = None  # the newcomers' compressor must not refer to what he was not told
        if not self._newcomers or self._newcomers[-1][0] != self._told:
            self._newcomers.append((self._told, set()))
        self._newcomers[-1][1].add(spectator)

    def _snapshot_now(self) -> tuple[bytes, int]:
        """The view as it was told to the others: made once for all who come before anything else is told."""
        made_for = (self.room.position, self.place.said, self.place.said_to, self.room.speech_now())
        known, snapshot, size = self._snapshot
        if known != made_for:
            text = self.room.snapshot(director=self.director, told=self.place)
            size, message = len(text), text.encode()
            snapshot = deflating.alone([message]) if self.deflate else framed(TEXT, message)
            self._snapshot = made_for, snapshot, size
        return snapshot, size


def page(messages: Sequence[str]) -> list[bytes]:
    """As many of the first messages as are written in one go: at least one, where there is any."""
    taken: list[bytes] = []
    size = 0
    for message in messages:
        encoded = message.encode()
        size += len(encoded)
        if taken and size > PAGE:
            break
        taken.append(encoded)
    return taken
