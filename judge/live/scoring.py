"""The score of a turn: the typed question, and what the rubric admits of the answers.  The figures are the rubric's.

The answer's type is made from the rubric: a model cannot give more points than a component's maximum, nor score a
component that does not apply.  The quote and the reason come before the points, so that the points follow from them.

A top score of logic needs the whole chain with the opponent's weakest premise addressed; weak framing caps delivery.
Every lowering is a sentence in ``rules``.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct

from events.types import ComponentScore, DimensionScore, Reason, ScoreCapped, TurnScored, TurnSpoken
from events.types.rubric import Component, Dimension, Rubric, is_unscaled
from judge.guard.quotes import find, place
from judge.live.answers import Answers, Quote, Why
from judge.live.entries import record_notes
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, speaker, turn_prompt
from judge.rubrics.rubric import fmt
from judge.templates import fill, section
from judge.text.scanner import NUMBERS


class ComponentAnswer(Struct, frozen=True, kw_only=True):
    """One sample's points for one component."""

    points: float
    quote: str = ""
    reason: str = ""


class ScoreAnswer(Struct, frozen=True, kw_only=True):
    """One sample of a turn's score."""

    components: dict[str, ComponentAnswer]


def applicable(rubric: Rubric, turn: int) -> dict[str, Component]:
    """Return the components that apply in ``turn``, in the rubric's order."""
    return {
        name: component
        for dimension in rubric.dimensions.values()
        for name, component in dimension.components.items()
        if component.applies_from <= turn
    }


def score_type(rubric: Rubric, turn: int) -> type[Struct]:
    """Return the type of an answer; the same object for the same rubric and components."""
    parts = applicable(rubric, turn).items()
    return _score_type(tuple((name, each.maximum, each.needs_quote) for name, each in parts))


