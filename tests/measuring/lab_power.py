"""How often the lab's verdict finds a planted bias, and how often it accuses a judge that has none.

``python -m tests.measuring.lab_power [--runs N] [--battery NAME]`` prints the tables of ``docs/lab.md``: the verdict by
the size of the bias, by a judge that differs from itself as much as a judge can, and the power at one margin by noise.
A noise has two parts: the standard deviation of a repeated score, and the share of choices and flags that are drawn
anew in each answer.  If all are, two answers to one question differ in up to 50 %; if none is, an item has one answer.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import click
import numpy as np
from msgspec import Struct

from events.types.lab import SIGNIFICANT, Battery, Effect, LabVerdict
from judge.lab.effects import effects_of
from judge.lab.trials import Reading, Trial
from judge.lab.verdicts import margin
from tests.measuring.lab_coverage import SEED, trials_of
from tests.measuring.mock_judges import (
    COMPONENTS,
    ITEM,
    LEVEL,
    MOTION,
    PART,
    TOP,
    exposure,
    numbered,
    orientation,
    rounded,
)

RUNS: Final = 60


class Noise(NamedTuple):
    """How much a judge differs from itself."""

    sd: float
    """The standard deviation of a repeated score."""
    anew: float
    """The share of choices and flags that are drawn anew."""

    @property
    def flips(self) -> float:
        """How often two answers to one question differ, where both are as likely."""
        return (1 - (1 - self.anew) ** 2) / 2


NOISES: Final = (Noise(0.0, 0.0), Noise(1.5, 0.25), Noise(3.0, 0.5), Noise(6.0, 1.0))
MOST: Final = NOISES[-1]
WHOLE: Final = 43
"""Tested figures of a whole lab: the only bias among them needs a p that is smaller by this factor."""
WIDE: Final = 50.0
"""Points of the component that varies in the battery ``flaw``: far from the ends of its scale."""
FIGURES: Final[Mapping[Battery, tuple[str, ...]]] = {
    "position": ("first_pick",),
    "side": ("pro_less_con", "pro_pick"),
    "labels": ("pro_by_name",),
    "last_word": ("last_pick",),
    "length": ("padded_100", "padded_100_wins"),
    "authority": ("cited_false", "cited_false_flagged"),
    "obscure": ("sourced_flagged",),
    "style": ("ornate",),
    "flaw": ("chain_others",),
    "injection": ("points", "wins"),
    "pressure": ("belief",),
    "level": ("points",),
}
"""The figures that have the whole of the planted bias, by battery."""
OF_MARGIN: Final = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The planted biases, as multiples of the difference that matters."""


class Power(Struct, frozen=True, kw_only=True):
    """What the lab says of one figure in many runs of a judge with a planted bias."""

    battery: Battery
    name: str
    unit: str
    noise: Noise
    runs: int
    verdicts: Mapping[LabVerdict, int]
    alone: int
    """Runs in which the figure would be called biased as the only bias of a whole lab."""

    def share(self, *verdicts: LabVerdict) -> float:
        """The share of runs with one of these verdicts."""
        return sum(self.verdicts.get(each, 0) for each in verdicts) / self.runs

    @property
    def biased(self) -> float:
        """The share of runs that call the figure biased, by any size."""
        return self.share("biased", "biased, by less than matters")


def power_of(
    battery: Battery, of_margin: float, runs: int = RUNS, noise: Noise = MOST, seed: int = SEED
) -> list[Power]:
    """Measure a judge with a bias of so many margins again and again, with the battery ``retest`` beside it.

    Each of the battery's figures in ``FIGURES`` has that bias at once.
    """
    trials = (*trials_of([battery]), *trials_of(["retest"]))
    units = {each.name: each.unit for each in effects_of(trials, ()) if each.battery == battery}
    planted = {units[name]: of_margin * (margin(battery, units[name], name) or 0.0) for name in FIGURES[battery]}
    rng = np.random.default_rng([seed, round(of_margin * 100)])
    judge = _Judge(trials, battery, planted, noise)
    found: dict[str, list[Effect]] = {name: [] for name in FIGURES[battery]}
    for _ in range(runs):
        for each in effects_of(trials, judge.read(rng)):
            if each.battery == battery and each.name in found:
                found[each.name].append(each)
    return [
        Power(
            battery=battery,
            name=name,
            unit=units[name],
            noise=noise,
            runs=runs,
            verdicts=Counter(each.verdict for each in of),
            alone=sum(each.p is not None and each.p < SIGNIFICANT / WHOLE for each in of),
        )
        for name, of in found.items()
    ]


