"""How true stated probabilities are: the Brier score, and its parts by isotonic regression.

Source: Dimitriadis, Gneiting and Jordan (2021), CORP.  The recalibrated probabilities are those of the pool-adjacent-
violators algorithm, so the reliability diagram needs no choice of bins.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judge.lab.statistics import mean
from judge.study.results import CalibrationBlock, StudyCalibration, StudyFigure

Array = NDArray[np.float64]


def isotonic(stated: ArrayLike, happened: ArrayLike) -> list[tuple[int, float, int]]:
    """Blocks of the sorted values: the index after each block, its share, and its weight.

    Equal stated values are one value with their mean.
    """
    x, y = np.asarray(stated, dtype=np.float64), np.asarray(happened, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    values, starts = np.unique(x[order], return_index=True)
    sums = np.add.reduceat(y[order], starts)
    counts = np.diff(np.append(starts, len(x)))
    blocks: list[tuple[int, float, int]] = []
    for end in range(len(values)):
        total, weight = float(sums[end]), int(counts[end])
        while blocks and blocks[-1][1] * weight >= total:
            _, before, more = blocks.pop()
            total, weight = total + before * more, weight + more
        blocks.append((end + 1, total / weight, weight))
    return blocks


def calibrated(
    stated: Sequence[float], happened: Sequence[float], clusters: Sequence[Hashable]
) -> StudyCalibration | None:
    """The calibration of probabilities in [0, 1] of what happened (0 or 1); None without any."""
    if not stated:
        return None
    x, y = np.asarray(stated, dtype=np.float64), np.asarray(happened, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    values = np.unique(x)
    blocks, begin, done, score = list[CalibrationBlock](), 0, 0, 0.0
    for end, share, weight in isotonic(x, y):
        own = order[done : done + weight]
        score += float(((share - y[own]) ** 2).sum())
        blocks.append(
            CalibrationBlock(float(values[begin]), float(values[end - 1]), float(x[own].mean()), share, weight)
        )
        begin, done = end, done + weight
    brier, usual = float(((x - y) ** 2).mean()), float(y.mean() * (1 - y.mean()))
    recalibrated = score / len(x)
    return StudyCalibration(
        blocks=tuple(blocks),
        brier=figure_of((x - y) ** 2, clusters),
        miscalibration=brier - recalibrated,
        discrimination=usual - recalibrated,
        uncertainty=usual,
        answers=len(x),
    )


def figure_of(
    values: ArrayLike, clusters: Sequence[Hashable], bounds: tuple[float, float] | None = (0.0, 1.0)
) -> StudyFigure:
    """A mean with the t interval of its clusters (CR2); without an interval below two clusters."""
    found = mean(values, clusters, bounds)
    if found is None:
        x = np.asarray(values, dtype=np.float64)
        return StudyFigure(float(x.mean()), None, None, None, None, len(x), len(set(clusters)))
    return StudyFigure(found.value, found.low, found.high, found.low_90, found.high_90, found.n, found.clusters)
