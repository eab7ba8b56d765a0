"""Whether the lab finds what is planted in mock judges, and how often it accuses a judge without bias.

``python -m tests.measuring.lab_coverage [--runs N] [--battery NAME]`` prints the tables of ``docs/lab.md``: for each
battery, size of the planted bias and figure, the truth, the mean estimate, and how often the 95 % interval holds the
truth; then how often runs of a judge without bias call it biased.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import click
import numpy as np
from msgspec import Struct

from events.types.lab import Battery, LabItem, PeopleItem
from judge.lab.effects import effects_of, measured_of
from judge.lab.mock import MockJudge, Size, truths
from judge.lab.trials import BATTERIES, Trial, plan
from judge.lab.verdicts import SIGNIFICANT, MeasuredFigure
from tests.judge.lab.planned import planned_items, planned_people

MOTIONS: Final = 30
SEED: Final = 20_261_122
RUNS: Final = 2_000
SIZES: Final[tuple[Size, ...]] = get_args(Size)
COVERED: Final[tuple[Battery, ...]] = tuple(each for each in BATTERIES if each != "family")
"""The batteries with a truth; ``family`` counts like ``position``, and needs stored debates."""
NEEDS_RETEST: Final = {"position", "labels"}
"""Batteries with a figure that is compared with the retest."""


class Coverage(Struct, frozen=True, kw_only=True):
    """How the intervals of one figure fared over many runs."""

    battery: Battery
    size: Size
    name: str
    unit: str
    truth: float
    mean: float
    covered: float
    runs: int
    """Runs in which the figure was defined."""
    half_width: float


def trials_of(batteries: Iterable[Battery]) -> tuple[Trial, ...]:
    """The trials of a lab with default numbers of items."""
    items: tuple[LabItem | PeopleItem, ...] = (*planned_items(MOTIONS), *planned_people(120, 60, MOTIONS))
    return tuple(trial for battery in batteries for trial in plan(battery, items, None, 1))


def coverage_of(battery: Battery, size: Size, runs: int, seed: int = SEED) -> list[Coverage]:
    """Measure mock judges with a bias in one battery again and again."""
    own = trials_of([battery])
    trials = (*own, *trials_of(["retest"])) if battery in NEEDS_RETEST else own
    expected = truths(battery, size, _kinds(own))
    judge, rng = MockJudge(trials, battery, size), np.random.default_rng([seed, SIZES.index(size)])
    found: dict[str, list[MeasuredFigure]] = defaultdict(list)
    for _ in range(runs):
        for each in measured_of(trials, judge.read(rng)):
            if each.battery == battery and each.name in expected:
                found[each.name].append(each)
    if missing := expected.keys() - found.keys():
        raise ValueError(f"{battery} measures no {sorted(missing)}")
    return [_coverage(battery, size, name, expected[name], of) for name, of in found.items()]


def false_alarms(runs: int, seed: int = SEED, batteries: Sequence[Battery] = COVERED) -> Counter[str]:
    """Count the runs of a judge without bias in which at least one figure is called biased, and those figures."""
    trials = trials_of(batteries)
    judge, rng = MockJudge(trials, None, "none"), np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    for _ in range(runs):
        accused = [each for each in effects_of(trials, judge.read(rng)) if each.verdict == "biased"]
        counts["runs"] += bool(accused)
        counts.update(f"{each.battery} {each.name}" for each in accused)
    return counts


def rejections(battery: Battery, name: str, runs: int, seed: int = SEED) -> float:
    """The share of runs with p < 0.05 in one figure, by a judge whose large bias cancels out over the motions."""
    trials = trials_of([battery])
    judge, rng = MockJudge(trials, battery, "large", cancels=True), np.random.default_rng(seed)
    found = [
        each.p_value
        for _ in range(runs)
        for each in measured_of(trials, judge.read(rng))
        if (each.battery, each.name) == (battery, name)
    ]
    return sum(p is not None and p < SIGNIFICANT for p in found) / runs


def _kinds(trials: Sequence[Trial]) -> Mapping[str, int]:
    items = {(each.kind, each.item) for each in trials if each.kind}
    return Counter(kind for kind, _ in items)


def _coverage(battery: Battery, size: Size, name: str, truth: float, found: Sequence[MeasuredFigure]) -> Coverage:
    known = [each.found for each in found if each.found is not None]
    return Coverage(
        battery=battery,
        size=size,
        name=name,
        unit=found[0].unit,
        truth=truth,
        mean=float(np.mean([each.value for each in known])),
        covered=sum(each.low <= truth <= each.high for each in known) / len(known),
        runs=len(known),
        half_width=float(np.mean([(each.high - each.low) / 2 for each in known])),
    )


def line(row: Coverage) -> str:
    """A row of the table in ``docs/lab.md``."""
    return (
        f"| {row.battery} | {row.name} | {row.size} | {row.truth:.3f} | {row.mean:.3f} | ±{row.half_width:.3f} "
        f"| {row.covered * 100:.1f} |"
    )


@click.command()
@click.option("--runs", type=click.IntRange(2), default=RUNS, show_default=True)
@click.option("--battery", "chosen", type=click.Choice(COVERED), multiple=True, help="By default all, and the alarms.")
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(runs: int, chosen: Sequence[Battery], seed: int) -> None:
    """Print how often the intervals hold the planted truth, and how often a judge without bias is accused."""
    click.echo("| battery | figure | planted | truth | mean | half-width | covered, % |")
    click.echo("|---|---|---|---|---|---|---|")
    for battery in chosen or COVERED:
        for size in SIZES:
            for row in coverage_of(battery, size, runs, seed):
                click.echo(line(row))
    if not chosen:
        counts = false_alarms(runs, seed)
        click.echo(
            f"\nOf {runs:,} runs of a judge without bias {counts['runs'] / runs:.2%} call it biased in anything."
        )


if __name__ == "__main__":
    main()
