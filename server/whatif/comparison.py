"""The recorded outcome compared with the outcome under changed rules: every value that differs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import structlog
from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.state.debate import Debate
from events.state.outcome import outcome_of as in_words
from events.state.scorecard import OF_SCALED
from events.store.log import EventLog, read_all
from events.types import DebateOpened
from events.types.rubric import Rubric, composite_dimensions, is_unscaled
from server.debate.adoption import UNREADABLE
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
from server.whatif.sentences import rules_as_clause, rules_in_short, sentences

logger = structlog.get_logger()

MAX_EVENTS: Final = 50_000
"""Events of the longest debate that may be replayed; a debate of 200 turns has about 5,000."""
NOTE: Final = (
    "The rules are run again over what was recorded: speeches and answers are as they were. What debaters would have "
    "said under other directives, and what a model would have answered to a question put otherwise, is not known."
)


class ValueChange(Struct, frozen=True, kw_only=True):
    """A value that differs.  ``before`` or ``after`` is absent if there is no value."""

    path: str
    before: Any = UNSET
    after: Any = UNSET


class TurnPair(Struct, frozen=True, kw_only=True):
    """A turn's effective values in both debates; absent if it was not judged."""

    recorded: Effective | UnsetType = UNSET
    would_be: Effective | UnsetType = UNSET


class ArgumentPair(Struct, frozen=True, kw_only=True):
    """The standing of a protocol's argument in both debates."""

    recorded: ArgumentSummary | UnsetType = UNSET
    would_be: ArgumentSummary | UnsetType = UNSET


class WhatIf(Struct, frozen=True, kw_only=True):
    """Both outcomes and their differences.

    ``unanswered``: questions that the changed rules ask and the record does not answer, so that a value is missing.
    """

    note: str
    rubric_changes: tuple[ValueChange, ...]
    recorded: DebateOutcome
    would_be: DebateOutcome
    turns: dict[str, TurnPair]
    changes: tuple[ValueChange, ...]
    without_rater: str | UnsetType = UNSET
    arguments: dict[str, ArgumentPair] = {}
    unanswered: tuple[UnansweredQuestion, ...] = ()
    maxima: tuple[int, int] = (OF_SCALED, OF_SCALED)
    """The most that a composite in which all components count can be, under the recorded rules and the others."""
    unused: tuple[str, ...] = ()
    """Keys of recorded answers to questions that the changed rules do not ask: they count for nothing there."""
    recorded_text: str | UnsetType = UNSET
    """The recorded outcome in words; absent before the end, and for a text that is judged."""
    would_be_text: str | UnsetType = UNSET
    """The same of the other outcome."""
    because: str | UnsetType = UNSET
    """Of a debate that the scorecard would decide: the points, and what decides."""
    sentences: tuple[str, ...] = ()
    """The outcome under the changed rules, and how the recorded outcome differs from it."""
    rules_in_short: str = ""
    """Which parts of the rubric differ, in one sentence."""


async def records_of(log: EventLog, debate: str) -> tuple[Recorded, ...]:
    """All records of a debate so far.  Raises ``TooLarge`` if the debate is too long to replay."""
    if (head := await log.head(debate)) > MAX_EVENTS:
        raise TooLarge(f"this debate has {head:,} events; what if is for at most {MAX_EVENTS:,}")
    return tuple([record async for record in read_all(log, debate)])


def opening_of(records: Sequence[Recorded]) -> DebateOpened:
    """The opening of a debate.  Raises ``NotNow`` if its format has no outcome."""
    opened = records[0].event
    if not isinstance(opened, DebateOpened):
        raise NotNow("this log does not begin with the opening of a debate")
    if opened.format == "calibration":
        raise NotNow("a calibration measures raters: it has no winner, so there is no outcome to compare")
    if opened.format == "lab":
        raise NotNow("a lab measures a judge: it has no winner, so there is no outcome to compare")
    return opened


