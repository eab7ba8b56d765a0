"""``moot list``, ``moot replay``: what is in the store."""

from collections.abc import AsyncIterator
from datetime import datetime

import anyio
import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from events.record import Recorded
from events.store.log import SummaryPage, read_all
from events.view import view as views
from server.cli.options import reading, whole_id, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.cli.transcript import Transcriber
from server.export.text import one_line
from server.feed import frames
from server.settings import Settings

LONGEST_GAP_S = 5.0
"""A replay never waits longer than this, whatever the log says: nobody watches a pause of a night."""


@click.command("list")
@click.option("-q", "query", default="", help="Text to find in motions.")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@click.option("--after", help="Cursor of the next page.")
@with_store
@with_json
@click.pass_context
def list_(
    context: click.Context, query: str, limit: int, after: str | None, store: str | None, *, as_json: bool
) -> None:
    """The debates in the store, newest first."""
    settings = settings_of(context, store=store)
    page: SummaryPage = run_async(lambda: _list(settings, query, limit, after))
    if as_json:
        emit(page)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "state", "turns", "opened", "motion"):
        table.add_column(heading, overflow="fold", no_wrap=heading in {"id", "state"})
    for each in page.debates:
        opened = each.opened_at[:16].replace("T", " ")
        spoken = f"{each.turns_spoken}/{each.turns_planned}"
        table.add_row(each.id, each.state, spoken, opened, Text(one_line(each.motion[:120])))
    Console().print(table if page.debates else 'no debate yet: moot run "a motion" makes one', highlight=False)
    if page.next:
        click.echo(f"more: moot list --after {page.next}", err=True)


async def _list(settings: Settings, query: str, limit: int, after: str | None) -> SummaryPage:
    async with reading(settings) as log:
        return await log.summaries(after, limit, query)


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--speed", type=click.FloatRange(0, 1000), default=1.0, show_default=True, help="0 does not wait at all.")
@with_store
@with_json
@click.pass_context
def replay(context: click.Context, debate: str, speed: float, store: str | None, *, as_json: bool) -> None:
    """Play a debate again from its log, at the pace at which it was spoken.  No model is called."""
    settings = settings_of(context, store=store)
    run_async(lambda: _replay(settings, debate, speed, as_json=as_json))


async def _replay(settings: Settings, said: str, speed: float, *, as_json: bool) -> None:
    transcriber = Transcriber(as_json=as_json)
    async with reading(settings) as log:
        async for message in _paced(read_all(log, await whole_id(log, said)), speed):
            transcriber.take(message)
    transcriber.finish()


async def _paced(records: AsyncIterator[Recorded], speed: float) -> AsyncIterator[str]:
    """Frames at the recorded pace."""
    fold, before = views.INITIAL, None
    async for record in records:
        at = datetime.fromisoformat(record.at)
        if before is not None and speed:
            await anyio.sleep(min(max((at - before).total_seconds(), 0), LONGEST_GAP_S) / speed)
        before = at
        fold, frame = frames.step(fold, record, revealed=True)
        yield frame
