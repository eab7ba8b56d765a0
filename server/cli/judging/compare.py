"""``moot compare``: two judgings of the same turns or arguments side by side, and how far they agree."""

import click

from events.types import Side
from events.view import view as views
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.export.debate.exchange import first_side
from server.export.document.terminal import show
from server.export.reports.judgings import JudgingComparison, compare_judgings
from server.export.reports.judgings_text import comparison_document
from server.feed.folds import Folds
from server.settings import Settings


@click.command()
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@click.option("--components", is_flag=True, help="List the components of each score as well.")
@with_settings
@with_json
def compare(settings: Settings, first: str, second: str, *, components: bool, as_json: bool) -> None:
    """Compare two judgings of the same turns, and measure how far they agree.

    Both debates must have the same words, as a debate and its moot rejudge have.  A difference is the second judging
    minus the first.  Below 5 turns that both judges scored, no figure of agreement is given.  In format protocol
    arguments take the place of turns.
    """
    found, began = run_async(lambda: _compare(settings, first, second))
    if as_json:
        emit(found)
        return
    show(comparison_document(found, began, with_components=components))


async def _compare(settings: Settings, first: str, second: str) -> tuple[JudgingComparison, Side]:
    async with open_store(settings) as log:
        debates = [await find_debate(log, prefix) for prefix in (first, second)]
        one, two = [await Folds(log).at(debate, await log.head(debate)) for debate in debates]
    seen = (views.for_director(one), views.for_director(two))
    return compare_judgings(one, two, seen), first_side(seen[0].turns)
