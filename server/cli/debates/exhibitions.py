"""``moot exhibitions``: the scripted debates that come with Moot."""

import click
import msgspec

from server.cli.options import with_json
from server.cli.output import emit
from server.debate.setup.exhibitions import exhibitions
from server.export.document import Column, Table
from server.export.document.terminal import show


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
    rows = (
        (name, f"{each.format}, panel" if each.panel else each.format, f"{each.turns}", each.motion, each.summary)
        for name, each in known.items()
    )
    show(Table(("name", "format", Column("turns", "n"), "motion", "what to watch for"), tuple(rows)))
    click.echo("play one: moot run --exhibition NAME", err=True)
