"""A turn as the page shows it: its text, its current scores, and the quotes that support them."""

from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.state.ledger import Balance, TurnCard
from events.state.transcript import Failure, Turn, TurnState
from events.text.figures import shortest
from events.types import (
    ComparisonOutcome,
    ComponentScore,
    Degree,
    Missing,
    PressureApplied,
    Reason,
    Side,
    SpokenBy,
    TurnRescored,
    missing,
)
from events.types.rubric import Dimension
from events.view.origin import OriginView, origin_of


class ScoreView(Struct, frozen=True, kw_only=True, gc=False):
    """The score on one dimension: by the judge (``raw``), admitted by the rules, and effective now."""

    raw: float
    admitted: float
    effective: float
    maximum: int
    harmonized: float = 0.0
    """Points by which a comparison moved it."""
    at_first: float | UnsetType = UNSET
    """Its value when the turn had been judged, if it changed later."""
    spread: float = 0.0
    rules: tuple[str, ...] = ()
    inferred: bool | UnsetType = UNSET
    """Present and true if the judge gave none, and the comparisons imply it."""
    first: float | UnsetType = UNSET
    """The judge's points in its first reading, where the median of several replaced them: ``raw`` is that median."""


class ComponentView(Struct, frozen=True, kw_only=True, gc=False):
    """The score of a component and its quote; ``span`` is absent if the quote was not found."""

    raw: float
    admitted: float
    maximum: int
    quote: str
    verified: bool
    reason: str
    spread: float
    rules: tuple[str, ...]
    span: tuple[int, int] | UnsetType = UNSET


class ComparisonView(Struct, frozen=True, kw_only=True, gc=False):
    """The comparison with an earlier turn."""

    position: int
    earlier: int
    outcomes: dict[str, ComparisonOutcome] = {}
    degrees: dict[str, Degree] | UnsetType = UNSET
    flipped: tuple[str, ...] = ()
    levels: dict[str, tuple[float, ...]] | UnsetType = UNSET
    """How much better this turn is in each order, where the rubric moves scores by that."""
    residual: float | UnsetType = UNSET
    """By how much this turn lies above what the comparison expects of both scores, in points of 100."""
    reason: str = ""
    missing: Reason | UnsetType = UNSET


class Attempt(Struct, frozen=True, kw_only=True, gc=False):
    """An attempt to instruct the judge."""

    pattern: str
    quote: str
    span: tuple[int, int]


class TurnReading(Struct, frozen=True, kw_only=True, gc=False):
    """The points that the judge gave in one reading of a turn."""

    composite: float
    scores: dict[str, float]
    """By dimension of the composite."""


class SecondReadingView(Struct, frozen=True, kw_only=True, gc=False):
    """A score that did not fit its comparisons and was asked for again.  The median of the readings counts."""

    residual: float
    """Points of 100 by which the first score lies above what the comparisons say of the turn."""
    readings: int
    read: tuple[TurnReading, ...] = ()
    """Each reading, the first one included; without a dimension that it gave no points."""
    counts: TurnReading | UnsetType = UNSET
    """The median of the components, where it replaced the first reading."""
    confirms: bool | UnsetType = UNSET
    """Present and true if the median is the first score."""
    missing: Reason | UnsetType = UNSET
    """Why there is no further reading; the first one stands."""
    text: str
    """The same in words, without a capital and a full stop."""


class TurnView(Struct, frozen=True, kw_only=True, gc=False):
    """A turn.  ``changed`` lists the positions of later changes of its score."""

    side: Side
    state: TurnState
    attempt: int
    started: int
    text: str = ""
    words: int = 0
    clipped: bool = False
    model: str = ""
    by: SpokenBy | UnsetType = UNSET
    """Absent for words of a model."""
    speaker: str | UnsetType = UNSET
    """The person who said it, here or in a supplied transcript; hidden as ``model`` is."""
    origin: OriginView | UnsetType = UNSET
    """Where its words come from; every turn of a view has it."""
    spoken: int | UnsetType = UNSET
    judged: int | UnsetType = UNSET
    failures: tuple[Failure, ...] = ()
    scores: dict[str, ScoreView] | Missing = {}
    components: dict[str, dict[str, ComponentView]] = {}
    """By dimension, then by component."""
    composite: float | Missing | UnsetType = UNSET
    composite_maximum: int | UnsetType = UNSET
    """The most that its composite can be, where not all components count in it."""
    composite_admitted: float | UnsetType = UNSET
    """The composite that the rules admitted, of the first reading if there are more, if later changes moved it."""
    composite_spread: float | UnsetType = UNSET
    """Sum of the dimensions' spreads over the judge's samples; the spread of the composite is at most this."""
    changed: tuple[int, ...] = ()
    compared: ComparisonView | UnsetType = UNSET
    """The comparison with the turn before."""
    closing: ComparisonView | UnsetType = UNSET
    """Of the last turn, the comparison with the first one, where the rubric asks for it."""
    rescored: SecondReadingView | UnsetType = UNSET
    """The second reading of its score, if there was one."""
    repetition: float | UnsetType = UNSET
    """Share of its word 4-grams that stand in earlier turns of its side."""
    injections: tuple[Attempt, ...] = ()
    unchecked: dict[str, Reason] | UnsetType = UNSET
    """``claims``, ``gaps`` or ``premises``: what the judge gave no usable answer about, and why."""
    absent: dict[str, Reason] | UnsetType = UNSET
    """Dimensions without a score, and why."""
    pressure: PressureApplied | UnsetType = UNSET
    """The newest pressure on its debater, if it came after the debater's turn before."""
    directive: int | UnsetType = UNSET
    """The position of the directive in its prompt; absent if there was none."""


