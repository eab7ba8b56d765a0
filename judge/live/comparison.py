"""Comparison with the previous turn, in both orders, and the bands for the scores.

The speeches are "first" and "second" in the order of the prompt.  A choice counts only if both orders agree; otherwise
the dimension is a draw and recorded as flipped.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from events.state.exchanges import Comparison
from events.types import ComparisonOutcome, Reason, ScoreHarmonized, TurnsCompared, TurnSpoken
from events.types.rubric import Band, Rubric
from judge.guard.neutralise import quoted
from judge.live.answers import Answers, Why, majority, why_missing
from judge.live.entries import absorbed_note, change_to
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, opening
from judge.rubric import fmt
from judge.templates import fill, section
from providers.base import Segment

Choice = Literal["first", "second", "draw"]
LABELS: Final = ("First", "Second")


@lru_cache(maxsize=16)
def _compare_type(dimensions: tuple[str, ...]) -> type[Struct]:
    reason: tuple[str, Any, Any] = ("reason", Why, "")
    fields: list[Any] = [reason, *((name, Choice) for name in dimensions)]
    return msgspec.defstruct("Comparison", fields, frozen=True, kw_only=True, module=__name__)


def compare_type(rubric: Rubric) -> type[Struct]:
    """Return the type of an answer: ``{"reason", dimension: "first"|"second"|"draw", …}`` for each band."""
    return _compare_type(tuple(rubric.bands))


CompareAnswer = dict[str, str]
"""What one sample says: its reason, and its choice by dimension.  Without a choice a dimension counts as drawn."""


def compare_prompt(
    prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken], order: tuple[int, ...]
) -> Prompt:
    """Ask about two turns in this order; the prompt does not tell which was spoken first, nor the side or model."""
    frame = section(prompts["judge"], "speech")
    speeches = {turn.turn: turn.text for turn in spoken}
    dimensions = "\n".join(
        f"- {name}: {', '.join(each.asks for each in rubric.dimensions[name].components.values())}"
        for name in rubric.bands
    )
    return (
        *opening(prompts, motion),
        *(
            Segment("user", fill(frame, label=label, text=quoted(speeches[number])))
            for label, number in zip(LABELS, order, strict=True)
        ),
        Segment("user", fill(section(prompts["compare"], "ask"), dimensions=dimensions)),
    )


def compare_turns(
    batch: EventBatch, earlier: int, later: int, forward: Answers[CompareAnswer], backward: Answers[CompareAnswer]
) -> int:
    """Record what both orders agree on; return the comparison's position.  ``forward`` shows ``earlier`` first."""
    if not forward.given or not backward.given:
        unanswered, order = (backward, (later, earlier)) if forward.given else (forward, (earlier, later))
        why = Reason(f"shown as {order[0]}-{order[1]}: {why_missing(unanswered).reason}")
        cause = forward.cause or backward.cause or batch.debate.transcript.turns[later].spoken
        return batch.add(TurnsCompared(earlier=earlier, later=later, missing=why), cause)
    rubric = batch.debate.ledger.rubric
    outcomes: dict[str, ComparisonOutcome] = {}
    flipped: list[str] = []
    for dimension in rubric.bands if rubric else ():
        one = _outcome(forward, dimension, ("earlier", "later"))
        two = _outcome(backward, dimension, ("later", "earlier"))
        outcomes[dimension] = one if one == two else "draw"
        if one != two:
            flipped.append(dimension)
    reasons = [
        f"Shown as {order}: {each.values[0]['reason']}"
        for order, each in ((f"{earlier}-{later}", forward), (f"{later}-{earlier}", backward))
        if each.values[0].get("reason")
    ]
    return batch.add(
        TurnsCompared(
            earlier=earlier, later=later, outcomes=outcomes, flipped=tuple(flipped), reason=" ".join(reasons)
        ),
        forward.cause,
    )


def _outcome(
    answers: Answers[CompareAnswer], dimension: str, shown: tuple[ComparisonOutcome, ComparisonOutcome]
) -> ComparisonOutcome:
    """Return the choice of more than half of one order's samples, else a draw."""
    named: dict[str, ComparisonOutcome] = {"first": shown[0], "second": shown[1], "draw": "draw"}
    return majority([named[answer.get(dimension, "draw")] for answer in answers.values], "draw")


def harmonize(batch: EventBatch, comparison: int) -> None:
    """Move the newer turn's scores into the bands, and turn 1's once, by its first comparison.

    Bands move the admitted values only; penalties are applied in full afterwards.
    """
    found = next(each for each in batch.debate.exchanges.comparisons.values() if each.position == comparison)
    rubric = batch.debate.ledger.rubric
    if rubric is None or found.missing is not None:
        return
    turns = (found.later, found.earlier) if found.earlier == 1 else (found.later,)
    for dimension, outcome in found.outcomes.items():
        if outcome != "draw" and dimension in rubric.bands:
            for turn in turns:
                _band(batch, found, turn, dimension, rubric.bands[dimension])


def _band(batch: EventBatch, found: Comparison, turn: int, dimension: str, band: Band) -> None:
    """Move one balance into its band, unless an earlier comparison did."""
    balance = batch.debate.ledger.balance(turn, dimension)
    if balance is None or balance.harmonized:
        return
    place, against = ("later", found.earlier) if turn == found.later else ("earlier", found.later)
    won = found.outcomes[dimension] == place
    floor, ceiling = band.winner if won else band.loser
    requested = round(min(max(balance.admitted, floor), ceiling) - balance.admitted, 2)
    if requested == 0:
        return
    bound = f"at least {fmt(floor)}" if requested > 0 else f"at most {fmt(ceiling)}"
    applied = change_to(balance, balance.after(shift=requested))
    batch.add(
        ScoreHarmonized(
            turn=turn,
            dimension=dimension,
            requested=requested,
            applied=applied,
            rule="band_winner" if won else "band_loser",
            because_of=found.position,
            reason=f"{'won' if won else 'lost'} {dimension} against turn {against}: {bound}"
            + absorbed_note(balance, requested, applied),
        ),
        found.position,
    )
