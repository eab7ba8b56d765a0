"""``moot report``: a report for one debater, on one page."""

import sys
from pathlib import Path
from typing import Final

import click

from events.store.log import read_all
from events.types import Side
from events.view import view as views
from server.cli.options import find_debate, open_store, server_address, with_json, with_settings
from server.cli.output import run_async
from server.errors import CannotServe
from server.export.document.terminal import WIDTH, show, to_text
from server.export.reports.debater import report_for
from server.export.reports.document import Report, report_document, report_html, report_json, report_markdown
from server.settings import Settings

JSON: Final = "json"
FORMS: Final = {"md": report_markdown, "html": report_html, JSON: report_json}
TEXT: Final = "text"
"""The form for the terminal."""


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--side", type=click.Choice(["pro", "con"]), required=True, help="The side that the report is for.")
@click.option(
    "--as", "form", type=click.Choice([*FORMS, TEXT]), help="Without it: text in a terminal, and md anywhere else."
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file instead of stdout."
)
@with_json
@with_settings
def report(
    settings: Settings, debate: str, side: Side, form: str | None, output: Path | None, *, as_json: bool
) -> None:
    """Write a report for one debater on one page.

    It names the best and the worst moment, the points lost later, what was dropped or left unanswered, and three things
    to do next time.  Every sentence follows from the record and cites the events that imply it.  No model is called.
    html is one file that prints; its links lead to the moments on the server of this store.  json has each sentence
    with its kind and the positions of the events that imply it.
    """
    found, base = run_async(lambda: _report(settings, debate, side))
    form = JSON if as_json else form or (TEXT if output is None and sys.stdout.isatty() else "md")
    if form == TEXT and output is None:
        show(report_document(found))
        return
    text = to_text(report_document(found), WIDTH) if form == TEXT else FORMS[form](found, base)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotServe(f"cannot write {output}: {error.strerror}") from error


async def _report(settings: Settings, prefix: str, side: Side) -> tuple[Report, str]:
    """The report, and the address of the server to which its links lead."""
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        records = [record async for record in read_all(log, debate)]
    base = server_address(settings) or f"http://{settings.host}:{settings.port}"
    fold = views.apply_all(views.INITIAL, records)
    return report_for(records, fold, views.for_director(fold), side), base
