"""``moot diff``: what changed between two positions, and which events caused it."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import click
import msgspec
from msgspec import UNSET

from judge.rubric import change_name
from server.cli.options import find_debate, open_store, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.errors import BadQuery
from server.export.diff import Cause, ViewChange, ViewDiff, difference
from server.export.moved import what_moved
from server.export.text import one_line
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
@with_store
@with_json
@click.pass_context
def diff(
    context: click.Context, debate: str, start: int, end: int, store: str | None, *, values: bool, as_json: bool
) -> None:
    """Show what moved between two positions, in at most 12 sentences.  FROM 0 is before the first event.

    --values lists every changed value and which events changed it.  Long values are cut to fit a line; --json gives
    them whole.
    """
    settings = settings_of(context, store=store)
    found: ViewDiff = run_async(lambda: _diff(settings, debate, start, end))
    if as_json:
        emit(found)
    elif found.changes:
        hint = click.style(f"changed values: {len(found.changes)}; --values lists them", dim=True)
        click.echo("\n".join((*map(one_line, what_moved(found)), *(_lines(found) if values else (hint,)))))
    else:
        click.echo(f"nothing in the view changed between {start} and {end}", err=True)


async def _diff(settings: Settings, prefix: str, start: int, end: int) -> ViewDiff:
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        if end > (head := await log.head(debate)):
            raise BadQuery(f"to={end} is beyond the head {head}", field="to")
        return await difference(Folds(log), debate, start, end, revealed=True)


def _lines(found: ViewDiff) -> Iterator[str]:
    """A heading for each turn, then a line for each change; changes of no turn come last."""
    ordered = sorted(found.changes, key=_turn)
    for turn, changes in groupby(ordered, key=_turn):
        yield click.style("the debate" if turn == NO_TURN else f"turn {turn}", bold=True)
        for each in changes:
            why = click.style(_why(each, found), dim=True)
            yield f"  {_words(each)}  {_value(each.before)} → {_value(each.after)}  {why}"


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
    text = one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _why(change: ViewChange, found: ViewDiff) -> str:
    """The events that caused a change: position, type, and the rule of a score entry."""
    return "because of " + ", ".join(f"{at} {_cause(found.events[str(at)])}" for at in change.because_of)


def _cause(event: Cause) -> str:
    return event.type if event.rule is UNSET else f"{event.type} ({one_line(change_name(event.rule))})"
