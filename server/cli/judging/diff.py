"""``moot diff``: what changed between two events, and which events caused it."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import click
import msgspec
from msgspec import UNSET

from judge.rubrics.rubric import change_name
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadQuery
from server.export.diff import Cause, ViewChange, ViewDiff, difference
from server.export.document import Lines, Listing, Marked, Parts, Section
from server.export.document.terminal import say, show
from server.export.moved import told, what_moved
from server.export.text import one_line, shortened
from server.feed.folds import Folds
from server.settings import Settings

WIDEST = 60
"""Characters of a value on a line."""
NO_TURN = 1 << 30
"""The sort key of changes that belong to no turn: they come last."""


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("start", metavar="FROM", type=click.IntRange(0))
@click.argument("end", metavar="TO", type=click.IntRange(0))
@click.option("--values", is_flag=True, help="List every value that changed, and the events that changed it.")
@with_settings
@with_json
def diff(settings: Settings, debate: str, start: int, end: int, *, values: bool, as_json: bool) -> None:
    """Show what moved between two events, in at most 12 sentences.  FROM 0 is before the first event.

    --values lists every changed value and which events changed it.  Long values are cut to fit a line; --json gives
    them whole.
    """
    found: ViewDiff = run_async(lambda: _diff(settings, debate, start, end))
    if as_json:
        emit(told(found))
    elif found.changes:
        show(Lines(tuple(each.text for each in what_moved(found))))
        if values:
            show(*_sections(found))
        else:
            say(f"changed values: {len(found.changes)}; --values lists them", "dim")
    else:
        click.echo(f"nothing in the view changed between {start} and {end}", err=True)


async def _diff(settings: Settings, prefix: str, start: int, end: int) -> ViewDiff:
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        if end > (head := await log.head(debate)):
            raise BadQuery(f"to={end} is beyond the head {head}", field="to")
        return await difference(Folds(log), debate, start, end, revealed=True)


def _sections(found: ViewDiff) -> Iterator[Section]:
    """A heading for each turn, then an item for each change; changes of no turn come last."""
    ordered = sorted(found.changes, key=_turn)
    for turn, changes in groupby(ordered, key=_turn):
        title = "the debate" if turn == NO_TURN else f"turn {turn}"
        yield Section(title, (Listing(tuple(_change(each, found) for each in changes)),))


def _change(change: ViewChange, found: ViewDiff) -> Parts:
    what = f"{_words(change)}: {_value(change.before)} → {_value(change.after)} "
    return what, Marked(_why(change, found), "quiet")


def _turn(change: ViewChange) -> int:
    return int(change.keys[1]) if change.keys[0] == "turns" and len(change.keys) > 1 else NO_TURN


def _words(change: ViewChange) -> str:
    keys = change.keys[2:] if change.keys[0] == "turns" else change.keys
    return one_line(", ".join(keys or change.keys).replace("_", " "))


def _value(value: Any) -> str:
    if value is UNSET:
        return "nothing"
    if isinstance(value, dict) and "missing" in value:
        value = f"missing: {value['missing'].get('reason', '')}"
    return shortened(value if isinstance(value, str) else msgspec.json.encode(value).decode(), WIDEST)


def _why(change: ViewChange, found: ViewDiff) -> str:
    """The events that caused a change: position, type, and the rule of a score entry."""
    return "because of " + ", ".join(f"{at} {_cause(found.events[str(at)])}" for at in change.because_of)


def _cause(event: Cause) -> str:
    return event.type if event.rule is UNSET else f"{event.type} ({one_line(change_name(event.rule))})"
