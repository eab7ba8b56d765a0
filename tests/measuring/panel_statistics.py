"""The statistics of a panel compared with a plain loop over the resamples, and alpha with the package ``krippendorff``.

``python -m tests.measuring.panel_statistics`` prints one line for each.
"""

import asyncio
import time
from typing import Final

import krippendorff
import numpy as np

from events.types import PanelistScored, Rater, Side
from events.types.criteria import STANDINGS
from judge.panel.agreement import Array, Ratings, alpha, resamples
from judge.panel.outcome import conclude
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v1
from server.bench.figure import BenchFigure, figure, interleaved

RATERS: Final = 4
ITEMS: Final = 12
LOOPED: Final = 100
"""Resamples that the plain loop computes; its time is scaled up to all resamples."""
COEFFICIENTS: Final = 5
"""Alphas with an interval."""
UNITS: Final = 10_000
SEED: Final = 20_261_121


async def panel(repetitions: int) -> BenchFigure:
    """All statistics of the scores of 4 raters on 12 items: six intervals, disputes, each rater left out."""
    rubric = rubric_v1()
    assert rubric.panel is not None
    assert rubric.criteria is not None
    rules, criteria, dimensions = rubric.panel, rubric.criteria, list(rubric.criteria.dimensions)
    seats, scored, sides, values = _ratings(dimensions)
    drawn = resamples(ITEMS, rules.bootstrap)[:LOOPED].astype(int)

    async def ours() -> float:
        began = time.perf_counter()
        conclude(seats, scored, sides, rules, criteria, "default")
        return (time.perf_counter() - began) * 1000

    async def limit() -> float:
        began = time.perf_counter()
        for times in drawn:
            again = values[:, np.repeat(np.arange(values.shape[1]), np.repeat(times, len(dimensions)))]
            krippendorff.alpha(reliability_data=again, level_of_measurement="interval")
        return (time.perf_counter() - began) * 1000 * COEFFICIENTS * rules.bootstrap / LOOPED

    reached, looped = await interleaved(ours, limit, repetitions)
    return figure(
        "panel",
        reached,
        looped,
        aim=50,
        aim_of="value",
        better="less",
        unit="ms",
        against=f"a loop that calls the package on each of {rules.bootstrap} resamples, for {COEFFICIENTS} alphas",
    )


async def alpha_at_length(repetitions: int) -> BenchFigure:
    """One alpha of 10,000 units, as many as a large collection of debates has."""
    rng = np.random.default_rng(SEED)
    values = rng.integers(1, 11, size=(RATERS, UNITS)).astype(float)
    ratings = Ratings(values, np.arange(UNITS))

    async def ours() -> float:
        began = time.perf_counter()
        alpha(ratings, "interval", 2)
        return (time.perf_counter() - began) * 1000

    async def limit() -> float:
        began = time.perf_counter()
        krippendorff.alpha(reliability_data=values, level_of_measurement="interval")
        return (time.perf_counter() - began) * 1000

    reached, package = await interleaved(ours, limit, repetitions)
    return figure(
        "alpha",
        reached,
        package,
        aim=1.05,
        better="less",
        unit="ms",
        against=f"the package alone on {UNITS} units",
    )


def _ratings(
    dimensions: list[str],
) -> tuple[list[Rater], dict[str, PanelistScored], dict[str, Side], Array]:
    """Raters that agree somewhat: each item has a true value, and each rater adds noise."""
    rng = np.random.default_rng(SEED)
    names = [f"PRO-{n}" for n in range(1, ITEMS // 2 + 1)] + [f"CON-{n}" for n in range(1, ITEMS // 2 + 1)]
    true = rng.uniform(3, 8, size=(1, ITEMS * len(dimensions)))
    values = np.clip(np.rint(true + rng.normal(0, 1.2, size=(RATERS, ITEMS * len(dimensions)))), 1, 10)
    seats, scored = [], {}
    for row, (name, profile) in zip(values, shipped().raters.items(), strict=True):
        seats.append(
            Rater(
                name=name,
                title=profile.title,
                domain=profile.domain,
                focus=profile.focus,
                weights=profile.weights,
                model="none",
            )
        )
        scores = row.reshape(ITEMS, len(dimensions))
        scored[name] = PanelistScored(
            rater=name,
            model="none",
            scores={
                item: dict(zip(dimensions, map(float, each), strict=True))
                for item, each in zip(names, scores, strict=True)
            },
            standings={
                item: STANDINGS[int(each.mean()) % len(STANDINGS)] for item, each in zip(names, scores, strict=True)
            },
        )
    sides: dict[str, Side] = {name: "pro" if name.startswith("PRO") else "con" for name in names}
    return seats, scored, sides, values


async def main() -> None:
    """Print both figures."""
    for each in (await panel(15), await alpha_at_length(25)):
        print(f"{each.name}: {each.value:.3g} {each.unit}; {each.against}: {each.yardstick:.3g} {each.unit}")


if __name__ == "__main__":
    asyncio.run(main())
