"""How consistent the raters are, whatever their strictness: alpha of their margins, and intraclass correlations.

A rater's margin on a criterion is the mean of its scores for pro minus the mean for con.  Its strictness cancels out in
it; a difference in spread does not.

An intraclass correlation tells how reliable the mean of these k raters is: ICC(2,k) for agreement, so that strictness
counts against it, and ICC(3,k) for consistency, so that it does not.

Sources: Shrout and Fleiss (1979), Intraclass correlations: uses in assessing rater reliability; Krippendorff (2011).
"""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace
from numpy.typing import NDArray

from events.types import SIDES, Coefficient, Side
from events.types.criteria import PanelRules
from judge.panel.agreement import Array, Ratings, alpha_of_sums, resamples, with_interval
from judge.panel.disputes import PAIR

IccForm = Literal["2,k", "3,k"]
EQUAL: Final = 1e-12


# margins


def measure_margins(ratings: Ratings, sides: Sequence[Side], rules: PanelRules) -> Coefficient:
    """Return interval alpha of the raters' margins with its interval, or why it is undefined.

    ``sides[item]``: the side of each item.  Each margin counts in both directions, pro − con and con − pro: which side
    is named first must not matter, and raters that see the same lead everywhere agree.
    """
    value = margins_alpha(ratings, sides)
    if isinstance(value, str):
        return Coefficient(undefined=value)
    groups = _by_side(ratings, sides)
    draws = [_drawn(len(values), rules.bootstrap, number) for number, values in enumerate(groups)]
    sampled = _margin_alphas(groups, draws) if len(sides) >= rules.least_items else np.empty(0)
    return with_interval(value, sampled, groups[0].shape[2], rules)


def margins_alpha(ratings: Ratings, sides: Sequence[Side]) -> float | str:
    """Return alpha of the raters' margins, or why it is undefined."""
    groups = _by_side(ratings, sides)
    if not all(map(len, groups)):
        return "a side has no item"
    pro, con = ((~np.isnan(values)).any(axis=0) for values in groups)
    scored = pro & con
    if (scored.sum(axis=0) < PAIR).all():
        return "no two raters scored both sides on the same criterion"
    value = float(_margin_alphas(groups, [np.ones((1, len(values))) for values in groups])[0])
    return "no rater puts a side ahead" if np.isnan(value) else value


def _by_side(ratings: Ratings, sides: Sequence[Side]) -> list[Array]:
    """Return ``values[item, rater, criterion]`` of each side."""
    criteria = ratings.items.size // max(1, len(sides))
    whole = ratings.values.reshape(len(ratings.values), len(sides), criteria).swapaxes(0, 1)
    return [whole[[each == side for each in sides]] for side in SIDES]


def _margin_alphas(groups: Sequence[Array], draws: Sequence[Array]) -> Array:
    """Return alpha for each sample; ``draws`` of a side: how often each sample contains each of its items."""
    pro, con = (_means(values, weights) for values, weights in zip(groups, draws, strict=True))
    margins = pro - con  # [sample, rater, criterion]
    known = ~np.isnan(margins)
    m = known.sum(axis=1)
    pairable = m >= PAIR
    first, second = np.nansum(margins, axis=1), np.nansum(margins**2, axis=1)
    seen = np.where(pairable, 2 * (m * second - first**2) / np.maximum(m - 1, 1), 0).sum(axis=1)
    n, squares = np.where(pairable, m, 0).sum(axis=1), np.where(pairable, second, 0).sum(axis=1)
    # Both directions: twice the pairs, twice the values, and their sum is 0.
    return alpha_of_sums(2 * seen, 2 * (2 * n) * (2 * squares), 2 * n)


def _means(values: Array, weights: Array) -> Array:
    """Return ``mean[sample, rater, criterion]`` of ``values[item, rater, criterion]``, over the rated items."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        total = np.tensordot(weights, np.where(known, values, 0), axes=1)
        return np.asarray(total / np.tensordot(weights, known.astype(np.float64), axes=1))


def _drawn(items: int, number: int, side: int) -> Array:
    """Return the samples of a side; the second side has them in another order, so that both are independent."""
    return np.roll(resamples(items, number), side * (number // 2), axis=0)


# intraclass correlation


def measure_icc(ratings: Ratings, form: IccForm, rules: PanelRules) -> Coefficient:
    """Return ICC(2,k) or ICC(3,k) with its interval, or why it is undefined.

    Units that a rater left out do not count, and raters without any score are no raters.
    """
    values = ratings.values[(~np.isnan(ratings.values)).any(axis=1)]
    kept = ~np.isnan(values).any(axis=0)
    values, items = values[:, kept], ratings.items[kept]
    if values.shape[0] < PAIR:
        return Coefficient(undefined="one rater alone cannot agree with anybody" if len(values) else "nobody rated")
    _, clusters = np.unique(items, return_inverse=True)
    count = int(clusters.max()) + 1 if clusters.size else 0
    if values.shape[1] < rules.least_items:
        rated = f"only {values.shape[1]} rating{'' if values.shape[1] == 1 else 's'} by every rater"
        return Coefficient(undefined=f"{rated}, at least {rules.least_items} are needed")
    value = float(_iccs(values, clusters, np.ones((1, count)), form)[0])
    if np.isnan(value):
        return Coefficient(undefined="the units do not differ in the raters' mean scores")
    sampled = _iccs(values, clusters, resamples(count, rules.bootstrap), form) if count >= rules.least_items else None
    found = with_interval(value, np.empty(0) if sampled is None else sampled, values.shape[1], rules)
    return replace(found, band=UNSET)  # the bands are alpha's


def _iccs(values: Array, clusters: NDArray[np.int64], weights: Array, form: IccForm) -> Array:
    """Return the coefficient of each sample, from the mean squares of a two-way analysis of variance."""
    k = values.shape[0]
    parts = np.column_stack([np.ones(values.shape[1]), values.T, values.sum(axis=0) ** 2 / k, (values**2).sum(axis=0)])
    sums = np.zeros((weights.shape[1], parts.shape[1]))
    np.add.at(sums, clusters, parts)
    drawn = weights @ sums
    n, columns, rows, squares = drawn[:, 0], drawn[:, 1:-2], drawn[:, -2], drawn[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = columns.sum(axis=1) ** 2 / (n * k)
        between_units, between_raters = rows - middle, (columns**2).sum(axis=1) / n - middle
        left = np.maximum(squares - middle - between_units - between_raters, 0)
        msr, msc, mse = between_units / (n - 1), between_raters / (k - 1), left / ((n - 1) * (k - 1))
        strict = (msc - mse) / n if form == "2,k" else 0.0
        value = (msr - mse) / (msr + strict)
        return np.asarray(np.where(msr > EQUAL * np.maximum(squares, 1), value, np.nan))
