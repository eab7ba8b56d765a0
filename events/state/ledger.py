"""The scores of all turns as balances of ledger entries.

An entry holds the requested and the applied points, and the balance before and after it.  A balance is
``clamp(admitted + harmonized + outstanding, 0, maximum)``: comparisons shift the admitted value; penalties are
outstanding requests that apply in full down to 0, and the reversal of a penalty also frees the points that the floor of
0 had absorbed.  Where the rubric adds up components, nothing is clamped.  See docs/design.md.
"""

import re
from functools import reduce
from typing import Final, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    ComponentScore,
    DebateOpened,
    DimensionScore,
    EntryKind,
    JudgeNoise,
    LogicGapAdjusted,
    Reason,
    ScoreCapped,
    ScoreChange,
    ScoreHarmonized,
    ScoreInferred,
    Side,
    Span,
    TurnRescored,
    TurnScored,
    TurnStarted,
)
from events.types.rubric import Certainty, Dimension, Ring, Rubric, composite_dimensions, is_unscaled


class Evidence(Struct, frozen=True, kw_only=True, gc=False):
    """A quote that supports an entry."""

    turn: int
    quote: str
    span: Span | None


class ScoreEntry(Struct, frozen=True, kw_only=True, gc=False):
    """One change of a score.  ``kind``: what happened to the score; ``rule``: by which rule."""

    kind: EntryKind
    position: int
    cause: int | None
    rule: str
    turn: int
    dimension: str
    requested: float
    applied: float
    before: float
    after: float
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    given: float = 0.0
    """Of a flaw, the points that it counts by itself, where all findings of a turn are weighed together."""


class Balance(Struct, frozen=True, kw_only=True, gc=False):
    """The score of a turn on one dimension.

    ``harmonized``, ``capped`` and ``outstanding`` are sums of requested points.  ``maximum`` is that of the
    components that count.  What is not ``is_bounded`` may leave the range from 0 to it.
    """

    raw: float
    admitted: float
    effective: float
    maximum: float
    harmonized: float = 0.0
    outstanding: float = 0.0
    capped: float = 0.0
    is_bounded: bool = True
    spread: float = 0.0
    rules: tuple[str, ...] = ()
    at_first: float | None = None
    """The value when its turn had been judged, if changes of the same batch moved it; otherwise it is ``admitted``."""

    def after(self, *, shift: float = 0.0, request: float = 0.0) -> float:
        """The balance after a further shift by a comparison or a further request."""
        stands = self.admitted + self.harmonized + shift + self.capped + self.outstanding + request
        return round(min(max(stands, 0.0), self.maximum) if self.is_bounded else stands, 2)


class TurnCard(Struct, frozen=True, kw_only=True, gc=False):
    """The scores of a turn; ``missing`` if the judge gave none."""

    turn: int
    side: Side
    balances: dict[str, Balance] = {}
    components: dict[str, ComponentScore] = {}
    entries: tuple[ScoreEntry, ...] = ()
    missing: Reason | None = None
    absent: dict[str, Reason] = {}
    """Dimensions without a score although the turn was judged."""
    inferred: frozenset[str] = frozenset()
    """Dimensions whose points were inferred from the turn's comparisons, and not given by the judge."""
    rescored: TurnRescored | None = None
    """The second reading of its score, or that the judge gave none."""
    position: int = 0
    at: str = ""
    """When the turn was scored; the records of one batch have the same time."""

    first_components: dict[str, ComponentScore] = {}
    """The components of the first reading, where a later one has replaced them."""

    @property
    def is_scored(self) -> bool:
        """Whether the judge has given a score of at least one dimension."""
        return bool(self.entries) and self.entries[0].kind == "score"

    def as_of(self, position: int) -> "TurnCard":
        """The card with the values that it had at a position; only of what was scored by then."""
        values: dict[str, float] = {}
        is_first = bool(self.first_components)
        for entry in self.entries:
            if entry.position > position:
                break
            values[entry.dimension] = entry.after
            is_first = is_first and entry.kind != "rescore"
        balances = {name: replace(self.balances[name], effective=value) for name, value in values.items()}
        return replace(self, balances=balances, components=self.first_components if is_first else self.components)

    def admitted(self, dimension: str) -> float:
        """What the rules admitted of the first reading, before the limits of a dimension."""
        given = (each.applied for each in self.entries if each.kind == "score" and each.dimension == dimension)
        return next(given, 0.0)

    def first_admitted(self, dimension: str) -> float:
        """What the rules admitted of the first reading, after the limits of a dimension."""
        total = 0.0
        for entry in self.entries:
            if entry.kind == "rescore":
                break
            if entry.dimension == dimension and entry.kind in {"score", "cap", "inferred"}:
                total += entry.applied
        return round(total, 2)

    def composite(self, dimensions: tuple[str, ...]) -> float | None:
        """Sum of the effective values of ``dimensions``; None where one of them has no score."""
        if not all(name in self.balances for name in dimensions):
            return None
        return round(sum(self.balances[name].effective for name in dimensions), 2)


