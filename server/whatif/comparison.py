"""The recorded outcome and the one under other rules, side by side, with every figure that differs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.state.debate import Debate
from events.store.log import EventLog, read_all
from events.types import DebateOpened
from server.errors import NotNow, TooLarge
from server.whatif.outcome import (
    ArgumentSummary,
    DebateOutcome,
    Effective,
    arguments_of,
    is_judged,
    outcome_of,
    turns_of,
)
from server.whatif.replay import ReplayResult, UnansweredQuestion, replay
from server.whatif.request import WhatIfRequest

EVENTS_MOST: Final = 50_000
"""Events beyond which nobody may ask: a debate of 200 turns has about 5,000."""
NOTE: Final = (
    "The rules are run again over what was recorded: speeches and answers are as they were. What debaters would have "
    "said under other directives, and what a model would have answered to a question put otherwise, is not known."
)


class ValueChange(Struct, frozen=True, kw_only=True):
    """A value that is other; absent where there is none."""

    path: str
    before: Any = UNSET
    after: Any = UNSET


class TurnPair(Struct, frozen=True, kw_only=True):
    """A turn's effective values; absent where it was not judged."""

    recorded: Effective | UnsetType = UNSET
    would_be: Effective | UnsetType = UNSET


class ArgumentPair(Struct, frozen=True, kw_only=True):
    """Where an argument of the protocol stands."""

    recorded: ArgumentSummary | UnsetType = UNSET
    would_be: ArgumentSummary | UnsetType = UNSET


class WhatIf(Struct, frozen=True, kw_only=True):
    """All of it.  ``unanswered``: what would be asked and has no answer in the record, so that a value is missing."""

    note: str
    rubric_changes: tuple[ValueChange, ...]
    recorded: DebateOutcome
    would_be: DebateOutcome
    turns: dict[str, TurnPair]
    changes: tuple[ValueChange, ...]
    without_rater: str | UnsetType = UNSET
    arguments: dict[str, ArgumentPair] = {}
    unanswered: tuple[UnansweredQuestion, ...] = ()


async def records_of(log: EventLog, debate: str) -> tuple[Recorded, ...]:
    """A whole debate as far as it has come.  Raises ``TooLarge`` for one that takes too long to run again."""
    if (head := await log.head(debate)) > EVENTS_MOST:
        raise TooLarge(f"this debate has {head:,} events; what if is for at most {EVENTS_MOST:,}")
    return tuple([record async for record in read_all(log, debate)])


def opening_of(records: Sequence[Recorded]) -> DebateOpened:
    """The opening of a debate of which there is an outcome.  Raises ``NotNow``."""
    opened = records[0].event
    if not isinstance(opened, DebateOpened):
        raise NotNow("this log does not begin with the opening of a debate")
    if opened.format == "calibration":
        raise NotNow("a calibration measures raters: nobody wins it, so there is no outcome to compare")
    return opened


def what_if(records: Sequence[Recorded], request: WhatIfRequest) -> WhatIf:
    """Both outcomes.  Raises ``NotNow`` where nothing has been judged, ``BadField`` where the wish makes no sense."""
    opened = opening_of(records)
    other = request.opening(opened)
    walked = replay(records, lambda _: other)
    if not is_judged(walked.recorded):
        raise NotNow("nothing has been judged yet, so there is nothing to run again")
    recorded, would_be = (_picture(debate) for debate in (walked.recorded, walked.would_be))
    turns, arguments = (_beside(recorded[part], would_be[part]) for part in ("turns", "arguments"))
    return WhatIf(
        note=_note(walked, opened),
        rubric_changes=differences(opened.rubric, other.rubric),
        recorded=recorded["outcome"],
        would_be=would_be["outcome"],
        unanswered=walked.unanswered,
        without_rater=request.without_rater or UNSET,
        turns={name: TurnPair(recorded=one, would_be=two) for name, (one, two) in turns.items()},
        arguments={name: ArgumentPair(recorded=one, would_be=two) for name, (one, two) in arguments.items()},
        changes=differences(recorded, would_be),
    )


def _picture(debate: Debate) -> dict[str, Any]:
    """Everything that is put side by side."""
    return {"outcome": outcome_of(debate), "turns": turns_of(debate), "arguments": arguments_of(debate)}


def _note(walked: ReplayResult, opened: DebateOpened) -> str:
    said = [NOTE]
    if walked.diverges_at:
        said.append(
            f"Moot {opened.moot} wrote this debate; the rules of today write position {walked.diverges_at} otherwise, "
            "so that part of what differs may come from that."
        )
    if walked.recorded.status.state != "concluded":
        said.append(f"The debate is {walked.recorded.status.state}: this is what is recorded so far.")
    return " ".join(said)


def differences(before: Any, after: Any) -> tuple[ValueChange, ...]:
    """Every leaf of two values that differs, by its dotted path, in reading order."""
    one, two = leaves(before), leaves(after)
    return tuple(
        ValueChange(path=path, before=one.get(path, UNSET), after=two.get(path, UNSET))
        for path in dict.fromkeys((*one, *two))
        if one.get(path, UNSET) != two.get(path, UNSET)
    )


def leaves(value: Any) -> dict[str, Any]:
    """Figures and words by dotted path; a list is one leaf unless it holds objects."""
    found: dict[str, Any] = {}
    _gather(msgspec.to_builtins(value), "", found)
    return found


def _gather(value: Any, path: str, found: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _gather(inner, f"{path}.{name}" if path else str(name), found)
    else:
        found[path] = value


def _beside(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """By name; UNSET where one of them has none."""
    return {name: (one.get(name, UNSET), two.get(name, UNSET)) for name in dict.fromkeys((*one, *two))}
