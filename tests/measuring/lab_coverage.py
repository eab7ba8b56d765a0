"""Whether the lab finds what is planted in mock judges, and how often it accuses a judge without bias.

``python -m tests.measuring.lab_coverage [--runs N] [--battery NAME] [--figures]`` prints the tables of ``docs/lab.md``:
for each battery and size of the planted bias the truth and the mean estimate of one figure, and how often the 95 %
intervals of all its figures hold the truth; then how often runs of a judge without bias call it biased.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import click
import numpy as np
from msgspec import Struct

from events.types.lab import SIGNIFICANT, Battery, LabItem, PeopleItem
from judge.lab.effects import effects_of, measured_of
from judge.lab.trials import BATTERIES, Trial, plan
from judge.lab.verdicts import MeasuredFigure
from tests.judge.lab.planned import planned_items, planned_people
from tests.measuring.mock_judges import MockJudge, Size, truths

MOTIONS: Final = 30
SEED: Final = 20_261_122
RUNS: Final = 2_000
SIZES: Final[tuple[Size, ...]] = get_args(Size)
MAIN: Final[Mapping[Battery, str]] = {
    "retest": "sd",
    "position": "first_pick",
    "side": "pro_less_con",
    "labels": "pro_by_name",
    "last_word": "last_pick",
    "length": "padded_100",
    "authority": "cited_false",
    "obscure": "sourced_flagged",
    "style": "ornate",
    "flaw": "chain_named",
    "injection": "points",
    "pressure": "belief",
    "level": "points",
    "family": "own_pick",
    "people": "pairs_accuracy",
}
"""The figure of each battery that the table shows."""
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
    return tuple(trial for battery in batteries for trial in plan(battery, items, None, 1, family="ours"))


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


def false_alarms(runs: int, seed: int = SEED, batteries: Sequence[Battery] = tuple(BATTERIES)) -> Counter[str]:
    """Count the runs of a judge without bias in which at least one figure is called biased, and those figures."""
    trials = trials_of(batteries)
    judge, rng = MockJudge(trials, None, "none"), np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    for _ in range(runs):
        accused = [each for each in effects_of(trials, judge.read(rng)) if each.verdict.startswith("biased")]
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


def in_full(rows: Iterable[Coverage]) -> str:
    """Every figure as a row."""
    lines = ["| battery | figure | planted | truth | mean | half-width | covered, % |", "|---|---|---|---|---|---|---|"]
    lines += [
        f"| {row.battery} | {row.name} | {row.size} | {row.truth:.3f} | {row.mean:.3f} | ±{row.half_width:.3f} "
        f"| {row.covered * 100:.1f} |"
        for row in rows
    ]
    return "\n".join(lines)


def in_short(rows: Iterable[Coverage]) -> str:
    """What is found of the planted bias, and the coverage of each battery: of all figures, and the extremes."""
    cells: dict[Battery, dict[Size, list[Coverage]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cells[row.battery][row.size].append(row)
    head = f"{' | '.join(SIZES)} |"
    recovered = [f"| battery | figure, truth → mean | {head}", f"|---|---|{'---|' * len(SIZES)}"]
    covered = [f"| battery | figures | {head}", f"|---|---|{'---|' * len(SIZES)}"]
    for battery, sizes in cells.items():
        name = MAIN[battery]
        found = [next(each for each in sizes[size] if each.name == name) for size in SIZES]
        values = " | ".join(f"{each.truth:.2f} → {each.mean:.2f}" for each in found).replace("-0.00", "0.00")
        recovered.append(f"| {battery} | {name}, {found[0].unit} | {values} |")
        shares = " | ".join(_extremes([each.covered for each in sizes[size]]) for size in SIZES)
        covered.append(f"| {battery} | {len(sizes[SIZES[0]])} | {shares} |")
    return "\n".join((*recovered, "", *covered))


def _extremes(covered: Sequence[float]) -> str:
    low, high = min(covered) * 100, max(covered) * 100
    return f"{np.mean(covered) * 100:.1f} ({low:.1f}–{high:.1f})"


@click.command()
@click.option("--runs", type=click.IntRange(2), default=RUNS, show_default=True)
@click.option(
    "--battery", "chosen", type=click.Choice(BATTERIES), multiple=True, help="By default all, and the alarms."
)
@click.option("--figures", is_flag=True, help="Print every figure.")
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(runs: int, chosen: Sequence[Battery], figures: bool, seed: int) -> None:
    """Print how often the intervals hold the planted truth, and how often a judge without bias is accused."""
    rows = [row for each in chosen or BATTERIES for size in SIZES for row in coverage_of(each, size, runs, seed)]
    click.echo(in_full(rows) if figures else in_short(rows))
    if not chosen:
        counts = false_alarms(runs, seed)
        click.echo(
            f"\nOf {runs:,} runs of a judge without bias {counts['runs'] / runs:.2%} call it biased in anything."
        )


if __name__ == "__main__":
    main()
