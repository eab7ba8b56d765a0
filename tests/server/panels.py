"""Scripted answers of the four raters that ship, and what tests read from the log of a debate with a panel."""

from collections.abc import Iterable, Mapping
from typing import Any

from events.types import Event, ModelAnswered
from tests.judge.panel.rater_scores import DIMENSIONS
from tests.judge.protocol.rounds import NAMES

RATERS = ("technical", "business", "risk", "general")
SHADES = (0, 1, -1, 0)
"""Differences between the four dimensions of a card: equal ratings would say nothing about agreement."""


def rating(scores: Mapping[str, int], **changes: Any) -> dict[str, Any]:
    """A rater's answer: a score for each item, varied by dimension; the higher half of the items stands."""
    middle = sorted(scores.values())[len(scores) // 2]
    return {
        "scores": {
            item: {name: min(10, max(1, score + shade)) for name, shade in zip(DIMENSIONS, SHADES, strict=True)}
            for item, score in scores.items()
        },
        "standings": {item: "UPHELD" if score >= middle else "REFUTED" for item, score in scores.items()},
        "notes": {item: f"{item} is worth {score}." for item, score in scores.items()},
    } | changes


def of_arguments(*scores: int, **changes: Any) -> dict[str, Any]:
    """Scores of the three arguments of pro and the three of con."""
    return rating(dict(zip(NAMES, scores, strict=True)), **changes)


def of_turns(*scores: int, **changes: Any) -> dict[str, Any]:
    """Scores of the turns."""
    return rating({str(number): score for number, score in enumerate(scores, 1)}, **changes)


def agreeing(make: Any = of_arguments, *scores: int) -> dict[str, Any]:
    """Answers of all four raters that are nearly equal."""
    rows = [[max(1, score - (number + at) % 3 // 2) for at, score in enumerate(scores)] for number in range(4)]
    return {f"panel:{name}": make(*row) for name, row in zip(RATERS, rows, strict=True)}


AGREED = agreeing(of_arguments, 8, 7, 8, 4, 3, 4)
SPLIT = {
    "panel:technical": of_arguments(1, 6, 7, 4, 3, 5),
    "panel:business": of_arguments(3, 7, 3, 4, 8, 4),
    "panel:risk": of_arguments(8, 2, 8, 9, 3, 5),
    "panel:general": of_arguments(10, 6, 2, 4, 9, 9),
}
"""PRO-1 has 1, 3, 8 and 10: this difference decides."""


def names(events: Iterable[Event]) -> list[str]:
    """The wire tags of events of the panel and of the end, in their order."""
    told = [str(type(event).__struct_config__.tag) for event in events]
    first = told.index("panelist_scored")
    return [tag for tag in told[first:] if tag not in {"model_answered", "model_failed"}]


def asked(events: Iterable[Event], purpose: str = "panel") -> list[tuple[str, int]]:
    """(key, sample) of every answer."""
    return [(each.key, each.sample) for each in events if isinstance(each, ModelAnswered) and each.purpose == purpose]
