"""``moot audit``: the score of a turn, entry by entry."""

import click
from msgspec import UNSET
from rich.console import Console
from rich.table import Table
from rich.text import Text

from events.store.log import read_all
from events.types import Side
from judge.rubric import change_name
from server.cli.options import find_debate, open_store, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.errors import NotFound
from server.export.audit import Audit, Auditor
from server.export.exchange import audit_lines, entry_quotes
from server.export.labels import named
from server.export.text import one_line
from server.export.wording import SIGNS
from server.settings import Settings

PIPED_WIDTH = 200
NUMBERS = frozenset({"position", "before", "requested", "applied", "after", "because of"})


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("turn", type=click.IntRange(1), required=False)
@with_store
@with_json
@click.pass_context
def audit(context: click.Context, debate: str, turn: int | None, store: str | None, *, as_json: bool) -> None:
    """Explain the score of a turn, entry by entry.

    The table shows what each entry requested, what was applied, and why.  The lines below it tell what was not checked,
    not answered or refused, and the second opinions.
    """
    settings = settings_of(context, store=store)
    audits, first = run_async(lambda: _audits(settings, debate, turn))
    if as_json:
        emit(audits[0] if turn is not None else audits)
        return
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, PIPED_WIDTH)  # nine columns do not fit eighty characters
    for each in audits:
        _print(console, each, first)


async def _audits(settings: Settings, prefix: str, turn: int | None) -> tuple[list[Audit], Side]:
    """The audits, and the side that spoke first."""
    auditor = Auditor()
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        async for record in read_all(log, debate):
            auditor.take(record)
    audits = [each for each in auditor.audits() if turn in {None, each.turn}]
    if turn is not None and not audits:
        raise NotFound(f"debate {debate} has no turn {turn}")
    return audits, auditor.debate.ledger.sides.get(1, "pro")


def _print(console: Console, audit: Audit, first: Side) -> None:
    console.print(f"[bold]turn {audit.turn} · {SIGNS[audit.side]}[/]")
    if audit.entries:
        _print_entries(console, audit, first)
    else:
        why = "" if audit.missing is UNSET else f": {one_line(audit.missing.reason)}"
        console.print(f"  no score{why}", markup=False)
    for line in audit_lines(audit, first):
        console.print(f"  {one_line(line)}", markup=False, highlight=False)


def _print_entries(console: Console, audit: Audit, first: Side) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("position", "dimension", "rule", "before", "requested", "applied", "after", "because of", "why"):
        table.add_column(heading, overflow="fold", justify="right" if heading in NUMBERS else "left")
    for each in audit.entries:
        quotes = "" if each.kind == "score" else entry_quotes(each)
        table.add_row(
            str(each.position),
            Text(one_line(each.dimension)),
            Text(one_line(change_name(each.rule))),
            f"{each.before:g}",
            f"{each.requested:g}",
            f"{each.applied:g}",
            f"{each.after:g}",
            str(each.cause or ""),
            Text(one_line(" · ".join(filter(None, (named(each.reason, first), quotes))))),
        )
    console.print(table)
    scores = " · ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in audit.effective.items())
    console.print(f"  stands at {one_line(scores)}", highlight=False, markup=False)