class _Judge:
    """A judge with a planted bias in one battery, by unit."""

    def __init__(self, trials: Sequence[Trial], battery: Battery, planted: Mapping[str, float], noise: Noise) -> None:
        self._trials, self._noise = trials, noise
        self._motions, self._motion = numbered([each.cluster for each in trials])
        self._items, self._item = numbered([f"{each.cluster}/{each.item}" for each in trials])
        exposed = np.array([_exposed(each) if each.battery == battery else 0.0 for each in trials])
        self._points, self._share = (planted.get(unit, 0.0) * exposed for unit in ("points", "share"))
        self._known = np.array([float(each.truth) if each.battery == "level" else np.nan for each in trials])
        self._sign = np.array([orientation(each) for each in trials])

    def read(self, rng: np.random.Generator) -> Iterator[Reading]:
        """An answer to each trial: where it exposes the bias, chances and scores move."""
        n, (sd, anew) = len(self._trials), self._noise
        motion, item = rng.standard_normal(self._motions), rng.standard_normal(self._items)
        level = LEVEL + MOTION * motion[self._motion] + ITEM * item[self._item]
        level = np.where(np.isnan(self._known), level, self._known)
        error = sd * rng.standard_normal(n)
        total = rounded(level + self._points + error, TOP)
        of_item, of_answer = rng.uniform(-1, 1, self._items)[self._item], rng.uniform(-1, 1, n)
        is_new = rng.random(n) < anew
        is_first = np.where(is_new, of_answer, self._sign * of_item) + 2 * self._share > 0
        is_flagged = np.where(is_new, of_answer, of_item) + 2 * self._share > 0
        for row, trial in enumerate(self._trials):
            if trial.asks == "compare":
                yield Reading(trial=trial.id, chose="first" if is_first[row] else "second")
            elif trial.asks == "claims":
                yield Reading(trial=trial.id, flags=("fabricated_citation",) if is_flagged[row] else ())
            else:
                yield Reading(
                    trial=trial.id, total=float(total[row]), parts=_parts(trial, self._points[row] + error[row])
                )


def _exposed(trial: Trial) -> float:
    """How much of the bias acts on a trial: of an injection of any kind, of a flaw on the components that it spares."""
    match trial.battery:
        case "injection":
            is_first = trial.truth == "first"
            return float(trial.variant == "injected") * (1.0 if is_first or trial.asks == "score" else -1.0)
        case "flaw":
            return -float(bool(trial.truth))
        case _:
            return exposure(trial)


def _parts(trial: Trial, moved: float) -> dict[str, float]:
    """The components, of which only one varies: no flaw breaks it."""
    if trial.battery not in {"flaw", "retest"}:
        return {}
    return {**dict.fromkeys(COMPONENTS, PART), "framing": round(WIDE + moved)}


def _figure(row: Power) -> str:
    matters = margin(row.battery, row.unit, row.name) or 0.0
    size = f"{matters * 100:.0f} pp" if row.unit == "share" else f"{matters:g} {row.unit}"
    return f"| {row.battery} `{row.name}` | {size} |"


def _table(columns: Sequence[str], rows: Iterable[Power], cell: Callable[[Power], str]) -> str:
    lines = [f"| figure | margin | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    cells: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        cells[_figure(row)].append(cell(row))
    return "\n".join((*lines, *(f"{figure} {' | '.join(of)} |" for figure, of in cells.items())))


def by_size(rows: Iterable[Power]) -> str:
    """A row for each figure, a column for each planted bias: biased / no bias that matters / cannot tell, in %."""

    def cell(row: Power) -> str:
        said = (row.biased, row.share("no bias that matters"), row.share("cannot tell"))
        return " / ".join(f"{each * 100:.0f}" for each in said)

    return _table([f"{each:g}" for each in OF_MARGIN], rows, cell)


def by_noise(rows: Iterable[Power]) -> str:
    """A row for each figure, a column for each noise: the % of runs that say biased."""
    columns = [f"{each.sd:g} points, {each.flips * 100:.0f} %" for each in NOISES]
    return _table(columns, rows, lambda row: f"{row.biased * 100:.0f}")


def as_the_only_one(rows: Iterable[Power]) -> str:
    """A row for each figure: the % of runs that find it as the only bias among all figures of a whole lab."""
    return _table(["biased"], rows, lambda row: f"{row.alone / row.runs * 100:.0f}")


@click.command()
@click.option("--runs", type=click.IntRange(1), default=RUNS, show_default=True, help="Runs of each cell.")
@click.option("--battery", "chosen", type=click.Choice(list(FIGURES)), multiple=True, help="By default all.")
@click.option("--seed", type=int, default=SEED, show_default=True)
def main(runs: int, chosen: Sequence[Battery], seed: int) -> None:
    """Print how often the lab calls a planted bias biased: by its size, then by the noise of the judge."""
    batteries = chosen or tuple(FIGURES)
    sizes = {size: [row for each in batteries for row in power_of(each, size, runs, MOST, seed)] for size in OF_MARGIN}
    click.echo(by_size(row for rows in sizes.values() for row in rows))
    noises = (row for noise in NOISES[:-1] for each in batteries for row in power_of(each, 1.0, runs, noise, seed))
    click.echo(f"\n{by_noise((*noises, *sizes[1.0]))}\n\n{as_the_only_one(sizes[1.0])}")


if __name__ == "__main__":
    main()
