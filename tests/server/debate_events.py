"""Builders of events, and the records, folds and views that follow from them; a strategy for random debates."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from events import codec
from events.record import Draft, Recorded, as_draft, digest_before_first, stamp
from events.state import debate as debates
from events.state.debate import Debate
from events.types import (
    Archetype,
    AttemptAbandoned,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    Debater,
    DebateResumed,
    DebateSettings,
    Event,
    JudgeSeat,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
    Usage,
    missing,
)
from events.view import view as views
from events.view.view import Fold
from judge.live.scoring import applicable
from judge.rubrics.rubric import rubric_v1
from judge.templates import judge_templates
from personalities.archetypes import archetypes
from personalities.prompt import debater_template
from providers.answers.neutral import neutral
from providers.answers.schema import parse
from providers.base import purposes_of
from server.debate.formats import next_steps
from server.debate.formats.halts import ADAPTED
from server.debate.formats.steps import Ask, Record, Speak, Step

AT = "2026-11-21T09:30:00.000000Z"
DEBATE = "01900000-0000-7000-8000-000000000000"
TEXT = "Trams carry more people than cars, because they share one track."
RUBRIC = rubric_v1()
CHARACTERS: dict[str, Archetype] = {name: archetypes()[name] for name in ("engineer", "provocateur")}


def opened(
    turns: int = 2,
    samples: int = 1,
    *,
    second: str | UnsetType = UNSET,
    appeals: Any = "serious",
    effort: Any = "full",
    **settings: Any,
) -> DebateOpened:
    return DebateOpened(
        motion="Cities should ban cars",
        format="exchange",
        turns=turns,
        max_words=180,
        pro=Debater(model="scripted:pro", archetype="engineer", elasticity=0.5),
        con=Debater(model="scripted:con", archetype="provocateur", elasticity=0.5),
        judge=JudgeSeat(model="scripted:judge", samples=samples, second=second, appeals=appeals, effort=effort),
        panel=(),
        rubric=RUBRIC,
        archetypes=CHARACTERS,
        prompts={"debater": debater_template(), **judge_templates()},
        settings=DebateSettings(**settings),
        blind=False,
        exhibition=None,
        moot="test",
    )


def side(turn: int) -> Any:
    return "pro" if turn % 2 else "con"


def started(turn: int, attempt: int = 1) -> TurnStarted:
    return TurnStarted(turn=turn, side=side(turn), attempt=attempt, directive=None)


def spoken(turn: int, attempt: int = 1, text: str = TEXT) -> TurnSpoken:
    return TurnSpoken(
        turn=turn,
        side=side(turn),
        attempt=attempt,
        text=text,
        words=len(text.split()),
        clipped=False,
        pace=((0, len(text)),),
        model="m",
        usage=Usage(),
        latency_ms=1,
    )


def failed(turn: int, attempt: int = 1, kind: str = "timeout") -> TurnFailed:
    return TurnFailed(turn=turn, side=side(turn), attempt=attempt, kind=kind, message=f"it was a {kind}")


def abandoned(turn: int, attempt: int = 1, kind: str = "interrupted") -> AttemptAbandoned:
    return AttemptAbandoned(turn=turn, side=side(turn), attempt=attempt, kind=kind, message="cut")


def score(turn: int, points: float = 0.5) -> dict[str, Any]:
    """A valid score that gives ``points`` as a share of every component."""
    return {
        "components": {
            name: {"quote": TEXT[:30], "reason": "so", "points": int(points * component.maximum)}
            if component.needs_quote
            else {"reason": "so", "points": int(points * component.maximum)}
            for name, component in applicable(RUBRIC, turn).items()
        }
    }


def answered(turn: int, sample: int = 1, points: float = 0.5, **changes: Any) -> ModelAnswered:
    """The answer with the score of a turn; with ``changes`` the answer to another question."""
    given: dict[str, Any] = {
        "call": f"score.{turn}.{sample}.1",
        "key": f"score:{turn}",
        "purpose": "score",
        "turn": turn,
        "sample": sample,
        "order": (),
        "model": "m",
        "parameters": {},
        "usage": Usage(input_tokens=3, output_tokens=2),
        "latency_ms": 1,
        "cost_usd": 0.25,
        "prompt": (),
        "segments": {},
        "answer": msgspec.json.encode(score(turn, points)).decode(),
        "reasoning": "",
    }
    return ModelAnswered(**(given | changes))


def reply(step: Ask, value: Any = None, *, cost_usd: float = 0.0) -> ModelAnswered:
    """An answer to a question; without a value it is the neutral answer of its type."""
    said = msgspec.json.encode(neutral(step.answer_type) if value is None else value).decode()
    parse(said, step.reads)
    return ModelAnswered(
        call=step.call,
        key=step.key,
        purpose=step.purpose,
        turn=step.turn,
        sample=step.sample,
        order=step.order,
        model="m",
        parameters={},
        usage=Usage(input_tokens=3, output_tokens=2),
        latency_ms=1,
        cost_usd=cost_usd,
        prompt=(),
        segments={},
        answer=said,
        reasoning="",
    )


def no_reply(step: Ask, kind: str = "timeout") -> ModelFailed:
    """A failed call."""
    return ModelFailed(
        call=step.call,
        key=step.key,
        purpose=step.purpose,
        turn=step.turn,
        sample=step.sample,
        order=step.order,
        kind=kind,
        message=f"it was a {kind}",
    )


def besides(*events: Draft | Event, purpose: str = "score") -> list[ModelAnswered]:
    """Neutral answers to all questions that may be asked now, except those of one purpose."""
    return [reply(step) for step in steps(*events) if isinstance(step, Ask) and step.purpose != purpose]


def question_failed(turn: int, sample: int = 1, kind: str = "timeout", attempt: int = 1) -> ModelFailed:
    return ModelFailed(
        call=f"score.{turn}.{sample}.{attempt}",
        key=f"score:{turn}",
        purpose="score",
        turn=turn,
        sample=sample,
        order=(),
        kind=kind,
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
    """The fold at every position, beginning with the empty one."""
    all_of_them = [views.INITIAL]
    for record in records:
        all_of_them.append(views.apply(all_of_them[-1], record))
    return all_of_them


KINDS = ("timeout", "reset", "refused", "auth", "rate_limit", "starved", "prompt_cut")


class Play:
    """A debate that grows event by event, folded once."""

    def __init__(self, *events: Draft | Event) -> None:
        self.records: list[Recorded] = []
        self.debate: Debate = debates.INITIAL
        self.add(*events)

    def add(self, *events: Draft | Event) -> None:
        """Append as one batch."""
        drafts = [as_draft(event) for event in events]
        previous = self.records[-1].digest if self.records else digest_before_first(DEBATE)
        payloads = [codec.encode(draft.event) for draft in drafts]
        for record in stamp(DEBATE, len(self.records), previous, drafts, AT, payloads):
            self.records.append(record)
            self.debate = debates.evolve(self.debate, record)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that may be taken now."""
        return next_steps(self.debate)

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return [record.event for record in self.records]

    def of(self, *types: type) -> list[Any]:
        """The events of some types."""
        return [event for event in self.events if isinstance(event, types)]