class Ledger(Struct, frozen=True, kw_only=True, gc=False):
    """The scores of all turns with their entries."""

    rubric: Rubric | None = None
    dimensions: tuple[str, ...] = ()
    """The dimensions that add up to the composite."""
    sides: dict[int, Side] = {}
    cards: dict[int, TurnCard] = {}
    ring: Ring | None = None
    certainty: Certainty | None = None
    """The rubric's, with the figures that a lab run has measured of this judge; None for a baseline."""

    def composite_maximum(self, card: TurnCard) -> int | None:
        """The most that the composite of a turn can be; None where all components count in it."""
        most = round(sum(card.balances[name].maximum for name in self.dimensions if name in card.balances))
        is_whole = self.rubric is None or most == sum(self.rubric.dimensions[name].maximum for name in self.dimensions)
        return None if is_whole else most

    @property
    def entries(self) -> tuple[ScoreEntry, ...]:
        """All entries of the debate, in order."""
        every = (entry for card in self.cards.values() for entry in card.entries)
        return tuple(sorted(every, key=lambda entry: entry.position))

    def balance(self, turn: int, dimension: str) -> Balance | None:
        """One balance, or None if the turn has no score."""
        card = self.cards.get(turn)
        return card.balances.get(dimension) if card else None


_NOTES: Final = re.compile(r"(?: \((?:requested|it continues|[\d.]+ of [\d.]+ applied|[\d.]+ by itself)[^()]*\))++($)?")
"""What the rules add to the judge's reason; it has group 1 at the end of the reason."""

INITIAL = Ledger()
SCORE_CHANGES: Final = frozenset(ScoreChange.__subclasses__())
MOVED_BY: Final = frozenset({DebateOpened, TurnStarted, TurnScored, TurnRescored, ScoreInferred, *SCORE_CHANGES})


def turns_moved(event: TurnRescored) -> tuple[int, ...]:
    """The turns whose scores a second reading moves, its own first."""
    changes = () if event.changes is UNSET else event.changes
    return tuple(dict.fromkeys((event.turn, *(each.turn for each in changes))))


def without_notes(reason: str) -> str:
    """The judge's reason of a change, without what the rules add at its end."""
    return _NOTES.sub(lambda notes: notes[0] if notes[1] is None else "", reason)


