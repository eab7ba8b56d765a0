"""How sure a lead is: its standard error, and the probability that the leading side was ahead.

Formulas and their reasons: docs/design.md.  Student's distribution is computed with the incomplete beta function by its
continued fraction (DLMF 8.17.22), which converges in some ten steps, so that no library for statistics is needed.
"""

import math
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from events.types.rubric import Certainty

STEPS: Final = 200
SMALL: Final = 1e-30
CLOSE: Final = 1e-12


class LeadCertainty(Struct, frozen=True, kw_only=True, gc=False):
    """The certainty of a lead."""

    error: float
    """Standard error of the lead, in points."""
    probability: float
    """That the side with more points was ahead, from 0.5 to 1."""
    pairs: int


class LeadBasis(Struct, frozen=True, kw_only=True, gc=False):
    """What the error of a lead rests on."""

    residuals: Collection[float]
    """Of the compared pairs with two scores of their own, in points of 100."""
    turns: int
    """Judged turns, those without a score included."""
    paired: int
    """Comparisons between turns of different sides that moved a score, or filled one."""
    weight: float
    """The number of turns that the lead is as exact as, if all had all components."""


def weight_of(shares: Iterable[tuple[float, int, int]]) -> float:
    """The weight of a lead from its components: (share of the maximum, turns of Pro that have it, turns of Con)."""
    spread = math.fsum(share * (1 / pro + 1 / con) for share, pro, con in shares)
    return 4 / spread if spread else 0.0


def certainty_of(lead: float, basis: LeadBasis, rule: Certainty) -> LeadCertainty:
    """How sure a lead is.  Raises ``ValueError`` if it rests on no turn."""
    error, freedom = error_of(basis, rule)
    spread = math.sqrt(error**2 + error**4 / rule.prior_lead**2)
    probability = student(abs(lead) / spread, freedom) if spread else 1.0
    return LeadCertainty(error=error, probability=probability, pairs=len(basis.residuals))


def error_of(basis: LeadBasis, rule: Certainty) -> tuple[float, float]:
    """The standard error of a lead, and its degrees of freedom.  Raises ``ValueError`` if it rests on no turn."""
    if basis.turns < 1 or basis.weight <= 0:
        raise ValueError("a lead rests on at least one turn of each side")
    freedom = rule.residual_weight + rule.pair_weight * len(basis.residuals)
    known = rule.residual_weight * rule.residual**2 + rule.pair_weight * math.fsum(each**2 for each in basis.residuals)
    alone = max(0.0, 1 - basis.paired / basis.turns)
    squared = (rule.of_residual + rule.unpaired * alone) * known / freedom + rule.floor + 4 * rule.shared
    return math.sqrt(squared / basis.weight), freedom


def student(t: float, freedom: float) -> float:
    """The probability that Student's t with ``freedom`` degrees of freedom is at most ``t``."""
    half = incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t)) / 2
    return 0.5 + half if t > 0 else 0.5 - half


@lru_cache(1024)
def quantile(probability: float, freedom: float) -> float:
    """Student's quantile, for a probability from 0.5 to below 1."""
    low, high = 0.0, 1000.0
    while high - low > 1e-12 * (1 + low):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < probability else (low, middle)
    return low


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function I_x(a, b), for ``x`` from 0 to 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast below
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _away_from_0(1 + term * d), _away_from_0(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < CLOSE:
            break
    return value


def _away_from_0(value: float) -> float:
    return value if abs(value) > SMALL else SMALL
