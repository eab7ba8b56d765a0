"""Estimates whose observations come in clusters: the items of one motion are alike, so the motion is the cluster.

Every standard error sums over clusters and every interval has the degrees of freedom of the clusters, so ten answers
about one motion do not count as ten motions.  The intervals hold with 30 clusters; percentile bootstraps do not.

A few functions need scipy or statsmodels (extra ``lab``) and import them: means, shares and their quantiles do not.

Sources: Bell and McCaffrey (2002) and Pustejovsky and Tipton (2018), the standard error CR2 and its degrees of freedom;
Wilson (1927) with the effective sample of Korn and Graubard (1998), shares; Schuirmann (1987), two one-sided tests;
Fagerland, Lydersen and Laake (2013), the mid-p test of McNemar; Fleiss (1971), kappa; Cohen (1960), kappa of two
raters; Quenouille and Tukey, the jackknife; Benjamini and Hochberg (1995), the false discovery rate; Bloom (1995), the
minimum detectable effect; Brier (1950) and Wilson (1927), calibration.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import ceil, exp, inf, isfinite, log, sqrt
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from events.state.certainty import quantile as student_quantile
from events.state.certainty import student
from events.types.lab import CalibrationBin
from judge.errors import MissingPackages

Array = NDArray[np.float64]
LEVEL: Final = 0.95
"""Confidence of every interval but those of equivalence."""
ALPHA: Final = 1 - LEVEL
EQUIVALENCE_LEVEL: Final = 1 - 2 * ALPHA
"""Confidence of the interval that two one-sided tests at ``ALPHA`` compare with a margin (Schuirmann 1987)."""
POWER: Final = 0.8
"""Power at which an effect counts as detectable."""
BINS: Final = 10
"""Bins of a calibration curve."""
HALF: Final = 0.5
MIN_VALUES: Final = 2
"""Clusters that an estimate needs."""


class ClusterEstimate(NamedTuple):
    """A figure with its interval of 95 %.  ``error`` is the standard error, ``df`` its degrees of freedom."""

    value: float
    low: float
    high: float
    low_90: float
    high_90: float
    """The ends of the interval of 90 %, by which equivalence is judged."""
    error: float
    df: float
    n: int
    clusters: int

    def p(self, null: float) -> float:
        """Return the two-sided p value of a null hypothesis.

        Without any variation in the data the smallest p is that of flipping the sign of each cluster, 2 / 2^clusters.
        """
        if self.value == null:
            return 1.0
        if self.error == 0:
            return min(1.0, 2.0 ** (1 - self.clusters))
        return min(1.0, 2 * student(-abs(self.value - null) / self.error, self.df))

    def is_within(self, null: float, margin: float) -> bool:
        """Whether two one-sided tests at 5 % show that the figure lies within ``null`` ± ``margin``.

        That is the same as: the interval of 90 % lies there.
        """
        return null - margin < self.low_90 and self.high_90 < null + margin

    @property
    def detectable(self) -> float:
        """The smallest difference from the null that this sample shows at 5 % with a power of 80 %."""
        return (quantile(self.df, 1 - ALPHA / 2) + quantile(self.df, POWER)) * self._widest_error

    def enough(self, margin: float, alpha: float) -> int:
        """Return the number of items with which a figure is either beyond its null at ``alpha`` or within ``margin``.

        Then half an interval of each kind is no wider than the margin together, so no figure can lie between the two.
        The spread stays, and clusters grow with the items.
        """
        both = quantile(self.df, 1 - alpha / 2) + quantile(self.df, (1 + EQUIVALENCE_LEVEL) / 2)
        return ceil(self.n * (both * self._widest_error / margin) ** 2)

    @property
    def _widest_error(self) -> float:
        """The standard error, or what the interval's width says: a share's is wider where few events were seen."""
        width = (self.high - self.low) / 2 if self.error else max(self.high - self.value, self.value - self.low)
        return max(self.error, width / quantile(self.df, 1 - ALPHA / 2))


# means and shares


def mean(
    values: ArrayLike, clusters: Sequence[Hashable], bounds: tuple[float, float] | None = None
) -> ClusterEstimate | None:
    """Return the mean with a cluster-robust t interval, clipped to ``bounds``; None below two clusters.

    The error is CR2, the degrees of freedom are Bell's and McCaffrey's.  With clusters of one size this is the t
    interval of the clusters' means.
    """
    sample = _Sample.of(values, clusters)
    if sample is None:
        return None
    return _interval(sample.mean, sample.error, sample.df, sample.n, sample.clusters, bounds)


def share(values: ArrayLike, clusters: Sequence[Hashable], least: float = 0.0) -> ClusterEstimate | None:
    """Return a share, or with ``least`` -1 a difference of shares, with Wilson's interval for the effective sample.

    ``values`` lie from ``least`` to 1.  The effective sample has the variance of the clustered one, and is smaller by
    (z/t)² because that variance is estimated.  Where all values are equal the variance tells nothing: then the number
    of values counts, and the interval ends where an unseen event has a chance of 2.5 %.  None below two clusters.
    """
    sample = _Sample.of(values, clusters)
    if sample is None:
        return None
    ends = (*_share_interval(sample, least, LEVEL), *_share_interval(sample, least, EQUIVALENCE_LEVEL))
    return ClusterEstimate(sample.mean, *ends, sample.error, sample.df, sample.n, sample.clusters)


def _share_interval(sample: "_Sample", least: float, level: float) -> tuple[float, float]:
    width, tail = 1 - least, (1 - level) / 2
    p = (sample.mean - least) / width
    if sample.error == 0:
        share_ = unseen(sample.n, level)
        low, high = p - p * share_, p + (1 - p) * share_
    else:
        narrower = quantile(inf, 1 - tail) / quantile(sample.df, 1 - tail)
        low, high = wilson(p, p * (1 - p) * (width / sample.error * narrower) ** 2, level)
    return least + low * width, least + high * width


def unseen(n: int, level: float = LEVEL) -> float:
    """Return the share of an event that ``n`` items have with a chance of (1 - ``level``) / 2 without showing it."""
    return float(1 - ((1 - level) / 2) ** (1 / n))


def wilson(share_: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's interval of a share of ``n``, which may be an effective sample."""
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle, reach = share_ * n + z2 / 2, sqrt(z2 * (share_ * (1 - share_) * n + z2 / 4))
    return max(0.0, (middle - reach) / (n + z2)), min(1.0, (middle + reach) / (n + z2))


