"""The one way in which a rule changes a score: asked for in full, applied as far as the balance goes."""

from events.state.ledger import Balance
from events.types import FindingRefused, PenaltyApplied
from events.types.rubric import ConductRule
from judge.live.event_batch import EventBatch
from judge.live.rules import say


def penalize(
    desk: EventBatch,
    turn: int,
    dimension: str,
    points: float,
    *,
    rule: str,
    because_of: int,
    reason: str,
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
            turn=turn,
            dimension=dimension,
            requested=-points,
            applied=applied,
            rule=rule,
            because_of=because_of,
            reason=reason + absorbed(balance, -points, applied),
            **penalty,
        ),
        because_of,
    )


def misconduct(
    desk: EventBatch, turn: int, cost: ConductRule | None, *, rule: str, because_of: int, reason: str
) -> None:
    """The price of a dropped premise, a contradiction, an attempt on the judge, where the rubric names one."""
    if cost is not None:
        penalize(desk, turn, cost.dimension, cost.points, rule=rule, because_of=because_of, reason=reason)


def change(balance: Balance, request: float) -> float:
    """What is applied of a request: the way from where the balance stands to where it would stand."""
    return moved(balance, balance.after(request=request))


def moved(balance: Balance, after: float) -> float:
    """The way from where the balance stands to ``after``; never a negative zero."""
    return round(after - balance.effective, 2) + 0.0


def absorbed(balance: Balance, requested: float, applied: float) -> str:
    """A sentence on what floor or ceiling took, or nothing."""
    if round(applied - requested, 2) == 0:
        return ""
    if requested < 0:
        why = "the floor of 0 takes the rest"
    elif round(balance.effective + applied, 2) >= balance.maximum:
        why = f"the ceiling of {say(balance.maximum)} takes the rest"
    else:
        why = "the floor of 0 had absorbed the rest before"
    return f" ({say(abs(applied))} of {say(abs(requested))} applied: {why})"


def refuse(desk: EventBatch, turn: int, purpose: str, quote: str, reason: str, cause: int | None) -> None:
    """Record a finding that does not hold."""
    desk.add(FindingRefused(turn=turn, purpose=purpose, quote=quote, reason=reason), cause)
