"""Taking a rater's habits out of its scores.  It mends strictness, never a wrong judgement.  Source: seed 000.

Calibrated scores say whether raters order things alike; two raters three points apart become the same.  So they stand
beside the raw ones and decide nothing.
"""

from typing import Literal

import numpy as np

from judge.panel.agreement import Array

Method = Literal["z-score", "min-max"]


def method_for(fewest_items: int, minmax_at: int) -> Method:
    """Min-max where a side has ``minmax_at`` items or fewer: so few scores have no spread worth estimating."""
    return "min-max" if fewest_items <= minmax_at else "z-score"


def calibrated(scores: Array, method: Method) -> Array:
    """``scores[rater, unit]`` row by row; NaN stays NaN.

    A rater who gives everything the same score is in the middle throughout: 0 as z-scores, ½ as min-max.  It does not
    vanish.
    """
    return np.stack([_row(row, method) for row in scores]) if len(scores) else scores


def _row(row: Array, method: Method) -> Array:
    given = row[~np.isnan(row)]
    if not given.size:
        return row
    if given.min() == given.max():
        return np.where(np.isnan(row), np.nan, 0.0 if method == "z-score" else 0.5)
    if method == "z-score":
        return np.asarray((row - given.mean()) / given.std(ddof=1))
    return np.asarray((row - given.min()) / (given.max() - given.min()))
