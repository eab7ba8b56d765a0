"""Debates with won and lost exchanges, folded from events."""

from collections.abc import Sequence
from typing import Any

from events import codec
from events.record import Draft, digest_before_first, stamp
from events.state import debate as debates
from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.types import (
    Archetype,
    ComparisonOutcome,
    DebateOpened,
    Debater,
    DebateSettings,
    DimensionScore,
    Event,
    JudgeSeat,
    PenaltyApplied,
    PenaltyReversed,
    Side,
    TurnsCompared,
    TurnScored,
    TurnStarted,
    other,
)
from events.types.rubric import Component, Dimension, Rubric
from personalities.archetypes import archetypes

DEBATE = "01900000-0000-7000-8000-000000000000"
MAXIMA = {"logic": 40, "rhetoric": 30, "tactics": 30, "frame_control": 10, "credibility": 10}
RUBRIC = Rubric(
    name="five",
    version=1,
    dimensions={
        name: Dimension(
            maximum=maximum,
            components={name: Component(maximum=maximum, asks="…")},
            in_composite=name in {"logic", "rhetoric", "tactics"},
        )
        for name, maximum in MAXIMA.items()
    },
)
GOOD: dict[str, float] = {"logic": 30, "rhetoric": 20, "tactics": 20, "frame_control": 5, "credibility": 7}
WORSE: dict[str, float] = {"logic": 22, "rhetoric": 15, "tactics": 15, "frame_control": 5, "credibility": 7}
"""Behind ``GOOD`` by 8 of 40, 5 of 30 and 5 of 30 points."""


def opened(pro: str = "engineer", con: str = "provocateur", elasticity: float = 0.5, **change: Any) -> DebateOpened:
    given: dict[str, Any] = {
        "motion": "Ban cars",
        "format": "exchange",
        "turns": 6,
        "max_words": 180,
        "pro": Debater(model="scripted:pro", archetype=pro, elasticity=elasticity),
        "con": Debater(model="scripted:con", archetype=con, elasticity=elasticity),
        "judge": JudgeSeat(model="scripted:judge"),
        "panel": (),
        "rubric": RUBRIC,
        "archetypes": archetypes(),
        "prompts": {},
        "settings": DebateSettings(),
        "blind": False,
        "exhibition": None,
        "moot": "test",
    }
    return DebateOpened(**{**given, **change})


def fold(debate: Debate, *events: Event) -> Debate:
    for event in events:
        (record,) = stamp(
            DEBATE,
            debate.position,
            digest_before_first(DEBATE),
            [Draft(event=event)],
            "2026-11-21T09:30:00.000000Z",
            [codec.encode(event)],
        )
        debate = debates.evolve(debate, record)
    return debate


def speaker(turn: int) -> Side:
    return "pro" if turn % 2 else "con"


def scored(turn: int, admitted: dict[str, float], raw: dict[str, float] | None = None) -> Sequence[Event]:
    dimensions = {name: DimensionScore(raw=(raw or admitted)[name], admitted=value) for name, value in admitted.items()}
    return (
        TurnStarted(turn=turn, side=speaker(turn), attempt=1, directive=None),
        TurnScored(turn=turn, dimensions=dimensions, components={}, samples=1),
    )


def compared(later: int, winner: Side | None) -> TurnsCompared:
    outcome: ComparisonOutcome = "draw" if winner is None else "later" if speaker(later) == winner else "earlier"
    return TurnsCompared(earlier=later - 1, later=later, outcomes=dict.fromkeys(("logic", "rhetoric"), outcome))


def exchange(
    own: dict[str, float] = WORSE,
    theirs: dict[str, float] = GOOD,
    *more: Event,
    opening: DebateOpened | None = None,
    winner: Side | None = "con",
) -> tuple[Debate, Comparison]:
    """An exchange of turn 1 (pro, ``own``) and turn 2 (con, ``theirs``)."""
    debate = fold(Debate(), opening or opened(), *scored(1, own), *scored(2, theirs), compared(2, winner), *more)
    return debate, debate.exchanges.comparisons[2]


def turns(debate: Debate, loser: Side, until: int, own: dict[str, float] = WORSE) -> Debate:
    """Turns up to ``until``, scored and compared; ``loser`` loses each exchange."""
    for turn in range(1, until + 1):
        debate = fold(debate, *scored(turn, own if speaker(turn) == loser else GOOD))
        if turn > 1:
            debate = fold(debate, compared(turn, other(loser)))
    return debate


def penalty(points: float, *, turn: int = 1, dimension: str = "logic", claim: str = "C1.1") -> PenaltyApplied:
    return PenaltyApplied(
        turn=turn,
        dimension=dimension,
        requested=-points,
        applied=-points,
        rule="claim",
        because_of=1,
        claim=claim,
    )


def reversal(points: float, *, claim: str = "C1.1") -> PenaltyReversed:
    return PenaltyReversed(
        turn=1,
        dimension="logic",
        requested=points,
        applied=points,
        rule="cleared",
        because_of=1,
        claim=claim,
    )


def character(signal: str = "cognitive", **responses: Any) -> Archetype:
    """The Engineer with these responses to ``signal`` and no others."""
    engineer = archetypes()["engineer"]
    return Archetype(
        title=engineer.title,
        manner=engineer.manner,
        traits=engineer.traits,
        responses={signal: responses},
    )
