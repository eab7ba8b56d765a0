"""A what-if in sentences: the outcome under the changed rules, the recorded outcome, and which rules differ."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from events.state.debate import Debate
from events.state.outcome import outcome_of
from events.text.figures import shortest
from events.types.rubric import Rubric, name_of_rubric
from judge.report.figures import plural
from judge.rubrics.rubric import SHIPPED

GENERAL: Final = "Under these rules"
WORDING: Final = re.compile(r"\.(?:anchors\.\d+|asks|means|excludes)$|^examples$")
"""Paths of a rubric at which a text stands."""


def sentences(recorded: Debate, would_be: Debate, rules: str, *, is_changed: bool) -> Iterator[str]:
    """The outcome under the changed ``rules``, then how the recorded outcome differs from it.

    ``is_changed``: whether any value differs.
    """
    yield _outcome(recorded, would_be, rules)
    if not is_changed:
        yield "Nothing would change."
        return
    one, two = outcome_of(recorded), outcome_of(would_be)
    if one is UNSET or two is UNSET:
        return
    yield "The recorded outcome is the same." if one == two else f"As recorded: {one.headline}."


def _outcome(recorded: Debate, would_be: Debate, rules: str) -> str:
    said, one, two = outcome_of(would_be), recorded.panel.verdict, would_be.panel.verdict
    if would_be.status.conclusion is None:
        return f"There is no winner yet: the debate is {would_be.status.state}."
    if one is not UNSET and two is not UNSET:
        same = "is still" if one.verdict == two.verdict else "would be"
        return f"{rules} the verdict {same} {two.verdict or f'missing: {two.missing}'}."
    return f"{rules}: {'' if said is UNSET else said.text}"


def rules_as_clause(other: Rubric, changed: Sequence[str], without_rater: str) -> str:
    """The changed rules as the beginning of a sentence.  ``changed``: paths of the rubric that differ."""
    if without_rater:
        return GENERAL if changed else f"Without the rater {without_rater}"
    if not changed:
        return GENERAL
    name = name_of_rubric(other)
    if name.partition("-")[0] in SHIPPED:
        return f"Under the rubric {name}"
    if changed == ["tie_within"]:
        return f"If {_points(other.tie_within)} were a tie"
    if changed == ["certainty.name_at"] and other.certainty:
        return f"If a certainty of {shortest(other.certainty.name_at * 100)} % named a side"
    return _without_deductions(other, changed) or GENERAL


def _without_deductions(other: Rubric, changed: Sequence[str]) -> str:
    """The clause for rules that differ only in that no turn loses points for some findings; else empty."""
    kinds = {
        "claims": ("suspect claims", other.claims),
        "conduct": ("conduct", other.conduct),
        "evidence": ("what the documents show", other.evidence),
    }
    touched = {path.partition(".")[0] for path in changed}
    if not touched <= kinds.keys() or any(kinds[name][1] for name in touched):
        return ""
    return f"Without deductions for {' and '.join(said for name, (said, _) in kinds.items() if name in touched)}"


def _points(points: float) -> str:
    return f"{points:g} {'point' if points == 1 else 'points'}"


def rules_in_short(changed: Sequence[str]) -> str:
    """Which parts of the rubric differ, and in how many figures; empty without a difference."""
    figures = Counter(path.partition(".")[0] for path in changed if not WORDING.search(path))
    texts = len(changed) - figures.total()
    said: list[str] = []
    if figures:
        parts = ", ".join(
            name.replace("_", " ") + (f" ({number})" if number > 1 else "") for name, number in figures.items()
        )
        said.append(f"{plural(figures.total(), 'figure')} of the rubric: {parts}")
    if texts:
        said.append(f"{plural(texts, 'text')} of the rubric (questions, anchors, examples)")
    return f"Changed: {'; '.join(said)}." if said else ""
