"""The check of a log from elsewhere before a store adopts it: whether Moot could have written it.

The chain says only that a log was not changed after it was made.  A log that was made by hand may name a turn that does
not exist, or settings for which a resumed debate would pay without end.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from events.errors import BadTransfer
from events.record import Recorded
from events.types import DebateOpened, TurnScored, TurnSpoken, TurnStarted
from events.view import view as views
from server.debate.formats import FORMATS

BOUNDS: Final = {
    "turns": (0, 200),
    "max_words": (0, 1000),
    "judge.samples": (1, 9),
    "pro.time_s": (0, 86_400),
    "con.time_s": (0, 86_400),
    "judge.time_s": (0, 86_400),
    "settings.turn_attempts": (1, 10),
    "settings.judge_attempts": (1, 10),
    "settings.outage_attempts": (0, 20),
    "settings.turn_timeout_s": (0, 86_400),
    "settings.judge_timeout_s": (0, 86_400),
    "settings.retry_ms": (0, 3_600_000),
    "settings.temperature": (0, 2),
    "settings.judge_temperature": (0, 2),
    "settings.deadline_s": (0, 86_400),
    "settings.max_cost_usd": (0, 1e9),
}
"""Minimum and maximum values in an opening, by path; formats without debaters have 0 turns."""
UNREADABLE: Final = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
"""What the folds raise for a log that Moot did not write.  Readers of many debates skip such a debate."""
PRINTED: Final = 1e15
"""A message shows values below this one."""
MAX_LENGTHS: Final = {"panel": 48, "cases": 1000, "motion": 2000}
"""Maximum numbers of raters (12 models with up to four profiles), of cases, and of characters."""


def check_debate(records: tuple[Recorded, ...]) -> None:
    """Fold a whole debate and check its bounds.  Raises ``BadTransfer``, which names the position."""
    opened = records[0].event
    assert isinstance(opened, DebateOpened), "its parser has checked that"
    if not records[0].debate.strip("."):
        raise BadTransfer(f"{records[0].debate!r} is no id of a debate")
    for why in opening_faults(opened):
        raise BadTransfer(f"position 1: {why}")
    for record in records:
        for why in _faults(record, opened):
            raise BadTransfer(f"position {record.position}: {why}")
    fold = views.INITIAL
    for record in records:
        try:
            fold = views.apply_all(fold, (record,))
        except Exception as error:  # a hostile log can fail anywhere in the folds: all of it is refused
            why = f"{type(error).__name__}: {str(error)[:200]}"
            raise BadTransfer(
                f"position {record.position}: the event does not follow from those before it ({why})"
            ) from error


def opening_faults(opened: DebateOpened) -> Iterator[str]:
    """Each value of an opening that is beyond the bounds of Moot's own openings."""
    if opened.format not in FORMATS:
        yield f"this version of Moot has no format {opened.format[:40]!r}"
    for path, (least, most) in BOUNDS.items():
        value = opened
        for name in path.split("."):
            value = getattr(value, name)
        if isinstance(value, int | float) and not least <= value <= most:  # also what is no number
            shown = value if abs(value) < PRINTED else "too large to print"
            yield f"{path} is {shown}, and it may be from {least} to {most:g}"
    for name, limit in MAX_LENGTHS.items():
        if len(getattr(opened, name)) > limit:
            yield f"{name} has a length of {len(getattr(opened, name))}, and it may have {limit}"


def _faults(record: Recorded, opened: DebateOpened) -> Iterator[str]:
    event = record.event
    if isinstance(event, DebateOpened) and record.position != 1:
        yield "a debate opens only once"
    try:
        datetime.fromisoformat(record.at)
    except ValueError:
        yield f"{record.at!r} is no time"
    if isinstance(event, TurnStarted | TurnSpoken | TurnScored) and not 1 <= event.turn <= opened.turns:
        yield f"the debate has no turn {event.turn}"
    if isinstance(event, TurnScored) and event.dimensions:
        unknown = event.dimensions.keys() - opened.rubric.dimensions.keys()
        if unknown:
            yield f"the rubric has no dimension {min(unknown)[:80]!r}"
