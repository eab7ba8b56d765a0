"""How often the lab's verdict finds a planted bias, and how often it accuses a judge that has none.

``python -m tests.measuring.lab_power [--runs N] [--battery NAME] [--sd POINTS]`` prints the table of ``docs/lab.md``.
Each answer of a planted judge is drawn anew, so it differs from itself as much as a judge can: of two speeches it
chooses one with a given chance, and a repeated score has the standard deviation of ``--sd``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import click
import numpy as np
from msgspec import Struct

from events.types.lab import SIGNIFICANT, Battery, Effect, LabVerdict
from judge.lab.effects import effects_of
from judge.lab.trials import Reading, Trial
from judge.lab.verdicts import margin
from tests.measuring.lab_coverage import SEED, trials_of
from tests.measuring.mock_judges import ITEM, LEVEL, MOTION, TOP, exposure, numbered, rounded

RUNS: Final = 60
SD: Final = 3.0
FIGURES: Final[Mapping[Battery, tuple[str, ...]]] = {
    "position": ("first_pick",),
    "side": ("pro_less_con", "pro_pick"),
    "labels": ("pro_by_name",),
    "last_word": ("last_pick",),
    "length": ("padded_100", "padded_100_wins"),
    "authority": ("cited_false",),
    "style": ("ornate",),
    "pressure": ("belief",),
}
"""The figures that have the whole of the planted bias, by battery."""
OF_MARGIN: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
"""The planted biases, as multiples of the difference that matters."""


class Power(Struct, frozen=True, kw_only=True):
    """What the lab says of one figure in many runs of a judge with a planted bias."""

    battery: Battery
    name: str
    unit: str
    planted: float
    """The distance from the value without bias."""
    runs: int
    rejected: int
    """Runs with p < 0.05 in this figure alone."""
    verdicts: Mapping[LabVerdict, int]

    def share(self, *verdicts: LabVerdict) -> float:
        """The share of runs with one of these verdicts."""
        return sum(self.verdicts.get(each, 0) for each in verdicts) / self.runs

    @property
    def biased(self) -> float:
        """The share of runs that call the figure biased, by any size."""
        return self.share("biased", "biased, by less than matters")


def power_of(battery: Battery, of_margin: float, runs: int = RUNS, sd: float = SD, seed: int = SEED) -> list[Power]:
    """Measure a judge with a bias of so many margins again and again, with the battery ``retest`` beside it."""
    trials = (*trials_of([battery]), *trials_of(["retest"]))
    units = {each.name: each.unit for each in effects_of(trials, ()) if each.battery == battery}
    planted = {unit: of_margin * (margin(battery, unit) or 0.0) for unit in units.values()}
    rng = np.random.default_rng([seed, round(of_margin * 100)])
    found: dict[str, list[Effect]] = {name: [] for name in FIGURES[battery]}
    for _ in range(runs):
        answers = _answers(trials, battery, planted.get("share", 0.0), planted.get("points", 0.0), sd, rng)
        for each in effects_of(trials, answers):
            if each.battery == battery and each.name in found:
                found[each.name].append(each)
    return [
        Power(
            battery=battery,
            name=name,
            unit=units[name],
            planted=planted[units[name]],
            runs=runs,
            rejected=sum(each.p is not None and each.p < SIGNIFICANT for each in of),
            verdicts=Counter(each.verdict for each in of),
        )
        for name, of in found.items()
    ]


def _answers(
    trials: Sequence[Trial], battery: Battery, share: float, points: float, sd: float, rng: np.random.Generator
) -> Iterator[Reading]:
    """An answer to each trial: where it exposes the bias, chances move by ``share`` and scores by ``points``."""
    motions, motion = numbered([each.cluster for each in trials])
    items, item = numbered([f"{each.cluster}/{each.item}" for each in trials])
    exposed = np.array([exposure(each) if each.battery == battery else 0.0 for each in trials])
    level = LEVEL + MOTION * rng.standard_normal(motions)[motion] + ITEM * rng.standard_normal(items)[item]
    total = rounded(level + points * exposed + sd * rng.standard_normal(len(trials)), TOP)
    is_first = rng.random(len(trials)) < 0.5 + share * exposed
    for row, trial in enumerate(trials):
        if trial.asks == "compare":
            yield Reading(trial=trial.id, chose="first" if is_first[row] else "second")
        else:
            yield Reading(trial=trial.id, total=float(total[row]))


def table(rows: Iterable[Power]) -> str:
    """A row for each figure, a column for each planted bias: biased / no bias that matters / cannot tell, in %."""
    lines = [
        f"| figure | margin | {' | '.join(f'{each:g}' for each in OF_MARGIN)} |",
        f"|---|---|{'---|' * len(OF_MARGIN)}",
    ]
    cells: dict[tuple[str, str], list[Power]] = defaultdict(list)
    for row in rows:
        cells[row.battery, row.name].append(row)
    for (battery, name), of in cells.items():
        matters = margin(battery, of[0].unit) or 0.0
        size = f"{matters * 100:.0f} pp" if of[0].unit == "share" else f"{matters:g} {of[0].unit}"
        shares = ((each.biased, each.share("no bias that matters"), each.share("cannot tell")) for each in of)
        said = " | ".join(" / ".join(f"{share * 100:.0f}" for share in each) for each in shares)
        lines.append(f"| {battery} `{name}` | {size} | {said} |")
    return "\n".join(lines)


@click.command()
@click.option("--runs", type=click.IntRange(1), default=RUNS, show_default=True, help="Runs of each planted bias.")
@click.option("--battery", "chosen", type=click.Choice(list(FIGURES)), multiple=True, help="By default all.")
@click.option("--sd", type=float, default=SD, show_default=True, help="How far a repeated score differs from itself.")
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(runs: int, chosen: Sequence[Battery], sd: float, seed: int) -> None:
    """Print how often the lab calls a planted bias biased."""
    batteries = chosen or tuple(FIGURES)
    click.echo(table(row for each in batteries for size in OF_MARGIN for row in power_of(each, size, runs, sd, seed)))


if __name__ == "__main__":
    main()
