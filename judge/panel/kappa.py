"""Fleiss' kappa over standings, with the same bootstrap as alpha.

Source: Fleiss (1971), Measuring nominal scale agreement among many raters.  There all items have the same number of
ratings.  Here an item with fewer uses its own number for its share of agreeing pairs, and all ratings count for the
shares of the categories.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from events.types import Coefficient
from events.types.criteria import PanelRules
from judge.panel.agreement import Array, resamples, with_interval
from judge.panel.disputes import PAIR


def kappa(counts: Array) -> float:
    """Return kappa of ``counts[item, category]``, at least two ratings an item; NaN if there is only one category."""
    return float(_kappas(counts, np.ones((1, len(counts))))[0])


def measure_kappa(standings: Sequence[Mapping[str, str]], rules: PanelRules) -> Coefficient:
    """Return kappa with its interval, or why it is undefined; ``standings`` has ``{item: category}`` for each rater."""
    if not any(standings):
        return Coefficient(undefined="nobody gave a standing")
    if sum(map(bool, standings)) < PAIR:
        return Coefficient(undefined="one rater alone cannot agree with anybody")
    counts = count_standings(standings)
    if not len(counts):
        return Coefficient(undefined="no two raters gave a standing to the same item")
    if len(counts) < rules.least_items:
        items = "1 item" if len(counts) == 1 else f"{len(counts)} items"
        return Coefficient(undefined=f"only {items} can be compared, at least {rules.least_items} are needed")
    if (counts.sum(axis=0) > 0).sum() == 1:
        return Coefficient(undefined="every standing is the same: with one category there is nothing to agree on")
    return with_interval(kappa(counts), _kappas(counts, resamples(len(counts), rules.bootstrap)), len(counts), rules)


def count_standings(standings: Sequence[Mapping[str, str]]) -> Array:
    """Return ``counts[item, category]`` of the items to which at least two raters have given a standing."""
    items = sorted({item for each in standings for item in each})
    categories = sorted({category for each in standings for category in each.values()})
    counts = np.array(
        [[sum(each.get(item) == category for each in standings) for category in categories] for item in items],
        dtype=np.float64,
    ).reshape(len(items), len(categories))
    kept: Array = counts[counts.sum(axis=1) >= PAIR]
    return kept


def _kappas(counts: Array, weights: Array) -> Array:
    """Return kappa of each sample of the items; ``weights[sample, item]``."""
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    observed: Array = weights @ agreeing / weights.sum(axis=1)
    ratings = weights @ counts
    shares = ratings / ratings.sum(axis=1, keepdims=True)
    expected = (shares**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Array = np.where(expected > 1 - 1e-12, np.nan, (observed - expected) / (1 - expected))
    return values
