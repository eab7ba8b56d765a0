"""``moot bench``: figures of Moot on this machine, each compared with a limit measured in the same run."""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

import click

from server.bench.figure import BenchFigure
from server.bench.suite import NOT_QUICK, SUITE
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of
from server.export.document import Column, Marked, Table, terminal
from server.process import observe


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions: some seconds instead of most of a minute.")
@click.option("--only", type=click.Choice(list(SUITE)), multiple=True, help="One figure; may be repeated.")
@with_json
@click.pass_context
def bench(context: click.Context, only: tuple[str, ...], *, quick: bool, as_json: bool) -> None:
    """Measure Moot against the limits of this machine.

    It uses only a temporary folder; your store is not touched.
    """
    settings_of(context)  # a wrong setting fails before anything is measured
    chosen = only or [name for name in SUITE if not (quick and name in NOT_QUICK)]
    show({name: SUITE[name] for name in chosen}, quick=quick, as_json=as_json)


def show(suite: Mapping[str, Callable[..., Coroutine[Any, Any, BenchFigure]]], *, quick: bool, as_json: bool) -> None:
    """Measure each figure on the event loop of the server, and print all."""
    observe.configure_logging("error")
    figures = []
    for name, measure in suite.items():
        click.echo(f"measuring {name} …", err=True)
        figures.append(run_async(partial(measure, quick=quick), uvloop=True))
    if as_json:
        emit(figures)
    else:
        terminal.show(_table(figures))


def _table(figures: list[BenchFigure]) -> Table:
    rows = (
        (
            each.name,
            f"{each.value:,.4g} {each.unit}",
            f"{each.yardstick:,.4g}",
            f"{each.ratio:.2f}",
            f"{each.aim_of} {'≥' if each.better == 'more' else '≤'} {each.aim:g}",
            (Marked("reached", "good") if each.holds else Marked("not yet", "doubt"),),
            each.against,
        )
        for each in figures
    )
    numbers = (Column(name, "n") for name in ("reached", "limit", "ratio"))
    return Table(("figure", *numbers, "aim", "", "the limit is"), tuple(rows))
