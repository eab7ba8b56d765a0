"""A rater's answers as the event that records them.

Of several samples the median of the given scores counts, and the standing that more than half of them give.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec import UNSET

from events.types import PanelistScored, Rater, Reason, Standing
from events.types.criteria import Criteria
from judge.live.answers import Answers, majority, why_missing
from judge.panel.questions import RaterAnswer

LEFT_OUT: Final = "the rater left it out"


def rated_nothing(answer: RaterAnswer) -> str:
    """Return the fault of an answer without a score and a standing; empty for others."""
    return "" if answer.scores or answer.standings else "the answer holds no score and no standing that can be read"


def read_rater(seat: Rater, answers: Answers[RaterAnswer], names: Sequence[str], criteria: Criteria) -> PanelistScored:
    """Return a rater's answers as the event that records them."""
    if not answers.given:
        return PanelistScored(rater=seat.name, model=seat.model, missing=why_missing(answers))
    samples = answers.values
    scores, spread = _medians(samples, names, criteria)
    standings = _standings(samples, names)
    absent = _absent(answers, scores, standings, names, criteria)
    if not scores and not standings:
        why = Reason(rated_nothing(samples[0]))
        return PanelistScored(rater=seat.name, model=seat.model, samples=len(samples), missing=why, absent=absent)
    return PanelistScored(
        rater=seat.name,
        model=seat.model,
        samples=len(samples),
        scores=scores,
        standings=standings,
        spread=spread,
        notes={name: text for name, text in samples[0].notes.items() if text},
        absent=absent,
        finding=next((each.finding for each in samples if each.finding), UNSET),
    )


def _medians(
    samples: Sequence[RaterAnswer], names: Iterable[str], criteria: Criteria
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return the median and the range of each score over the samples that have it."""
    scores: dict[str, dict[str, float]] = {}
    spread: dict[str, dict[str, float]] = {}
    for name in names:
        for dimension in criteria.dimensions:
            given = [each.scores[name][dimension] for each in samples if dimension in each.scores.get(name, {})]
            if given:
                scores.setdefault(name, {})[dimension] = float(median(given))
            if len(given) > 1:
                spread.setdefault(name, {})[dimension] = max(given) - min(given)
    return scores, spread


def _standings(samples: Sequence[RaterAnswer], names: Iterable[str]) -> dict[str, Standing]:
    """Return the standing that more than half of the samples with a standing give."""
    found: dict[str, Standing] = {}
    for name in names:
        given: list[Standing | None] = [each.standings[name] for each in samples if name in each.standings]
        if given and (most := majority(given, None)) is not None:
            found[name] = most
    return found


def _absent(
    answers: Answers[RaterAnswer],
    scores: Mapping[str, Mapping[str, float]],
    standings: Mapping[str, Standing],
    names: Iterable[str],
    criteria: Criteria,
) -> dict[str, str]:
    """Return the values that no sample gave, and why."""
    left_out = {note.path: note.what for _, note in reversed(answers.notes) if note.kind == "left_out"}
    gone: dict[str, str] = {}
    for name in names:
        if name not in scores and name not in standings:
            gone[name] = left_out.get(f"scores.{name}", LEFT_OUT)
            continue
        for dimension in criteria.dimensions:
            if dimension not in scores.get(name, {}):
                at = f"{name}.{dimension}"
                gone[at] = left_out.get(f"scores.{at}", left_out.get(f"scores.{name}", LEFT_OUT))
        if name not in standings:
            differ = any(name in each.standings for each in answers.values)
            why = "the samples differ, and none has the majority" if differ else LEFT_OUT
            gone[f"{name}.standing"] = left_out.get(f"standings.{name}", why)
    return gone
