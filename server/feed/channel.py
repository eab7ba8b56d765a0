"""One debate as spectators watch it: the fold of its log, its newest frames, and the text of the turn in flight."""

from collections import deque
from collections.abc import Callable
from typing import Any, Final

import anyio

from events.record import Recorded
from events.state import debate as debates
from events.state.debate import Debate
from events.view import view as views
from server.feed import frames

RING: Final = 4096
"""Frames that a channel keeps encoded, at most; older frames are made again from the log."""
RING_CHARACTERS: Final = 128 * 1024
"""Their length together, at most: about five turns.  A reader that lacks more gets a snapshot in most cases."""
STATES: Final = 32
"""States that the writer may be ahead of the channel, or behind it, without being folded twice."""
PAGE_FRAMES: Final = 256
"""Frames of one page, at most."""


class TextInFlight:
    """The text of a turn that is being spoken and is not recorded yet."""

    def __init__(self, turn: int, side: str, attempt: int, started_at: str) -> None:
        self.turn, self.side, self.attempt, self.started_at = turn, side, attempt, started_at
        self.text = ""
        self._encoded: tuple[int, int, str] = (0, 0, "")

    @property
    def key(self) -> tuple[int, int]:
        """Turn and attempt: they tell this text from every other text of the debate."""
        return self.turn, self.attempt

    def delta_from(self, at: int) -> str:
        """The encoded text after ``at``; readers at the same offset share one encoding."""
        start, end, encoded = self._encoded
        if (start, end) != (at, len(self.text)) or not encoded:
            encoded = frames.delta(self.turn, self.attempt, at, self.text[at:])
            self._encoded = (at, len(self.text), encoded)
        return encoded

    def so_far(self, upto: int | None = None) -> dict[str, Any]:
        """What a snapshot shows of it: the text, or its first ``upto`` code points."""
        return {
            "turn": self.turn,
            "side": self.side,
            "attempt": self.attempt,
            "text": self.text[:upto],
            "started_at": self.started_at,
        }


class Channel:
    """One debate with its readers.  The metrics call it a room.

    It folds the log once and keeps the newest frames encoded.  It wakes its readers and never queues for them: each
    reader has a ``Cursor`` and reads what comes after it.
    """

    def __init__(self, debate: str, ring: int = RING) -> None:
        self.debate, self.ring = debate, ring
        self.fold = views.INITIAL
        self.text: TextInFlight | None = None
        """The newest text of the node that runs the debate; ``text_in_flight`` says whether it is still in flight."""
        self.wait = ""
        """What the debate waits for, in words; empty while it does not wait."""
        self.spectators = 0
        self.announced = 0
        """The number of spectators that readers are told."""
        self.heartbeats = 0
        self.listeners: list[Callable[[], None]] = []
        """Called at each wake."""
        self.ready = anyio.Event()
        self.idle_since = 0.0
        """Time of the event loop at which the last reader left."""
        self.failure: Exception | None = None
        self._frames: deque[str] = deque()
        self.characters = 0
        """Length of the frames that are kept, together."""
        self._director_frames: dict[int, str] = {}
        """Frames that the director gets instead of the spectators' frames, by position."""
        self._states: dict[bytes, tuple[Debate, Debate]] = {}
        """The state before and after a record, by the record's digest, until the channel and the writer have it."""
        self._changed = anyio.Event()

    @property
    def position(self) -> int:
        """The head of the log, as far as it is folded here."""
        return self.fold.view.position

    def advance(self, record: Recorded) -> None:
        """Fold one more event and keep its frame."""
        before = self.fold
        self.fold = views.apply(before, record, self.evolve)
        if frames.differs_for_director(before, record):
            self._director_frames[record.position] = frames.frame(before, record, self.fold, revealed=True)
        frame = frames.frame(before, record, self.fold)
        self._frames.append(frame)
        self.characters += len(frame)
        while len(self._frames) > self.ring or (self.characters > RING_CHARACTERS and len(self._frames) > 1):
            self._director_frames.pop(self.position - len(self._frames) + 1, None)
            self.characters -= len(self._frames.popleft())

    def evolve(self, before: Debate, record: Recorded) -> Debate:
        """The state after a record, folded once for the channel and for the writer of the debate, if it is here.

        Both begin with states of their own: the first that is equal is the same from then on.
        """
        known = self._states.pop(record.digest, None)
        if known is not None and (known[0] is before or known[0] == before):
            return known[1]
        after = debates.evolve(before, record)
        self._states[record.digest] = before, after
        if len(self._states) > STATES:
            del self._states[next(iter(self._states))]
        return after

    @property
    def is_revealed(self) -> bool:
        """Whether the debate has concluded, so that every reader may read the director's events."""
        return self.fold.view.state == "concluded"

    @property
    def kept(self) -> int:
        """Number of frames that are kept encoded."""
        return len(self._frames)

    def caught_up(self, now: float) -> None:
        """The fold has reached the head of the log at ``now`` on the loop's clock."""
        if not self.ready.is_set():  # those who wait for it enter now
            self.idle_since = now
        self.ready.set()
        self.wake()

    def wake(self) -> None:
        """Wake every waiting reader."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
        for listener in self.listeners:
            listener()

    def beat(self) -> None:
        """Tell every reader that is live that its line works: what a browser pings, a page does not see."""
        self.heartbeats += 1
        self.wake()

    def changed(self) -> anyio.Event:
        """An event that is set at the next wake."""
        return self._changed

    def frames_after(self, position: int, most: int = PAGE_FRAMES, *, director: bool = False) -> list[str] | None:
        """Up to ``most`` frames after ``position``; None if the ring does not reach back that far."""
        missing = self.position - position
        if missing > len(self._frames):
            return None
        start = len(self._frames) - missing
        page = [self._frames[index] for index in range(start, min(start + most, len(self._frames)))]
        if self._director_frames and (director or self.is_revealed):
            return [self._director_frames.get(at, frame) for at, frame in enumerate(page, position + 1)]
        return page

    def text_in_flight(self) -> TextInFlight | None:
        """The text of the turn that is being spoken according to the fold."""
        current, text = self.fold.debate.transcript.current, self.text
        if text is None or current is None or current.state != "speaking":
            return None
        return text if (current.number, current.attempt) == text.key else None

    def snapshot(self, *, director: bool = False, text_end: int | None = None) -> str:
        """The view now, with the text in flight: all of it, or its first ``text_end`` code points."""
        text = self.text_in_flight()
        view = views.for_director(self.fold) if director else self.fold.view
        return frames.snapshot(view, None if text is None else text.so_far(text_end))