def turn_view(debate: Debate, number: int, known: TurnView | None = None, before: TurnCard | None = None) -> TurnView:
    """The view of one turn.

    ``known``: its view when its card was ``before``; what still holds of it stays the same object.
    """
    turn: Turn = debate.transcript.turns[number]
    card = debate.ledger.cards.get(number)
    if known is None or before is None or card is None:
        scores = _scores(debate, card)
    elif card is before:
        scores = {name: getattr(known, name) for name in _OF_CARD}
    else:
        is_same = card.components is before.components and card.inferred == before.inferred
        scores = _scores(debate, card, known.components if is_same else None)
    return TurnView(
        side=turn.side,
        state=turn.state,
        attempt=turn.attempt,
        started=turn.started,
        text=turn.text,
        words=turn.words,
        clipped=turn.clipped,
        model=turn.model,
        by=UNSET if turn.event is None else turn.event.by,
        speaker=_speaker(debate, number),
        origin=origin_of(debate, turn),
        spoken=turn.spoken or UNSET,
        judged=turn.judged or UNSET,
        failures=turn.failures,
        repetition=turn.repetition if turn.spoken else UNSET,
        compared=_compared(debate, debate.exchanges.comparisons.get(number)),
        closing=_compared(debate, debate.exchanges.closing.get(number)),
        rescored=UNSET if card is None or card.rescored is None else _second_reading(debate, card.rescored),
        injections=tuple(
            Attempt(pattern=each.pattern, quote=each.quote, span=each.span)
            for _, each in debate.injections
            if each.turn == number
        ),
        unchecked=debate.unchecked.get(number, UNSET),
        absent=UNSET if card is None or not card.absent else card.absent,
        pressure=_pressure(debate, turn),
        directive=turn.directive or UNSET,
        **scores,
    )


def _speaker(debate: Debate, number: int) -> str | UnsetType:
    turn, supplied = debate.transcript.turns[number], debate.transcript.supplied
    seat = debate.seats.get(turn.side)
    if seat is not None and (turn.event.by == "person" if turn.event is not None else not seat.model):
        return seat.name
    if supplied is None or number > len(supplied.turns):
        return UNSET
    return ", ".join(supplied.turns[number - 1].speakers) or UNSET


def _second_reading(debate: Debate, again: TurnRescored) -> SecondReadingView:
    confirms = again.missing is UNSET and again.components is UNSET
    dimensions = UNSET if again.dimensions is UNSET else {name: each.raw for name, each in again.dimensions.items()}
    read = tuple([_reading(debate, each) for each in again.read])
    counts = UNSET if dimensions is UNSET else _reading(debate, dimensions)
    return SecondReadingView(
        residual=again.residual,
        readings=again.readings,
        read=read,
        counts=counts,
        confirms=confirms or UNSET,
        missing=again.missing,
        text=_told(again, read, counts),
    )


def _told(again: TurnRescored, read: tuple[TurnReading, ...], counts: TurnReading | UnsetType) -> str:
    """Why a turn was scored again, every reading, and what counts."""
    lies = f"{shortest(abs(again.residual))} points of 100 {'above' if again.residual > 0 else 'below'}"
    *others, last = [_points(each) for each in read if each.scores] or [""]
    given = f"; the judge gave {', '.join(others)} and {last} in turn" if others else ""
    if again.missing is not UNSET:
        stands = f"the first score stands ({again.missing.reason})"
    elif counts is UNSET:
        stands = "the first score stands"
    else:
        stands = f"the median of {again.readings} readings counts, {_points(counts)}"
    return f"scored again, since it lay {lies} what its comparisons say{given}: {stands}"


