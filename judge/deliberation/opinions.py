"""A judge's opinion as the event that records it: a value that is absent is missing, with the reason."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.types import Reason
from events.types.deliberation import OpinionGiven
from judge.deliberation.subject import Subject
from judge.guard.quotes import find
from judge.lenient import Note

UNSCORED: Final = "it was not scored"
NOBODY: Final = "nobody"
"""The answer of a judge that no other judge has moved."""
NO_TITLES: Final[Mapping[str, str]] = MappingProxyType({})


class OpinionAnswer(Struct, frozen=True, kw_only=True):
    """An opinion as the model gives it, with the names of prompts; what could not be read is not in it."""

    verdict: str | UnsetType = UNSET
    confidence: float | UnsetType = UNSET
    scores: dict[str, float] = {}
    findings: tuple[str, ...] = ()
    remediation: tuple[str, ...] = ()
    rationale: str = ""
    quote: str = ""
    withdraws: tuple[str, ...] = ()
    """Ids of findings and remediation of its own (``own_points``)."""
    moved_by: str | UnsetType = UNSET
    """A judge's title, or ``NOBODY``."""
    moved_words: str = ""


def own_points(own: OpinionGiven) -> dict[str, str]:
    """Return what a judge holds so far by id: findings ``F1`` …, remediation ``R1`` …."""
    named = {"F": own.findings, "R": own.remediation}
    return {f"{letter}{number}": text for letter, texts in named.items() for number, text in enumerate(texts, 1)}


def read_opinion(
    answer: OpinionAnswer,
    notes: Iterable[Note],
    subject: Subject,
    *,
    rater: str,
    model: str,
    number: int,
    own: OpinionGiven | None = None,
    titles: Mapping[str, str] = NO_TITLES,
) -> OpinionGiven:
    """Return the opinion to record.  ``notes``: what was corrected in the answer.  Without a verdict it is missing.

    With ``own``, the opinion so far, what it names stands unless the answer withdraws it.  ``titles`` are those of the
    judges that it read.
    """
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
    points = {} if own is None else own_points(own)
    withdrawn = tuple(text for name, text in points.items() if name in answer.withdraws)
    kept = {name: text for name, text in points.items() if name not in answer.withdraws}
    moved_by = next((name for name, title in titles.items() if title == answer.moved_by), UNSET)
    return OpinionGiven(
        rater=rater,
        model=model,
        round=number,
        verdict=verdict,
        confidence=answer.confidence,
        scores={name: answer.scores[label] for label, name in labels.items() if label in answer.scores},
        findings=_once((*(kept[name] for name in kept if name[0] == "F"), *answer.findings)),
        remediation=_once((*(kept[name] for name in kept if name[0] == "R"), *answer.remediation)),
        rationale=answer.rationale,
        quote=answer.quote,
        verified=any(find(answer.quote, text, subject.quote_minimum) is not None for text in subject.texts),
        absent=absent,
        withdrawn=withdrawn or UNSET,
        moved_by=moved_by,
        moved_words=answer.moved_words if moved_by is not UNSET and answer.moved_words else UNSET,
    )


def no_opinion(why: Reason, *, rater: str, model: str, number: int) -> OpinionGiven:
    """Return the event for a judge that did not answer."""
    return OpinionGiven(rater=rater, model=model, round=number, missing=why)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts without empty ones and duplicates."""
    return tuple(dict.fromkeys(filter(None, texts)))
