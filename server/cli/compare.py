"""``moot compare``: two judgings of the same turns side by side, and how far they agree."""

from collections.abc import Iterable

import click
from msgspec import UNSET
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from events.types import Side
from events.view import view as views
from server.cli.options import find_debate, open_store, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.export.exchange import first_side
from server.export.reports.judgings import Judging, JudgingComparison, compare_judgings
from server.export.reports.judgings_text import (
    agreement_sentences,
    difference,
    docking_words,
    flag_words,
    judge_caveats,
    outcome,
    score,
)
from server.export.text import one_line
from server.export.wording import SIGNS, judge_name
from server.feed.folds import Folds
from server.settings import Settings


@click.command()
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@click.option("--components", is_flag=True, help="List the components of each score as well.")
@with_store
@with_json
@click.pass_context
def compare(
    context: click.Context, first: str, second: str, store: str | None, *, components: bool, as_json: bool
) -> None:
    """Compare two judgings of the same turns, and measure how far they agree.

    Both debates must have the same words, as a debate and its moot rejudge have.  A difference is the second judging
    less the first.  Below 5 turns that both judges scored, no figure of agreement is given.
    """
    settings = settings_of(context, store=store)
    found, began = run_async(lambda: _compare(settings, first, second))
    if as_json:
        emit(found)
        return
    _print(found, began, with_components=components)


async def _compare(settings: Settings, first: str, second: str) -> tuple[JudgingComparison, Side]:
    async with open_store(settings) as log:
        debates = [await find_debate(log, prefix) for prefix in (first, second)]
        one, two = [await Folds(log).at(debate, await log.head(debate)) for debate in debates]
    seen = (views.for_director(one), views.for_director(two))
    return compare_judgings(one, two, seen), first_side(seen[0].turns)


def _print(found: JudgingComparison, began: Side, *, with_components: bool) -> None:
    click.secho(one_line(found.motion), bold=True)
    for name, judging in (("first", found.first), ("second", found.second)):
        click.echo(f"{name}: {one_line(_judging(judging))}")
    for line in judge_caveats(found):
        click.secho(one_line(line), dim=True)
    console = Console()
    console.width = max(console.width, 100)
    table = Table(box=None, pad_edge=False)
    for heading in ("turn", "", "first", "second", "difference"):
        table.add_column(heading, justify="left" if not heading else "right")
    for turn in found.turns:
        cells = (score(turn.first), score(turn.second), difference(turn.difference))
        table.add_row(str(turn.turn), escape(SIGNS[turn.side]), *cells)
        for each in turn.components if with_components else ():
            name = each.component.replace("_", " ")
            points = [
                "–" if part is UNSET else f"{part.admitted:g}/{part.maximum}" for part in (each.first, each.second)
            ]
            table.add_row("", f"  {escape(name)}", *points, difference(each.difference))
    click.echo()
    console.print(table, highlight=False)
    click.echo()
    _findings(
        "suspect claims",
        (
            (e.turn, _one(e.first, e.second), flag_words(e.first, began) or flag_words(e.second, began))
            for e in found.flags
        ),
    )
    _findings(
        "flaws that cost points later",
        (
            (e.turn, _one(e.first, e.second), docking_words(e.first, began) or docking_words(e.second, began))
            for e in found.dockings
        ),
    )
    for line in agreement_sentences(found):
        click.echo(one_line(line))


def _judging(judging: Judging) -> str:
    means = f"Pro {score(judging.mean['pro'])}, Con {score(judging.mean['con'])}"
    judge = f"{judge_name(judging.judge)}, rubric {judging.rubric}"
    return f"{judge}: {outcome(judging)}; {means}; debate {judging.debate}"


def _one(first: object, second: object) -> str:
    return "both" if first is not UNSET and second is not UNSET else "first only" if second is UNSET else "second only"


def _findings(title: str, found: Iterable[tuple[int, str, str]]) -> None:
    """Print findings of both judges or of one, by turn."""
    listed = [*found]
    if listed:
        click.secho(title, bold=True)
    for turn, whose, words in listed:
        click.echo(f"  turn {turn}, {whose}: {words}")
