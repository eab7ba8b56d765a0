"""The score of every turn as a balance folded from entries.

An entry says what was requested and what was applied, and what the balance was before and after.  No number is ever
overwritten: ``effective`` is the admitted value plus everything applied since.
"""

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Recorded
from events.rubric import Rubric, composite_dimensions
from events.types import ComponentScore, DebateOpened, Reason, Side, Span, TurnScored, TurnStarted


class Evidence(Struct, frozen=True, kw_only=True):
    """Words that an entry rests on."""

    turn: int
    quote: str
    span: Span | None


class Entry(Struct, frozen=True, kw_only=True):
    """One line of the ledger."""

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


class Balance(Struct, frozen=True, kw_only=True):
    """One dimension of one turn."""

    raw: float
    admitted: float
    effective: float
    spread: float = 0.0
    rules: tuple[str, ...] = ()


class Card(Struct, frozen=True, kw_only=True):
    """A turn's scores and the entries that they are the balance of; ``missing`` where the judge gave none."""

    turn: int
    side: Side
    balances: dict[str, Balance] = {}
    components: dict[str, ComponentScore] = {}
    entries: tuple[Entry, ...] = ()
    missing: Reason | None = None
    position: int = 0

    def composite(self, dimensions: tuple[str, ...]) -> float:
        """Sum of the effective values of ``dimensions``."""
        return round(sum(self.balances[name].effective for name in dimensions), 2)


class Ledger(Struct, frozen=True, kw_only=True):
    """The card of every turn, with the entries that it is the balance of."""

    rubric: Rubric | None = None
    dimensions: tuple[str, ...] = ()
    """Those that make the composite."""
    sides: dict[int, Side] = {}
    cards: dict[int, Card] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry of the debate, in order."""
        every = (entry for card in self.cards.values() for entry in card.entries)
        return tuple(sorted(every, key=lambda entry: entry.position))


INITIAL = Ledger()


def apply(ledger: Ledger, record: Recorded) -> Ledger:
    """The ledger after ``record``."""
    event = record.event
    match event:
        case DebateOpened(rubric=rubric):
            return Ledger(rubric=rubric, dimensions=composite_dimensions(rubric))
        case TurnStarted(turn=turn, side=side):
            if turn in ledger.sides:
                return ledger
            return replace(ledger, sides={**ledger.sides, turn: side})
        case TurnScored():
            return _scored(ledger, record, event)
        case _:
            return ledger


def _scored(ledger: Ledger, record: Recorded, event: TurnScored) -> Ledger:
    side = ledger.sides[event.turn]
    if event.dimensions is UNSET or event.components is UNSET:
        reason = Reason("not said") if event.missing is UNSET else event.missing
        card = Card(turn=event.turn, side=side, missing=reason, position=record.position)
        return replace(ledger, cards={**ledger.cards, event.turn: card})
    balances, entries = {}, []
    rubric = ledger.rubric
    for name, score in event.dimensions.items():
        balances[name] = Balance(
            raw=score.raw, admitted=score.admitted, effective=score.admitted, spread=score.spread, rules=score.rules
        )
        components = rubric.dimensions[name].components if rubric and name in rubric.dimensions else {}
        evidence = tuple(
            Evidence(turn=event.turn, quote=part.quote, span=part.span)
            for component, part in event.components.items()
            if component in components and part.verified
        )
        entries.append(
            Entry(
                position=record.position, cause=record.cause, rule="score", turn=event.turn, dimension=name,
                requested=score.raw, applied=score.admitted, before=0.0, after=score.admitted, evidence=evidence,
                reason="; ".join(score.rules),
            )
        )
    card = Card(
        turn=event.turn, side=side, balances=balances, components=event.components, entries=tuple(entries),
        position=record.position,
    )
    return replace(ledger, cards={**ledger.cards, event.turn: card})