def score_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask for the score of the last of ``spoken``."""
    scored = spoken[-1]
    components = "\n".join(
        f"- {name} (0 to {component.maximum}): {component.asks}"
        for name, component in applicable(rubric, scored.turn).items()
    )
    ask = fill(
        section(prompts["score"], "ask"), turn=str(scored.turn), speaker=speaker(spoken, scored), components=components
    )
    return turn_prompt(prompts, motion, spoken, ask)


@lru_cache(maxsize=64)
def _score_type(components: tuple[tuple[str, int, bool], ...]) -> type[Struct]:
    """The type for components given as (name, maximum, whether it needs a quote)."""
    fields: list[tuple[str, Any]] = [
        (name, _component_type(name, maximum, needs_quote)) for name, maximum, needs_quote in components
    ]
    card = msgspec.defstruct("Components", fields, frozen=True, kw_only=True, module=__name__)
    return msgspec.defstruct("Score", [("components", card)], frozen=True, kw_only=True, module=__name__)


def _component_type(name: str, maximum: int, needs_quote: bool) -> type[Struct]:
    points = Annotated[int, Meta(ge=0, le=maximum)]
    quote: list[tuple[str, Any]] = [("quote", Quote)] if needs_quote else []
    fields: list[tuple[str, Any]] = [*quote, ("reason", Why), ("points", points)]
    title = "".join(part.title() for part in name.split("_"))
    return msgspec.defstruct(title, fields, frozen=True, kw_only=True, module=__name__)


Components = dict[str, ComponentScore]


def score_turn(rubric: Rubric, turn: int, text: str, answers: Sequence[ScoreAnswer]) -> TurnScored:
    """Return the score of ``turn`` with this text from one or more samples.

    Components are medians over the samples, with their spread.  Raises ``ValueError`` without a sample.
    """
    if not answers:
        raise ValueError("a score needs at least one answer; without any it is missing_score")
    components = {
        name: _component(rubric, component, text, samples)
        for name, component in applicable(rubric, turn).items()
        if (samples := [answer.components[name] for answer in answers if name in answer.components])
    }
    for dimension in rubric.dimensions.values():
        components |= apply_leash(dimension, components)
    dimensions: dict[str, DimensionScore] = {}
    absent: dict[str, Reason] = {}
    for name, dimension in rubric.dimensions.items():
        if why := _unscored(rubric, dimension, turn, components):
            absent[name] = Reason(why)
        else:
            dimensions[name] = _dimension(rubric, name, turn, components, answers)
    if not dimensions:
        return missing_score(turn, "; ".join(f"{name}: {why.reason}" for name, why in absent.items()))
    return TurnScored(
        turn=turn, components=components, dimensions=dimensions, samples=len(answers), absent=absent or UNSET
    )


def _unscored(rubric: Rubric, dimension: Dimension, turn: int, components: Components) -> str:
    """Why a dimension has no score; empty where it has one.

    Less than half of its points could be read, or fewer of its required quotes hold than ``supported_share``.
    """
    asked = {name: each for name, each in dimension.components.items() if each.applies_from <= turn}
    readable = sum(each.maximum for name, each in asked.items() if name in components)
    if readable * 2 < sum(each.maximum for each in asked.values()):
        unread = " and ".join(name.replace("_", " ") for name in asked if name not in components)
        return f"no points for {unread} could be read"
    needed = [components[name] for name, each in asked.items() if each.needs_quote and name in components]
    quoted = [each.verified for each in needed if each.raw > 0]
    if rubric.supported_share is not UNSET and quoted and sum(quoted) < rubric.supported_share * len(quoted):
        return f"{sum(quoted)} of {len(quoted)} quotes are in the turn"
    return ""


def missing_score(turn: int, reason: str) -> TurnScored:
    """Return the event for a turn without a score."""
    return TurnScored(turn=turn, missing=Reason(reason))


def record_score(batch: EventBatch, turn: int, answers: Answers[ScoreAnswer]) -> int:
    """Record the score of a turn, or why it has none; return the position."""
    spoken, rubric = batch.debate.transcript.turns[turn], batch.debate.ledger.rubric
    if not answers.given or rubric is None:
        reason = answers.failed.reason if answers.failed else "it was not asked"
        return batch.add(missing_score(turn, reason), spoken.spoken)
    record_notes(batch, turn, "score", answers)
    scored = batch.add(score_turn(rubric, turn, spoken.text, answers.values), answers.cause)
    record_caps(batch, turn, scored)
    return scored


CAP_RULE: Final = "score_limit"


def record_caps(batch: EventBatch, turn: int, cause: int) -> None:
    """Record what the limits of a dimension take from its sum, where the rubric adds up components.

    After a second reading this is the difference to what they took before.
    """
    rubric, card = batch.debate.ledger.rubric, batch.debate.ledger.cards[turn]
    if rubric is None or not is_unscaled(rubric):
        return
    for name, balance in card.balances.items():
        points = {
            part: card.components[part].admitted
            for part in rubric.dimensions[name].components
            if part in card.components
        }
        limit, rules = capped(name, rubric.dimensions[name], points, balance.admitted)
        if due := round(limit - balance.admitted - balance.capped, 2):
            batch.add(
                ScoreCapped(
                    turn=turn,
                    dimension=name,
                    requested=due,
                    applied=due,
                    rule=CAP_RULE,
                    because_of=cause,
                    reason="; ".join(rules) or "the limit does not apply to the second reading",
                ),
                cause,
            )


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
        rules = (f"{_fault(nearest.quote, text, rubric)}: at most {fmt(ceiling)} of {component.maximum}",)
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
    found = place(quote, text, 1)
    if isinstance(found, str):
        return f"the quote {found}" if found else "the quote is not in the turn"
    return f"the quote is under {rubric.quote_minimum} characters"


def _dimension(
    rubric: Rubric,
    name: str,
    turn: int,
    components: Components,
    answers: Sequence[ScoreAnswer],
) -> DimensionScore:
    """Add up the components.  Where turn 1 is scaled, scale the sum to the full maximum, then apply the caps."""
    dimension = rubric.dimensions[name]
    members = [member for member in dimension.components if member in components]
    possible = sum(dimension.components[member].maximum for member in members)
    scale, decimals = (1.0, 2) if is_unscaled(rubric) else (dimension.maximum / possible, 1)
    admitted = sum(components[member].admitted for member in members)
    points = round(admitted * scale, decimals)
    rules: tuple[str, ...] = ()
    if is_unscaled(rubric):
        rules = (f"{unread}: {possible} points can be had",) if (unread := _unread(dimension, members, turn)) else ()
    else:
        if possible < dimension.maximum:
            counts = f"{fmt(admitted)} of {possible} counts as {fmt(points)} of {dimension.maximum}"
            rules = (f"{_absent(dimension, members, turn)}: {counts}",)
        points, limits = capped(name, dimension, {member: components[member].admitted for member in members}, points)
        rules += limits
    given = [answer.components for answer in answers]
    sums = [sum(each[member].points for member in members if member in each) for each in given]
    return DimensionScore(
        raw=round(sum(components[member].raw for member in members) * scale, decimals),
        admitted=points,
        spread=round((max(sums) - min(sums)) * scale, decimals),
        rules=rules,
    )


def capped(name: str, dimension: Dimension, points: Mapping[str, float], total: float) -> tuple[float, tuple[str, ...]]:
    """The total of a dimension with the limits that its components set, and those that lower it."""
    rules: list[str] = []
    for cap in (cap_chain, cap_excellence):
        ceiling, rule = cap(name, dimension, points)
        if total > ceiling:
            total = float(ceiling)
            rules.append(rule)
    return total, tuple(rules)


def _absent(dimension: Dimension, members: Sequence[str], turn: int) -> str:
    """Why components are not counted: they do not apply in the turn yet, or the judge's answer lacks them."""
    early = [
        name.replace("_", " ")
        for name, component in dimension.components.items()
        if name not in members and component.applies_from > turn
    ]
    why = [f"{' and '.join(early)} cannot apply in turn {turn}"] if early else []
    return ", ".join(filter(None, (*why, _unread(dimension, members, turn))))


