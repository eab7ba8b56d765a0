"""``moot doctor``: which models answer, and what is missing for the others."""

import click
from rich.console import Console
from rich.table import Table

from providers.base import ModelStatus
from providers.registry import Registry
from server.cli.options import with_json
from server.cli.output import emit, run_async


@click.command()
@with_json
def doctor(*, as_json: bool) -> None:
    """Which models answer here, and how to get the others."""
    statuses, default = run_async(_ask)
    if as_json:
        emit(statuses)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("", "model", "", "to do"):
        table.add_column(heading, overflow="fold")
    for each in statuses:
        mark = "[green]ok[/]" if each.ok else "[red]no[/]"
        table.add_row(mark, each.name, each.detail, each.hint)
    console = Console()
    console.print(table)
    console.print(f"\nWith no model named, debates use {default}.", highlight=False)


async def _ask() -> tuple[tuple[ModelStatus, ...], str]:
    registry = Registry()
    try:
        return await registry.check_all(), await registry.default_model()
    finally:
        await registry.close()