def apply(ledger: Ledger, record: Recorded) -> Ledger:
    """The ledger after ``record``."""
    event = record.event
    if isinstance(event, TurnScored):
        return _scored(ledger, record, event)
    if isinstance(event, ScoreChange):
        return _changed(ledger, record, event)
    if isinstance(event, TurnRescored | ScoreInferred):
        card = ledger.cards.get(event.turn)
        if card is None or ledger.rubric is None:
            return ledger
        if isinstance(event, ScoreInferred):
            filled = _inferred(card, ledger.rubric, record, event)
            return replace(ledger, cards={**ledger.cards, event.turn: filled})
        read = _rescored(card, ledger.rubric, record, event)
        changes = () if event.changes is UNSET else event.changes
        return reduce(
            lambda known, change: _changed(known, record, change),
            changes,
            replace(ledger, cards={**ledger.cards, event.turn: read}),
        )
    if isinstance(event, TurnStarted):
        return ledger if event.turn in ledger.sides else replace(ledger, sides={**ledger.sides, event.turn: event.side})
    if isinstance(event, DebateOpened):
        return Ledger(
            rubric=event.rubric,
            dimensions=composite_dimensions(event.rubric),
            ring=_measured(event.rubric.ring, event.noise),
            certainty=None if event.judge.baseline else _measured(event.rubric.certainty, event.noise),
        )
    return ledger


_Figures = TypeVar("_Figures", Ring, Certainty)


def _measured(rule: _Figures | UnsetType, noise: JudgeNoise | UnsetType) -> _Figures | None:
    """A rule of the rubric with what a lab run has measured of the judge in place of its own figures."""
    if rule is UNSET:
        return None
    figures = {name: getattr(noise, name, UNSET) for name in rule.__struct_fields__}
    return replace(rule, **{name: value for name, value in figures.items() if value is not UNSET})


def _changed(ledger: Ledger, record: Recorded, event: ScoreChange) -> Ledger:
    card = ledger.cards.get(event.turn)
    balance = card.balances.get(event.dimension) if card else None
    if card is None or balance is None:
        return ledger
    after = round(balance.effective + event.applied, 2)
    if isinstance(event, ScoreHarmonized):
        balance_after = replace(balance, effective=after, harmonized=balance.harmonized + event.requested)
    elif isinstance(event, ScoreCapped):
        balance_after = replace(balance, effective=after, capped=round(balance.capped + event.requested, 2))
    else:
        balance_after = replace(balance, effective=after, outstanding=balance.outstanding + event.requested)
    if record.at == card.at:
        balance_after = replace(balance_after, at_first=after)
    evidence: tuple[Evidence, ...] = ()
    if isinstance(event, LogicGapAdjusted):
        evidence = tuple(
            Evidence(turn=each.turn, quote=each.quote, span=each.span) for each in (event.fails, event.exposed_by)
        )
    entry = ScoreEntry(
        kind=event.entry_kind,
        position=record.position,
        cause=event.because_of,
        rule=event.rule,
        turn=event.turn,
        dimension=event.dimension,
        requested=event.requested,
        applied=event.applied,
        before=balance.effective,
        after=after,
        evidence=evidence,
        reason=event.reason,
        given=(event.given or 0.0) if isinstance(event, LogicGapAdjusted) else 0.0,
    )
    changed = replace(card, balances={**card.balances, event.dimension: balance_after}, entries=(*card.entries, entry))
    return replace(ledger, cards={**ledger.cards, event.turn: changed})


def _scored(ledger: Ledger, record: Recorded, event: TurnScored) -> Ledger:
    side = ledger.sides[event.turn]
    if event.dimensions is UNSET or event.components is UNSET:
        reason = Reason("not said") if event.missing is UNSET else event.missing
        card = TurnCard(turn=event.turn, side=side, missing=reason, position=record.position)
        return replace(ledger, cards={**ledger.cards, event.turn: card})
    balances, entries = {}, []
    rubric = ledger.rubric
    for name, score in event.dimensions.items():
        dimension = rubric.dimensions.get(name) if rubric else None
        balances[name] = _balance(rubric, dimension, score, event.components)
        entries.append(
            ScoreEntry(
                kind="score",
                position=record.position,
                cause=record.cause,
                rule="score",
                turn=event.turn,
                dimension=name,
                requested=score.raw,
                applied=score.admitted,
                before=0.0,
                after=score.admitted,
                evidence=_quoted(event.turn, dimension, event.components),
                reason="; ".join(score.rules),
            )
        )
    card = TurnCard(
        turn=event.turn,
        side=side,
        balances=balances,
        components=event.components,
        entries=tuple(entries),
        absent={} if event.absent is UNSET else event.absent,
        position=record.position,
        at=record.at,
    )
    return replace(ledger, cards={**ledger.cards, event.turn: card})