@st.composite
def random_debates(draw: st.DrawFn) -> list[Draft | Event]:
    """Events as a moderator could have recorded them: steps with any outcome, commands of people at any point."""
    effort = draw(st.sampled_from(("full", "brief")))
    play = Play(opened(draw(st.integers(1, 3)), draw(st.integers(1, 2)), effort=effort))
    for _ in range(draw(st.integers(0, 40))):
        if play.debate.status.state == "concluded":
            break
        if not (possible := play.steps):
            play.add(RESUMED)
        elif draw(st.integers(0, 15)) == 0:
            play.add(draw(st.sampled_from((PAUSED, HALTED))))
        elif isinstance(step := draw(st.sampled_from(possible)), Record):
            play.add(*step.drafts)
        elif isinstance(step, Speak):
            play.add(*_speech(draw, step))
        else:
            play.add(*_replies(draw, possible))
    return [Draft(event=record.event, cause=record.cause) for record in play.records]


def _speech(draw: st.DrawFn, step: Speak) -> list[Draft | Event]:
    begun: list[Draft | Event] = [Draft(event=started(step.turn, step.attempt), cause=step.cause)]
    if draw(st.booleans()) and draw(st.booleans()):
        begun.append(draw(st.sampled_from((PAUSED, answered(step.turn, key="other", purpose="other")))))
    end = draw(st.sampled_from(("spoken", "spoken", "failed", "crash")))
    if end == "spoken":
        cost_usd = draw(st.sampled_from((0.1, missing("no price"))))
        said = answered(step.turn, key=f"speak:{step.side}", purpose="speak", cost_usd=cost_usd)
        text = draw(st.sampled_from((TEXT, "Añ 🚋 𝄞 trams, because of tracks.")))
        begun += [said, spoken(step.turn, step.attempt, text)]
    elif end == "failed":
        kind = draw(st.sampled_from(KINDS))
        adapts = kind in ADAPTED and draw(st.booleans())
        begun.append(abandoned(step.turn, step.attempt, kind) if adapts else failed(step.turn, step.attempt, kind))
    return begun


def _replies(draw: st.DrawFn, possible: Iterable[Step]) -> list[Draft | Event]:
    """Answers or failures of some of the questions, in any order."""
    asked = [step for step in possible if isinstance(step, Ask)]
    return [_reply(draw, step) for step in draw(st.permutations(asked))[: draw(st.integers(1, len(asked)))]]


def _reply(draw: st.DrawFn, step: Ask) -> Event:
    if draw(st.integers(0, 5)) == 0:
        return no_reply(step, draw(st.sampled_from(KINDS)))
    if "score" in purposes_of(step.purpose):
        return reply(step, neutral(step.answer_type) | score(step.turn or 0, draw(st.floats(0, 1))))
    if step.purpose == "compare":
        return reply(step, {name: draw(st.sampled_from(("first", "second", "draw"))) for name in RUBRIC.bands})
    return reply(step)
