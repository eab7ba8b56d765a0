"""Read a judge's assessment leniently: a score off the scale or left out is missing, with the reason."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from events.types import Standing
from events.types.criteria import STANDINGS, Criteria
from judge.protocol.reading import all_text, argument_id, as_written, clean_text, entries, excerpt, first_value

IDS: Final = ("argument", "argument_id", "id", "target")
_AROUND: Final = ("arguments", "scores", "argument_scores")
_TRACES: Final = ("trace", "argument_trace_table", "trace_table", "standings")
_OVERALL: Final = ("overall", "overall_assessment", "assessment")
_PARTS: Final = frozenset({*_AROUND, *_TRACES, *_OVERALL, "fallacies"})
_NO_LETTER: Final = re.compile(r"[^a-z]+")


class Finding(Struct, frozen=True, kw_only=True):
    """A fallacy as the judge names it, not checked yet."""

    argument: str
    fallacy: str
    quote: str
    reason: str


class ArgumentAssessment(Struct, frozen=True, kw_only=True):
    """The assessment of one argument.  ``absent``: dimensions without a score, and why."""

    scores: dict[str, int] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    standing: Standing | None = None
    reason: str = ""
    why: str = ""
    """Why there is no standing."""


class Assessment(Struct, frozen=True, kw_only=True):
    """One sample of the assessment.  ``invented``: ids of arguments that do not exist."""

    arguments: dict[str, ArgumentAssessment]
    invented: tuple[str, ...]
    fallacies: tuple[Finding, ...]
    key_insight: str
    unresolved: tuple[str, ...]
    recommendation: str

    @property
    def is_empty(self) -> bool:
        """Whether no argument has a score or a standing."""
        return not any(said.scores or said.standing for said in self.arguments.values())


def read_assessment(value: Any, names: Sequence[str], criteria: Criteria) -> Assessment:
    """Read an assessment in any of the shapes that models give: by argument, or as separate tables."""
    scored = [(argument_id(name), item) for name, item in entries(value, _AROUND, IDS)]
    traced = [(argument_id(name), item) for name, item in _table(first_value(value, _TRACES))]
    given: dict[str, list[Any]] = {}
    for name, item in (*scored, *traced):
        given.setdefault(name, []).append(item)
    overall = first_value(value, _OVERALL)
    whole = {**value, **overall} if isinstance(value, dict) and isinstance(overall, dict) else value
    unresolved = first_value(whole, ("unresolved_questions", "unresolved"))
    questions = unresolved if isinstance(unresolved, list) else [unresolved]
    return Assessment(
        arguments={name: _argument_assessment(given.get(name, []), criteria) for name in names},
        invented=tuple(name for name in given if name and name not in {*names, *_PARTS}),
        fallacies=tuple(_fallacies(value, scored)),
        key_insight=clean_text(first_value(whole, ("key_insight", "insight"))),
        unresolved=tuple(text for each in questions if (text := clean_text(each) or all_text(each))),
        recommendation=clean_text(first_value(whole, ("recommendation",))),
    )


def plain_name(name: str) -> str:
    """Return ``straw_man`` for ``Straw-Man fallacy``: lower case, underscores, without articles and "fallacy"."""
    words = [word for word in _NO_LETTER.split(name.casefold()) if word not in {"", "fallacy", "the", "an", "a"}]
    return "_".join(words)


def _table(value: Any) -> list[tuple[str, Any]]:
    """Read a trace table; an object of standings by argument is one, too."""
    if isinstance(value, dict):
        return [
            (clean_text(name), item if isinstance(item, dict) else {"standing": item}) for name, item in value.items()
        ]
    return entries(value, (), IDS)


def _argument_assessment(items: Iterable[Any], criteria: Criteria) -> ArgumentAssessment:
    """Merge all entries about one argument; the first value of a dimension counts."""
    items = [each for each in items if isinstance(each, dict)]
    if not items:
        why = "the judge left it out"
        return ArgumentAssessment(absent=dict.fromkeys(criteria.dimensions, why), why=why)
    scores: dict[str, int] = {}
    absent: dict[str, str] = {}
    for name in criteria.dimensions:
        found = [value for value in (_score(each, name) for each in items) if value is not _NOT_THERE]
        if not found:
            absent[name] = "the judge left it out"
        elif (score := _whole(found[0], criteria)) is not None:
            scores[name] = score
        else:
            absent[name] = f"{as_written(found[0])} is no whole number from {criteria.low} to {criteria.high}"
    stated = next((clean_text(each["standing"]) for each in items if "standing" in each), None)
    upper = plain_name(stated).upper() if stated else ""
    standing = next((each for each in STANDINGS if each == upper), None)
    reason = next(
        (text for each in items if (text := clean_text(first_value(each, ("reason", "reasoning", "notes"))))), ""
    )
    why = "the judge gave no standing" if not stated else f"{excerpt(stated)} is no standing"
    return ArgumentAssessment(
        scores=scores, absent=absent, standing=standing, reason=reason, why="" if standing else why
    )


_NOT_THERE: Final = object()


def _score(item: dict[str, Any], name: str) -> Any:
    inner = item.get("scores")
    for place in (inner, item):
        for spelling in (name, f"{name}_score"):
            if isinstance(place, dict) and spelling in place:
                return place[spelling]
    return _NOT_THERE


def _whole(value: Any, criteria: Criteria) -> int | None:
    """Return a whole number on the scale, else None; ``true`` and ``"8/10"`` are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if criteria.low <= value <= criteria.high else None


def _fallacies(value: Any, scored: Iterable[tuple[str, Any]]) -> Iterator[Finding]:
    listed = first_value(value, ("fallacies",))
    if isinstance(listed, list):
        for each in listed:
            yield _finding(clean_text(first_value(each, IDS)), each)
    elif isinstance(listed, dict):
        for name, each in listed.items():
            yield from (_finding(name, one) for one in (each if isinstance(each, list) else [each]))
    for name, item in scored:
        named = first_value(item, ("fallacies",))
        yield from (_finding(name, one) for one in (named if isinstance(named, list) else []))


def _finding(name: str, item: Any) -> Finding:
    stated = item if isinstance(item, str) else first_value(item, ("fallacy", "type", "name"))
    return Finding(
        argument=argument_id(name),
        fallacy=clean_text(stated),
        quote=clean_text(first_value(item, ("quote", "words"))),
        reason=clean_text(first_value(item, ("reason", "reasoning", "explanation"))),
    )
