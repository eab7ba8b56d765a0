"""Krippendorff's alpha with a bootstrap interval.

The value is that of the sample in which every unit is once.  The bootstrap draws whole items with all their dimensions,
because the scores of one argument depend on each other.  2,000 draws are one matrix product.

Sources: Krippendorff (2011), Computing Krippendorff's alpha-reliability; Efron and Tibshirani (1993), percentile
intervals.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from events.types import Coefficient
from events.types.criteria import PanelRules
from judge.panel.disputes import PAIR

MeasurementLevel = Literal["nominal", "ordinal", "interval", "ratio"]
Array = NDArray[np.float64]
SEED: Final = 20_261_121
"""Seed of every bootstrap, so that the same scores always have the same interval."""
USABLE: Final = 0.5
"""Share of the draws that must have a value; with fewer there is no interval."""
AT_ONCE: Final = 500
"""Samples in one matrix product: with more, BLAS starts threads and waiting for them costs more than they save."""
PLACES: Final = 6
"""Decimals of a coefficient; the outcome is read from the rounded value."""


class Ratings(Struct, frozen=True):
    """``values[rater, unit]``, NaN for a missing score; ``items[unit]`` is the number of the unit's item."""

    values: Array
    items: NDArray[np.int64]

    def without(self, rater: int) -> "Ratings":
        """Return the ratings without one rater."""
        return Ratings(np.delete(self.values, rater, axis=0), self.items)

    @property
    def pairable(self) -> "Ratings":
        """The units that at least two raters have rated; only these tell something about agreement."""
        kept = (~np.isnan(self.values)).sum(axis=0) >= PAIR
        return Ratings(self.values[:, kept], self.items[kept])


def alpha(ratings: Ratings, level: MeasurementLevel, least_items: int) -> float | str:
    """Return alpha, or why it is undefined: one rater alone, no overlap, too few units, or one value throughout."""
    pairable = ratings.pairable.values
    if why := _why_undefined(ratings, pairable.shape[1], least_items):
        return why
    sample = _SAMPLERS[level](pairable, np.zeros(pairable.shape[1], dtype=np.int64), 1)
    value = float(sample(np.ones((1, 1)))[0])
    if np.isnan(value):
        return "every rating is the same: without any difference there is nothing to agree on"
    return value


def measure(ratings: Ratings, level: MeasurementLevel, rules: PanelRules) -> Coefficient:
    """Return alpha with its 95 % interval and its band."""
    value = alpha(ratings, level, rules.least_items)
    if isinstance(value, str):
        return Coefficient(undefined=value)
    pairable = ratings.pairable
    enough = np.unique(pairable.items).size >= rules.least_items  # a few items drawn again are the same few
    sampled = bootstrap_values(ratings, level, rules.bootstrap) if enough else np.empty(0)
    return with_interval(value, sampled, pairable.items.size, rules)


def bootstrap_values(ratings: Ratings, level: MeasurementLevel, number: int) -> Array:
    """Return alpha of ``number`` samples of the items, drawn with replacement; NaN for a sample without alpha."""
    pairable = ratings.pairable
    _, clusters = np.unique(pairable.items, return_inverse=True)
    items = int(clusters.max()) + 1
    sample, times = _SAMPLERS[level](pairable.values, clusters, items), resamples(items, number)
    return np.concatenate([sample(times[start : start + AT_ONCE]) for start in range(0, number, AT_ONCE)])


@cache
def resamples(items: int, number: int) -> Array:
    """Return how often each sample contains each item: ``[number, items]``."""
    drawn = np.random.default_rng(SEED).multinomial(items, np.full(items, 1 / items), size=number)
    return drawn.astype(np.float64)


def with_interval(value: float, sampled: Array, items: int, rules: PanelRules) -> Coefficient:
    """Return a value with the percentile interval of its samples; without interval if too few samples have a value."""
    usable = sampled[~np.isnan(sampled)]
    value = round(value, PLACES)
    coefficient = Coefficient(value=value, items=items, band=band(value, rules))
    if not usable.size or usable.size < USABLE * sampled.size:
        return coefficient
    low, high = np.percentile(usable, [2.5, 97.5])
    return replace(coefficient, low=round(float(low), PLACES), high=round(float(high), PLACES))


def band(value: float, rules: PanelRules) -> str:
    """Return the name of a coefficient's band."""
    if value >= rules.high:
        return "high"
    if value >= rules.moderate:
        return "moderate"
    return "low" if value >= rules.low else "unacceptable"


