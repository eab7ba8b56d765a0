"""Where a long debate ended up: turns 1–2 against turns n−1 to n.  Source: seed 003, level 5."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct

from events.types import ConvergenceAssessed, ConvergenceKind, Drift, Drifts, TurnSpoken, other
from judge.ask import Prompt, Prompts, opening, turn_segment
from judge.desk import Answers, Desk
from judge.templates import section
from providers.base import Segment

EDGE: Final = 2
"""Turns at either end that are compared."""
_WORD: Final = re.compile(r"\w{4,}")
Text = Annotated[str, Meta(max_length=300)]


class DriftAnswer(Struct, frozen=True, kw_only=True):
    """One speaker's core claim, early and late."""

    early: Text
    late: Text


class ConvergenceAnswer(Struct, frozen=True, kw_only=True):
    """The whole.  ``A`` is whoever spoke first."""

    A: DriftAnswer
    B: DriftAnswer
    reason: Text
    kind: ConvergenceKind


def convergence_prompt(prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Show both ends of the debate, and ask."""
    return (
        *opening(prompts, motion),
        *(turn_segment(prompts, spoken, turn) for turn in (*spoken[:EDGE], *spoken[-EDGE:])),
        Segment("user", section(prompts["convergence"], "ask")),
    )


def similarity(one: str, two: str) -> float:
    """Cosine of the content-word counts (four letters and more, case-folded) of two texts, in [0, 1]."""
    left, right = (Counter(_WORD.findall(text.casefold())) for text in (one, two))
    product = sum(count * right[word] for word, count in left.items())
    length = math.sqrt(sum(n * n for n in left.values())) * math.sqrt(sum(n * n for n in right.values()))
    return round(product / length, 2) if length else 0.0


def assess(desk: Desk, answers: Answers[ConvergenceAnswer]) -> None:
    """Record where the debate ended up, or that nobody could say; the similarity stands either way."""
    spoken = desk.debate.transcript.spoken()
    alike = similarity(*(turn.text for turn in spoken[-EDGE:]))
    if not answers.given:
        desk.add(ConvergenceAssessed(missing=answers.failed or UNSET, similarity=alike), desk.debate.position)
        return
    answer = answers.values[0]
    first = spoken[0].side
    drifts = {first: answer.A, other(first): answer.B}
    desk.add(
        ConvergenceAssessed(
            kind=answer.kind,
            sides=Drifts(
                pro=Drift(early=drifts["pro"].early, late=drifts["pro"].late),
                con=Drift(early=drifts["con"].early, late=drifts["con"].late),
            ),
            similarity=alike, reason=answer.reason,
        ),
        answers.cause,
    )
