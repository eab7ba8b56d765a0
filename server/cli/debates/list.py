"""``moot list``: the debates in the store."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import click
from msgspec import UNSET

from events.state import debate as debates
from events.store.listing import LISTED, Limits, Summary
from events.store.log import SummaryPage, read_all
from server.cli.options import limits_of, open_store, with_json, with_limits, with_settings
from server.cli.output import emit, run_async
from server.export.document import Paragraph, Strong
from server.export.document.terminal import say, show
from server.export.rows import outcome_of_row
from server.export.text import one_line
from server.settings import Settings

OVER: Final = {"deliberation": "judged", "calibration": "measured", "lab": "measured", "batch": "done"}
"""A debate that has concluded, by format, where no side can win."""


@click.command("list")
@with_limits
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@click.option("--after", help="Cursor of the next page.")
@with_settings
@with_json
def list_(
    settings: Settings,
    /,
    query: str,
    limit: int,
    after: str | None,
    *,
    as_json: bool,
    **only: Any,
) -> None:
    """List the debates in the store, newest first.

    Hidden, archived and unlisted debates are left out unless they are asked for.
    """
    limits = limits_of(only)
    page: SummaryPage = run_async(lambda: _list(settings, query, limit, after, limits))
    if as_json:
        emit(page)
        return
    if not page.debates:
        is_limited = limits != LISTED
        why = "no debate fits these limits" if is_limited else 'no debate yet: moot run "a motion" makes one'
        click.echo(f"no motion contains {query!r}" if query else why)
    done = run_async(lambda: _trials(settings, [each.id for each in page.debates if _is_measuring(each)]))
    for each in page.debates:
        opened_at = each.opened_at[:16].replace("T", " ")
        facts = (each.id, opened_at, _state(each, done.get(each.id)), *_made_from(each))
        show(Paragraph((Strong((each.title or each.motion)[:200]), *(f"  #{one_line(tag)}" for tag in each.tags))))
        say(f"  {'  '.join(facts)}", "dim")
    if page.next:
        click.echo(f"more: moot list --after {page.next}", err=True)


def _made_from(summary: Summary) -> Iterator[str]:
    """Where the turns come from, if not all of them were spoken in this debate."""
    if summary.source:
        yield f"transcript: {one_line(summary.source)}"
    if summary.origin:
        yield f"{summary.origin.kind} of {summary.origin.debate}"


def _is_measuring(summary: Summary) -> bool:
    return summary.format == "lab" and summary.winner is None


def _state(summary: Summary, trials: str | None) -> str:
    """The state of a debate in words, with its turns or format and its winner, or with the trials of a lab run."""
    if summary.format == "lab":
        return f"{summary.state}, {trials}" if trials else OVER[summary.format]
    turns = f"{summary.turns_spoken}/{summary.turns_planned} turns" if summary.turns_planned else summary.format
    if summary.winner is None:
        return f"{summary.state}, {turns}"
    return f"{OVER.get(summary.format) or outcome_of_row(summary)}, {turns}"


async def _trials(settings: Settings, labs: Sequence[str]) -> dict[str, str]:
    """How many trials of these lab runs are answered, in words, by id."""
    found = {}
    async with open_store(settings) as log:
        for lab in labs:
            debate = debates.INITIAL
            async for record in read_all(log, lab):
                debate = debates.evolve(debate, record)
            assert debate.opened is not None, "a listed run has its opening"
            assert debate.opened.lab is not UNSET, "a run of this format has its setup"
            planned = sum(debate.opened.lab.trials.values())
            answered = debate.lab.answered if debate.lab is not None else {}
            found[lab] = f"{sum(answered.values()):,} of {planned:,} trials answered"
    return found


async def _list(settings: Settings, query: str, limit: int, after: str | None, limits: Limits) -> SummaryPage:
    async with open_store(settings) as log:
        return await log.summaries(after, limit, query, limits)
