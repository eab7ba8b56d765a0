"""Comparisons of turns, the exchanges that they decide, and anomalies between comparisons and scores.

An anomaly is not an event.  It is derived again after every event that changes a score or a comparison, so the order of
events does not matter.
"""

from typing import Final

from msgspec import UNSET, Struct

from events.record import Recorded
from events.state.ledger import SCORE_CHANGES, Ledger
from events.types import ComparisonOutcome, Degree, Reason, Rounds, ScoreChange, Side, TurnsCompared, TurnScored


class Comparison(Struct, frozen=True, kw_only=True, gc=False):
    """The outcomes on which both orders agreed, or why there are none."""

    position: int
    earlier: int
    later: int
    outcomes: dict[str, ComparisonOutcome] = {}
    degrees: dict[str, Degree] = {}
    """How clear each outcome is; without an entry it counts as clear."""
    flipped: tuple[str, ...] = ()
    reason: str = ""
    missing: Reason | None = None

    def winner(self) -> ComparisonOutcome | None:
        """The turn that won most dimensions; None if the comparison is missing."""
        if self.missing is not None:
            return None
        earlier = sum(outcome == "earlier" for outcome in self.outcomes.values())
        later = sum(outcome == "later" for outcome in self.outcomes.values())
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
    """Comparisons by their later turn."""

    comparisons: dict[int, Comparison] = {}
    anomalies: dict[str, Anomaly] = {}


INITIAL = Exchanges()
MOVED_BY: Final = frozenset({TurnsCompared, TurnScored, *SCORE_CHANGES})


def apply(exchanges: Exchanges, ledger: Ledger, record: Recorded) -> Exchanges:
    """The exchanges after ``record``; ``ledger`` is the one after it."""
    event = record.event
    comparisons = exchanges.comparisons
    if isinstance(event, TurnsCompared):
        made = Comparison(
            position=record.position,
            earlier=event.earlier,
            later=event.later,
            outcomes={} if event.outcomes is UNSET else event.outcomes,
            degrees={} if event.degrees is UNSET else event.degrees,
            flipped=event.flipped,
            reason=event.reason,
            missing=None if event.missing is UNSET else event.missing,
        )
        comparisons = {**comparisons, event.later: made}
        touched = {event.later}
    elif isinstance(event, TurnScored | ScoreChange):
        touched = {event.turn, event.turn + 1}
    else:
        return exchanges
    stale = {exchanges.comparisons[later].position for later in touched if later in exchanges.comparisons}
    kept = {key: each for key, each in exchanges.anomalies.items() if each.comparison not in stale}
    for later in sorted(touched):
        if later in comparisons:
            kept |= anomalies_of(comparisons[later], ledger)
    if comparisons is exchanges.comparisons and kept == exchanges.anomalies:
        return exchanges
    return Exchanges(comparisons=comparisons, anomalies=kept)


def anomalies_of(comparison: Comparison, ledger: Ledger) -> dict[str, Anomaly]:
    """All conflicts of one comparison with the current scores of its two turns."""
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
            if balance is not None and not floor <= balance.effective <= ceiling:
                found[f"{comparison.earlier}-{comparison.later}.{turn}.{dimension}"] = Anomaly(
                    turn=turn,
                    dimension=dimension,
                    outcome="winner" if outcome == place else "loser",
                    effective=balance.effective,
                    band=(floor, ceiling),
                    comparison=comparison.position,
                )
    return found


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
