"""``moot list``: the debates in the store."""

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from events.store.log import SummaryPage
from server.cli.options import open_store, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.export.text import one_line
from server.settings import Settings


@click.command("list")
@click.option("-q", "query", default="", help="Text to find in the motions.")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@click.option("--after", help="Cursor of the next page.")
@with_store
@with_json
@click.pass_context
def list_(
    context: click.Context, query: str, limit: int, after: str | None, store: str | None, *, as_json: bool
) -> None:
    """List the debates in the store, newest first."""
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
    async with open_store(settings) as log:
        return await log.summaries(after, limit, query)
