"""All that a step is decided on: the opening, the state, the transcript, the ledger, and the answers not yet used."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from events.projections import ledger, transcript, usage
from events.projections.ledger import Ledger
from events.projections.transcript import Transcript
from events.projections.usage import Tally
from events.record import Recorded
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    ModelAnswered,
    ModelFailed,
    Reason,
    ScorecardVerdictReached,
    TurnScored,
    Winner,
)

State = Literal["open", "paused", "halted", "concluded"]


class Conclusion(Struct, frozen=True, kw_only=True):
    """How it ended."""

    winner: Winner
    by_rule: str


class Standing(Struct, frozen=True, kw_only=True):
    """Whether the debate runs, and why not."""

    state: State = "open"
    reason: str = ""
    by: str = ""
    conclusion: Conclusion | None = None


class Given(Struct, frozen=True, kw_only=True):
    """An answer that no derived event has used yet."""

    position: int
    answer: str
    model: str


class Calls(Struct, frozen=True, kw_only=True):
    """The judge's open questions, by question: ``score:3/1`` is the first sample of the score of turn 3."""

    given: dict[str, Given] = {}
    failed: dict[str, tuple[Reason, ...]] = {}
    """Failures since the debate was last resumed."""
    asked: dict[str, int] = {}
    """How often each question was ever put: the next call's ordinal follows from it."""


class Debate(Struct, frozen=True, kw_only=True):
    """The decider's state.  ``opened`` is None before position 1."""

    id: str = ""
    position: int = 0
    opened: DebateOpened | None = None
    opened_at: str = ""
    standing: Standing = Standing()
    transcript: Transcript = transcript.INITIAL
    ledger: Ledger = ledger.INITIAL
    usage: Tally = usage.INITIAL
    calls: Calls = Calls()
    segments: frozenset[str] = frozenset()
    """Digests of prompt segments that the log already holds."""
    scorecard_verdict: ScorecardVerdictReached | None = None


INITIAL = Debate()


def question(purpose: str, turn: int | None, sample: int, order: tuple[int, ...] = ()) -> str:
    """The name of a question in ``Calls``."""
    shown = "-".join(map(str, order))
    return f"{purpose}:{shown or turn or ''}/{sample}"


def evolve(debate: Debate, record: Recorded) -> Debate:
    """The debate after ``record``."""
    event = record.event
    opened, opened_at, standing = debate.opened, debate.opened_at, debate.standing
    calls, segments, verdict = debate.calls, debate.segments, debate.scorecard_verdict
    match event:
        case DebateOpened():
            opened, opened_at, standing = event, record.at, Standing()
        case DebatePaused():
            standing = replace(standing, state="paused", reason=event.reason, by=event.by)
        case DebateHalted():
            standing = replace(standing, state="halted", reason=event.reason, by=event.by)
        case DebateResumed():
            standing = replace(standing, state="open", reason=event.reason, by=event.by)
            calls = replace(calls, failed={}) if calls.failed else calls
        case DebateConcluded():
            conclusion = Conclusion(winner=event.winner, by_rule=event.by_rule)
            standing = Standing(state="concluded", conclusion=conclusion)
        case ModelAnswered() | ModelFailed():
            if not segments.issuperset(event.segments):
                segments = segments | event.segments.keys()
            calls = _call(calls, record, event)
        case TurnScored():
            calls = Calls()
        case ScorecardVerdictReached():
            verdict = event
        case _:
            pass
    return Debate(
        id=record.debate, position=record.position, opened=opened, opened_at=opened_at, standing=standing,
        transcript=transcript.apply(debate.transcript, record), ledger=ledger.apply(debate.ledger, record),
        usage=usage.apply(debate.usage, record), calls=calls, segments=segments, scorecard_verdict=verdict,
    )


def _call(calls: Calls, record: Recorded, event: ModelAnswered | ModelFailed) -> Calls:
    if event.purpose == "speak":
        return calls
    key = question(event.purpose, event.turn, event.sample, event.order)
    asked = {**calls.asked, key: calls.asked.get(key, 0) + 1}
    if isinstance(event, ModelAnswered):
        given = Given(position=record.position, answer=event.answer, model=event.model)
        return Calls(given={**calls.given, key: given}, failed=calls.failed, asked=asked)
    reasons = (*calls.failed.get(key, ()), Reason(f"{event.kind}: {event.message}"))
    return Calls(given=calls.given, failed={**calls.failed, key: reasons}, asked=asked)