class _Sample(NamedTuple):
    """Values by cluster, reduced to what a mean and its error need."""

    mean: float
    residuals: Array
    """Sum of the residuals of each cluster."""
    sizes: Array
    n: int

    @classmethod
    def of(cls, values: ArrayLike, clusters: Sequence[Hashable]) -> "_Sample | None":
        x = np.asarray(values, dtype=np.float64)
        numbers: dict[Hashable, int] = {}
        of = [numbers.setdefault(each, len(numbers)) for each in clusters]
        if len(numbers) < MIN_VALUES:
            return None
        middle = float(x.mean())
        if np.ptp(x) == 0:
            middle = float(x[0])
        sizes = np.bincount(of).astype(np.float64)
        return cls(middle, np.bincount(of, weights=x - middle).astype(np.float64), sizes, len(x))

    @property
    def clusters(self) -> int:
        return len(self.sizes)

    @property
    def weights(self) -> Array:
        """What a cluster's residual counts: 1/n, made larger by CR2 for its own pull on the mean."""
        weights: Array = 1 / (self.n * np.sqrt(1 - self.sizes / self.n))
        return weights

    @property
    def error(self) -> float:
        return float(np.linalg.norm(self.weights * self.residuals))

    @property
    def df(self) -> float:
        """Degrees of freedom of the error by Satterthwaite, under independent values."""
        scaled = self.weights * self.sizes
        spread = np.diag(self.weights**2 * self.sizes) - np.outer(scaled, scaled) / self.n
        return float(np.trace(spread) ** 2 / (spread**2).sum())