def what_if(records: Sequence[Recorded], request: WhatIfRequest) -> WhatIf:
    """Both outcomes.  Raises ``NotNow`` if nothing can be run again, ``BadField`` where the wish makes no sense."""
    opened = opening_of(records)
    other = request.opening(opened)
    replayed = replayed_under(records, other)
    recorded, would_be = (_comparable(debate) for debate in (replayed.recorded, replayed.would_be))
    turns, arguments = (_paired(recorded[part], would_be[part]) for part in ("turns", "arguments"))
    conclusion, card = replayed.would_be.status.conclusion, replayed.would_be.verdicts.scorecard
    rules, changes = differences(opened.rubric, other.rubric), differences(recorded, would_be)
    changed = [each.path for each in rules]
    clause = rules_as_clause(other.rubric, changed, request.without_rater)
    both = replayed.recorded, replayed.would_be
    is_by_card = conclusion is not None and conclusion.by_rule == "scorecard"
    return WhatIf(
        note=_note(replayed, opened),
        rubric_changes=rules,
        recorded=recorded["outcome"],
        would_be=would_be["outcome"],
        unanswered=replayed.unanswered,
        unused=replayed.unused,
        maxima=(_most(opened.rubric), _most(other.rubric)),
        without_rater=request.without_rater or UNSET,
        turns={name: TurnPair(recorded=one, would_be=two) for name, (one, two) in turns.items()},
        arguments={name: ArgumentPair(recorded=one, would_be=two) for name, (one, two) in arguments.items()},
        changes=changes,
        recorded_text=_in_words(replayed.recorded),
        would_be_text=_in_words(replayed.would_be),
        because=card.reason if card is not None and is_by_card else UNSET,
        sentences=tuple(sentences(*both, clause, is_changed=bool(changes))),
        rules_in_short=rules_in_short(changed),
    )


def replayed_under(records: Sequence[Recorded], other: DebateOpened) -> ReplayResult:
    """Both debates, the recorded one and that with the opening ``other``.  Raises ``NotNow``."""
    try:
        replayed = replay(records, lambda _: other)
    except UNREADABLE as error:  # an imported log may fold, and still lead to questions that cannot be put
        logger.warning("debate_not_replayed", debate=records[0].debate, message=f"{type(error).__name__}: {error}")
        raise NotNow(f"what is recorded cannot be run again ({type(error).__name__}: {str(error)[:200]})") from error
    if not is_judged(replayed.recorded):
        raise NotNow("nothing has been judged yet, so there is nothing to run again")
    return replayed


def _most(rubric: Rubric) -> int:
    """The most that a whole composite can be."""
    if not is_unscaled(rubric):
        return OF_SCALED
    return sum(rubric.dimensions[name].maximum for name in composite_dimensions(rubric))


def _comparable(debate: Debate) -> dict[str, Any]:
    """Everything that is compared."""
    return {"outcome": outcome_of(debate), "turns": turns_of(debate), "arguments": arguments_of(debate)}


def _in_words(debate: Debate) -> str | UnsetType:
    said = in_words(debate)
    return UNSET if said is UNSET else said.text


def _paired(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Pairs of values by name; UNSET if one side has none."""
    return {name: (one.get(name, UNSET), two.get(name, UNSET)) for name in dict.fromkeys((*one, *two))}


def _note(replayed: ReplayResult, opened: DebateOpened) -> str:
    said = [NOTE]
    if replayed.diverges_at:
        said.append(
            f"Moot {opened.moot} wrote this debate; the rules of today differ at position "
            f"{replayed.diverges_at}, so that part of the changes may come from that."
        )
    if replayed.recorded.status.state != "concluded":
        said.append(f"The debate is {replayed.recorded.status.state}: this is what is recorded so far.")
    return " ".join(said)


def differences(before: Any, after: Any) -> tuple[ValueChange, ...]:
    """Every leaf that differs between two values, by its dotted path, in their order."""
    one, two = leaves(before), leaves(after)
    return tuple(
        ValueChange(path=path, before=one.get(path, UNSET), after=two.get(path, UNSET))
        for path in dict.fromkeys((*one, *two))
        if one.get(path, UNSET) != two.get(path, UNSET)
    )


def leaves(value: Any) -> dict[str, Any]:
    """The leaves of a value by dotted path; a list is one leaf."""
    return dict(_leaves(msgspec.to_builtins(value), ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield path, value
        return
    for name, inner in value.items():
        yield from _leaves(inner, f"{path}.{name}" if path else str(name))
