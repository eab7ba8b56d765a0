"""Read a judge's opinion leniently: a value that is absent or off the scale is missing, with the reason."""

import math
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from events.types import Reason
from events.types.deliberation import OpinionGiven, Verdict
from judge.deliberation.subject import Subject
from judge.guard.quotes import find
from judge.protocol.reading import clean_text

SHOWN = 40
"""Characters of a wrong value that the event repeats; the log has the whole answer."""
MOST_STRANGERS = 12
"""Dimensions that were not asked for and that the event lists."""


class OpinionAnswer(Struct, frozen=True, kw_only=True):
    """An opinion as the model gives it: any value under these names."""

    verdict: Any = None
    confidence: Any = None
    scores: Any = None
    findings: Any = ()
    remediation: Any = ()
    rationale: Any = ""
    quote: Any = ""


def read_opinion(answer: OpinionAnswer, subject: Subject, *, rater: str, model: str, number: int) -> OpinionGiven:
    """Return the opinion to record.  Without a valid verdict it is missing."""
    verdict = _verdict(answer.verdict, subject)
    if verdict is UNSET:
        why = f"{_shown(answer.verdict)} is none of {', '.join(map(subject.label, subject.verdicts))}"
        return OpinionGiven(rater=rater, model=model, round=number, missing=Reason(why))
    absent: dict[str, str] = {}
    scores = _scores(answer.scores, subject, absent)
    quote = clean_text(answer.quote)
    found = any(find(quote, text, subject.quote_minimum) is not None for text in subject.texts)
    return OpinionGiven(
        rater=rater,
        model=model,
        round=number,
        verdict=verdict,
        confidence=_confidence(answer.confidence, absent),
        scores=scores,
        findings=_list("findings", answer.findings, absent),
        remediation=_list("remediation", answer.remediation, absent),
        rationale=clean_text(answer.rationale),
        quote=quote,
        verified=found,
        absent=absent,
    )


def no_opinion(why: Reason, *, rater: str, model: str, number: int) -> OpinionGiven:
    """Return the event for a judge that did not answer."""
    return OpinionGiven(rater=rater, model=model, round=number, missing=why)


def _verdict(raw: Any, subject: Subject) -> Verdict | UnsetType:
    wanted = clean_text(raw).casefold()
    for verdict in subject.verdicts:
        if wanted in {verdict.casefold(), subject.label(verdict).casefold()}:
            return verdict
    return UNSET


def _confidence(raw: Any, absent: dict[str, str]) -> float | UnsetType:
    value = _number(raw, 0, 1)
    if isinstance(value, str):
        absent["confidence"] = value
        return UNSET
    return value


def _scores(raw: Any, subject: Subject, absent: dict[str, str]) -> dict[str, float]:
    """Return scores by the dimensions' names in events."""
    given = raw if isinstance(raw, dict) else {}
    scores: dict[str, float] = {}
    known: set[str] = set()
    for name in subject.dimensions:
        written = next((each for each in (subject.label(name), name) if each in given), None)
        if written is None:
            absent[name] = "it was not scored"
            continue
        known.add(written)
        value = _number(given[written], subject.low, subject.high)
        if isinstance(value, str):
            absent[name] = value
        else:
            scores[name] = value
    for stranger in [str(each) for each in given if each not in known][:MOST_STRANGERS]:
        absent[stranger[:SHOWN]] = "nobody asked for it"
    return scores


def _number(raw: Any, low: float, high: float) -> float | str:
    """Return a number on the scale, or its fault."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        return f"{_shown(raw)} is not a number"
    if not low <= raw <= high:
        return f"{raw:g} is not between {low:g} and {high:g}"
    return float(raw)


def _list(name: str, raw: Any, absent: dict[str, str]) -> tuple[str, ...]:
    """Return a list of sentences without duplicates."""
    items: Sequence[Any] = raw if isinstance(raw, list | tuple) else [raw]
    if not all(isinstance(each, str) for each in items):
        absent[name] = "not all of it is text"
    return tuple(dict.fromkeys(text for each in items if (text := clean_text(each))))


def _shown(raw: Any) -> str:
    text = repr(raw) if raw is not None else "nothing"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
