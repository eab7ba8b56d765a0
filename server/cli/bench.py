"""``moot bench``: what Moot reaches here, each figure beside a limit measured in the same run."""

import click
from rich.console import Console
from rich.table import Table

from server import observe
from server.bench.figure import Figure
from server.bench.suite import SUITE, UNHURRIED, measure
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions: some seconds instead of most of a minute.")
@click.option("--only", type=click.Choice(list(SUITE)), multiple=True, help="One figure; may be given again.")
@with_json
@click.pass_context
def bench(context: click.Context, only: tuple[str, ...], *, quick: bool, as_json: bool) -> None:
    """Measure Moot against the limits of this machine.

    All of it happens on loopback and in a temporary folder; your store is not touched.
    """
    settings_of(context)  # a wrong setting is told before anything is measured
    observe.configure_logging("error")
    figures = [_measured(name, quick=quick) for name in only or _names(quick=quick)]
    if as_json:
        emit(figures)
    else:
        Console().print(_table(figures))


def _names(*, quick: bool) -> list[str]:
    return [name for name in SUITE if not (quick and name in UNHURRIED)]


def _measured(name: str, *, quick: bool) -> Figure:
    click.echo(f"measuring {name} …", err=True)
    figure: Figure = run_async(lambda: measure(name, quick=quick))
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
