"""Findings and steps of remediation with the raters who named them, and near-duplicates as the judge groups them."""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from events.types.deliberation import Point
from judge.deliberation.agreement import DIGITS, with_verdict
from judge.deliberation.subject import Opinions
from judge.guard.quotes import comparable


def listed_points(opinions: Opinions, weight: Mapping[str, float]) -> dict[str, Point]:
    """Return all findings (``F1`` …) and steps of remediation (``R1`` …), those with more weight first.

    Equal texts are one point.  ``weight`` is that of each rater.
    """
    both = (("F", _points(opinions, weight, "findings")), ("R", _points(opinions, weight, "remediation")))
    return {f"{letter}{number}": each for letter, points in both for number, each in enumerate(points, 1)}


def grouped(points: Mapping[str, Point], same_as: Mapping[str, str], weight: Mapping[str, float]) -> dict[str, Point]:
    """Return the points with near-duplicates as one, those with more weight first.

    ``same_as``: for a point the earlier one that says the same, by ids.  The first of a group gives its text, the
    others are ``alike``.  An id that does not exist, or that is of the other kind, groups nothing.
    """
    heads: dict[str, str] = {}
    found: dict[str, Point] = {}
    for name, point in points.items():
        head = heads.get(same_as.get(name, ""), name)
        heads[name] = head = head if head[0] == name[0] else name
        if head == name:
            found[name] = point
            continue
        known = found[head]
        alike = (*(() if known.alike is UNSET else known.alike), point.text)
        found[head] = replace(known, by=tuple(dict.fromkeys((*known.by, *point.by))), alike=alike)
    return dict(sorted(found.items(), key=lambda each: (each[0][0], -_behind(each[1], weight))))


def _points(
    opinions: Opinions, weight: Mapping[str, float], name: Literal["findings", "remediation"]
) -> tuple[Point, ...]:
    found: dict[str, Point] = {}
    for rater in sorted(with_verdict(opinions), key=lambda each: -weight[each]):
        for text in getattr(opinions[rater], name):
            known = found.get(key := comparable(text), Point(text=text, by=()))
            found[key] = replace(known, by=tuple(dict.fromkeys((*known.by, rater))))
    return tuple(sorted(found.values(), key=lambda each: -_behind(each, weight)))


def _behind(point: Point, weight: Mapping[str, float]) -> float:
    return round(sum(weight[rater] for rater in point.by), DIGITS)