# other figures


def jackknife(
    figure: Callable[[Sequence[int]], float], clusters: Sequence[Hashable], bounds: tuple[float, float] | None = None
) -> ClusterEstimate | None:
    """Return ``figure`` of the indices of all rows, with the interval of leaving out one cluster at a time.

    None below three clusters, or where the figure is undefined for a part.
    """
    by_cluster: dict[Hashable, list[int]] = {}
    for index, name in enumerate(clusters):
        by_cluster.setdefault(name, []).append(index)
    count = len(by_cluster)
    if count <= MIN_VALUES:
        return None
    rows = range(len(clusters))
    whole = figure(rows)
    parts = np.array([figure([i for i in rows if clusters[i] != left]) for left in by_cluster])
    if not isfinite(whole) or not np.isfinite(parts).all():
        return None
    error = sqrt((count - 1) / count * float(((parts - parts.mean()) ** 2).sum()))
    return _interval(whole, error, count - 1, len(clusters), count, bounds)


def fleiss_kappa(counts: ArrayLike, clusters: Sequence[Hashable]) -> ClusterEstimate | None:
    """Return Fleiss' kappa of ``counts[item, category]`` with a jackknife over clusters.

    Every item has the same number of ratings.  None if only one category occurs, or below three clusters.
    """
    table = np.asarray(counts, dtype=np.float64)
    kappa = _module("statsmodels.stats.inter_rater").fleiss_kappa

    def of(rows: Sequence[int]) -> float:
        kept = table[list(rows)]
        return float(kappa(kept)) if (kept.sum(axis=0) > 0).sum() > 1 else float("nan")

    return jackknife(of, clusters, (-1.0, 1.0))


def cohen_kappa(pairs: Sequence[tuple[str, str]], clusters: Sequence[Hashable]) -> ClusterEstimate | None:
    """Return Cohen's kappa of two raters' categories of each item, with a jackknife over clusters.

    If they agree on every item the variance tells nothing: then the interval begins where a disagreement that nobody
    has seen has a chance of 2.5 %.  None if both name one category only, or below three clusters.
    """

    def of(rows: Sequence[int]) -> float:
        return _kappa([pairs[row] for row in rows])

    found = jackknife(of, clusters, (-1.0, 1.0))
    if found is None or found.value < 1:
        return found
    disagreed = 1 / (1 - sum((count / len(pairs)) ** 2 for count in Counter(one for one, _ in pairs).values()))
    low, low_90 = (1 - disagreed * unseen(len(pairs), level) for level in (LEVEL, EQUIVALENCE_LEVEL))
    return found._replace(low=max(low, -1.0), low_90=max(low_90, -1.0))


def _kappa(pairs: Sequence[tuple[str, str]]) -> float:
    n = len(pairs)
    one, other = (Counter(pair[rater] for pair in pairs) for rater in (0, 1))
    by_chance = sum(one[category] * other[category] for category in one) / n**2
    agreed = sum(said == also for said, also in pairs) / n
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def rank_correlation(
    one: Sequence[float], other: Sequence[float], clusters: Sequence[Hashable]
) -> ClusterEstimate | None:
    """Return Spearman's rank correlation with a jackknife over clusters; None if a side does not vary."""
    correlation = _module("scipy.stats").spearmanr

    def of(rows: Sequence[int]) -> float:
        sides = [[side[row] for row in rows] for side in (one, other)]
        return float(correlation(*sides).statistic) if all(len(set(side)) > 1 for side in sides) else float("nan")

    return jackknife(of, clusters, (-1.0, 1.0))


