"""What a judge would say of the same debates in another reading, from the leads and errors that are recorded.

The lead of a reading is the debate's own lead and an error of known size.  Another reading has the same lead and an
error of its own.  What a debate's own lead is expected to be follows from its players and its side, as all leads of the
judge show them: then readings drawn again have the distribution of the first ones, and a league of them has the same
strengths.  A prior around 0 would pull strong players towards the weak ones.
"""

from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.state.certainty import student
from events.types.rubric import Certainty

Array = NDArray[np.float64]
NORMAL_95: Final = 1.959964
FEW: Final = 2
"""Leads for each parameter below which players and side are not told from leads."""


class LeadReading(Struct, frozen=True, gc=False):
    """The lead of one verdict, in points.  It is Pro's; a lead of less than ``limit`` names no side."""

    lead: float
    error: float
    limit: float


def reading_by_certainty(lead: float, error: float, pairs: int, rule: Certainty) -> LeadReading:
    """The reading of a verdict with a certainty.  ``lead`` is Pro's.  Formulas: ``events.state.certainty``."""
    freedom = rule.residual_weight + rule.pair_weight * pairs
    return LeadReading(lead, error, quantile(rule.name_at, freedom) * sqrt(error**2 + error**4 / rule.prior_lead**2))


def reading_by_noise(lead: float, noise: float, limit: float) -> LeadReading:
    """The reading where a lab run measured ``noise``: 95 % of a judge's readings of such a lead lie within it."""
    return LeadReading(lead, noise / NORMAL_95, limit)


def chances_again(readings: Array, design: Array) -> Array:
    """(verdicts × 3): the chances that another reading names Pro, Con or neither.

    ``readings`` (verdicts × 3) has the lead, error and limit of each; ``design`` (verdicts × P) what a lead rests on.
    """
    lead, error, limit = readings.T
    expected = np.zeros(len(lead))
    used = 0
    if len(lead) > FEW * design.shape[1]:
        found, _, used, _ = np.linalg.lstsq(design, lead, rcond=None)
        expected = design @ found
    own = max(float(((lead - expected) ** 2).sum()) / (len(lead) - used) - float((error**2).mean()), 0.0)
    known = own / (own + error**2) if own else np.zeros(len(lead))
    middle = expected + known * (lead - expected)
    spread = error * np.sqrt(1 + known)
    pro = 1 - _normal((limit - middle) / spread)
    con = _normal((-limit - middle) / spread)
    return np.stack((pro, con, np.maximum(0, 1 - pro - con)), axis=1)


@lru_cache(1024)
def quantile(probability: float, freedom: float) -> float:
    """Student's quantile, for a probability from 0.5 to below 1."""
    low, high = 0.0, 1000.0
    while high - low > 1e-9 * (1 + low):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < probability else (low, middle)
    return low


_normal = np.vectorize(NormalDist().cdf, otypes=[np.float64])
