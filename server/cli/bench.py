"""``moot bench``: what Moot reaches here, each figure beside a limit measured in the same run."""

import shutil
import sys
from tempfile import TemporaryDirectory

import click
from rich.console import Console
from rich.table import Table

from events.postgres_schema import migrate
from server import observe
from server.bench.database import database
from server.bench.figure import Figure, Passed
from server.bench.kills import SEED, run, toll_in_words
from server.bench.suite import SUITE, UNHURRIED, measure
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions: some seconds instead of most of a minute.")
@click.option("--only", type=click.Choice(list(SUITE)), multiple=True, help="One figure; may be given again.")
@click.option("--soak", is_flag=True, help="Kill the writer a hundred times instead, under a million events: minutes.")
@with_json
@click.pass_context
def bench(context: click.Context, only: tuple[str, ...], *, quick: bool, soak: bool, as_json: bool) -> None:
    """Measure Moot against the limits of this machine.

    All of it happens on loopback and in a temporary folder; your store is not touched.
    """
    settings_of(context)  # a wrong setting is told before anything is measured
    observe.configure_logging("error")
    if soak:
        _soak(quick=quick, as_json=as_json)
        return
    tried = [_measured(name, quick=quick) for name in only or _names(quick=quick)]
    figures = [each for each in tried if each is not None]
    if as_json:
        emit(figures)
    else:
        Console().print(_table(figures))


def _soak(*, quick: bool, as_json: bool) -> None:
    """Kills; where there is a compiler, once more with a disk that forgets what was not synced."""
    kills, events = (10, 50_000) if quick else (100, 1_000_000)
    tolls = []
    for forgets in (False, True) if shutil.which("cc") and sys.platform == "linux" else (False,):
        with TemporaryDirectory(prefix="moot-soak-") as folder:
            tolls.append(run(f"sqlite:{folder}/moot.db", kills, events, SEED, forgets=forgets))
    try:
        with database("the kills of PostgreSQL's writer") as url:
            run_async(lambda: migrate(url))
            tolls.append(run(url, kills, events, SEED))
    except Passed as passed:
        click.echo(str(passed), err=True)
    if not as_json:
        click.echo("\n".join(toll_in_words(toll) for toll in tolls))
    if as_json:
        emit(tolls)
    if not all(toll.ok for toll in tolls):
        raise click.exceptions.Exit(1)


def _names(*, quick: bool) -> list[str]:
    return [name for name in SUITE if not (quick and name in UNHURRIED)]


def _measured(name: str, *, quick: bool) -> Figure | None:
    """A figure, on the loop that the server runs on; None where it cannot be taken here."""
    click.echo(f"measuring {name} …", err=True)
    try:
        figure: Figure = run_async(lambda: measure(name, quick=quick), uvloop=True)
    except Passed as passed:
        click.echo(str(passed), err=True)
        return None
    return figure


def _table(figures: list[Figure]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading, justify in (
        ("figure", "left"), ("reached", "right"), ("limit", "right"), ("ratio", "right"), ("aim", "left"), ("", "left"),
        ("the limit is", "left"),
    ):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]  # literals in a tuple
    for each in figures:
        sign = "≥" if each.better == "more" else "≤"
        mark = "[green]reached[/]" if each.holds else "[yellow]not yet[/]"
        table.add_row(
            each.name, f"{each.value:,.4g} {each.unit}", f"{each.yardstick:,.4g}", f"{each.ratio:.2f}",
            f"{each.aim_of} {sign} {each.aim:g}", mark, each.against,
        )
    return table
