"""The estimates of the lab: equal to other implementations and to worked examples, and right as often as they say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge.errors import MissingPackages
from judge.lab import statistics
from judge.lab.statistics import (
    calibration,
    cohen_kappa,
    false_discovery,
    fleiss_kappa,
    jackknife,
    mcnemar,
    mean,
    quantile,
    rank_correlation,
    share,
    wilson,
    within_sd,
)

RUNS = 400
WIDE = (0.92, 0.98)
"""Where the coverage of 400 runs lies in 99.4 % of cases or more if the interval holds in 95 %."""


# against others


def test_a_mean_of_equal_clusters_has_scipys_t_interval_of_the_clusters_means() -> None:
    from scipy.stats import ttest_1samp  # noqa: PLC0415 - the import takes seconds

    values = np.random.default_rng(1).normal(1, 2, (12, 3)) + np.random.default_rng(2).normal(0, 1, (12, 1))
    expected = ttest_1samp(values.mean(axis=1), 0)

    found = mean(values.ravel(), [number // 3 for number in range(36)])

    assert found is not None
    interval = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.p(0) == pytest.approx(expected.pvalue)
    assert (11, 36, 12) == (pytest.approx(found.df), found.n, found.clusters)


def test_a_mean_of_unequal_clusters_has_the_error_of_the_matrix_formula_of_cr2() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 20])
    values = rng.normal(size=48) + rng.normal(size=8)[clusters]
    error, df = _cr2(values, clusters)

    found = mean(values, clusters.tolist())

    assert found is not None
    assert (error, df) == (pytest.approx(found.error), pytest.approx(found.df))


def _cr2(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, float]:
    """CR2 and its degrees of freedom for a regression on a constant, by matrices and for any design."""
    n = len(values)
    design = np.ones((n, 1))
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    residuals = values - hat @ values
    rows = []
    for each in np.unique(clusters):
        chosen = np.flatnonzero(clusters == each)
        own = np.eye(len(chosen)) - hat[np.ix_(chosen, chosen)]
        vectors, roots = np.linalg.eigh(own)[1], np.linalg.eigvalsh(own)
        adjust = vectors @ np.diag(1 / np.sqrt(roots)) @ vectors.T
        rows.append((np.linalg.inv(design.T @ design) @ design[chosen].T @ adjust @ (np.eye(n) - hat)[chosen])[0])
    stacked = np.array(rows)
    assert np.allclose(stacked @ values, stacked @ residuals)
    products = stacked @ stacked.T
    return float(np.linalg.norm(stacked @ values)), float(np.trace(products) ** 2 / (products**2).sum())


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_that_of_newcombes_examples(right: int, of: int, low: float, high: float) -> None:
    assert (low, high) == pytest.approx(wilson(right / of, of), abs=5e-5)


@pytest.mark.parametrize(("n", "half"), [(100, 0.09), (200, 0.06)])
def test_a_share_of_30_per_cent_is_known_to_9_points_with_100_and_to_6_with_200(n: int, half: float) -> None:
    low, high = wilson(0.3, n)

    assert half == pytest.approx((high - low) / 2, abs=0.004)


def test_mcnemars_mid_p_is_that_of_fagerlands_example() -> None:
    from statsmodels.stats.contingency_tables import mcnemar as exact  # noqa: PLC0415

    found = exact([[0, 1], [7, 0]]).pvalue

    assert found == pytest.approx(0.0703, abs=5e-5)
    assert mcnemar(1, 7) == mcnemar(7, 1) == pytest.approx(found - 8 / 2**8) == pytest.approx(0.0391, abs=5e-5)
    assert mcnemar(4, 4) == mcnemar(0, 0) == 1
    assert mcnemar(0, 6) == pytest.approx(1 / 2**6)


def test_fleiss_kappa_is_that_of_a_worked_example() -> None:
    """Fourteen raters put ten items into five categories."""
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip

    found = fleiss_kappa(table, list(range(10)))

    assert found is not None
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert found.low < found.value < found.high


def test_kappa_without_a_second_category_is_undefined() -> None:
    assert fleiss_kappa([[4, 0]] * 10, list(range(10))) is None


def test_q_values_are_those_of_benjamini_and_hochbergs_example() -> None:
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528]
    p += [0.7590, 1.0]

    q = false_discovery(p)

    assert sum(each < 0.05 for each in q) == 4
    assert q[3] == pytest.approx(0.0095 * 15 / 4)
    assert false_discovery([]) == []


@pytest.mark.parametrize("margin", [0.3, 0.8, 2.0])
def test_equivalence_is_statsmodels_two_one_sided_tests(margin: float) -> None:
    from statsmodels.stats.weightstats import ttost_paired  # noqa: PLC0415

    rng = np.random.default_rng(6)
    one = rng.normal(size=25)
    two = one + rng.normal(0.2, 1, 25)
    found = mean(one - two, list(range(25)))

    expected = ttost_paired(one, two, -margin, margin)[0] < 0.05
    assert found is not None
    assert expected == found.is_within(0, margin)
    assert expected == (margin > 0.5)


def test_the_interval_of_90_per_cent_of_a_share_is_wilsons_too() -> None:
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    found = share([1] * 81 + [0] * 182, list(range(263)))

    assert found is not None
    expected = proportion_confint(81, 263, 0.1, "wilson")
    assert expected == pytest.approx((found.low_90, found.high_90), abs=1e-3)  # t stands for z
    assert found.low < found.low_90 < found.high_90 < found.high


@pytest.mark.parametrize("spread", [6.0, 15.0])
def test_with_enough_items_no_figure_lies_between_a_bias_and_its_absence(spread: float) -> None:
    found = mean(np.random.default_rng(9).normal(0, spread, 60), list(range(60)))

    assert found is not None
    enough = found.enough(2, 0.05)
    error = found.error * (60 / enough) ** 0.5
    not_biased, not_within = quantile(59, 0.975) * error, 2 - quantile(59, 0.95) * error
    assert not_biased == pytest.approx(not_within, rel=0.05)


@pytest.mark.parametrize("clusters", [6, 12, 30])
def test_the_detectable_effect_is_that_of_statsmodels_power(clusters: int) -> None:
    from statsmodels.stats.power import TTestPower  # noqa: PLC0415

    values = np.random.default_rng(7).normal(0, 3, clusters)
    found = mean(values, list(range(clusters)))

    assert found is not None
    expected = TTestPower().solve_power(None, clusters, 0.05, 0.8) * values.std(ddof=1)
    assert found.detectable == pytest.approx(expected, rel=0.02)


def test_a_jackknife_of_a_mean_is_its_t_interval() -> None:
    values = np.random.default_rng(8).normal(size=20)
    expected = mean(values, list(range(20)))

    found = jackknife(lambda rows: float(values[list(rows)].mean()), list(range(20)))

    assert found is not None
    assert expected is not None
    assert (expected.low, expected.high) == pytest.approx((found.low, found.high))


def test_a_deviation_within_items_pools_their_variances() -> None:
    found = within_sd([[1, 3], [5, 5, 5], [2, 4, 6], [7]], ["a", "b", "c", "d"])

    assert found is not None
    assert found.value == pytest.approx(((2 + 0 + 8) / 5) ** 0.5)


def test_a_calibration_curve_has_a_point_a_bin() -> None:
    bins = calibration([0.55, 0.58, 0.9, 0.9, 1.0], [1, 0, 1, 1, 1], ["a", "b", "a", "b", "c"])

    assert [(2, 0.5), (3, 1.0)] == [(each.n, each.right) for each in bins]
    assert [0.565, pytest.approx(2.8 / 3)] == [each.stated for each in bins]
    assert all(each.low < each.right <= each.high for each in bins)


# where data say little


def test_one_cluster_gives_no_estimate() -> None:
    assert mean([1, 2, 3], ["a"] * 3) is None
    assert share([1, 0, 1], ["a"] * 3) is None
    assert within_sd([[1, 2], [3, 5]], ["a", "b"]) is None


def test_data_without_variation_do_not_make_a_small_p_of_few_clusters() -> None:
    found = share([1, 1, 1], ["a", "b", "c"])

    assert found is not None
    assert found.p(0.5) == 0.25
    assert found.low < 0.5
    assert found.p(1) == 1


def test_a_share_of_nothing_is_bounded_by_the_events_that_could_be_unseen() -> None:
    found = share([0.0] * 60, [number // 2 for number in range(60)])

    assert found is not None
    assert (0, 0) == (found.value, found.low)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 60))
    assert found.detectable > found.high


def test_a_share_lies_within_its_bounds_and_follows_the_clusters() -> None:
    alike = share([1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1], [number // 2 for number in range(12)])
    mixed = share([1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1], [number // 2 for number in range(12)])

    assert alike is not None
    assert mixed is not None
    assert alike.value == mixed.value
    assert 0 <= alike.low < mixed.low < mixed.high < alike.high <= 1


def test_a_missing_package_is_named_with_the_extra_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("importlib.import_module", absent)

    with pytest.raises(MissingPackages, match=r"package scipy: pip install 'moot\[lab\]'"):
        statistics.false_discovery([0.5])


# coverage, with 30 clusters


def _covered(draw: Callable[[np.random.Generator], Any], truth: float) -> float:
    rng = np.random.default_rng(20_261_122)
    found = [draw(rng) for _ in range(RUNS)]
    return sum(each is not None and each.low <= truth <= each.high for each in found) / RUNS


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("alike", [0.01, 0.2])
def test_a_share_covers_with_clusters_alike(p: float, alike: float) -> None:
    of = [number // 3 for number in range(90)]
    size = (1 - alike) / alike

    def draw(rng: np.random.Generator) -> Any:
        chance = rng.beta(p * size, (1 - p) * size, 30)
        return share(rng.random(90) < chance[of], of)

    assert WIDE[0] <= _covered(draw, p) <= WIDE[1]


def test_a_mean_covers_with_clusters_alike_and_of_unequal_sizes() -> None:
    of = np.repeat(np.arange(30), [1, 2, 3] * 10)

    def draw(rng: np.random.Generator) -> Any:
        return mean(2 + rng.normal(0, 1, 30)[of] + rng.exponential(2, 60) - 2, of.tolist())

    assert WIDE[0] <= _covered(draw, 2) <= WIDE[1]


@pytest.mark.slow
def test_a_deviation_within_items_covers_with_heavy_tails_and_unequal_variances() -> None:
    of = [number * 30 // 40 for number in range(40)]

    def draw(rng: np.random.Generator) -> Any:
        scale = rng.gamma(6, 1 / 6, (40, 1)) ** 0.5
        return within_sd(list(3 * scale * rng.standard_t(8, (40, 5)) / (8 / 6) ** 0.5), of)

    assert WIDE[0] <= _covered(draw, 3) <= WIDE[1]


@pytest.mark.slow
def test_kappa_covers() -> None:
    """Four raters that keep the item's true category in 80 % and else draw any of three."""
    of = [number // 2 for number in range(60)]

    def draw(rng: np.random.Generator) -> Any:
        true = rng.integers(0, 3, (60, 1))
        said = np.where(rng.random((60, 4)) < 0.8, true, rng.integers(0, 3, (60, 4)))
        return fleiss_kappa([[(row == each).sum() for each in range(3)] for row in said], of)

    assert WIDE[0] <= _covered(draw, 0.64) <= WIDE[1]


# agreement of two raters


def rated(n: int, seed: int) -> list[tuple[str, str]]:
    rng = np.random.default_rng(seed)
    one = rng.choice(["first", "second"], n)
    return [(str(a), str(rng.choice([a, a, "first", "undecided"]))) for a in one]


@pytest.mark.parametrize("seed", range(3))
def test_cohen_s_kappa_and_its_error_are_those_of_statsmodels(seed: int) -> None:
    """Its asymptotic error takes items for independent: as the jackknife does with a cluster for each item."""
    pairs = rated(300, seed)
    names = ("first", "second", "undecided")
    from statsmodels.stats.inter_rater import cohens_kappa  # noqa: PLC0415 - the import takes seconds

    table = [[pairs.count((a, b)) for b in names] for a in names]
    theirs = cohens_kappa(table)

    found = cohen_kappa(pairs, range(len(pairs)))

    assert found is not None
    assert pytest.approx(theirs.kappa, abs=1e-12) == found.value
    assert pytest.approx(theirs.std_kappa, rel=0.05) == found.error
    assert pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.01) == (found.low, found.high)