def _why_undefined(ratings: Ratings, count: int, least_items: int) -> str:
    """Return why ``count`` pairable units have no coefficient; empty if they have one."""
    rated = (~np.isnan(ratings.values)).any(axis=1).sum()
    if rated < PAIR:
        return "one rater alone cannot agree with anybody" if rated else "nobody rated anything"
    if count == 0:
        return "no two raters rated the same thing"
    if count < least_items:
        return f"only {count} rating{'' if count == 1 else 's'} can be compared, at least {least_items} are needed"
    return ""


# Each level needs some sums over items: a sample is then the product of its counts with these sums.

Sampler = Callable[[Array], Array]


def _interval(values: Array, clusters: NDArray[np.int64], number: int) -> Sampler:
    """δ = (v − k)²: it needs the sums of the values and of their squares."""
    m = (~np.isnan(values)).sum(axis=0)
    values = values - np.nanmean(values)  # differences stay the same, and sums of small numbers lose fewer digits
    first, second = np.nansum(values, axis=0), np.nansum(values**2, axis=0)
    observed = 2 * (m * second - first**2) / (m - 1)
    sums = _summed(np.stack([observed, m, first, second], axis=1), clusters, number)

    def sample(weights: Array) -> Array:
        seen, n, one, two = (weights @ sums).T
        return alpha_of_sums(seen, 2 * (n * two - one**2), n)

    return sample


def _nominal(values: Array, clusters: NDArray[np.int64], number: int) -> Sampler:
    """δ = 1 unless v = k."""
    counts, _ = _counts(values)
    m = counts.sum(axis=1)
    observed = (m**2 - (counts**2).sum(axis=1)) / (m - 1)
    sums = _summed(np.column_stack([observed, counts]), clusters, number)

    def sample(weights: Array) -> Array:
        drawn = weights @ sums
        n = drawn[:, 1:].sum(axis=1)
        return alpha_of_sums(drawn[:, 0], n**2 - (drawn[:, 1:] ** 2).sum(axis=1), n)

    return sample


def _ratio(values: Array, clusters: NDArray[np.int64], number: int) -> Sampler:
    """δ = ((v − k) ÷ (v + k))²."""
    counts, domain = _counts(values)
    total = domain[:, None] + domain
    distance = np.divide(domain[:, None] - domain, total, out=np.zeros_like(total), where=total != 0) ** 2
    m = counts.sum(axis=1)
    observed = ((counts @ distance) * counts).sum(axis=1) / (m - 1)
    sums = _summed(np.column_stack([observed, counts]), clusters, number)

    def sample(weights: Array) -> Array:
        drawn = weights @ sums
        margins = drawn[:, 1:]
        return alpha_of_sums(drawn[:, 0], ((margins @ distance) * margins).sum(axis=1), margins.sum(axis=1))

    return sample


def _ordinal(values: Array, clusters: NDArray[np.int64], number: int) -> Sampler:
    """δ = (Σ n_g from v to k − (n_v + n_k) ÷ 2)²: the squared distance of mid-ranks, which differ by sample."""
    counts, domain = _counts(values)
    m, size = counts.sum(axis=1), domain.size
    one, other = np.triu_indices(size)
    pairs = counts[:, one] * counts[:, other] - np.where(one == other, counts[:, one], 0)
    coincidences = np.where(one == other, 1, 2) * pairs / (m - 1)[:, None]  # (v, k) and (k, v) are one column
    sums = _summed(np.column_stack([counts, coincidences]), clusters, number)

    def sample(weights: Array) -> Array:
        drawn = sums.T @ weights.T
        margins = drawn[:size]
        rank = margins.cumsum(axis=0) - margins / 2
        n, squares = margins.sum(axis=0), (margins * rank**2).sum(axis=0)
        observed = 2 * (squares - (drawn[size:] * rank[one] * rank[other]).sum(axis=0))
        return alpha_of_sums(observed, 2 * (n * squares - (margins * rank).sum(axis=0) ** 2), n)

    return sample


_SAMPLERS: Final[dict[MeasurementLevel, Callable[[Array, NDArray[np.int64], int], Sampler]]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}


def _counts(values: Array) -> tuple[Array, Array]:
    """Return ``counts[unit, value]``, and the values."""
    domain = np.unique(values[~np.isnan(values)])
    return (values[:, :, None] == domain).sum(axis=0).astype(np.float64), domain


def _summed(parts: Array, clusters: NDArray[np.int64], number: int) -> Array:
    """Add up rows of units to rows of items."""
    sums = np.zeros((number, parts.shape[1]))
    np.add.at(sums, clusters, parts)
    return sums


def alpha_of_sums(observed: Array, expected: Array, n: Array) -> Array:
    """Return 1 − (n − 1) × observed ÷ expected of each sample; NaN if all values are equal, but for rounding."""
    scale: Any = np.maximum(n**2, 1)
    is_one_value = expected <= 1e-9 * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(is_one_value, np.nan, 1 - (n - 1) * observed / expected)