def within_sd(groups: Sequence[ArrayLike], clusters: Sequence[Hashable]) -> ClusterEstimate | None:
    """Return the standard deviation within items, one group of repeated values each, with its interval.

    The variance is pooled over the items by its degrees of freedom.  The jackknife over clusters works on its
    logarithm, so neither normal values nor equal variances are needed.
    """
    kept = [(np.asarray(each, dtype=np.float64), name) for each, name in zip(groups, clusters, strict=True)]
    kept = [each for each in kept if len(each[0]) > 1]
    if not kept:
        return None
    squares = np.array([float(((values - values.mean()) ** 2).sum()) for values, _ in kept])
    free = np.array([len(values) - 1 for values, _ in kept])
    of = [name for _, name in kept]
    n = int(free.sum()) + len(kept)
    if squares.sum() == 0:
        return ClusterEstimate(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, len(set(of)) - 1, n, len(set(of)))

    def log_variance(rows: Sequence[int]) -> float:
        chosen = list(rows)
        found = squares[chosen].sum() / free[chosen].sum()
        return log(found) if found > 0 else float("nan")

    found = jackknife(log_variance, of)
    if found is None:
        return None
    value, low, high, low_90, high_90 = (exp(each / 2) for each in found[:5])
    return ClusterEstimate(value, low, high, low_90, high_90, value * found.error / 2, found.df, n, found.clusters)


def mcnemar(one: int, other: int) -> float:
    """Return McNemar's mid-p value of two counts of discordant pairs."""
    pairs, least = one + other, min(one, other)
    if not pairs:
        return 1.0
    below = _module("scipy.special").bdtr([least, least - 1] if least else [0], pairs, 0.5)
    up_to, under = float(below[0]), float(below[1]) if least else 0.0
    return min(1.0, up_to + under)


def false_discovery(p: Sequence[float]) -> list[float]:
    """Return the q values of one family by Benjamini and Hochberg."""
    if not p:
        return []
    q: list[float] = _module("scipy.stats").false_discovery_control(p).tolist()
    return q


def calibration(stated: ArrayLike, right: ArrayLike, clusters: Sequence[Hashable]) -> tuple[CalibrationBin, ...]:
    """Return the calibration curve: for each bin of stated confidence in [0, 1] the share of answers that are right.

    A bin whose answers are of one cluster has Wilson's interval without a design effect.
    """
    said, hit = np.asarray(stated, dtype=np.float64), np.asarray(right, dtype=np.float64)
    number = np.minimum((said * BINS + 1e-9).astype(int), BINS - 1)
    bins = []
    for each in range(BINS):
        chosen = np.flatnonzero(number == each)
        if not chosen.size:
            continue
        found = share(hit[chosen], [clusters[i] for i in chosen.tolist()])
        value = float(hit[chosen].mean())
        low, high = wilson(value, chosen.size) if found is None else (found.low, found.high)
        bins.append(
            CalibrationBin(stated=float(said[chosen].mean()), right=value, low=low, high=high, n=int(chosen.size))
        )
    return tuple(bins)


def quantile(df: float, probability: float) -> float:
    """Return a quantile of the t distribution; of the normal one for infinite ``df``."""
    if not isfinite(df):
        return NormalDist().inv_cdf(probability)
    return student_quantile(probability, df) if probability >= HALF else -student_quantile(1 - probability, df)


def _interval(
    value: float, error: float, df: float, n: int, clusters: int, bounds: tuple[float, float] | None
) -> ClusterEstimate:
    least, most = bounds or (-inf, inf)
    half, half_90 = (quantile(df, (1 + level) / 2) * error for level in (LEVEL, EQUIVALENCE_LEVEL))
    low, low_90 = (max(value - each, least) for each in (half, half_90))
    high, high_90 = (min(value + each, most) for each in (half, half_90))
    return ClusterEstimate(value, low, high, low_90, high_90, error, df, n, clusters)


def _module(name: str) -> Any:
    """Import a module of the extra ``lab``.  Raises ``MissingPackages``."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingPackages(name.partition(".")[0]) from error
