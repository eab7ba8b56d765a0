"""``moot exhibitions``: scripted debates that ship with the product."""

import click
import msgspec
from rich.console import Console
from rich.table import Table

from server.cli.options import with_json
from server.cli.output import emit
from server.opening.exhibitions import exhibitions


@click.command("exhibitions")
@with_json
def exhibitions_(*, as_json: bool) -> None:
    """Scripted debates that ship with Moot, and what they show.  All was written beforehand; no model is asked."""
    known = exhibitions()
    if as_json:
        emit([{"name": name, **msgspec.structs.asdict(each)} for name, each in known.items()])
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "format", "turns", "motion", "what to watch for"):
        table.add_column(heading, overflow="fold")
    for name, each in known.items():
        form = f"{each.format}, panel" if each.panel else each.format
        table.add_row(name, form, str(each.turns), each.motion, each.summary)
    Console().print(table)
    click.echo("play one: moot run --exhibition NAME", err=True)
