"""Comparisons of turns, the exchanges that they decide, and anomalies between comparisons and scores.

An anomaly is not an event.  It is derived again after every event that changes a score or a comparison, so the order of
events does not matter.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET, Struct

from events.record import Recorded
from events.state.ledger import SCORE_CHANGES, Ledger, turns_moved
from events.state.ring import held, residual
from events.types import (
    ComparisonOutcome,
    Degree,
    Reason,
    Rounds,
    ScoreCapped,
    ScoreChange,
    ScoreInferred,
    Side,
    TurnRescored,
    TurnsCompared,
    TurnScored,
)


class Comparison(Struct, frozen=True, kw_only=True, gc=False):
    """The outcomes on which both orders agreed, or why there are none."""

    position: int
    earlier: int
    later: int
    outcomes: dict[str, ComparisonOutcome] = {}
    degrees: dict[str, Degree] = {}
    """How clear each outcome is; without an entry it counts as clear."""
    flipped: tuple[str, ...] = ()
    levels: dict[str, tuple[float, ...]] = {}
    """How much better the later turn is, by order; empty where the event does not say it."""
    reason: str = ""
    missing: Reason | None = None

    def winner(self) -> ComparisonOutcome | None:
        """The turn that won most dimensions; None if the comparison is missing."""
        if self.missing is not None:
            return None
        outcomes = tuple(self.outcomes.values())
        earlier, later = outcomes.count("earlier"), outcomes.count("later")
        return "draw" if earlier == later else "earlier" if earlier > later else "later"


class Anomaly(Struct, frozen=True, kw_only=True, gc=False):
    """A score outside the band that a comparison allows."""

    turn: int
    dimension: str
    outcome: str
    effective: float
    band: tuple[float, float]
    comparison: int
    """Position of the comparison."""


class Exchanges(Struct, frozen=True, kw_only=True, gc=False):
    """Comparisons of neighbours by their later turn, and those of the first turn with a last one."""

    comparisons: dict[int, Comparison] = {}
    closing: dict[int, Comparison] = {}
    """By their later turn.  They close the ring, decide no exchange and press nobody.  A fork may have two."""
    anomalies: dict[str, Anomaly] = {}
    residuals: dict[int, float] = {}
    """By the position of its comparison: how far the scores of a pair lie from what the comparison says of them."""
    used: frozenset[int] = frozenset()
    """The positions of the comparisons between the sides that moved a score, or filled one that lacks."""

    @property
    def pairs(self) -> tuple[Comparison, ...]:
        """The comparisons of the ring."""
        return (*self.comparisons.values(), *self.closing.values())

    def about(self, turn: int) -> tuple[Comparison, ...]:
        """The comparisons of one turn, those of its neighbours first."""
        near = (self.comparisons.get(turn), self.comparisons.get(turn + 1))
        far = [each for each in self.closing.values() if turn in {each.earlier, each.later}]
        return tuple([each for each in (*near, *far) if each is not None])


INITIAL = Exchanges()
MOVED_BY: Final = frozenset({TurnsCompared, TurnScored, TurnRescored, ScoreInferred, *SCORE_CHANGES})


def apply(exchanges: Exchanges, ledger: Ledger, record: Recorded) -> Exchanges:
    """The exchanges after ``record``; ``ledger`` is the one after it."""
    event = record.event
    comparisons, closing, used = exchanges.comparisons, exchanges.closing, exchanges.used
    if isinstance(event, TurnsCompared):
        made = _made(record.position, event)
        known = comparisons if event.later == event.earlier + 1 else closing
        if event.later in known:
            used -= {known[event.later].position}
        if known is comparisons:
            comparisons = {**comparisons, event.later: made}
        else:
            closing = {**closing, event.later: made}
    elif not isinstance(event, TurnScored | ScoreChange | TurnRescored | ScoreInferred):
        return exchanges
    touched = (made,) if isinstance(event, TurnsCompared) else _about(exchanges, event)
    anomalies, residuals = dict(exchanges.anomalies), exchanges.residuals
    if not isinstance(event, ScoreChange) or isinstance(event, ScoreCapped):  # other changes leave what was admitted
        residuals = _residuals(residuals, touched, ledger)
        used = used.difference([each.position for each in touched]).union(
            [each.position for each in touched if _is_used(ledger, each)]
        )
    for comparison in touched:
        for key in _keys(comparison):
            if key in anomalies and anomalies[key].comparison == comparison.position:
                del anomalies[key]
    for comparison in touched:
        anomalies |= anomalies_of(comparison, ledger)
    after = Exchanges(comparisons=comparisons, closing=closing, anomalies=anomalies, residuals=residuals, used=used)
    return exchanges if after == exchanges else after


def _about(
    exchanges: Exchanges, event: TurnScored | ScoreChange | TurnRescored | ScoreInferred
) -> Iterable[Comparison]:
    """The comparisons of the turns whose scores an event changes."""
    turns = turns_moved(event) if isinstance(event, TurnRescored) else (event.turn,)
    return {each.position: each for turn in turns for each in exchanges.about(turn)}.values()


def _made(position: int, event: TurnsCompared) -> Comparison:
    return Comparison(
        position=position,
        earlier=event.earlier,
        later=event.later,
        outcomes={} if event.outcomes is UNSET else event.outcomes,
        degrees={} if event.degrees is UNSET else event.degrees,
        flipped=event.flipped,
        levels={} if event.levels is UNSET else event.levels,
        reason=event.reason,
        missing=None if event.missing is UNSET else event.missing,
    )


def _residuals(known: dict[int, float], touched: Iterable[Comparison], ledger: Ledger) -> dict[int, float]:
    """The residuals after the scores of some comparisons have changed."""
    residuals = dict(known)
    for comparison in touched:
        residuals.pop(comparison.position, None)
        if (lies := residual(held(ledger, comparison).values())) is not None:
            residuals[comparison.position] = lies
    return residuals


def _is_used(ledger: Ledger, comparison: Comparison) -> bool:
    """Whether a comparison between the sides moved a score, or filled one that lacks."""
    cards = [ledger.cards.get(each) for each in (comparison.earlier, comparison.later)]
    known = [each for each in cards if each is not None and each.composite(ledger.dimensions) is not None]
    is_known = len(known) == len(cards) and not all(each.inferred for each in known)
    return comparison.missing is None and is_known and known[0].side != known[1].side


def anomalies_of(comparison: Comparison, ledger: Ledger) -> dict[str, Anomaly]:
    """All conflicts of one comparison with the current scores of its two turns.

    A band holds for the same share of the maximum of a turn in which not all components count.
    """
    found: dict[str, Anomaly] = {}
    rubric = ledger.rubric
    if rubric is None or comparison.missing is not None:
        return found
    for dimension, outcome in comparison.outcomes.items():
        band = rubric.bands.get(dimension)
        if band is None or outcome == "draw" or comparison.degrees.get(dimension) == "slight":
            continue
        for place, turn in (("earlier", comparison.earlier), ("later", comparison.later)):
            balance = ledger.balance(turn, dimension)
            floor, ceiling = band.winner if outcome == place else band.loser
            if balance is not None and balance.maximum != (whole := rubric.dimensions[dimension].maximum):
                floor, ceiling = (round(each * balance.maximum / whole, 1) for each in (floor, ceiling))
            if balance is not None and not floor <= balance.effective <= ceiling:
                found[_key(comparison, turn, dimension)] = Anomaly(
                    turn=turn,
                    dimension=dimension,
                    outcome="winner" if outcome == place else "loser",
                    effective=balance.effective,
                    band=(floor, ceiling),
                    comparison=comparison.position,
                )
    return found


def _keys(comparison: Comparison) -> Iterator[str]:
    """The keys that anomalies of a comparison may have."""
    turns = comparison.earlier, comparison.later
    return (_key(comparison, turn, dimension) for dimension in comparison.outcomes for turn in turns)


def _key(comparison: Comparison, turn: int, dimension: str) -> str:
    return f"{comparison.earlier}-{comparison.later}.{turn}.{dimension}"


def residual_of_turn(exchanges: Exchanges, turn: int) -> float | None:
    """By how much a turn lies above what its comparisons say of it, as a mean over them, in points of 100.

    None if it has no comparison with two scores.
    """
    lies = [
        exchanges.residuals[each.position] * (1 if turn == each.later else -1)
        for each in exchanges.about(turn)
        if each.position in exchanges.residuals
    ]
    return sum(lies) / len(lies) if lies else None


def rounds(exchanges: Exchanges, sides: dict[int, Side]) -> Rounds:
    """Exchanges won: each goes to the turn that won most dimensions; a missing comparison counts for no side."""
    won = {"pro": 0, "con": 0, "drawn": 0}
    for comparison in exchanges.comparisons.values():
        match comparison.winner():
            case "draw":
                won["drawn"] += 1
            case "earlier":
                won[sides[comparison.earlier]] += 1
            case "later":
                won[sides[comparison.later]] += 1
            case None:
                pass
    return Rounds(**won)
