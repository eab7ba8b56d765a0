"""The scores of all turns as balances of ledger entries.

An entry holds the requested and the applied points, and the balance before and after it.  A balance is
``clamp(admitted + harmonized + outstanding, 0, maximum)``: comparisons shift the admitted value; penalties are
outstanding requests that apply in full down to 0, and the reversal of a penalty also frees the points that the floor of
0 had absorbed.  See docs/design.md.
"""

import re
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    ComponentScore,
    DebateOpened,
    EntryKind,
    LogicGapAdjusted,
    Reason,
    ScoreChange,
    ScoreHarmonized,
    Side,
    Span,
    TurnScored,
    TurnStarted,
)
from events.types.rubric import Rubric, composite_dimensions


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


class Balance(Struct, frozen=True, kw_only=True, gc=False):
    """The score of a turn on one dimension.  ``harmonized`` and ``outstanding`` are sums of requested points."""

    raw: float
    admitted: float
    effective: float
    maximum: float
    harmonized: float = 0.0
    outstanding: float = 0.0
    spread: float = 0.0
    rules: tuple[str, ...] = ()
    at_first: float | None = None
    """The value when its turn had been judged, if changes of the same batch moved it; otherwise it is ``admitted``."""

    def after(self, *, shift: float = 0.0, request: float = 0.0) -> float:
        """The balance after a further shift by a comparison or a further request."""
        stands = self.admitted + self.harmonized + shift + self.outstanding + request
        return round(min(max(stands, 0.0), self.maximum), 2)


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
    position: int = 0
    at: str = ""
    """When the turn was scored; the records of one batch have the same time."""

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

    @property
    def entries(self) -> tuple[ScoreEntry, ...]:
        """All entries of the debate, in order."""
        every = (entry for card in self.cards.values() for entry in card.entries)
        return tuple(sorted(every, key=lambda entry: entry.position))

    def balance(self, turn: int, dimension: str) -> Balance | None:
        """One balance, or None if the turn has no score."""
        card = self.cards.get(turn)
        return card.balances.get(dimension) if card else None


_NOTES: Final = re.compile(r"(?: \((?:requested|it continues|[\d.]+ of [\d.]+ applied)[^()]*\))++($)?")
"""What the rules add to the judge's reason; it has group 1 at the end of the reason."""

INITIAL = Ledger()
SCORE_CHANGES: Final = frozenset(ScoreChange.__subclasses__())
MOVED_BY: Final = frozenset({DebateOpened, TurnStarted, TurnScored, *SCORE_CHANGES})


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
    if isinstance(event, TurnStarted):
        return ledger if event.turn in ledger.sides else replace(ledger, sides={**ledger.sides, event.turn: event.side})
    if isinstance(event, DebateOpened):
        return Ledger(rubric=event.rubric, dimensions=composite_dimensions(event.rubric))
    return ledger


def _changed(ledger: Ledger, record: Recorded, event: ScoreChange) -> Ledger:
    card = ledger.cards.get(event.turn)
    balance = card.balances.get(event.dimension) if card else None
    if card is None or balance is None:
        return ledger
    after = round(balance.effective + event.applied, 2)
    if isinstance(event, ScoreHarmonized):
        balance_after = replace(balance, effective=after, harmonized=balance.harmonized + event.requested)
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
    held = [
        (component, Evidence(turn=event.turn, quote=part.quote, span=part.span))
        for component, part in event.components.items()
        if part.verified
    ]
    for name, score in event.dimensions.items():
        dimension = rubric.dimensions.get(name) if rubric else None
        balances[name] = Balance(
            raw=score.raw,
            admitted=score.admitted,
            effective=score.admitted,
            spread=score.spread,
            rules=score.rules,
            maximum=dimension.maximum if dimension else score.admitted,
        )
        components = dimension.components if dimension else {}
        evidence = tuple([each for component, each in held if component in components])
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
                evidence=evidence,
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
