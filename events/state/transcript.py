"""The turns: text, attempts, state, and how far each repeats its side's earlier turns; and a supplied transcript."""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from events.record import Recorded
from events.text.segmentation import words
from events.types import (
    AttemptAbandoned,
    DebateOpened,
    DebateResumed,
    SeatHandedOver,
    Side,
    SourceKind,
    SuppliedEntry,
    TranscriptSupplied,
    TurnFailed,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)

TurnState = Literal["speaking", "spoken", "failed", "judged"]


class Failure(Struct, frozen=True, kw_only=True, gc=False):
    """A failed or abandoned attempt."""

    attempt: int
    kind: str
    message: str
    position: int


class Turn(Struct, frozen=True, kw_only=True, gc=False):
    """A turn.  ``state`` is ``failed`` between a failed attempt and the next one."""

    number: int
    side: Side
    state: TurnState
    attempt: int
    started: int
    text: str = ""
    words: int = 0
    clipped: bool = False
    model: str = ""
    spoken: int = 0
    judged: int = 0
    failures: tuple[Failure, ...] = ()
    event: TurnSpoken | None = None
    repetition: float = 0.0
    """Share of its word 4-grams that stand in earlier turns of its side."""
    tries: int = 0
    """Failed attempts since the debate was last resumed or a model took the seat over; abandoned ones do not count."""
    directive: int | None = None
    """The position of the directive that the debater was given."""
    passages: tuple[str, ...] = ()
    """The passages of the evidence that the debater was given."""
    outages: int = 0
    """How many of ``tries`` failed because of the model's vendor."""


OUTAGES: Final = frozenset({"unreachable", "overloaded"})
"""Kinds of temporary failures of the model's vendor."""


class SuppliedTurn(Struct, frozen=True, kw_only=True, gc=False):
    """A turn of a supplied transcript: the entries of one side that follow one another."""

    side: Side
    speakers: tuple[str, ...]
    text: str
    context: tuple[SuppliedEntry, ...] = ()
    """What a moderator or the audience said before the turn, or within it."""


class SuppliedTranscript(Struct, frozen=True, kw_only=True, gc=False):
    """A supplied transcript.  Turn 1 is ``turns[0]``."""

    position: int
    source: str
    licence: str
    kind: SourceKind
    digest: str
    turns: tuple[SuppliedTurn, ...]
    closing: tuple[SuppliedEntry, ...]
    """What a moderator or the audience said after the last turn."""


class Transcript(Struct, frozen=True, kw_only=True, gc=False):
    """All turns by number."""

    turns: dict[int, Turn] = {}
    supplied: SuppliedTranscript | None = None
    """Where the turns come from, if they were not spoken in Moot."""
    events: tuple[TurnSpoken, ...] = ()
    """Those of the spoken turns, in order."""
    said: dict[Side, "array[int]"] = {}
    """The 4-grams of what each side has said, as ``repetition`` needs them."""

    @property
    def current(self) -> Turn | None:
        """The newest turn."""
        return self.turns[len(self.turns)] if self.turns else None

    def spoken(self) -> tuple[TurnSpoken, ...]:
        """The spoken turns, in order."""
        return self.events


GRAM: Final = 4
"""Words in one n-gram."""
NOTHING: Final = array("q")
INITIAL = Transcript()
MOVED_BY: Final = frozenset(
    {
        DebateOpened,
        TranscriptSupplied,
        TurnStarted,
        TurnSpoken,
        TurnFailed,
        AttemptAbandoned,
        TurnScored,
        DebateResumed,
        SeatHandedOver,
    }
)


def _with(transcript: Transcript, turn: Turn) -> Transcript:
    return replace(transcript, turns={**transcript.turns, turn.number: turn})


