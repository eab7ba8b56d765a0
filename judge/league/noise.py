"""What a judge would say of the same debates in another reading, from the leads and errors that are recorded.

The lead of a reading is the debate's own lead and an error of known size.  Another reading has the same lead and an
error of its own.  What a debate's own lead is expected to be follows from its players and its side, as all leads of the
judge show them: then readings drawn again have the distribution of the first ones, and a league of them has the same
strengths.  A prior around 0 would pull strong players towards the weak ones.
"""

from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FEW: Final = 2
"""Leads for each parameter below which players and side are not told from leads."""


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


_normal = np.vectorize(NormalDist().cdf, otypes=[np.float64])