def test_two_raters_that_agree_on_few_items_could_disagree_on_others() -> None:
    """Of 12 items without a disagreement 26 % could have one: that is a kappa of 1 - 0.265 / 0.5."""
    found = cohen_kappa([("first", "first"), ("second", "second")] * 6, range(12))

    assert found is not None
    assert (1, pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 12)))) == (found.value, found.low)


def test_agreement_without_a_second_category_or_with_two_clusters_has_no_kappa() -> None:
    assert cohen_kappa([("first", "first")] * 9, range(9)) is None
    assert cohen_kappa(rated(9, 1), [each % 2 for each in range(9)]) is None


def test_items_of_one_motion_that_agree_alike_make_the_interval_of_kappa_wider() -> None:
    pairs = rated(40, 2)
    alone, alike = (
        cohen_kappa(pairs, range(40)),
        cohen_kappa([pair for pair in pairs for _ in range(3)], [n // 3 for n in range(120)]),
    )

    assert alone is not None
    assert alike is not None
    assert pytest.approx((alone.value, alone.error)) == (alike.value, alike.error)


def test_ranks_are_correlated_as_in_scipy() -> None:
    from scipy.stats import spearmanr  # noqa: PLC0415 - the import takes seconds

    rng = np.random.default_rng(4)
    one = rng.standard_normal(50)
    other = one + rng.standard_normal(50)

    found = rank_correlation(one.tolist(), other.tolist(), range(50))

    assert found is not None
    assert pytest.approx(spearmanr(one, other).statistic) == found.value
    assert found.low < found.value < found.high
    assert rank_correlation([1.0] * 9, list(range(9)), range(9)) is None
