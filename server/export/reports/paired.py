"""Figures of agreement between two judges that scored the same turns.

With fewer than ``MIN_VALUES`` values no figure is given.
Krippendorff's alpha and kappa, with their bootstrap intervals, are those of a panel with two raters (``judge/panel/``).

Source: Bonett and Wright (2000), the interval of Spearman's rank correlation.
"""

from collections.abc import Mapping, Sequence
from math import atanh, sqrt, tanh
from statistics import NormalDist, correlation, fmean, stdev
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.certainty import quantile
from events.types import Coefficient
from events.types.criteria import PanelRules

RULES: Final = PanelRules(topics={})
MIN_VALUES: Final = RULES.least_items
"""Minimum number of pairs of values that a figure is given for."""
LEVEL: Final = 0.95
PLACES: Final = 6


class IntervalEstimate(Struct, frozen=True, kw_only=True):
    """A figure with its interval of 95 %; without an interval if the values do not allow one."""

    value: float
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET


class ScoreAgreement(Struct, frozen=True, kw_only=True):
    """How far two judges gave the same scores to the same turns.  Differences are second less first."""

    turns: int
    """Turns, or arguments, that both judges scored."""
    least: int = MIN_VALUES
    too_few: str | UnsetType = UNSET
    """Why there are no figures."""
    bias: IntervalEstimate | UnsetType = UNSET
    """The mean difference, with the t interval over turns."""
    apart: float | UnsetType = UNSET
    """The mean absolute difference."""
    alpha: Coefficient | UnsetType = UNSET
    """Krippendorff's alpha for interval data."""
    rank: IntervalEstimate | UnsetType = UNSET
    """Spearman's rank correlation; absent if one judge gave every turn the same score."""


def score_agreement(first: Sequence[float], second: Sequence[float], what: str = "turn") -> ScoreAgreement:
    """Compare two judges' scores of the same turns, or of ``what`` they scored."""
    import numpy as np  # noqa: PLC0415 - a server starts faster without numpy

    from judge.panel.agreement import Ratings, measure  # noqa: PLC0415 - as above

    count = len(first)
    if count < MIN_VALUES:
        scored = f"1 {what} has" if count == 1 else f"{count or 'no'} {what}s have"
        why = f"{scored} a score from both judges; figures are given from {MIN_VALUES} {what}s on"
        return ScoreAgreement(turns=count, too_few=why)
    differences = [b - a for a, b in zip(first, second, strict=True)]
    ratings = Ratings(np.array([first, second], dtype=np.float64), np.arange(count))
    return ScoreAgreement(
        turns=count,
        bias=mean_interval(differences),
        apart=round(fmean(map(abs, differences)), PLACES),
        alpha=measure(ratings, "interval", RULES),
        rank=rank_correlation(first, second),
    )


def choice_agreement(first: Mapping[str, str], second: Mapping[str, str]) -> Coefficient:
    """Return Fleiss' kappa of two judges' choices by item, or why it is undefined."""
    from judge.panel.kappa import measure_kappa  # noqa: PLC0415 - it imports numpy

    common = first.keys() & second.keys()
    return measure_kappa([{item: each[item] for item in common} for each in (first, second)], RULES)


def mean_interval(values: Sequence[float]) -> IntervalEstimate:
    """Return the mean of at least two values with its t interval."""
    middle = fmean(values)
    half = quantile((1 + LEVEL) / 2, len(values) - 1) * stdev(values) / sqrt(len(values))
    return IntervalEstimate(
        value=round(middle, PLACES), low=round(middle - half, PLACES), high=round(middle + half, PLACES)
    )


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> IntervalEstimate | UnsetType:
    """Return Spearman's rank correlation of at least four pairs; unset if the values of one of them are all equal."""
    if len(set(first)) == 1 or len(set(second)) == 1:
        return UNSET
    value = correlation(_ranks(first), _ranks(second))
    if abs(value) > 1 - 1e-9:  # Fisher's z is infinite there
        return IntervalEstimate(value=round(value, PLACES))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt((1 + value**2 / 2) / (len(first) - 3))
    low, high = (tanh(atanh(value) + sign * half) for sign in (-1, 1))
    return IntervalEstimate(value=round(value, PLACES), low=round(low, PLACES), high=round(high, PLACES))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 on; equal values share the mean of their ranks."""
    return [sum(each < value for each in values) + (sum(each == value for each in values) + 1) / 2 for value in values]
