"""Changes of a score by rules: requested in full, applied as far as the balance allows."""

from collections.abc import Container, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from events.state.ledger import Balance
from events.types import CheckMissing, FindingRefused, InjectionDetected, PenaltyApplied, Span
from events.types.rubric import ConductRule
from judge.guard import injection
from judge.lenient import NoteKind
from judge.live.answers import Answers, why_missing
from judge.live.event_batch import EventBatch
from judge.rubrics.rubric import fmt


def penalize(
    batch: EventBatch,
    turn: int,
    dimension: str,
    points: float,
    *,
    rule: str,
    because_of: int,
    reason: str,
    claim: str | None = None,
) -> None:
    """Take ``points`` from a turn's dimension; no event if the turn has no score."""
    balance = batch.debate.ledger.balance(turn, dimension)
    if balance is None or points == 0:
        return
    applied = applied_change(balance, -points)
    penalty = {"claim": claim} if claim else {}
    batch.add(
        PenaltyApplied(
            turn=turn,
            dimension=dimension,
            requested=-points,
            applied=applied,
            rule=rule,
            because_of=because_of,
            reason=reason + absorbed_note(balance, -points, applied),
            **penalty,
        ),
        because_of,
    )


def penalize_conduct(
    batch: EventBatch, turn: int, cost: ConductRule | None, *, rule: str, because_of: int, reason: str
) -> None:
    """Penalize a dropped premise, a contradiction or an attempt to instruct the judge, if the rubric has a cost."""
    if cost is not None:
        penalize(batch, turn, cost.dimension, cost.points, rule=rule, because_of=because_of, reason=reason)


Attempts = Sequence[injection.InjectionAttempt | InjectionDetected]


def record_injection(batch: EventBatch, turn: int, attempts: Attempts) -> None:
    """Record every attempt; the turn pays the rubric's cost once for all of them that are clearly orders."""
    spoken = batch.debate.transcript.turns[turn].spoken
    events = [InjectionDetected(turn=turn, pattern=each.pattern, quote=each.quote, span=each.span) for each in attempts]
    positions = [batch.add(event, spoken) for event in events]
    charged = [each for each in attempts if each.pattern != injection.POSSIBLE]
    rubric = batch.debate.ledger.rubric
    if charged and rubric is not None:
        names = dict.fromkeys(each.pattern.replace("_", " ") for each in charged)
        penalize_conduct(
            batch,
            turn,
            rubric.conduct.get("injection"),
            rule="injection",
            because_of=positions[attempts.index(charged[0])],
            reason=f"the turn tries to instruct the judge ({', '.join(names)})",
        )


def applied_change(balance: Balance, request: float) -> float:
    """Return the part of a request that the balance allows."""
    return change_to(balance, balance.after(request=request))


def change_to(balance: Balance, after: float) -> float:
    """Return the change from the balance to ``after``; never a negative zero."""
    return round(after - balance.effective, 2) + 0.0


def absorbed_note(balance: Balance, requested: float, applied: float) -> str:
    """Return a note on the part that floor or ceiling absorbed, or an empty text."""
    if round(applied - requested, 2) == 0:
        return ""
    if requested < 0:
        why = "the floor of 0 takes the rest"
    elif round(balance.effective + applied, 2) >= balance.maximum:
        why = f"the ceiling of {fmt(balance.maximum)} takes the rest"
    else:
        why = "the floor of 0 had absorbed the rest before"
    return f" ({fmt(abs(applied))} of {fmt(abs(requested))} applied: {why})"


def refuse_finding(
    batch: EventBatch,
    turn: int,
    purpose: str,
    quote: str,
    reason: str,
    cause: int | None,
    *,
    about: int | None = None,
    given: float | UnsetType = UNSET,
    span: Span | UnsetType = UNSET,
) -> None:
    """Record a finding that was refused.

    ``about``: the turn that it is about, as the answer names it.  ``given`` and ``span``: of a flaw for which others
    have paid.
    """
    other = UNSET if about is None or about == turn or about not in batch.debate.transcript.turns else about
    refused = FindingRefused(
        turn=turn, purpose=purpose, quote=quote, reason=reason, about=other, given=given, span=span
    )
    batch.add(refused, cause)


SERIOUS = 2
"""Points that a finding takes at the least for its judge to be asked once more about quotes that do not hold."""


def misquote(faults: Sequence[str]) -> str:
    """Return what the judge is told of findings that would be refused; empty if there are none."""
    if not faults:
        return ""
    return "\n".join((*faults, "Copy the words as they stand, in one unbroken run, or leave the finding out."))


def record_notes(
    batch: EventBatch,
    turn: int,
    purpose: str,
    answers: Answers[Any],
    *,
    kinds: Container[NoteKind] = ("left_out", "number"),
    unknown: str = "",
) -> None:
    """Record what an answer holds beyond its form: what was left out of it, and numbers that were off their scale.

    A text that was clipped ends with an ellipsis and needs no record.  ``unknown``: what is said of an id that was not
    asked for, once for each; without it nothing is recorded of them.
    """
    seen: set[str] = set()
    for position, note in answers.notes:
        if note.kind in kinds:
            refuse_finding(batch, turn, purpose, note.path, note.what, position)
        elif note.kind == "unknown" and unknown and (name := note.path.rpartition(".")[2]) not in seen:
            seen.add(name)
            refuse_finding(batch, turn, purpose, name, unknown, position)


def record_unchecked(batch: EventBatch, turn: int, purpose: str, answers: Answers[Any]) -> None:
    """Record that nothing is known of a turn's claims, gaps or premises, if the judge gave no usable answer."""
    if not answers.given:
        batch.add(
            CheckMissing(turn=turn, purpose=purpose, reason=why_missing(answers).reason),
            batch.debate.transcript.turns[turn].spoken,
        )
