"""A judge's opinion as the event that records it: a value that is absent is missing, with the reason."""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.types import Reason
from events.types.deliberation import OpinionGiven
from judge.deliberation.subject import Subject
from judge.guard.quotes import find
from judge.lenient import Note

UNSCORED: Final = "it was not scored"


class OpinionAnswer(Struct, frozen=True, kw_only=True):
    """An opinion as the model gives it, with the names of prompts; what could not be read is not in it."""

    verdict: str | UnsetType = UNSET
    confidence: float | UnsetType = UNSET
    scores: dict[str, float] = {}
    findings: tuple[str, ...] = ()
    remediation: tuple[str, ...] = ()
    rationale: str = ""
    quote: str = ""


def read_opinion(
    answer: OpinionAnswer, notes: Iterable[Note], subject: Subject, *, rater: str, model: str, number: int
) -> OpinionGiven:
    """Return the opinion to record.  ``notes``: what was corrected in the answer.  Without a verdict it is missing."""
    lost = {note.path: note.what for note in notes if note.kind in {"left_out", "unknown"}}
    verdict = next((each for each in subject.verdicts if subject.label(each) == answer.verdict), None)
    if verdict is None:
        why = Reason(lost.get("verdict", "it gives no verdict"))
        return no_opinion(why, rater=rater, model=model, number=number)
    labels = {subject.label(name): name for name in subject.dimensions}
    absent = {} if answer.confidence is not UNSET else {"confidence": lost.get("confidence", "it was not given")}
    for label, name in labels.items():
        if label not in answer.scores:
            absent[name] = lost.get(f"scores.{label}", lost.get("scores", UNSCORED))
    known = {f"scores.{label}" for label in labels} | {"scores", "confidence"}
    absent |= {path.removeprefix("scores."): why for path, why in lost.items() if path not in known}
    return OpinionGiven(
        rater=rater,
        model=model,
        round=number,
        verdict=verdict,
        confidence=answer.confidence,
        scores={name: answer.scores[label] for label, name in labels.items() if label in answer.scores},
        findings=_once(answer.findings),
        remediation=_once(answer.remediation),
        rationale=answer.rationale,
        quote=answer.quote,
        verified=any(find(answer.quote, text, subject.quote_minimum) is not None for text in subject.texts),
        absent=absent,
    )


def no_opinion(why: Reason, *, rater: str, model: str, number: int) -> OpinionGiven:
    """Return the event for a judge that did not answer."""
    return OpinionGiven(rater=rater, model=model, round=number, missing=why)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts without empty ones and duplicates."""
    return tuple(dict.fromkeys(filter(None, texts)))
