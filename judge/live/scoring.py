"""From what judges answered to what the rules admit.  Pure: the figures are the rubric's.

Source: seed 003, level 1: a top score of logic needs the whole chain with the opponent's weakest premise addressed;
weak framing caps delivery.  Nothing is lowered in silence: every lowering is a sentence in ``rules``.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from msgspec import Struct

from events.types import ComponentScore, DimensionScore, Reason, Span, TurnScored
from events.types.rubric import Component, Dimension, Rubric
from judge.guard.quotes import find
from judge.live.event_batch import Answers, EventBatch
from judge.live.questions import ComponentAnswer, ScoreAnswer, applicable, read_score
from judge.live.rules import cap_chain, cap_excellence, pull_leash, say

Components = dict[str, ComponentScore]


def score_turn(rubric: Rubric, turn: int, text: str, answers: Sequence[ScoreAnswer]) -> TurnScored:
    """The score of ``turn``, whose words are ``text``, from one or more samples.

    Components are medians over the samples, with their spread.  Raises ``ValueError`` without a sample.
    """
    if not answers:
        raise ValueError("a score needs at least one answer; without any it is missing_score")
    components = {
        name: _component(rubric, component, text, [answer.components[name] for answer in answers])
        for name, component in applicable(rubric, turn).items()
    }
    for dimension in rubric.dimensions.values():
        components |= pull_leash(dimension, components)
    dimensions = {
        name: _dimension(name, dimension, turn, components, answers) for name, dimension in rubric.dimensions.items()
    }
    return TurnScored(turn=turn, components=components, dimensions=dimensions, samples=len(answers))


def missing_score(turn: int, reason: str) -> TurnScored:
    """No score could be had: no number, in nobody's favour."""
    return TurnScored(turn=turn, missing=Reason(reason))


def score(desk: EventBatch, turn: int, answers: Answers[Struct]) -> int:
    """Record the score of a turn, or why it has none; the position."""
    spoken, rubric = desk.debate.transcript.turns[turn], desk.debate.ledger.rubric
    if not answers.given or rubric is None:
        reason = answers.failed.reason if answers.failed else "it was not asked"
        return desk.add(missing_score(turn, reason), spoken.spoken)
    given = [read_score(value) for value in answers.values]
    return desk.add(score_turn(rubric, turn, spoken.text, given), answers.cause)


def _component(rubric: Rubric, component: Component, text: str, samples: Sequence[ComponentAnswer]) -> ComponentScore:
    points = [sample.points for sample in samples]
    raw = float(median(points))
    nearest = min(samples, key=lambda sample: abs(sample.points - raw))
    span = find(nearest.quote, text, rubric.quote_minimum) if nearest.quote else None
    ceiling = component.maximum * rubric.unquoted_share
    rules: tuple[str, ...] = ()
    admitted = raw
    if component.needs_quote and span is None and raw > ceiling:
        admitted = ceiling
        rules = (f"{_fault(nearest.quote, text, rubric)}: at most {say(ceiling)} of {component.maximum}",)
    return ComponentScore(
        raw=raw,
        admitted=admitted,
        quote=nearest.quote,
        span=span,
        verified=span is not None,
        reason=nearest.reason,
        spread=float(max(points) - min(points)),
        rules=rules,
    )


def _fault(quote: str, text: str, rubric: Rubric) -> str:
    if not quote.strip():
        return "no quote given"
    short: Span | None = find(quote, text, 1)
    return "the quote is not in the turn" if short is None else f"the quote is under {rubric.quote_minimum} characters"


def _dimension(
    name: str,
    dimension: Dimension,
    turn: int,
    components: Components,
    answers: Sequence[ScoreAnswer],
) -> DimensionScore:
    """Sum, scale up what does not apply yet, then cap."""
    members = [member for member in dimension.components if member in components]
    possible = sum(dimension.components[member].maximum for member in members)
    scale = dimension.maximum / possible
    admitted = sum(components[member].admitted for member in members)
    rules: list[str] = []
    if possible < dimension.maximum:
        absent = " and ".join(other.replace("_", " ") for other in dimension.components if other not in members)
        rules.append(
            f"{absent} cannot apply in turn {turn}: {say(admitted)} of {possible} counts as "
            f"{say(round(admitted * scale, 1))} of {dimension.maximum}",
        )
    scaled = round(admitted * scale, 1)
    for cap in (cap_chain, cap_excellence):
        ceiling, rule = cap(name, dimension, {member: components[member].admitted for member in members})
        if scaled > ceiling:
            scaled = float(ceiling)
            rules.append(rule)
    sums = [_sum(members, answer.components) for answer in answers]
    return DimensionScore(
        raw=round(sum(components[member].raw for member in members) * scale, 1),
        admitted=scaled,
        spread=round((max(sums) - min(sums)) * scale, 1),
        rules=tuple(rules),
    )


def _sum(members: Sequence[str], answers: Mapping[str, ComponentAnswer]) -> float:
    return sum(answers[member].points for member in members)
