"""Calibration: a rater's habits are taken out of its scores, so that the scores of different raters can be compared.

It corrects strictness and spread, not wrong judgement: two raters that differ by three points throughout become equal.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from judge.panel.agreement import Array

CalibrationMethod = Literal["z-score", "min-max"]


def calibration_method(fewest_items: int, minmax_at: int) -> CalibrationMethod:
    """Return min-max if a side has at most ``minmax_at`` items, since the spread of so few scores is not reliable."""
    return "min-max" if fewest_items <= minmax_at else "z-score"


def calibrated_scores(scores: Array, method: CalibrationMethod) -> Array:
    """Calibrate ``scores[rater, unit]`` row by row; NaN stays NaN.

    The scores of a rater that always gives the same score become the middle: 0 for z-scores, ½ for min-max.
    """
    return np.stack([_row(row, method) for row in scores]) if len(scores) else scores


def calibrated_points(scores: Array, method: CalibrationMethod) -> Array:
    """Calibrate ``scores[rater, unit]`` and express them in points of the scale on which the raters scored.

    A z-score becomes mean + z × spread and a share of a range becomes lowest + share × range, with the mean values of
    the raters.  The mean is that of all raters over the units that the rater scored: a rater that left out a weak
    argument is not called lenient for it.  Raters that always give the same score do not count for spread and range.
    """
    rows = [given for row in scores if (given := row[~np.isnan(row)]).size and np.ptp(given) > 0]
    calibrated = calibrated_scores(scores, method)
    if method == "min-max" and rows:
        low, size = np.mean([(row.min(), np.ptp(row)) for row in rows], axis=0)
        return np.asarray(low + size * calibrated)
    spread = np.mean([row.std(ddof=1) for row in rows]) if rows else 0.0
    centred = calibrated if method == "z-score" else calibrated - calibrated  # equal scores throughout are no spread
    return np.asarray((_mean(scores, axis=1) - offsets(scores))[:, None] + spread * centred)


def offsets(scores: Array) -> Array:
    """Return by how many points each rater's scores lie above those of all raters, over the units that it scored.

    A lenient rater has a positive offset, a strict one a negative one; NaN for a rater without scores.
    """
    return _mean(scores - _mean(scores, axis=0), axis=1)


def strictness(totals: Mapping[str, Mapping[str, float]], items: Sequence[str]) -> dict[str, float]:
    """Return the offset of each rater in points of its weighted scores."""
    found = offsets(score_rows(totals, items))
    return {name: round(float(each), 4) + 0.0 for name, each in zip(totals, found, strict=True) if not np.isnan(each)}


def score_rows(totals: Mapping[str, Mapping[str, float]], items: Sequence[str]) -> Array:
    """Return ``scores[rater, item]`` of named scores; NaN where a rater has none."""
    rows = [[given.get(item, np.nan) for item in items] for given in totals.values()]
    return np.array(rows, dtype=np.float64).reshape(len(totals), len(items))


def _mean(scores: Array, axis: int) -> Array:
    """Return the mean of the scores that are given; NaN where there is none."""
    count = (~np.isnan(scores)).sum(axis=axis)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(scores, axis=axis) / count)


def _row(row: Array, method: CalibrationMethod) -> Array:
    given = row[~np.isnan(row)]
    if not given.size:
        return row
    if given.min() == given.max():
        return np.where(np.isnan(row), np.nan, 0.0 if method == "z-score" else 0.5)
    if method == "z-score":
        return np.asarray((row - given.mean()) / given.std(ddof=1))
    return np.asarray((row - given.min()) / (given.max() - given.min()))