def _unread(dimension: Dimension, members: Sequence[str], turn: int) -> str:
    """That the judge's answer lacks components that apply; empty if it lacks none."""
    unread = [
        name.replace("_", " ")
        for name, component in dimension.components.items()
        if name not in members and component.applies_from <= turn
    ]
    return f"no points for {' and '.join(unread)} could be read" if unread else ""


_FREE = (math.inf, "")
TEN = 10
"""The last number that a rule writes as a word."""


def apply_leash(dimension: Dimension, components: Mapping[str, ComponentScore]) -> dict[str, ComponentScore]:
    """Return the follower with lowered points if its leader is weak."""
    leash = dimension.leash
    if leash is None or leash.leader not in components or leash.follower not in components:
        return {}
    leader, follower = components[leash.leader].admitted, components[leash.follower]
    ceiling = leader + leash.slack
    if leader >= leash.under or follower.admitted <= ceiling:
        return {}
    rule = f"{leash.leader} at {fmt(leader)} is under {fmt(leash.under)}: {leash.follower} at most {fmt(ceiling)}"
    return {leash.follower: msgspec.structs.replace(follower, admitted=ceiling, rules=(*follower.rules, rule))}


def cap_chain(name: str, dimension: Dimension, points: Mapping[str, float]) -> tuple[float, str]:
    """Return the dimension's ceiling for links at 0 points, and why."""
    chain = dimension.chain
    if chain is None:
        return _FREE
    absent = [link for link in chain.links if points.get(link) == 0]
    if not absent:
        return _FREE
    ceiling = chain.caps[len(absent) - 1]
    count = f"{_number(len(absent))} of {_number(len(chain.links))} links missing"
    return ceiling, f"{count} ({', '.join(absent)}): {name} at most {fmt(ceiling)}"


def cap_excellence(name: str, dimension: Dimension, points: Mapping[str, float]) -> tuple[float, str]:
    """Return the dimension's ceiling unless every component is strong, and why."""
    excellence = dimension.excellence
    if excellence is None:
        return _FREE
    weak = [component for component, value in points.items() if value < excellence.each_at_least]
    if not weak:
        return _FREE
    why = f"above {fmt(excellence.above)} every component needs {fmt(excellence.each_at_least)} ({', '.join(weak)})"
    return excellence.above, f"{why}: {name} at most {fmt(excellence.above)}"


def _number(count: int) -> str:
    return ("no", *NUMBERS[:TEN])[count] if count <= TEN else str(count)
