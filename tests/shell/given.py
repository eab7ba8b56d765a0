"""Given these events: records, folds and views without a log, a loop or a clock.  And a debate drawn at random."""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from events import codec
from events.projections import debate as debates
from events.projections import view as views
from events.projections.debate import Debate
from events.projections.view import Fold
from events.record import Draft, Recorded, as_draft, digest_before_first, stamp
from events.types import (
    Archetype,
    AttemptAbandoned,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    Debater,
    DebateResumed,
    Event,
    JudgeSeat,
    ModelAnswered,
    ModelFailed,
    Settings,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
    Usage,
    missing,
)
from judge.questions import applicable
from judge.rubric import rubric_v1
from judge.templates import judge_templates
from personalities.archetypes import archetypes
from personalities.prompt import debater_template
from server.formats import next_steps
from server.formats.steps import Ask, Record, Speak, Step

AT = "2026-11-21T09:30:00.000000Z"
DEBATE = "01900000-0000-7000-8000-000000000000"
TEXT = "Trams carry more people than cars, because they share one track."
RUBRIC = rubric_v1()
CHARACTERS: dict[str, Archetype] = {name: archetypes()[name] for name in ("engineer", "provocateur")}


def opened(turns: int = 2, samples: int = 1, **settings: Any) -> DebateOpened:
    return DebateOpened(
        motion="Cities should ban cars", format="exchange", turns=turns, max_words=180,
        pro=Debater(model="scripted:pro", archetype="engineer", elasticity=0.5),
        con=Debater(model="scripted:con", archetype="provocateur", elasticity=0.5),
        judge=JudgeSeat(model="scripted:judge", samples=samples), panel=(), rubric=RUBRIC, archetypes=CHARACTERS,
        prompts={"debater": debater_template(), **judge_templates()}, settings=Settings(**settings),
        blind=False, exhibition=None, moot="test",
    )


def side(turn: int) -> Any:
    return "pro" if turn % 2 else "con"


def started(turn: int, attempt: int = 1) -> TurnStarted:
    return TurnStarted(turn=turn, side=side(turn), attempt=attempt, directive=None)


def spoken(turn: int, attempt: int = 1, text: str = TEXT) -> TurnSpoken:
    return TurnSpoken(
        turn=turn, side=side(turn), attempt=attempt, text=text, words=len(text.split()), clipped=False,
        pace=((0, len(text)),), model="m", usage=Usage(), latency_ms=1,
    )


def failed(turn: int, attempt: int = 1, kind: str = "timeout") -> TurnFailed:
    return TurnFailed(turn=turn, side=side(turn), attempt=attempt, kind=kind, message=f"it was a {kind}")


def abandoned(turn: int, attempt: int = 1) -> AttemptAbandoned:
    return AttemptAbandoned(turn=turn, side=side(turn), attempt=attempt, kind="interrupted", message="cut")


def score(turn: int, points: float = 0.5) -> dict[str, Any]:
    """A valid answer of the judge with this share of every component."""
    return {
        "components": {
            name: {"quote": TEXT[:30], "reason": "so", "points": int(points * component.maximum)}
            if component.needs_quote
            else {"reason": "so", "points": int(points * component.maximum)}
            for name, component in applicable(RUBRIC, turn).items()
        }
    }


def answered(turn: int, sample: int = 1, points: float = 0.5, **changes: Any) -> ModelAnswered:
    given: dict[str, Any] = {
        "call": f"score.{turn}.{sample}.1", "purpose": "score", "turn": turn, "sample": sample, "order": (),
        "model": "m", "parameters": {},
        "usage": Usage(input_tokens=3, output_tokens=2), "latency_ms": 1,
        "cost_usd": 0.25, "prompt": (), "segments": {},
        "answer": msgspec.json.encode(score(turn, points)).decode(), "reasoning": "",
    }
    return ModelAnswered(**(given | changes))


def question_failed(turn: int, sample: int = 1, kind: str = "timeout", attempt: int = 1) -> ModelFailed:
    return ModelFailed(
        call=f"score.{turn}.{sample}.{attempt}", purpose="score", turn=turn, sample=sample, order=(), kind=kind,
        message=f"it was a {kind}",
    )


PAUSED, RESUMED = DebatePaused(reason="tea", by="x"), DebateResumed(reason="on", by="x")
HALTED = DebateHalted(reason="stop", by="x")


def recorded(events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
    drafts = [as_draft(event) for event in events]
    payloads = [codec.encode(draft.event) for draft in drafts]
    return stamp(DEBATE, 0, digest_before_first(DEBATE), drafts, AT, payloads)


def debate(events: Sequence[Draft | Event]) -> Debate:
    state = debates.INITIAL
    for record in recorded(events):
        state = debates.evolve(state, record)
    return state


def steps(*events: Draft | Event) -> tuple[Step, ...]:
    return next_steps(debate(events))


def folds(records: Sequence[Recorded]) -> list[Fold]:
    """The fold at every position, beginning with none."""
    all_of_them = [views.INITIAL]
    for record in records:
        all_of_them.append(views.apply(all_of_them[-1], record))
    return all_of_them


KINDS = ("timeout", "reset", "refused", "auth", "rate_limit")


@st.composite
def random_debates(draw: st.DrawFn) -> list[Draft | Event]:
    """Events as a moderator could have recorded them: steps taken with any outcome, people's acts anywhere."""
    events: list[Draft | Event] = [opened(draw(st.integers(1, 4)), draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(0, 40))):
        state = debate(events)
        if state.standing.state == "concluded":
            break
        possible = next_steps(state)
        if not possible:
            events.append(RESUMED)
            continue
        if draw(st.integers(0, 9)) == 0:
            events.append(draw(st.sampled_from((PAUSED, HALTED))))
            continue
        step = draw(st.sampled_from(possible))
        match step:
            case Record():
                events += step.drafts
            case Speak():
                events += _speech(draw, step, state)
            case Ask():
                events.append(_reply(draw, step))
    return events


def _speech(draw: st.DrawFn, step: Speak, state: Debate) -> list[Draft | Event]:
    begun: list[Draft | Event] = [Draft(event=started(step.turn, step.attempt), cause=step.cause)]
    if draw(st.booleans()) and draw(st.booleans()):
        begun.append(draw(st.sampled_from((PAUSED, answered(step.turn, purpose="other")))))
    end = draw(st.sampled_from(("spoken", "spoken", "failed", "crash")))
    if end == "spoken":
        said = answered(step.turn, purpose="speak", cost_usd=draw(st.sampled_from((0.1, missing("no price")))))
        text = draw(st.sampled_from((TEXT, "Añ 🚋 𝄞 trams, because of tracks.")))
        begun += [said, spoken(step.turn, step.attempt, text)]
    elif end == "failed":
        begun.append(failed(step.turn, step.attempt, draw(st.sampled_from(KINDS))))
    return begun


def _reply(draw: st.DrawFn, step: Ask) -> Event:
    assert step.turn is not None
    if draw(st.integers(0, 2)):
        return answered(step.turn, step.sample, draw(st.floats(0, 1)), call=step.call)
    return question_failed(step.turn, step.sample, draw(st.sampled_from(KINDS)), step.attempt)
