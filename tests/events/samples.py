"""Sample events for the tests of ``events``."""

from events.types import (
    Archetype,
    DebateConcluded,
    DebateOpened,
    Debater,
    DebateSettings,
    Event,
    JudgeSeat,
    ModelAnswered,
    Template,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from events.types.rubric import Rubric

HEX = "00" * 32


def opened(motion: str = "Cities should ban private cars", *, turns: int = 4) -> DebateOpened:
    return DebateOpened(
        motion=motion,
        format="exchange",
        turns=turns,
        max_words=180,
        pro=Debater(model="scripted:a", archetype="engineer", elasticity=0.5),
        con=Debater(model="scripted:b", archetype="provocateur", elasticity=0.5),
        judge=JudgeSeat(model="scripted:j"),
        panel=(),
        rubric=Rubric(name="plain", version=1, dimensions={}),
        archetypes={"engineer": Archetype(title="Engineer", manner="dry", traits={"rigour": 8.0})},
        prompts={"speak": Template(version=1, digest=HEX, text="Speak — “clearly”, ñ, 日本.")},
        settings=DebateSettings(),
        blind=False,
        exhibition=None,
        moot="0.1.0",
    )


def spoken(turn: int = 1, text: str = "Streets belong to people.") -> TurnSpoken:
    return TurnSpoken(
        turn=turn,
        side="pro" if turn % 2 else "con",
        attempt=1,
        text=text,
        words=len(text.split()),
        clipped=False,
        pace=((40, 12),),
        model="scripted:a",
        usage=Usage(input_tokens=3, output_tokens=5),
        latency_ms=12,
    )


def started(turn: int = 1) -> TurnStarted:
    return TurnStarted(turn=turn, side="pro" if turn % 2 else "con", attempt=1, directive=None)


def answered(secret: str = "the judge's own words") -> ModelAnswered:
    return ModelAnswered(
        call="c1",
        key="score:1",
        purpose="score",
        turn=1,
        sample=0,
        order=(),
        model="scripted:j",
        parameters={"temperature": 0.2},
        usage=Usage(),
        latency_ms=3,
        cost_usd=0.0,
        prompt=(("user", HEX),),
        segments={HEX: secret},
        answer=secret,
        reasoning="",
    )


def debate(turns: int = 2, *, concluded: bool = True) -> list[Event]:
    """The events of a short debate."""
    events: list[Event] = [opened(turns=turns)]
    for turn in range(1, turns + 1):
        events += [started(turn), spoken(turn), answered()]
    if concluded:
        events.append(DebateConcluded(winner="pro", by_rule="scorecard"))
    return events