def _balance(
    rubric: Rubric | None, dimension: Dimension | None, score: DimensionScore, components: dict[str, ComponentScore]
) -> Balance:
    """The balance of a score as it was given."""
    is_bounded = rubric is None or not is_unscaled(rubric)
    maximum: float = score.admitted if dimension is None else dimension.maximum
    if dimension is not None and not is_bounded:
        maximum = sum(each.maximum for name, each in dimension.components.items() if name in components)
    return Balance(
        raw=score.raw,
        admitted=score.admitted,
        effective=score.admitted,
        spread=score.spread,
        rules=score.rules,
        maximum=maximum,
        is_bounded=is_bounded,
    )


def _quoted(turn: int, dimension: Dimension | None, components: dict[str, ComponentScore]) -> tuple[Evidence, ...]:
    """The quotes of a dimension that hold, in the order of the score."""
    own = {} if dimension is None else dimension.components
    return tuple(
        [
            Evidence(turn=turn, quote=part.quote, span=part.span)
            for name, part in components.items()
            if part.verified and name in own
        ]
    )


def _rescored(card: TurnCard, rubric: Rubric, record: Recorded, event: TurnRescored) -> TurnCard:
    """The card with the median of all readings; the first score where there is none."""
    if event.components is UNSET or event.dimensions is UNSET:
        return replace(card, rescored=event)
    balances, entries = dict(card.balances), list(card.entries)
    for name, score in event.dimensions.items():
        before = balances.get(name)
        if before is None:
            continue
        by = round(score.admitted - before.admitted, 2)
        after = round(before.effective + by, 2)
        balances[name] = replace(
            before, raw=score.raw, admitted=score.admitted, effective=after, spread=score.spread, rules=score.rules
        )
        if by:
            evidence = _quoted(card.turn, rubric.dimensions.get(name), event.components)
            reason = "; ".join((f"the median of {event.readings} readings", *score.rules))
            entries.append(_set(card, record, name, ("rescore", before.effective, after), evidence, reason))
    return replace(
        card,
        balances=balances,
        components={**card.components, **event.components},
        first_components=card.components,
        entries=tuple(entries),
        rescored=event,
    )


def _inferred(card: TurnCard, rubric: Rubric, record: Recorded, event: ScoreInferred) -> TurnCard:
    """The card with the points that its comparisons imply, in the dimensions that the judge gave no score."""
    components = {
        name: ComponentScore(raw=points, admitted=points, quote="", span=None, verified=False, reason=event.reason)
        for name, points in event.components.items()
    }
    balances, entries = dict(card.balances), list(card.entries)
    for name, points in event.dimensions.items():
        score = DimensionScore(raw=points, admitted=points)
        balances[name] = _balance(rubric, rubric.dimensions.get(name), score, components)
        entries.append(_set(card, record, name, ("inferred", 0.0, points), (), event.reason))
    return replace(
        card,
        balances=balances,
        components={**card.components, **components},
        entries=tuple(entries),
        missing=None,
        absent={name: why for name, why in card.absent.items() if name not in event.dimensions},
        inferred=card.inferred | event.dimensions.keys(),
    )


def _set(
    card: TurnCard,
    record: Recorded,
    dimension: str,
    change: tuple[EntryKind, float, float],
    evidence: tuple[Evidence, ...],
    reason: str,
) -> ScoreEntry:
    """The entry of an event that sets a score: (kind, before, after)."""
    kind, before, after = change
    return ScoreEntry(
        kind=kind,
        position=record.position,
        cause=record.cause,
        rule=kind,
        turn=card.turn,
        dimension=dimension,
        requested=round(after - before, 2),
        applied=round(after - before, 2),
        before=before,
        after=after,
        evidence=evidence,
        reason=reason,
    )
