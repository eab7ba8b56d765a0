"""Convergence of a long debate: turns 1–2 against turns n−1 to n."""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from events.types import (
    SIDES,
    ConvergenceAssessed,
    ConvergenceKind,
    CoreClaimChange,
    CoreClaimChanges,
    TurnSpoken,
    other,
)
from judge.live.answers import Answers, why_missing
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, opening, turn_segment
from judge.templates import section
from judge.text.words import similarity
from providers.base import Segment

EDGE: Final = 2
"""Turns at each end that are compared."""
Text = Annotated[str, Meta(max_length=300)]


class DriftAnswer(Struct, frozen=True, kw_only=True):
    """One speaker's core claim, early and late."""

    early: Text
    late: Text


class ConvergenceAnswer(Struct, frozen=True, kw_only=True):
    """The answer: ``{"A": {"early", "late"}, "B", "reason", "kind"}``.  ``A`` is the side that spoke first."""

    A: DriftAnswer
    B: DriftAnswer
    reason: Text = ""
    kind: ConvergenceKind


def convergence_prompt(prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask about both ends of the debate."""
    return (
        *opening(prompts, motion),
        *(turn_segment(prompts, spoken, turn) for turn in (*spoken[:EDGE], *spoken[max(EDGE, len(spoken) - EDGE) :])),
        Segment("user", section(prompts["convergence"], "ask")),
    )


def record_convergence(batch: EventBatch, answers: Answers[ConvergenceAnswer]) -> None:
    """Record the convergence, or that there is no answer, with the similarity of turns n−1 and n."""
    spoken = batch.debate.transcript.spoken()
    pro, con = ("\n".join(turn.text for turn in spoken[-EDGE:] if turn.side == side) for side in SIDES)
    alike = similarity(pro, con, batch.debate.language)
    if not answers.given:
        batch.add(ConvergenceAssessed(missing=why_missing(answers), similarity=alike), batch.debate.course)
        return
    position, answer = answers.given[0]
    first = spoken[0].side if spoken else "pro"
    drifts = {first: answer.A, other(first): answer.B}
    batch.add(
        ConvergenceAssessed(
            kind=answer.kind,
            sides=CoreClaimChanges(
                pro=CoreClaimChange(early=drifts["pro"].early, late=drifts["pro"].late),
                con=CoreClaimChange(early=drifts["con"].early, late=drifts["con"].late),
            ),
            similarity=alike,
            reason=answer.reason,
        ),
        position,
    )
