"""``moot bench``: figures of Moot on this machine, each beside a limit measured in the same run."""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from server import observe
from server.bench.figure import Figure
from server.bench.suite import NOT_QUICK, SUITE
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of


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


def show(suite: Mapping[str, Callable[..., Coroutine[Any, Any, Figure]]], *, quick: bool, as_json: bool) -> None:
    """Measure each figure on the event loop of the server, and print all."""
    observe.configure_logging("error")
    figures = []
    for name, measure in suite.items():
        click.echo(f"measuring {name} …", err=True)
        figures.append(run_async(partial(measure, quick=quick), uvloop=True))
    if as_json:
        emit(figures)
    else:
        Console().print(_table(figures))


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
