"""Which debates a rule names, with all that was made of them, in the order in which they can be deleted."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from events.store.listing import ALL, Limits, Summary
from events.store.log import EventLog, read_rows
from server.debate.deletion import made_of
from server.errors import BadField

_AGE: Final = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


class Rule(Struct, frozen=True, kw_only=True):
    """``before``: the newest event of a debate is older than this time, as events have it; empty for any age.

    ``debates``: only these.
    """

    before: str = ""
    limits: Limits = ALL
    debates: tuple[str, ...] = ()


class Chosen(Struct, frozen=True, kw_only=True):
    """The debates of a rule.  In ``steps`` each debate comes in a later step than all that were made of it.

    ``kept``: those that the rule names and that cannot be deleted, with the reason.
    """

    steps: tuple[tuple[str, ...], ...] = ()
    positions: dict[str, int] = {}
    """Of each debate in ``steps``, its last event."""
    made: dict[str, tuple[str, ...]] = {}
    """Of each debate in ``steps``, those that were made of it."""
    kept: dict[str, str] = {}

    @property
    def debates(self) -> tuple[str, ...]:
        """The debates in the order of ``steps``."""
        return tuple(each for step in self.steps for each in step)


def before_age(age: str, now: datetime) -> str:
    """The time that lies so long before ``now``, as events have it.  Raises ``BadField``."""
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise BadField("older_than", f"{age[:40]!r} is no age: write 90d for days, 12w for weeks, 6h for hours")
    return before_time(now, int(found[1]) * _UNITS[found[2]])


def before_time(now: datetime, length: timedelta) -> str:
    """The time before ``now`` by a length, as events have it."""
    return (now.astimezone(UTC) - length).isoformat(timespec="microseconds").replace("+00:00", "Z")


async def chosen(log: EventLog, rule: Rule, *, to_delete: bool = True) -> Chosen:
    """The debates that a rule names, and all that was made of them.

    To be deleted none of these may run or be too young, since they hold the same words; else all of them are kept.
    """
    rows = {row.id: row async for row in read_rows(log)}
    made = await made_of(log, rows)
    if rule.debates:
        named = [each for each in rule.debates if each in rows]
    else:
        named = [row.id async for row in read_rows(log, rule.limits)]
    old: dict[str, bool] = {}
    taken, kept = set[str](), dict[str, str]()
    for debate in named:
        family = tuple(_family(debate, made))
        for each in family:
            if each not in old:
                old[each] = await _is_old(log, rows[each], rule.before)
        if not old[debate]:
            continue
        runs = [each for each in family if rows[each].state == "open"]
        young = [each for each in family if not old[each]]
        if to_delete and (runs or young):
            kept[debate] = _why(debate, runs, young)
        else:
            taken.update(family)
    return Chosen(
        steps=_in_steps(taken, made),
        positions={each: rows[each].position for each in taken},
        made={each: tuple(made.get(each, ())) for each in taken},
        kept=kept,
    )


def _family(debate: str, made: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A debate and all that was made of it, each once."""
    seen, waiting = {debate}, [debate]
    while waiting:
        yield (source := waiting.pop())
        waiting += [each for each in made.get(source, ()) if each not in seen]
        seen.update(made.get(source, ()))


async def _is_old(log: EventLog, row: Summary, before: str) -> bool:
    if not before:
        return True
    if row.opened_at >= before:
        return False
    newest = await log.envelopes(row.id, row.position - 1, 1)
    return bool(newest) and newest[0].at < before


def _why(debate: str, runs: Sequence[str], young: Sequence[str]) -> str:
    if debate in runs:
        return "it runs"
    if runs:
        return f"{runs[0]}, which was made of it, runs"
    return f"{young[0]}, which was made of it, is not old enough"


def _in_steps(taken: set[str], made: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    steps: list[tuple[str, ...]] = []
    left = set(taken)
    while left:
        step = tuple(sorted(each for each in left if not left & set(made.get(each, ()))))
        steps.append(step or tuple(sorted(left)))  # no log can make two debates of each other; one by hand could
        left -= set(steps[-1])
    return tuple(steps)