def _points(reading: TurnReading) -> str:
    """``72 (28 · 22 · 22)``: the composite of a reading and its parts in the order of the scorecard."""
    return f"{shortest(reading.composite, 2)} ({' · '.join(shortest(each, 2) for each in reading.scores.values())})"


def _reading(debate: Debate, points: dict[str, float]) -> TurnReading:
    counted = {name: points[name] for name in debate.ledger.dimensions if name in points}
    return TurnReading(composite=round(sum(counted.values()), 2), scores=counted)


def _pressure(debate: Debate, turn: Turn) -> PressureApplied | UnsetType:
    earlier = (debate.transcript.turns[number] for number in range(turn.number - 1, 0, -1))
    since = next((each.spoken for each in earlier if each.side == turn.side and each.spoken), 0)
    known = debate.characters.pressures.items()
    return next((each for at, each in reversed(known) if since < at < turn.started and each.side == turn.side), UNSET)


def _compared(debate: Debate, comparison: Comparison | None) -> ComparisonView | UnsetType:
    if comparison is None:
        return UNSET
    residual = debate.exchanges.residuals.get(comparison.position, UNSET)
    return ComparisonView(
        position=comparison.position,
        earlier=comparison.earlier,
        outcomes=comparison.outcomes,
        degrees=comparison.degrees or UNSET,
        flipped=comparison.flipped,
        levels=comparison.levels or UNSET,
        residual=UNSET if residual is UNSET else round(residual, 1),
        reason=comparison.reason,
        missing=UNSET if comparison.missing is None else comparison.missing,
    )


_OF_CARD: Final = (
    "scores",
    "components",
    "composite",
    "composite_maximum",
    "composite_admitted",
    "composite_spread",
    "changed",
)
"""The members of a turn that follow from its card alone."""


def _scores(
    debate: Debate, card: TurnCard | None, known: dict[str, dict[str, ComponentView]] | None = None
) -> dict[str, Any]:
    """The members of ``_OF_CARD``; ``known``: the components, if they have not changed."""
    rubric = debate.ledger.rubric
    if card is None or rubric is None:
        return {}
    if card.missing is not None:
        absent = missing(card.missing.reason)
        return {"scores": absent, "composite": absent}
    scores, components = {}, {}
    for name, balance in card.balances.items():
        dimension = rubric.dimensions[name]
        scores[name] = ScoreView(
            raw=balance.raw,
            admitted=round(balance.admitted + balance.capped, 2),
            effective=balance.effective,
            maximum=round(balance.maximum),
            harmonized=balance.harmonized,
            at_first=_at_first(balance),
            spread=balance.spread,
            rules=balance.rules,
            inferred=name in card.inferred or UNSET,
            first=_first(card, rubric.dimensions[name], balance),
        )
        if name in card.inferred or known is not None:
            continue
        components[name] = {
            part: _component(card.components[part], component.maximum)
            for part, component in dimension.components.items()
            if part in card.components
        }
    changed = tuple(entry.position for entry in card.entries if entry.position != card.position)
    names = [name for name in debate.ledger.dimensions if name in card.balances]
    counted = [card.balances[name] for name in names]
    composite = card.composite(debate.ledger.dimensions)
    admitted = round(sum(each.admitted + each.capped for each in counted), 2)
    if card.first_components:
        admitted = round(sum(card.first_admitted(name) for name in names), 2)
    maximum = debate.ledger.composite_maximum(card)
    lacking = ", ".join(name for name in debate.ledger.dimensions if name not in card.balances)
    return {
        "scores": scores,
        "components": components if known is None else known,
        "composite": missing(f"{lacking} has no score") if composite is None else composite,
        "composite_maximum": UNSET if composite is None or maximum is None else maximum,
        "composite_admitted": UNSET if composite is None or admitted == composite else admitted,
        "composite_spread": round(sum(each.spread for each in counted), 2) or UNSET,
        "changed": changed,
    }


def _first(card: TurnCard, dimension: Dimension, balance: Balance) -> float | UnsetType:
    """The judge's points for a dimension in its first reading, if a later one gives other points."""
    points = [each.raw for name, each in card.first_components.items() if name in dimension.components]
    return round(sum(points), 2) if points and round(sum(points), 2) != balance.raw else UNSET


def _at_first(balance: Balance) -> float | UnsetType:
    value = round(balance.admitted + balance.capped, 2) if balance.at_first is None else balance.at_first
    return UNSET if value == balance.effective else value


def _component(score: ComponentScore, maximum: int) -> ComponentView:
    return ComponentView(
        raw=score.raw,
        admitted=score.admitted,
        maximum=maximum,
        quote=score.quote,
        verified=score.verified,
        reason=score.reason,
        spread=score.spread,
        rules=score.rules,
        span=score.span or UNSET,
    )
