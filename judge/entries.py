"""The one way in which a rule changes a score: asked for in full, applied as far as the balance goes."""

from events.projections.ledger import Balance
from events.rubric import ConductRule
from events.types import FindingRefused, PenaltyApplied
from judge.desk import Desk
from judge.rules import say


def penalize(
    desk: Desk, turn: int, dimension: str, points: float, *, rule: str, because_of: int, reason: str,
    claim: str | None = None,
) -> None:
    """Take ``points`` from a turn's dimension; nothing where the turn has no score."""
    balance = desk.debate.ledger.balance(turn, dimension)
    if balance is None or points == 0:
        return
    applied = change(balance, -points)
    penalty = {"claim": claim} if claim else {}
    desk.add(
        PenaltyApplied(
            turn=turn, dimension=dimension, requested=-points, applied=applied, rule=rule, because_of=because_of,
            reason=reason + absorbed(balance, -points, applied), **penalty,
        ),
        because_of,
    )


def misconduct(desk: Desk, turn: int, cost: ConductRule | None, *, rule: str, because_of: int, reason: str) -> None:
    """The price of a dropped premise, a contradiction, an attempt on the judge, where the rubric names one."""
    if cost is not None:
        penalize(desk, turn, cost.dimension, cost.points, rule=rule, because_of=because_of, reason=reason)


def change(balance: Balance, request: float) -> float:
    """What is applied of a request: the way from where the balance stands to where it would stand."""
    return round(balance.after(request=request) - balance.effective, 2)


def absorbed(balance: Balance, requested: float, applied: float) -> str:
    """A sentence on what floor or ceiling took, or nothing."""
    if round(applied - requested, 2) == 0:
        return ""
    end = "floor of 0" if requested < 0 else f"ceiling of {say(balance.maximum)}"
    return f" ({say(abs(applied))} of {say(abs(requested))} applied: the {end} takes the rest)"


def refuse(desk: Desk, turn: int, purpose: str, quote: str, reason: str, cause: int | None) -> None:
    """Record a finding that does not hold."""
    desk.add(FindingRefused(turn=turn, purpose=purpose, quote=quote, reason=reason), cause)
