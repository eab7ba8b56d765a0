"""Read a rater's answer by item id, leniently: values off the scale, missing or invented are recorded, never corrected.

Of several samples the median of the given scores counts, and the standing that more than half of them give.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, Final

from msgspec import UNSET, Struct

from events.types import PanelistScored, Rater, Reason, Standing
from events.types.criteria import STANDINGS, Criteria
from judge.live.answers import Answers, majority, why_missing
from judge.protocol.assessment import IDS, plain_name
from judge.protocol.reading import SHOWN, argument_id, as_written, clean_text, entries, excerpt, first_value

NOTE_MOST: Final = 300
LEFT_OUT: Final = "the rater left it out"
_TURN: Final = re.compile(r"\s*(?:turn|t)?\s*#?\s*([0-9]{1,3})\s*", re.IGNORECASE)
FINDING: Final = ("finding", "key_finding")
FINDING_MOST: Final = 600
_PARTS: Final = frozenset({"scores", "standings", "notes", *FINDING})


class RaterSample(Struct, frozen=True, kw_only=True):
    """One sample.  ``absent`` is keyed by item, or by ``item.dimension`` and ``item.standing``."""

    scores: dict[str, dict[str, float]]
    standings: dict[str, Standing]
    notes: dict[str, str]
    absent: dict[str, str]
    invented: tuple[str, ...]
    finding: str


def read_rater(seat: Rater, answers: Answers[Any], names: Sequence[str], criteria: Criteria) -> PanelistScored:
    """Return a rater's answers as the event that records them."""
    if not answers.given:
        return PanelistScored(rater=seat.name, model=seat.model, missing=why_missing(answers))
    samples = [read_sample(value, names, criteria) for value in answers.values]
    scores, spread = _medians(samples, names, criteria)
    standings = _standings(samples, names)
    if not scores and not standings:
        why = Reason("the answer holds no score and no standing that can be read")
        return PanelistScored(
            rater=seat.name, model=seat.model, samples=len(samples), missing=why, absent=samples[0].absent
        )
    return PanelistScored(
        rater=seat.name,
        model=seat.model,
        samples=len(samples),
        scores=scores,
        standings=standings,
        spread=spread,
        notes=samples[0].notes,
        absent=_absent(samples, scores, standings, names, criteria),
        finding=next((each.finding for each in samples if each.finding), UNSET),
    )


def invented(answers: Answers[Any], names: Sequence[str], criteria: Criteria) -> tuple[str, ...]:
    """Return the ids that a rater scored and that do not exist in the debate."""
    found = (each for value in answers.values for each in read_sample(value, names, criteria).invented)
    return tuple(dict.fromkeys(found))


def read_sample(value: Any, names: Sequence[str], criteria: Criteria) -> RaterSample:
    """Read one answer in any of the shapes that models give."""
    scored, unknown = _by_item(value, "scores", names)
    stood, more = _by_item(value, "standings", names)
    noted, _ = _by_item(value, "notes", names)
    scores: dict[str, dict[str, float]] = {}
    standings: dict[str, Standing] = {}
    notes: dict[str, str] = {}
    absent: dict[str, str] = {}
    for name in names:
        given = scored.get(name)
        if given is None:
            absent[name] = LEFT_OUT
        elif not isinstance(given, dict):
            absent[name] = f"{as_written(given)} holds no scores by dimension"
        else:
            scores |= {name: found} if (found := _scores(name, given, criteria, absent)) else {}
        stated = stood.get(name, first_value(given, ("standing",)))
        note = noted.get(name, first_value(given, ("note", "notes", "reason")))
        if (standing := _standing(stated)) is not None:
            standings[name] = standing
        elif name not in absent:
            shown = excerpt(stated) if isinstance(stated, str) else as_written(stated)
            absent[f"{name}.standing"] = LEFT_OUT if stated is None else f"{shown} is no standing"
        if text := clean_text(note):
            notes[name] = text[:NOTE_MOST]
    return RaterSample(
        scores=scores,
        standings=standings,
        notes=notes,
        absent=absent,
        invented=tuple(dict.fromkeys((*unknown, *more))),
        finding=clean_text(first_value(value, FINDING))[:FINDING_MOST],
    )


def item_id(name: str, names: Sequence[str]) -> str:
    """Return the item that a name means: ``PRO-1`` for ``pro 1``, ``3`` for ``turn 3``; else the name itself."""
    if (argument := argument_id(name)) in names:
        return argument
    found = _TURN.fullmatch(name)
    return str(int(found[1])) if found and str(int(found[1])) in names else name.strip()


def _by_item(value: Any, part: str, names: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the entry of each item in a part of the answer, and the ids that are no item."""
    inner = first_value(value, (part,))
    if isinstance(inner, dict):
        pairs = [(str(name), item) for name, item in inner.items()]
    elif isinstance(inner, list):
        pairs = entries(inner, (), IDS)
    elif part == "scores" and isinstance(value, dict):  # the items themselves, without anything around them
        pairs = [(name, item) for name, item in value.items() if name not in _PARTS]
    else:
        pairs = []
    found: dict[str, Any] = {}
    unknown = []
    for name, item in pairs:
        if (known := item_id(name, names)) in names:
            found.setdefault(known, item)
        elif known:
            unknown.append(known[:SHOWN])
    return found, tuple(unknown)


def _scores(name: str, given: Mapping[str, Any], criteria: Criteria, absent: dict[str, str]) -> dict[str, float]:
    scores: dict[str, float] = {}
    inner = given.get("scores")
    for dimension in criteria.dimensions:
        value = first_value(inner if isinstance(inner, dict) else given, (dimension, f"{dimension}_score"))
        if _is_on_scale(value, criteria):
            scores[dimension] = float(value)
        else:
            off = f"{as_written(value)} is not a number from {criteria.low} to {criteria.high}"
            absent[f"{name}.{dimension}"] = LEFT_OUT if value is None and dimension not in given else off
    return scores


def _is_on_scale(value: Any, criteria: Criteria) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and criteria.low <= value <= criteria.high


def _standing(stated: Any) -> Standing | None:
    upper = plain_name(stated).upper() if isinstance(stated, str) else ""
    return next((each for each in STANDINGS if each == upper), None)


def _medians(
    samples: Sequence[RaterSample], names: Iterable[str], criteria: Criteria
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


def _standings(samples: Sequence[RaterSample], names: Iterable[str]) -> dict[str, Standing]:
    """Return the standing that more than half of the samples with a standing give."""
    found: dict[str, Standing] = {}
    for name in names:
        given: list[Standing | None] = [each.standings[name] for each in samples if name in each.standings]
        if given and (most := majority(given, None)) is not None:
            found[name] = most
    return found


def _absent(
    samples: Sequence[RaterSample],
    scores: Mapping[str, Mapping[str, float]],
    standings: Mapping[str, Standing],
    names: Iterable[str],
    criteria: Criteria,
) -> dict[str, str]:
    """Return the values that no sample gave, and why."""
    reasons: dict[str, str] = {}
    for each in reversed(samples):
        reasons |= each.absent
    gone: dict[str, str] = {}
    for name in names:
        if name not in scores and name not in standings and name in reasons:
            gone[name] = reasons[name]
            continue
        for dimension in criteria.dimensions:
            if dimension not in scores.get(name, {}):
                at = f"{name}.{dimension}"
                gone[at] = reasons.get(at, reasons.get(name, LEFT_OUT))
        if name not in standings:
            gone[f"{name}.standing"] = reasons.get(f"{name}.standing", "the samples differ, and none has the majority")
    return gone
