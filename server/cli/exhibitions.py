"""``moot exhibitions``: the scripted debates that come with Moot."""

import click
import msgspec
from rich.console import Console
from rich.table import Table

from server.cli.options import with_json
from server.cli.output import emit
from server.debate.setup.exhibitions import exhibitions


@click.command("exhibitions")
@with_json
def exhibitions_(*, as_json: bool) -> None:
    """List the scripted debates that come with Moot, and what they show.

    Every text in them was written in advance; they call no model.
    """
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
