"""Who watches what.

A room follows one debate's log, folds it once, and keeps the newest frames encoded; every reader has a position and
reads what it lacks.  The hub wakes readers and never queues for them.  Text in flight is kept once per debate, and a
reader that falls behind simply gets a longer delta.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import anyio
import anyio.abc

from events.cluster.bus import Bus, SingleNodeBus
from events.errors import UnknownDebate
from events.record import Recorded
from events.store.log import EventLog, follow
from events.view import view as views
from events.view.view import Fold, View
from server.errors import BadQuery
from server.feed import frames
from server.feed.cursor import Cursor
from server.feed.folds import Folds
from server.feed.in_flight import Speech
from server.feed.presence import Presence
from server.feed.relay import Relay
from server.feed.waits import Waits

RING: Final = 4096
"""Frames kept encoded in a room; older ones are folded again from the log."""
RECENT: Final = 256
"""Frames that a room encodes of what it finds: enough for a line that was cut; who comes new takes the view."""


class Room:
    """One debate as it is watched."""

    def __init__(self, debate: str) -> None:
        self.debate = debate
        self.fold = views.INITIAL
        self.speech: Speech | None = None
        self.wait = ""
        """What the debate waits for, in words."""
        self.spectators = 0
        self.counted = 0
        """Their number as it is told."""
        self.hearers: list[Callable[[], None]] = []
        """Called at each wake."""
        self.ready = anyio.Event()
        self.idle_since = time.monotonic()
        self.failure: Exception | None = None
        self._ring: deque[str] = deque(maxlen=RING)
        self._for_director: dict[int, str] = {}
        """Frames that the director gets in the place of the spectators', by position."""
        self._changed = anyio.Event()

    @property
    def position(self) -> int:
        """The head as folded here."""
        return self.fold.view.position

    def advance(self, record: Recorded) -> None:
        """Take in one more event."""
        if frames.is_told_apart(self.fold, record):
            _, self._for_director[record.position] = frames.step(self.fold, record, revealed=True)
        self.fold, frame = frames.step(self.fold, record)
        self._ring.append(frame)
        self._for_director.pop(record.position - RING, None)

    @property
    def is_revealed(self) -> bool:
        """Whether everybody may read what was the director's."""
        return self.fold.view.state == "concluded"

    @property
    def kept(self) -> int:
        """Frames kept encoded."""
        return len(self._ring)

    def wake(self) -> None:
        """Tell every waiting reader to look again."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
        for hear in self.hearers:
            hear()

    def changed(self) -> anyio.Event:
        """Set at the next wake."""
        return self._changed

    def frames_after(self, position: int, most: int = 256, *, director: bool = False) -> list[str] | None:
        """Frames after ``position``; None where the ring does not reach back that far."""
        lacking = self.position - position
        if lacking > len(self._ring):
            return None
        start = len(self._ring) - lacking
        page = [self._ring[index] for index in range(start, min(start + most, len(self._ring)))]
        if self._for_director and (director or self.is_revealed):
            return [self._for_director.get(at, frame) for at, frame in enumerate(page, position + 1)]
        return page

    def speech_now(self) -> Speech | None:
        """The text in flight, if the fold has the turn as being spoken."""
        current = self.fold.debate.transcript.current
        speech = self.speech
        if speech is None or current is None or current.state != "speaking":
            return None
        return speech if (current.number, current.attempt) == (speech.turn, speech.attempt) else None

    def lacking(self, place: Cursor, *, director: bool = False) -> list[str] | None:
        """A page of what was not told at that place, which moves on; None where the ring does not reach back so far."""
        batch = self.frames_after(place.position, director=director)
        if batch is None:
            return None
        place.position += len(batch)
        return batch if place.position < self.position else batch + self.news(place)

    def news(self, place: Cursor) -> list[str]:
        """What is no event and was not told at that place, where all events were; the place moves on."""
        batch = []
        if not place.is_live:
            place.is_live = True
            batch.append(frames.LIVE)
        if self.counted != place.spectators:
            place.spectators = self.counted
            batch.append(frames.status(spectators=self.counted))
        if self.wait != place.wait:
            place.wait = self.wait
            batch.append(frames.status(wait=self.wait))
        if speech := self.speech_now():
            if (speech.turn, speech.attempt) != place.said:
                place.said, place.said_to = (speech.turn, speech.attempt), 0
            if place.said_to < len(speech.text):
                batch.append(speech.delta_from(place.said_to))
                place.said_to = len(speech.text)
        return batch

    def missed(self, place: Cursor, others: Cursor) -> list[str]:
        """What is no event and was told to others who stand at the same position, but not at that place."""
        batch = [] if place.is_live else [frames.LIVE]
        if self.counted != place.spectators:
            batch.append(frames.status(spectators=self.counted))
        if others.wait != place.wait:
            batch.append(frames.status(wait=others.wait))
        speech = self.speech_now()
        if speech is not None and (speech.turn, speech.attempt) == others.said:
            start = place.said_to if place.said == others.said else 0
            if start < others.said_to:
                batch.append(frames.delta(speech.turn, speech.attempt, start, speech.text[start : others.said_to]))
        return batch

    def snapshot(self, *, director: bool = False, told: Cursor | None = None) -> str:
        """The view now, with the text so far, or as far as it was ``told``."""
        speech = self.speech_now()
        view = views.for_director(self.fold) if director else self.fold.view
        if speech is None:
            return frames.snapshot(view, None)
        if told is None:
            return frames.snapshot(view, speech.so_far())
        return frames.snapshot(view, speech.so_far(told.said_to if told.said == (speech.turn, speech.attempt) else 0))


class Hub:
    """All rooms of this process."""

    def __init__(self, log: EventLog, *, tick_ms: int = 50, idle_s: float = 30.0, bus: Bus | None = None) -> None:
        self._log = log
        self.folds = Folds(log)
        self._tick_s = tick_ms / 1000
        self._idle_s = idle_s
        self._rooms: dict[str, Room] = {}
        self._speeches: dict[str, Speech] = {}
        self._flushing: set[str] = set()
        self._waits = Waits(self._tell_wait)
        self._presence = Presence(self.stir)
        self._relay = Relay(bus or SingleNodeBus(), self.stir, tick_ms / 1000)
        self._tasks: anyio.abc.TaskGroup | None = None

    @property
    def spectators(self) -> int:
        """Open readers in all rooms."""
        return self._presence.spectators

    @property
    def rooms(self) -> int:
        """Debates held in memory for readers."""
        return len(self._rooms)

    @property
    def watched(self) -> tuple[Room, ...]:
        """The rooms."""
        return tuple(self._rooms.values())

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Keep rooms up to date until cancelled."""
        async with anyio.create_task_group() as self._tasks:
            task_status.started()
            await self._relay.run()

    # what is being said now

    @contextmanager
    def running(self, debate: str) -> Iterator[None]:
        """Within it the debate is run here: what is said of it here goes to the other nodes."""
        with self._relay.telling(debate):
            yield

    def begin(self, debate: str, speech: Speech) -> None:
        """A turn is about to be spoken."""
        self._speeches[debate] = speech
        self._relay.begin(debate, speech)
        if room := self._rooms.get(debate):
            room.speech = speech

    def say(self, debate: str, text: str) -> None:
        """More text of the turn in flight; readers are woken within a tick."""
        speech = self._speeches[debate]
        speech.text += text
        self._relay.say(debate)
        self.stir(debate)

    def stir(self, debate: str) -> None:
        """Wake the readers of a debate within a tick: what changes often is told together."""
        if debate in self._rooms and debate not in self._flushing:
            self._flushing.add(debate)
            asyncio.get_running_loop().call_later(self._presence.tick_s(self._tick_s), self._flush, debate)

    def _flush(self, debate: str) -> None:
        self._flushing.discard(debate)
        if room := self._rooms.get(debate):
            room.wake()

    def silence(self, debate: str) -> None:
        """The turn in flight has been recorded, or has come to nothing."""
        self._speeches.pop(debate, None)
        self._relay.silence(debate)
        if room := self._rooms.get(debate):
            room.speech = None

    # what is waited for

    def waiting(self, debate: str, why: Callable[[], str]) -> AbstractContextManager[None]:
        """A debate may have to wait: where it lasts, its readers are told ``why`` in words, until it is over."""
        return self._waits.waiting(debate, why)

    def _tell_wait(self, debate: str, words: str) -> None:
        self._relay.wait(debate, words)
        room = self._rooms.get(debate)
        if room is not None and room.wait != words:
            room.wait = words
            self.stir(debate)

    # who reads

    def enter(self, room: Room) -> None:
        """One spectator more."""
        self._presence.change(room, 1)

    def leave(self, room: Room) -> None:
        """One spectator fewer."""
        room.idle_since = time.monotonic()
        self._presence.change(room, -1)

    def spawn(self, function: Callable[..., Coroutine[Any, Any, Any]], *args: Any) -> None:
        """Run something beside, until it is done or the hub ends."""
        assert self._tasks is not None, "the hub is not running"
        self._tasks.start_soon(function, *args)

    async def room(self, debate: str) -> Room:
        """The room of a debate, folded up to now.  Raises ``UnknownDebate``."""
        room = self._rooms.get(debate)
        if room is None:
            assert self._tasks is not None, "the hub is not running"
            room = self._rooms[debate] = Room(debate)
            room.speech = self._speeches.get(debate)
            self._tasks.start_soon(self._keep, room)
        room.idle_since = time.monotonic()
        await room.ready.wait()
        if room.failure is not None:
            raise room.failure
        return room

    async def _keep(self, room: Room) -> None:
        """Follow the debate until nobody has watched for a while."""
        try:
            head = await self._log.head(room.debate)
            if head == 0:
                raise UnknownDebate(room.debate)  # noqa: TRY301 - one place hands every failure to those who wait
            with anyio.CancelScope() as scope, self._relay.following(room):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._evict_when_idle, room, scope)
                    room.fold = await self.folds.at(room.debate, max(head - RECENT, 0))
                    async for record in follow(self._log, room.debate, room.position):
                        room.advance(record)
                        if record.position >= head:
                            room.ready.set()
                            room.wake()
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for this room
            room.failure = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
        finally:
            if self._rooms.get(room.debate) is room:
                del self._rooms[room.debate]
            room.ready.set()
            room.wake()

    async def _evict_when_idle(self, room: Room, scope: anyio.CancelScope) -> None:
        while True:
            await anyio.sleep(self._idle_s / 2)
            if room.ready.is_set() and room.spectators == 0 and time.monotonic() - room.idle_since > self._idle_s:
                del self._rooms[room.debate]
                scope.cancel()
                return

    async def frames_page(
        self, debate: str, after: int, limit: int, *, director: bool = False
    ) -> tuple[list[str], int | None]:
        """Up to ``limit`` frames after a position, and where the next page begins (None at the end)."""
        head = await self._log.head(debate)
        if head == 0:
            raise UnknownDebate(debate)
        revealed = director or await self.is_revealed(debate)
        if after > head:
            raise BadQuery(f"after={after} is beyond the head {head}", field="after")
        upto = min(after + limit, head)
        steps = self.folds.steps(debate, after, upto)
        page = [frames.told(*step, revealed=revealed) async for step in steps]
        return page, (upto if upto < head else None)

    async def is_revealed(self, debate: str) -> bool:
        """Whether the debate has concluded, so that everybody may read everything.  Raises ``UnknownDebate``."""
        return (await self._newest(debate)).view.state == "concluded"

    async def is_blind(self, debate: str) -> bool:
        """Whether spectators are not told the models before the debate has concluded.  Raises ``UnknownDebate``."""
        return (await self._newest(debate)).debate.is_blind

    async def view(self, debate: str, at: int | None = None, *, director: bool = False) -> View:
        """The view of an audience at position ``at``, or now.  Raises as ``view_at``."""
        fold = await self.view_at(debate, at)
        return views.for_director(fold) if director or await self.is_revealed(debate) else fold.view

    async def view_at(self, debate: str, at: int | None) -> Fold:
        """The fold as it stood at position ``at``, or now.  Raises ``UnknownDebate``, ``BadQuery``."""
        if at is None:
            return await self._newest(debate)
        head = await self._log.head(debate)
        if head == 0:
            raise UnknownDebate(debate)
        if not 1 <= at <= head:
            raise BadQuery(f"at={at} is not between 1 and the head {head}", field="at")
        return await self.folds.at(debate, at)

    async def _newest(self, debate: str) -> Fold:
        """The fold with everything that was recorded before the question: who acts and then reads sees his act."""
        head = await self._log.head(debate)
        room = await self.room(debate)
        while room.position < head:
            changed = room.changed()
            if room.failure is not None:
                raise room.failure
            await changed.wait()
        return room.fold