def merged(entries: Sequence[SuppliedEntry]) -> tuple[tuple[SuppliedTurn, ...], tuple[SuppliedEntry, ...]]:
    """The turns of a transcript, in which the sides alternate, and the context after the last one.

    Context between two entries of one side stands before the turn that they make.
    """
    turns: list[list[SuppliedEntry]] = []
    before: list[list[SuppliedEntry]] = []
    waiting: list[SuppliedEntry] = []
    for entry in entries:
        if entry.side == "context":
            waiting.append(entry)
        elif turns and turns[-1][0].side == entry.side:
            turns[-1].append(entry)
            before[-1] += waiting
            waiting = []
        else:
            turns.append([entry])
            before.append(waiting)
            waiting = []
    return tuple(_turn_of(said, tuple(context)) for said, context in zip(turns, before, strict=True)), tuple(waiting)


def _turn_of(said: Sequence[SuppliedEntry], context: tuple[SuppliedEntry, ...]) -> SuppliedTurn:
    side = said[0].side
    assert side != "context", "context is no turn"
    return SuppliedTurn(
        side=side,
        speakers=tuple(dict.fromkeys(entry.speaker for entry in said if entry.speaker)),
        text="\n\n".join(entry.text for entry in said),
        context=context,
    )


def apply(transcript: Transcript, record: Recorded) -> Transcript:
    """The transcript after ``record``."""
    event = record.event
    match event:
        case DebateOpened():
            return INITIAL
        case TranscriptSupplied():
            turns, closing = merged(event.turns)
            return replace(
                transcript,
                supplied=SuppliedTranscript(
                    position=record.position,
                    source=event.source,
                    licence=event.licence,
                    kind=event.kind,
                    digest=event.digest,
                    turns=turns,
                    closing=closing,
                ),
            )
        case TurnStarted(turn=number, side=side, attempt=attempt):
            before = transcript.turns.get(number) or Turn(
                number=number, side=side, state="speaking", attempt=attempt, started=record.position
            )
            turn = replace(
                before,
                state="speaking",
                attempt=attempt,
                started=record.position,
                directive=event.directive,
                passages=event.passages or (),
            )
            return _with(transcript, turn)
        case TurnSpoken():
            share, said = repetition(event.text, transcript.said.get(event.side, NOTHING))
            turn = replace(
                transcript.turns[event.turn],
                state="spoken",
                text=event.text,
                words=event.words,
                clipped=event.clipped,
                model=event.model,
                spoken=record.position,
                event=event,
                repetition=share,
            )
            after = _with(transcript, turn)
            events = tuple([each.event for each in after.turns.values() if each.event is not None])
            return replace(after, events=events, said={**transcript.said, event.side: said})
        case TurnFailed() | AttemptAbandoned():
            turn = transcript.turns[event.turn]
            failure = Failure(attempt=event.attempt, kind=event.kind, message=event.message, position=record.position)
            has_failed = isinstance(event, TurnFailed)
            return _with(
                transcript,
                replace(
                    turn,
                    state="failed",
                    failures=(*turn.failures, failure),
                    tries=turn.tries + has_failed,
                    outages=turn.outages + (has_failed and event.kind in OUTAGES),
                ),
            )
        case TurnScored():
            return _with(transcript, replace(transcript.turns[event.turn], state="judged", judged=record.position))
        case DebateResumed() | SeatHandedOver():
            last = transcript.current
            return _with(transcript, replace(last, tries=0, outages=0)) if last and last.tries else transcript
        case _:
            return transcript


def grams(text: str) -> set[int]:
    """The word 4-grams of a text, as hashes of 64 bits, which mean nothing in another process."""
    found = words(text.casefold())
    return {hash(tuple(found[start : start + GRAM])) for start in range(len(found) - GRAM + 1)}


def repetition(text: str, said: "array[int]") -> tuple[float, "array[int]"]:
    """Share of the 4-grams of ``text`` that are in ``said``, to two decimals, and the 4-grams of both.

    0 is all new, 1 is a loop.  ``said`` is sorted: numbers take a tenth of the memory of words in a set.
    """
    mine, both = grams(text), said[:]
    for each in mine:
        at = bisect_left(both, each)
        if at == len(both) or both[at] != each:
            both.insert(at, each)
    fresh = len(both) - len(said)
    return (round((len(mine) - fresh) / len(mine), 2) if mine else 0.0), both
