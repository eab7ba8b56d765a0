"""How sure leads are.  The formulas are those of ``events.state.certainty``."""

from typing import Final

import numpy as np

from events.types.rubric import Certainty
from judge.fairness.world import SIDES, Array, HeldDebates, Parts

STEPS: Final = 4_000
"""Steps of the integral of Student's distribution; its error is below 1e-6."""


def certainty_of(
    held: HeldDebates, rule: Certainty, parts: Parts, lead: Array, residuals: Array, has: Array
) -> tuple[Array, Array]:
    """(B,) the probability that the leading side was ahead, and the standard error of the lead.

    ``has`` (B, n): turns with a score, also one that was filled.  A side whose scores are all filled has no certainty.
    """
    freedom = rule.residual_weight + rule.pair_weight * (~np.isnan(residuals)).sum(1)
    squares = rule.residual_weight * rule.residual**2 + rule.pair_weight * np.nansum(residuals**2, axis=1)
    used = ~held.uncompared & ~held.unscored[:, held.pairs].all(-1) & (held.pairs.sum(1) % 2 == 1)
    alone = 1 - used.sum(1) / has.shape[1]
    of_turn = (rule.of_residual + rule.unpaired * alone) * squares / freedom + rule.floor + 4 * rule.shared
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(of_turn / rests_on(parts, has))
        certainty = student(np.abs(lead) / np.sqrt(error**2 + error**4 / rule.prior_lead**2), freedom)
    known = np.all([~held.unscored[:, side].all(1) for side in SIDES], axis=0)
    return np.where(known, certainty, np.nan), np.where(known, error, np.nan)


def rests_on(parts: Parts, has: Array) -> Array:
    """(B,) the turns that a lead rests on: 4 ÷ (1/a + 1/b) for a and b turns, as a mean over points of composite."""
    counted = (parts.apply(has.shape[1]) & parts.composite)[None] & has[..., None]
    counts = np.stack([counted[:, side].sum(1) for side in SIDES])
    weights = (counts > 0).all(0) * parts.maxima
    turns: Array = 4 / (weights / weights.sum(1, keepdims=True) / np.maximum(counts, 1)).sum((0, 2))
    return turns


def student(t: Array, freedom: Array) -> Array:
    """The distribution function of Student's t at ``t`` ≥ 0, by the substitution t = √freedom · tan(angle)."""
    found, angle = np.full(t.shape, np.nan), np.linspace(0, np.pi / 2, STEPS + 1)
    for each in np.unique(freedom):
        density = np.cos(angle) ** (each - 1)
        area = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
        at = freedom == each
        found[at] = 0.5 + np.interp(np.arctan(t[at] / np.sqrt(each)), angle, area / area[-1]) / 2
    return found
