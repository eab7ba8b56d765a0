"""How much should a rater without a record weigh?  A simulation of panels of four, two of them without a record.

``python -m tests.measuring.unknown_raters`` prints the table of ``docs/panel.md``.

A rater with accuracy p sees a lead that is normal with spread 1 and mean ± z(p), so that it puts the right side ahead
with probability p.  The panel names the side with the higher weighted lead; the weights are those of the rubric, on a
motion that is no rater's own domain.  All rules decide the same debates.
"""

from statistics import NormalDist
from typing import Final

import click
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.types.criteria import PanelRules
from judge.rubrics.rubric import rubric_v2

PANELS: Final = 400_000
CASES: Final = 20
"""Debates with a known outcome in the record of a known rater."""
SEED: Final = 20_261_122
Array = NDArray[np.float64]


class World(Struct, frozen=True):
    """Where raters' accuracies come from, each uniform between two bounds."""

    name: str
    known: tuple[float, float]
    unknown: tuple[float, float]


WORLDS: Final = (
    World("all alike", (0.6, 0.8), (0.6, 0.8)),
    World("all between a coin and 95 %", (0.5, 0.95), (0.5, 0.95)),
    World("the unknown ones are weaker", (0.7, 0.9), (0.5, 0.7)),
    World("the unknown ones are better", (0.5, 0.7), (0.7, 0.9)),
    World("the unknown ones are coins", (0.7, 0.9), (0.5, 0.5)),
)
CREDITS: Final = {"1 (the article)": 1.0, "½ (ours)": 0.5, "mean of the known": None}
"""The accuracy that a rater without a record is credited with; None: the mean of the others' credited accuracies."""


def are_right(world: World, panels: int = PANELS) -> dict[str, NDArray[np.bool_]]:
    """Return by rule whether each simulated panel names the right side."""
    random = np.random.default_rng(SEED)
    p = np.column_stack([random.uniform(*bounds, size=(panels, 2)) for bounds in (world.known, world.unknown)])
    right = random.binomial(CASES, p[:, :2])
    lead = _quantiles(p) + random.standard_normal(p.shape)  # the right side is pro
    found = {}
    for name, credit in CREDITS.items():
        known = credited(right)
        given = np.broadcast_to(known.mean(axis=1, keepdims=True) if credit is None else credit, known.shape)
        found[name] = (weights(np.column_stack([known, given])) * lead).sum(axis=1) > 0
    return found


def credited(right: NDArray[np.int64]) -> Array:
    """Return the accuracies with which raters are credited that were right in so many of ``CASES``."""
    return np.asarray((right + rules().prior_right) / (CASES + rules().prior_of))


def weights(accuracies: Array) -> Array:
    """Return the raters' weights, not normalised: all raters have the same domain weight."""
    return np.asarray(rules().domain_share * 0.25 + rules().accuracy_share * accuracies)


def rules() -> PanelRules:
    """Return the panel's rules in rubric v2."""
    found = rubric_v2().panel
    assert found is not None
    return found


_quantiles = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])


def main() -> None:
    """Print the table."""
    click.echo(f"| raters | {' | '.join(CREDITS)} | 1 − ½ (95 %) |\n|---|{'---|' * (len(CREDITS) + 1)}")
    for world in WORLDS:
        found = are_right(world)
        one, half = found["1 (the article)"].astype(float), found["½ (ours)"].astype(float)
        apart, half_width = (one - half).mean(), 1.96 * (one - half).std() / np.sqrt(len(one))
        shown = " | ".join(f"{each.mean():.2%}" for each in found.values())
        click.echo(f"| {world.name} | {shown} | {apart * 100:+.2f} ± {half_width * 100:.2f} points |")


if __name__ == "__main__":
    main()
