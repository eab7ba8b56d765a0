"""``moot bench``: figures of Moot on this machine, each compared with a limit measured in the same run."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from events.text.figures import rounded
from judge.fairness.table import fairness as fairness_of
from judge.rubrics.rubric import SHIPPED, load_rubric, shipped_rubric
from server.bench.fairness import DEBATES, QUICK, fairness_table
from server.bench.figure import BenchFigure
from server.bench.suite import NOT_QUICK, SUITE
from server.cli.options import with_json
from server.cli.output import emit, run_async, settings_of
from server.export.document import Column, Marked, Table, terminal
from server.process import observe


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions: some seconds instead of most of a minute.")
@click.option("--only", type=click.Choice(list(SUITE)), multiple=True, help="One figure; may be repeated.")
@click.option("--fairness", is_flag=True, help="Instead: how fair rubrics are, in simulated debates; about a minute.")
@click.option(
    "--rubric",
    "rubrics",
    metavar="NAME|FILE",
    multiple=True,
    help="With --fairness: a rubric; may be repeated.  Without it v1, v2 and v3.",
)
@with_json
@click.pass_context
def bench(
    context: click.Context,
    only: tuple[str, ...],
    rubrics: tuple[str, ...],
    *,
    quick: bool,
    fairness: bool,
    as_json: bool,
) -> None:
    r"""Measure Moot against the limits of this machine.

    It uses only a temporary folder; your store is not touched.  With --fairness it measures the rules of rubrics.

    \b
      moot bench --quick
      moot bench --fairness --rubric v3 --rubric stricter.json
    """
    settings_of(context)  # a wrong setting fails before anything is measured
    if rubrics and not fairness:
        raise click.UsageError("--rubric goes with --fairness.")
    if fairness:
        if only:
            raise click.UsageError("--only names figures of the machine; leave it out with --fairness.")
        show_fairness(rubrics or VERSIONS, quick=quick, as_json=as_json)
        return
    chosen = only or [name for name in SUITE if not (quick and name in NOT_QUICK)]
    show({name: SUITE[name] for name in chosen}, quick=quick, as_json=as_json)


VERSIONS: Final = ("v1", "v2", "v3")


def show_fairness(rubrics: Sequence[str], *, quick: bool, as_json: bool) -> None:
    """Hold simulated debates, and print what the rules of each rubric make of them."""
    named = {
        each if each in SHIPPED else Path(each).stem: (
            shipped_rubric(each) if each in SHIPPED else load_rubric(Path(each))
        )
        for each in rubrics
    }
    debates = QUICK if quick else DEBATES
    click.echo(f"holding {debates:,} debates for each figure …", err=True)
    found = fairness_of(named, debates)
    if as_json:
        emit(found)
    else:
        terminal.show(fairness_table(found))


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
            rounded(each.ratio, 2),
            f"{each.aim_of} {'≥' if each.better == 'more' else '≤'} {each.aim:g}",
            (Marked("reached", "good") if each.holds else Marked("not yet", "doubt"),),
            each.against,
        )
        for each in figures
    )
    numbers = (Column(name, "n") for name in ("reached", "limit", "ratio"))
    return Table(("figure", *numbers, "aim", "", "the limit is"), tuple(rows))
