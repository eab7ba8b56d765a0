"""Figures of agreement, against scipy, statsmodels and the package krippendorff."""

import random

import krippendorff
import numpy as np
import pytest
from msgspec import UNSET

from events.state.certainty import quantile
from server.export.reports.paired import MIN_VALUES, choice_agreement, rank_correlation, score_agreement


def scores(seed: int, count: int) -> tuple[list[float], list[float]]:
    """Two judges' scores with ties."""
    drawn = random.Random(seed)
    first = [float(drawn.randrange(40, 80)) for _ in range(count)]
    return first, [each + drawn.randrange(-9, 6) for each in first]


@pytest.mark.parametrize("seed", range(12))
def test_score_agreement_is_that_of_independent_libraries(seed: int) -> None:
    from scipy import stats  # noqa: PLC0415 - the import takes seconds

    first, second = scores(seed, 5 + seed)
    found = score_agreement(first, second)
    differences = np.array(second) - np.array(first)
    interval = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    alpha = krippendorff.alpha(reliability_data=[first, second], level_of_measurement="interval")

    assert (len(first), UNSET) == (found.turns, found.too_few)
    assert found.bias is not UNSET
    assert found.alpha is not UNSET
    assert found.rank is not UNSET
    assert pytest.approx(differences.mean(), abs=1e-5) == found.bias.value
    assert pytest.approx((interval.low, interval.high), abs=1e-5) == (found.bias.low, found.bias.high)
    assert pytest.approx(np.abs(differences).mean(), abs=1e-5) == found.apart
    assert pytest.approx(alpha, abs=1e-5) == found.alpha.value
    assert pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-5) == found.rank.value


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 6, 7, 30, 199])
def test_quantiles_of_t_are_those_of_scipy(df: int) -> None:
    from scipy import stats  # noqa: PLC0415 - the import takes seconds

    for probability in (0.5, 0.9, 0.975, 0.995):
        assert pytest.approx(stats.t.ppf(probability, df), abs=1e-9) == quantile(probability, df)


@pytest.mark.parametrize("seed", range(8))
def test_kappa_of_preferences_is_that_of_statsmodels(seed: int) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # noqa: PLC0415 - the import takes seconds

    drawn = random.Random(seed)
    first = {str(item): drawn.choice(["earlier", "later", "draw"]) for item in range(9)}
    second = {item: said if drawn.random() < 0.6 else "later" for item, said in first.items()}
    table, _ = aggregate_raters(np.array([[first[item], second[item]] for item in first]))

    assert pytest.approx(fleiss_kappa(table), abs=1e-5) == choice_agreement(first, {**second, "99": "draw"}).value


def test_below_five_turns_there_is_no_figure_and_the_number_is_named() -> None:
    found = score_agreement([60.0, 61, 70, 50], [60.0, 62, 71, 55])

    assert MIN_VALUES == 5
    assert "4 turns have a score from both judges; figures are given from 5 turns on" == found.too_few
    assert (UNSET,) * 4 == (found.bias, found.apart, found.alpha, found.rank)
    assert "at least 5" in str(choice_agreement({"1-2": "later"}, {"1-2": "later"}).undefined)


def test_equal_scores_have_no_rank_correlation_and_equal_orders_no_interval() -> None:
    level = [60.0] * 6
    rising = [50.0, 51, 52, 60, 70, 80]
    order = rank_correlation(rising, [each * 2 for each in rising])

    assert rank_correlation(level, rising) is UNSET
    assert order is not UNSET
    assert (1.0, UNSET) == (order.value, order.low)
