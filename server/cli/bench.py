"""``moot bench``: figures of Moot on this machine, each beside a limit measured in the same run."""

import shutil
import sys
from importlib import import_module
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from events.store.postgres.schema import migrate
from server import observe
from server.bench.figure import Figure, Passed
from server.bench.kills import SEED, report_in_words, run
from server.bench.postgres import database
from server.bench.suite import NOT_QUICK, SUITE, measure
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of

SOAKS: Final = ("kills", "simulation")
"""The parts of ``--soak``."""
SIMULATION: Final = "tests.simulation.soak"
"""The driver of the simulation; only Moot's source has it."""
CHOICE: Final = "run this in Moot's source, or choose --only kills"


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions: some seconds instead of most of a minute.")
@click.option(
    "--only",
    type=click.Choice([*SUITE, *SOAKS]),
    multiple=True,
    help="One figure, or one part of the soak; may be repeated.",
)
@click.option(
    "--soak",
    is_flag=True,
    help="Kill the writer a hundred times under a million events, and play a million schedules instead: hours.",
)
@click.option("--schedules", type=click.IntRange(1), metavar="N", help="Schedules of the soak's simulation.  [1000000]")
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", help="Play the schedule of this seed, and print all of it."
)
@with_json
@click.pass_context
def bench(
    context: click.Context,
    only: tuple[str, ...],
    schedules: int | None,
    seed: int | None,
    *,
    quick: bool,
    soak: bool,
    as_json: bool,
) -> None:
    """Measure Moot against the limits of this machine.

    It uses only loopback and a temporary folder; your store is not touched.
    """
    settings_of(context)  # a wrong setting fails before anything is measured
    observe.configure_logging("error")
    if misplaced := [name for name in only if (name in SOAKS) != soak]:
        raise click.UsageError(f"{misplaced[0]} is {'no' if soak else 'a'} part of --soak")
    if seed is not None:
        if not _simulation().show(seed, as_json=as_json):
            raise click.exceptions.Exit(1)
        return
    if soak:
        if "simulation" in (only or SOAKS):
            _simulation()  # without it the kills do not begin
        results = [_SOAKS[name](quick, schedules, as_json) for name in only or SOAKS]
        if not all(results):
            raise click.exceptions.Exit(1)
        return
    tried = [_measured(name, quick=quick) for name in only or _names(quick=quick)]
    figures = [each for each in tried if each is not None]
    if as_json:
        emit(figures)
    else:
        Console().print(_table(figures))


def _kill(quick: bool, _schedules: int | None, as_json: bool) -> bool:
    """Kill the writer; with a C compiler also over a disk that forgets unsynced data.  True if none lost data."""
    kills, events = (10, 50_000) if quick else (100, 1_000_000)
    reports = []
    for forgets in (False, True) if shutil.which("cc") and sys.platform == "linux" else (False,):
        with TemporaryDirectory(prefix="moot-soak-") as folder:
            reports.append(run(f"sqlite:{folder}/moot.db", kills, events, SEED, forgets=forgets))
    try:
        with database("the kills of PostgreSQL's writer") as url:
            run_async(lambda: migrate(url))
            reports.append(run(url, kills, events, SEED))
    except Passed as passed:
        click.echo(str(passed), err=True)
    if not as_json:
        click.echo("\n".join(report_in_words(report) for report in reports))
    if as_json:
        emit(reports)
    return all(report.ok for report in reports)


def _simulate(quick: bool, schedules: int | None, as_json: bool) -> bool:
    """Play schedules from seed 0.  True if every promise was kept."""
    return bool(_simulation().simulate(schedules or (10_000 if quick else 1_000_000), as_json=as_json))


def _simulation() -> ModuleType:
    """The driver of the simulation.  Raises ``UsageError`` if it is not installed."""
    try:
        return import_module(SIMULATION)
    except ModuleNotFoundError:
        raise click.UsageError(f"the simulation is not installed with Moot: {CHOICE}") from None


_SOAKS: Final = {"kills": _kill, "simulation": _simulate}


def _names(*, quick: bool) -> list[str]:
    return [name for name in SUITE if not (quick and name in NOT_QUICK)]


def _measured(name: str, *, quick: bool) -> Figure | None:
    """A figure, on the event loop of the server; None if it cannot be measured here."""
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
        ("figure", "left"),
        ("reached", "right"),
        ("limit", "right"),
        ("ratio", "right"),
        ("aim", "left"),
        ("", "left"),
        ("the limit is", "left"),
    ):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]  # literals in a tuple
    for each in figures:
        sign = "≥" if each.better == "more" else "≤"
        mark = "[green]reached[/]" if each.holds else "[yellow]not yet[/]"
        table.add_row(
            each.name,
            f"{each.value:,.4g} {each.unit}",
            f"{each.yardstick:,.4g}",
            f"{each.ratio:.2f}",
            f"{each.aim_of} {sign} {each.aim:g}",
            mark,
            each.against,
        )
    return table
