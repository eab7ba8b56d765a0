"""Turns that were spoken and scored, in an event batch that the rules add to."""

from typing import Any, TypeVar

from events.record import Recorded
from events.state.debate import Debate
from events.state.ledger import Balance
from events.types import (
    Archetype,
    DebateOpened,
    Debater,
    DebateSettings,
    DimensionScore,
    Event,
    FindingRefused,
    JudgeSeat,
    Reason,
    Side,
    TurnScored,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from events.types.rubric import Rubric
from judge.live import comparison
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.rubrics.rubric import rubric_v1
from judge.templates import judge_templates

T = TypeVar("T")
EventType = TypeVar("EventType", bound=Event)
RUBRIC = rubric_v1()
PROMPTS = judge_templates()
NO_ANSWER: Answers[Any] = Answers(failed=Reason("the judge gave no usable answer (timeout: it was silent)"))
POINTS: dict[str, float] = {"logic": 20, "rhetoric": 15, "tactics": 15, "frame_control": 5, "credibility": 8}
BLANK = {"blank": Archetype(title="a blank", manner="…", traits={})}


def opened(rubric: Rubric = RUBRIC, turns: int = 6) -> DebateOpened:
    seat = Debater(model="grand:model", archetype="blank", elasticity=0.5)
    return DebateOpened(
        motion="Cities should ban cars",
        format="exchange",
        turns=turns,
        max_words=180,
        pro=seat,
        con=seat,
        judge=JudgeSeat(model="wise:judge"),
        panel=(),
        rubric=rubric,
        archetypes=BLANK,
        prompts=PROMPTS,
        settings=DebateSettings(),
        blind=False,
        exhibition=None,
        moot="test",
    )


def side_of(turn: int) -> Side:
    return "pro" if turn % 2 else "con"


def spoken_turn(turn: int, text: str, side: Side | None = None) -> TurnSpoken:
    return TurnSpoken(
        turn=turn,
        side=side or side_of(turn),
        attempt=1,
        text=text,
        words=len(text.split()),
        clipped=False,
        pace=(),
        model="grand:model",
        usage=Usage(),
        latency_ms=1,
    )


def speak(batch: EventBatch, text: str) -> int:
    """Speak the next turn; return its number."""
    turn = len(batch.debate.transcript.turns) + 1
    started = batch.add(TurnStarted(turn=turn, side=side_of(turn), attempt=1, directive=None), batch.debate.position)
    batch.add(spoken_turn(turn, text), started)
    return turn


def debate_of(*texts: str, rubric: Rubric = RUBRIC) -> EventBatch:
    """A debate with these turns, not scored yet."""
    batch = EventBatch(Debate(id="d"))
    batch.add(opened(rubric), None)
    for text in texts:
        speak(batch, text)
    return batch


def scored(turn: int, **points: float) -> TurnScored:
    dimensions = {name: DimensionScore(raw=each, admitted=each) for name, each in (POINTS | points).items()}
    return TurnScored(turn=turn, components={}, dimensions=dimensions, samples=1)


def score(batch: EventBatch, turn: int, **points: float) -> None:
    batch.add(scored(turn, **points), batch.debate.position)


def given(*answers: T) -> Answers[T]:
    """Answers of several samples, each from a call of its own."""
    return Answers(given=tuple(enumerate(answers, 1)))


def comparison_answer(reason: str = "", **winners: str) -> Any:
    """An answer to a comparison; dimensions that are left out are draws."""
    return dict.fromkeys(RUBRIC.bands, "draw") | winners | {"reason": reason}


def compare(batch: EventBatch, later: int, **winners: str) -> int:
    """Compare with the turn before, both orders agreeing: ``logic="later"``.  Bands follow."""
    forward = {name: {"earlier": "first", "later": "second"}[won] for name, won in winners.items()}
    backward = {name: {"earlier": "second", "later": "first"}[won] for name, won in winners.items()}
    at = comparison.compare_turns(
        batch, later - 1, later, given(comparison_answer(**forward)), given(comparison_answer(**backward))
    )
    comparison.harmonize(batch, at)
    return at


def events_of(batch: EventBatch, kind: type[EventType]) -> list[EventType]:
    """The events of one kind in a batch."""
    return [draft.event for draft in batch.drafts if isinstance(draft.event, kind)]


def refusals(batch: EventBatch) -> list[str]:
    return [each.reason for each in events_of(batch, FindingRefused)]


def balance(batch: EventBatch, turn: int, dimension: str = "logic") -> Balance:
    found = batch.debate.ledger.balance(turn, dimension)
    assert found is not None
    return found


def effective(batch: EventBatch, turn: int, dimension: str = "logic") -> float:
    return balance(batch, turn, dimension).effective


def record(position: int, event: Event) -> Recorded:
    return Recorded(
        debate="d",
        position=position,
        id="",
        at="",
        cause=None,
        schema=1,
        salt=b"",
        payload=b"",
        digest=b"",
        event=event,
    )
