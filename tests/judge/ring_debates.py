"""Debates under rubric v3 whose scores and comparisons a test chooses, and a reading of their points by hand."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

from events.state.debate import Debate
from events.state.ledger import TurnCard
from events.types.rubric import Rubric
from judge.live.comparison import compare_turns, harmonize
from judge.live.event_batch import EventBatch
from judge.live.scoring import ComponentAnswer, ScoreAnswer, applicable, record_score
from judge.rubrics.rubric import rubric_v3
from tests.judge.turns import debate_of, given, side_of

RUBRIC = rubric_v3()
TEXT = "Trams carry more people than cars."
COMPARED = tuple(RUBRIC.bands)
CHOICES = ("first_clear", "first_slight", "draw", "second_slight", "second_clear")
"""From −2 to 2: how much better the second speech is."""
Levels = Mapping[str, tuple[int, int]]
"""By dimension, how much better the later turn is: with the earlier turn shown first, and with the later."""
Pair = tuple[int, int]
DRAWN: Levels = dict.fromkeys(COMPARED, (0, 0))


class Judged(NamedTuple):
    """What a judge says of a debate."""

    points: dict[int, dict[str, int]]
    """By turn and component."""
    levels: dict[Pair, Levels]


def share(of: float, turn: int) -> dict[str, int]:
    """Components with this share of their maximum."""
    return {name: round(of * each.maximum) for name, each in applicable(RUBRIC, turn).items()}


def answer_of(turn: int, points: Mapping[str, float], rubric: Rubric = RUBRIC) -> ScoreAnswer:
    """A score with valid quotes."""
    return ScoreAnswer(
        components={
            name: ComponentAnswer(points=points.get(name, 0), quote=TEXT if each.needs_quote else "", reason="so")
            for name, each in applicable(rubric, turn).items()
        }
    )


def score_parts(batch: EventBatch, turn: int, points: Mapping[str, float]) -> None:
    """Score a turn; components that are not named have no points."""
    record_score(batch, turn, given(answer_of(turn, points)))


def choices(levels: Mapping[str, int]) -> Any:
    return given({name: CHOICES[level + 2] for name, level in levels.items()} | {"reason": ""})


def compared(batch: EventBatch, pair: Pair, levels: Levels, *, once: bool = False) -> int:
    """Compare two turns, and move them; ``once``: the judge is asked in the order of the debate only."""
    forward = choices({name: one for name, (one, _) in levels.items()})
    backward = None if once else choices({name: -two for name, (_, two) in levels.items()})
    at = compare_turns(batch, *pair, forward, backward)
    harmonize(batch, at)
    return at


def pairs_of(turns: int) -> list[Pair]:
    """The pairs of the ring."""
    near = [(turn, turn + 1) for turn in range(1, turns)]
    return [*near, (1, turns)] if turns > 2 else near


def debate(judged: Judged, *, order: Sequence[Pair] | None = None, rubric: Rubric = RUBRIC) -> EventBatch:
    """A debate with these scores, and these comparisons in this order."""
    batch = debate_of(*[TEXT] * len(judged.points), rubric=rubric)
    for turn, points in judged.points.items():
        score_parts(batch, turn, points)
    for pair in judged.levels if order is None else order:
        compared(batch, pair, judged.levels[pair])
    return batch


@st.composite
def judgings(draw: st.DrawFn, least: int = 2, most: int = 7) -> Judged:
    """Scores and comparisons at random."""
    turns = draw(st.integers(least, most))
    points = {
        turn: {name: draw(st.integers(0, each.maximum)) for name, each in applicable(RUBRIC, turn).items()}
        for turn in range(1, turns + 1)
    }
    level = st.integers(-2, 2)
    levels = {pair: {name: (draw(level), draw(level)) for name in COMPARED} for pair in pairs_of(turns)}
    return Judged(points, levels)


SETTING = {"score", "rescore", "inferred"}
"""Kinds of entries that set what the components give."""


def points_by_hand(debate: Debate) -> dict[str, float]:
    """The points of both sides, in fractions, by the words of the rule.

    For each component the mean of the side's turns that have it, and for each dimension the sum of its entries ÷ the
    turns that have it; a component that one side has in no turn counts for neither, and in a dimension without a score
    no component counts.
    """
    ledger = debate.ledger
    own: dict[str, list[TurnCard]] = {"pro": [], "con": []}
    for turn, card in ledger.cards.items():
        if card.missing is None:
            own[side_of(turn)].append(card)
    parts = {name: each for each in ledger.dimensions for name in RUBRIC.dimensions[each].components}

    def given_to(side: str, name: str) -> list[Fraction]:
        cards = [each for each in own[side] if name in each.components and parts[name] in each.balances]
        return [Fraction(str(each.components[name].admitted)) for each in cards]

    def changes(side: str, name: str) -> Fraction:
        turns = [card for card in own[side] if name in card.balances]
        entries = [each for card in turns for each in card.entries if each.dimension == name]
        return sum((Fraction(str(each.applied)) for each in entries if each.kind not in SETTING), Fraction()) / len(
            turns
        )

    counted = [name for name in parts if given_to("pro", name) and given_to("con", name)]
    return {
        side: float(
            sum(sum(given_to(side, name)) / len(given_to(side, name)) for name in counted)
            + sum(changes(side, name) for name in ledger.dimensions)
        )
        for side in own
    }
