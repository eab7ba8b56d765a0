"""``moot show``: one debate."""

import click

from events.store.log import read_pages
from events.view import view as views
from events.view.view import View
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadField
from server.export.argument_audit import argument_audits
from server.export.audit import Auditor
from server.export.debate.transcript import debate_document
from server.export.document import terminal
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--at", type=click.IntRange(1), help="As it was at this event.")
@click.option("--brief", "is_brief", is_flag=True, help="Leave out why turns and arguments have their scores.")
@with_settings
@with_json
def show(settings: Settings, debate: str, at: int | None, *, is_brief: bool, as_json: bool) -> None:
    """Show one debate: its turns, their scores, and its outcome.

    Below its scores each turn has the points of every component with the judge's reason and quote, and the changes.
    """
    view, auditor = run_async(lambda: _show(settings, debate, at))
    if as_json:
        emit(view)
    else:
        arguments = argument_audits(auditor)
        terminal.show(debate_document(view, auditor.audits(), arguments=arguments, is_brief=is_brief))


async def _show(settings: Settings, prefix: str, at: int | None) -> tuple[View, Auditor]:
    """The view, and what audits its turns and arguments."""
    async with open_store(settings) as log:
        fold = views.INITIAL
        async for page in read_pages(log, await find_debate(log, prefix)):
            shown = page if at is None else page[: at - fold.view.position]
            fold = views.apply_all(fold, shown)
            if fold.view.position == at:
                break
        if at is not None and fold.view.position < at:
            raise BadField("at", f"{at} is beyond the head {fold.view.position}")
        return views.for_director(fold), Auditor(fold)
