"""A sentence of a report with the raw events that it is checked against, and what several checks read of them."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import UNSET

from events.record import Recorded
from events.types import (
    DebateOpened,
    Event,
    LogicGapAdjusted,
    PenaltyApplied,
    ScoreChange,
    ScoreInferred,
    TurnRescored,
    TurnScored,
    TurnSpoken,
    other,
)
from server.export.document import CitedTurn, QuotedWords, Strong
from server.export.reports.sentences import ReportSentence

Log = tuple[Recorded, ...]
NAMES = {"pro": "Pro", "con": "Con"}


class Told(NamedTuple):
    """A sentence with the raw events: all, and those that it cites."""

    log: dict[int, Any]
    cited: dict[int, Any]
    side: Any
    sentence: ReportSentence
    found: re.Match[str]
    report: tuple[ReportSentence, ...] = ()

    @property
    def told_alone(self) -> list[Any]:
        """The changes that sentences of the report tell one by one."""
        kinds = "gap", "claim", "dropped", "contradiction", "injection"
        alone = {"flagged_too", "charged", *(f"lost_{kind}" for kind in kinds)}
        events = [self.log[at] for each in self.report if each.kind in alone for at in each.because_of]
        return [each for each in events if isinstance(each, LogicGapAdjusted | PenaltyApplied)]

    def __getitem__(self, name: str) -> str:  # type: ignore[override]
        return self.found[name]

    def all(self, *types: type[Event], **values: Any) -> list[Any]:
        return [each for each in self.log.values() if is_such(each, types, values)]

    def cites(self, *types: type[Event], **values: Any) -> list[Any]:
        return [each for each in self.cited.values() if is_such(each, types, values)]

    def one(self, *types: type[Event], **values: Any) -> Any:
        (found,) = self.cites(*types, **values)
        return found

    @property
    def turn(self) -> int:
        return int(self["turn"])

    @property
    def rival(self) -> Any:
        return other(self.side)

    @property
    def mine(self) -> list[int]:
        """The side's turns."""
        return [each.turn for each in self.all(TurnSpoken, side=self.side)]

    @property
    def opened(self) -> DebateOpened:
        (found,) = self.all(DebateOpened)
        return found  # type: ignore[no-any-return]

    def text(self, turn: int) -> str:
        (spoken,) = self.all(TurnSpoken, turn=turn)
        return str(spoken.text)

    def says(self, turn: int, quote: str = "") -> bool:
        """Whether a turn has the quoted words."""
        return plain(quote or self["quote"]) in plain(self.text(turn))


def is_such(event: Any, types: tuple[type[Event], ...], values: dict[str, Any]) -> bool:
    return isinstance(event, types) and all(getattr(event, name) == value for name, value in values.items())


def plain(text: str) -> str:
    return " ".join(text.split())


def words(sentence: ReportSentence) -> str:
    """The whole sentence as text; quotes in double angles, so that a pattern finds their ends."""

    def part(each: Any) -> str:
        match each:
            case QuotedWords() | Strong():
                return f"«{plain(each.text)}»" if isinstance(each, QuotedWords) else each.text
            case CitedTurn():
                return f"turn {each.turn}"
        return str(each)

    return "".join(map(part, sentence.text))


def composites(told: Told, events: list[Any]) -> dict[int, float]:
    """The points of the turns, from some events alone: the last reading of each score, or what comparisons imply."""
    parts = [name for name, each in told.opened.rubric.dimensions.items() if each.in_composite]
    given: dict[int, dict[str, float]] = {}
    for each in events:
        if isinstance(each, TurnScored | TurnRescored) and each.dimensions is not UNSET:
            given.setdefault(each.turn, {}).update({name: one.admitted for name, one in each.dimensions.items()})
        elif isinstance(each, ScoreInferred):
            given.setdefault(each.turn, {}).update(each.dimensions)
    found: dict[int, float] = {}
    for turn, points in sorted(given.items()):
        if all(name in points for name in parts):
            changes = changes_of(events, turn)
            applied = sum(each.applied for each in changes if each.dimension in parts)
            found[turn] = round(sum(points[name] for name in parts) + applied, 2)
    return found


def changes_of(events: list[Any], turn: int) -> list[Any]:
    """The changes of the score of a turn, also those that follow from a second reading."""
    every = (
        one
        for each in events
        for one in (*((each.changes or ()) if isinstance(each, TurnRescored) else ()), each)
        if isinstance(one, ScoreChange)
    )
    return [each for each in every if each.turn == turn]


def highest(told: Told, turn: int) -> float:
    """The most that a turn can have: by the newer rubrics turn 1 has no points of what does not apply to it."""
    rubric = told.opened.rubric
    counted = [each for each in rubric.dimensions.values() if each.in_composite]
    if rubric.base != "components":
        return sum(each.maximum for each in counted)
    components = [one for each in counted for one in each.components.values() if one.applies_from <= turn]
    return sum(each.maximum for each in components)


def shown(value: float, told: Told, name: str = "points") -> bool:
    return (
        abs(float(told[name]) - value) < 0.0551
    )  # the record has two decimals: 72.045 is 72.05, which is shown as 72.1


def readings(told: Told, name: str) -> dict[int, Any]:
    """By turn, the last reading that has a component."""
    every = [each for each in told.all(TurnScored, TurnRescored) if each.components is not UNSET]
    return {each.turn: each for each in every if name in each.components}


def points_of(event: Any, name: str) -> float:
    assert event.components is not UNSET
    return event.components[name].admitted


def in_respect_of(text: str) -> str:
    """The component or the criterion that the sentence before names."""
    return text[text.index("(") + 1 : text.index(")")].replace(" ", "_")


QUOTE, POINTS, TURN = "«(?P<quote>.*)»", "(?P<points>[\\d.]+) points?", "turn (?P<turn>\\d+)"
DIMENSION = "(?P<dimension>[a-z ]+(?: \\(not in the total\\))?)"
LOST = f"{TURN} lost {POINTS} of {DIMENSION}"
BY_SHARE = "(?P<by>, by the share of what a turn could have)?"
OF_MOST = f"(?P<points>[\\d.]+) of (?P<most>\\d+) (?P<when>in the end|so far){BY_SHARE}\\."
WITH = f"with (?P<points>[\\d.]+) of (?P<most>\\d+) points (?P<when>in the end|so far){BY_SHARE}\\."
GIVEN = "(?P<given>[\\d.]+) of (?P<of>\\d+)(?:, of which the rules admit (?P<admitted>[\\d.]+),)?"
BEST = "In this respect \\({what}\\) the best {best} of this debate has (?P<best>[\\d.]+) of (?P<of>\\d+)\\. Your "
Check = Callable[[Told], Any]
CheckOfBoth = Callable[[Told, Any, str], bool]
"""Of kinds that speak of what the sentence before names: a check that gets its event and its text."""
