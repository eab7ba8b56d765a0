"""Where a long debate ended up: turns 1–2 against turns n−1 to n.  Source: seed 003, level 5."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from events.types import SIDES, ConvergenceAssessed, ConvergenceKind, Drift, Drifts, TurnSpoken, other
from judge.live.ask import Prompt, Prompts, opening, turn_segment
from judge.live.event_batch import Answers, EventBatch
from judge.live.samples import why_missing
from judge.live.words import content_words
from judge.templates import section
from providers.base import Segment

EDGE: Final = 2
"""Turns at either end that are compared."""
Text = Annotated[str, Meta(max_length=200)]


class DriftAnswer(Struct, frozen=True, kw_only=True):
    """One speaker's core claim, early and late."""

    early: Text
    late: Text


class ConvergenceAnswer(Struct, frozen=True, kw_only=True):
    """The whole: ``{"A": {"early", "late"}, "B", "reason", "kind"}``.  ``A`` is whoever spoke first."""

    A: DriftAnswer
    B: DriftAnswer
    reason: Text = ""
    kind: ConvergenceKind


def convergence_prompt(prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Show both ends of the debate, and ask."""
    return (
        *opening(prompts, motion),
        *(turn_segment(prompts, spoken, turn) for turn in (*spoken[:EDGE], *spoken[max(EDGE, len(spoken) - EDGE) :])),
        Segment("user", section(prompts["convergence"], "ask")),
    )


def similarity(one: str, two: str) -> float:
    """Cosine of the content-word counts of two texts, in [0, 1] and rounded to 2; 0 where one of them has none.

    Source: Salton and McGill, Introduction to Modern Information Retrieval (1983), the vector space model.
    """
    left, right = Counter(content_words(one)), Counter(content_words(two))
    product = sum(count * right[word] for word, count in left.items())
    length = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return round(min(product / length, 1.0), 2) if length else 0.0


def assess(desk: EventBatch, answers: Answers[ConvergenceAnswer]) -> None:
    """Record where the debate ended up, or that nobody could say; the similarity stands either way.

    It compares what the two sides said last, in turns n−1 and n.
    """
    spoken = desk.debate.transcript.spoken()
    late = ["\n".join(turn.text for turn in spoken[-EDGE:] if turn.side == side) for side in SIDES]
    alike = similarity(*late)
    if not answers.given:
        desk.add(ConvergenceAssessed(missing=why_missing(answers), similarity=alike), desk.debate.course)
        return
    position, answer = answers.given[0]
    first = spoken[0].side if spoken else "pro"
    drifts = {first: answer.A, other(first): answer.B}
    desk.add(
        ConvergenceAssessed(
            kind=answer.kind,
            sides=Drifts(
                pro=Drift(early=drifts["pro"].early, late=drifts["pro"].late),
                con=Drift(early=drifts["con"].early, late=drifts["con"].late),
            ),
            similarity=alike,
            reason=answer.reason,
        ),
        position,
    )
