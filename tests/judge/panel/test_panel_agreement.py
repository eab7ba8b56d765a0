"""Alpha and kappa: published values, a second implementation, the bootstrap against a plain loop, undefined values."""

import math
import warnings
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from judge.panel.agreement import (
    MeasurementLevel,
    Ratings,
    alpha,
    band,
    bootstrap_values,
    measure,
    resamples,
    with_interval,
)
from judge.panel.calibration import CalibrationMethod, calibrated_scores, calibration_method
from judge.panel.kappa import count_standings, kappa, measure_kappa
from judge.rubrics.rubric import rubric_v1

RULES = rubric_v1().panel
N = math.nan
LEVELS: tuple[MeasurementLevel, ...] = ("nominal", "ordinal", "interval", "ratio")
# Krippendorff (2011), section C: four observers, twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)  # fmt: skip
# four judges, six arguments
MOCK = np.array([[7.5, 8, 6.5, 4, 3.5, 5], [8, 8.5, 7, 3.5, 3, 4.5], [6, 7, 5.5, 5, 4.5, 6], [N, 8, 6, 4, N, 5]])
# Fleiss (1971): thirty patients, six psychiatrists each, five diagnoses.
DIAGNOSES = np.array(
    [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
    ],
    dtype=float,
)  # fmt: skip


@pytest.fixture(scope="module")
def fleiss_kappa() -> Any:
    """The second implementation, imported only in the tests that use it: the import takes seconds."""
    from statsmodels.stats.inter_rater import fleiss_kappa  # noqa: PLC0415

    return fleiss_kappa


def units(values: np.ndarray) -> Ratings:
    """Ratings in which every column is an item of its own."""
    return Ratings(np.asarray(values, dtype=float), np.arange(values.shape[1]))


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_own_example(level: MeasurementLevel, expected: float) -> None:
    assert expected == pytest.approx(alpha(units(OBSERVERS), level, 2), abs=0.0005)


@pytest.mark.slow
@given(
    st.integers(2, 5).flatmap(
        lambda raters: st.lists(
            st.lists(st.sampled_from([N, 1.0, 2.5, 3.0, 70.25, 71.0]), min_size=raters, max_size=raters),
            min_size=2,
            max_size=20,
        )
    ),
    st.sampled_from(LEVELS),
)
@settings(deadline=None)
def test_alpha_is_what_the_package_says(columns: list[list[float]], level: MeasurementLevel) -> None:
    ratings = units(np.array(columns).T)
    found = alpha(ratings, level, 2)
    if not isinstance(found, str):
        expected = krippendorff.alpha(reliability_data=ratings.pairable.values, level_of_measurement=level)

        assert expected == pytest.approx(found, abs=1e-9)


def test_the_seeds_mock_data() -> None:
    assert 0.8133 == pytest.approx(alpha(units(MOCK), "interval", 2), abs=0.00005)


def test_fleiss_own_example() -> None:
    assert 0.430 == pytest.approx(kappa(DIAGNOSES), abs=0.0005)


@pytest.mark.slow
@given(
    st.integers(2, 6).flatmap(
        lambda raters: st.lists(st.lists(st.integers(0, 3), min_size=raters, max_size=raters), min_size=2, max_size=20)
    )
)
def test_kappa_is_what_statsmodels_says(fleiss_kappa: Any, rows: list[list[int]]) -> None:
    counts = np.array([[row.count(category) for category in range(4)] for row in rows], dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it divides by zero if there is only one category
        expected = fleiss_kappa(counts)

    actual = kappa(counts)

    assert math.isnan(actual) or expected == pytest.approx(actual, abs=1e-9)
    assert math.isnan(actual) == (len({category for row in rows for category in row}) == 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("values", [OBSERVERS, MOCK])
def test_every_draw_is_what_the_package_says_of_it(level: MeasurementLevel, values: np.ndarray) -> None:
    ratings, number = units(values), 200
    pairable = ratings.pairable.values
    times = resamples(pairable.shape[1], number).astype(int)

    actual = bootstrap_values(ratings, level, number)

    for sample in range(number):
        drawn = pairable[:, np.repeat(np.arange(pairable.shape[1]), times[sample])]
        if np.nanmin(drawn) == np.nanmax(drawn):
            assert math.isnan(actual[sample])
        else:
            expected = krippendorff.alpha(reliability_data=drawn, level_of_measurement=level)
            assert expected == pytest.approx(actual[sample], abs=1e-9)


def test_an_item_is_drawn_with_all_its_dimensions() -> None:
    values = np.array([[1, 9, 2, 8], [1, 9, 2, 8], [2, 8, 3, 7.0]])
    together = Ratings(values, np.array([0, 0, 1, 1]))
    times = resamples(2, 50).astype(int)

    actual = bootstrap_values(together, "interval", 50)

    for sample in range(50):
        drawn = values[:, np.repeat(np.arange(4), np.repeat(times[sample], 2))]
        expected = krippendorff.alpha(reliability_data=drawn, level_of_measurement="interval")
        assert expected == pytest.approx(actual[sample], abs=1e-9)


def test_an_interval_needs_items_to_draw_from_and_samples_with_a_value() -> None:
    few = Ratings(np.array([[1, 9, 2, 8, 3, 7], [1, 8, 2, 9, 3, 6.0]]), np.array([0, 0, 0, 1, 1, 1]))
    stubborn = np.full((2, 40), 7.0)
    stubborn[0, 0] = 3.0  # a third of the samples leave out the one item that differs
    rare = with_interval(0.5, np.array([0.1] * 49 + [math.nan] * 51), 6, RULES)

    assert (UNSET, UNSET) == (measure(few, "interval", RULES).low, measure(few, "interval", RULES).high)
    assert 0.9 < measure(few, "interval", RULES).value < 1
    assert measure(units(stubborn), "interval", RULES).low is not UNSET
    assert (UNSET, 0.5) == (rare.low, rare.value)


def test_the_interval_holds_the_value_and_is_the_same_every_time() -> None:
    first, second = measure(units(OBSERVERS), "interval", RULES), measure(units(OBSERVERS), "interval", RULES)

    assert first == second
    assert first.low < first.value < first.high
    assert (11, "high") == (first.items, first.band)  # one unit has a single rating


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[1, 2, 3, 4, 5.0]], "one rater alone"),
        ([[1, 2, 3, 4, 5], [N, N, N, N, N]], "one rater alone"),
        ([[N, N], [N, N]], "nobody rated anything"),
        ([[1, 2, 3, N, N, N], [N, N, N, 4, 5, 6]], "no two raters rated the same thing"),
        ([[7, 7, 7, 7, 7], [7, 7, 7, 7, 7.0]], "every rating is the same"),
        ([[1, 2, 3, 4], [1, 2, 3, 5.0]], "only 4 ratings can be compared, at least 5 are needed"),
    ],
)
def test_what_has_no_alpha_says_why_and_is_never_one(values: list[list[float]], why: str) -> None:
    measured = measure(units(np.array(values)), "interval", RULES)

    assert why in measured.undefined
    assert not measured.value


@pytest.mark.parametrize(
    ("standings", "why"),
    [
        ([{"a": "UPHELD"}, {}], "one rater alone"),
        ([{"a": "UPHELD", "b": "REFUTED"}, {"c": "UPHELD", "d": "UPHELD"}], "no two raters"),
        ([dict.fromkeys("abcde", "UPHELD"), dict.fromkeys("abcde", "UPHELD")], "one category"),
        ([{"a": "UPHELD"}, {"a": "REFUTED"}], "only 1 item can be compared, at least 5 are needed"),
        ([{}, {}], "nobody gave a standing"),
    ],
)
def test_what_has_no_kappa_says_why_and_is_never_one(standings: list[dict[str, str]], why: str) -> None:
    measured = measure_kappa(standings, RULES)

    assert why in measured.undefined
    assert not measured.value


def test_an_item_that_one_rater_left_out_still_counts_for_kappa() -> None:
    whole = dict(zip("abcdef", ["UPHELD", "REFUTED"] * 3, strict=True))
    some = {item: standing for item, standing in whole.items() if item != "f"}

    counts = count_standings([whole, whole, some])

    assert [3, 3, 3, 3, 3, 2] == counts.sum(axis=1).tolist()
    assert 1.0 == pytest.approx(kappa(counts))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.8, "high"), (0.7999, "moderate"), (0.67, "moderate"), (0.6699, "low"), (0.5, "low"), (0.4999, "unacceptable"),
     (-0.3, "unacceptable")],
)  # fmt: skip
def test_bands(value: float, expected: str) -> None:
    assert expected == band(value, RULES)


SCORES = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=6, max_size=6), min_size=2, max_size=5
).map(lambda rows: np.array([[N if each is None else each for each in row] for row in rows], dtype=float))


@pytest.mark.slow
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_raters_and_of_units_changes_nothing(values: np.ndarray, chance: object) -> None:
    rows, columns = list(range(len(values))), list(range(values.shape[1]))
    chance.shuffle(rows)  # type: ignore[attr-defined]
    chance.shuffle(columns)  # type: ignore[attr-defined]

    one, other = alpha(units(values), "interval", 2), alpha(units(values[rows][:, columns]), "interval", 2)

    assert isinstance(one, str) == isinstance(other, str)
    assert isinstance(one, str) or one == pytest.approx(other, abs=1e-9)


@pytest.mark.slow
@given(SCORES, st.sampled_from([2.0, 0.5]), st.sampled_from([0.0, 3.0, -20.0]))
def test_interval_alpha_does_not_know_the_unit_of_the_scale(values: np.ndarray, times: float, more: float) -> None:
    one, other = alpha(units(values), "interval", 2), alpha(units(values * times + more), "interval", 2)

    assert isinstance(one, str) == isinstance(other, str)
    assert isinstance(one, str) or one == pytest.approx(other, abs=1e-7)


@pytest.mark.slow
@given(SCORES)
@settings(max_examples=50)
def test_alpha_is_at_most_one_and_one_means_no_difference_within_a_unit(values: np.ndarray) -> None:
    ratings = units(values)
    value = alpha(ratings, "interval", 2)

    if not isinstance(value, str):
        apart = np.nanmax(ratings.pairable.values, axis=0) - np.nanmin(ratings.pairable.values, axis=0)
        assert value <= 1 + 1e-12
        assert (value == pytest.approx(1, abs=1e-12)) == bool((apart == 0).all())


@pytest.mark.slow
@given(SCORES, st.sampled_from(["z-score", "min-max"]), st.integers(-3, 3), st.sampled_from([1.0, 2.0, 0.5]))
def test_calibrated_alpha_does_not_know_how_strict_a_rater_is(
    values: np.ndarray, method: CalibrationMethod, more: int, times: float
) -> None:
    stricter = values.copy()
    stricter[0] = stricter[0] * times + more

    one = alpha(units(calibrated_scores(values, method)), "interval", 2)
    other = alpha(units(calibrated_scores(stricter, method)), "interval", 2)

    assert isinstance(one, str) == isinstance(other, str)
    assert isinstance(one, str) or one == pytest.approx(other, abs=1e-7)


@pytest.mark.slow
@given(st.integers(1, 10), st.lists(st.integers(1, 10), min_size=2, max_size=8).filter(lambda row: len({*row}) > 1))
def test_raw_alpha_falls_when_one_of_two_who_agree_becomes_stricter(shift: int, row: list[int]) -> None:
    same, apart = np.array([row, row], dtype=float), np.array([row, [each + shift for each in row]], dtype=float)

    assert 1.0 == pytest.approx(alpha(units(same), "interval", 2))
    assert alpha(units(apart), "interval", 2) < 1


@pytest.mark.parametrize(("fewest", "expected"), [(2, "min-max"), (3, "min-max"), (4, "z-score")])
def test_min_max_where_a_side_has_three_items_or_fewer(fewest: int, expected: str) -> None:
    assert expected == calibration_method(fewest, RULES.minmax_at)


def test_three_points_apart_is_consistency_and_not_agreement() -> None:
    strict, mild = [2.0, 4, 6, 3, 5, 1], [5.0, 7, 9, 6, 8, 4]
    raw = units(np.array([strict, mild]))
    levelled = units(calibrated_scores(raw.values, "z-score"))

    assert 1.0 == pytest.approx(alpha(levelled, "interval", 2))
    assert 0.2016 == pytest.approx(alpha(raw, "interval", 2), abs=0.0001)


@pytest.mark.parametrize(("method", "middle"), [("z-score", 0.0), ("min-max", 0.5)])
def test_a_rater_who_gives_everyone_seven_stands_in_the_middle(method: CalibrationMethod, middle: float) -> None:
    levelled = calibrated_scores(np.array([[7, 7, N, 7], [1, 5, 9, 3.0]]), method)

    assert [middle, middle, middle] == levelled[0][[0, 1, 3]].tolist()
    assert math.isnan(levelled[0][2])


def test_z_scores_have_mean_nought_and_unit_spread_and_min_max_fills_the_range() -> None:
    rows = np.array([[5, 6, 7, 4, 3, 5], [8, 9, 10, 7, 6, 8.0]])

    scores, shares = calibrated_scores(rows, "z-score"), calibrated_scores(rows, "min-max")

    assert [0, 0] == pytest.approx(scores.mean(axis=1).tolist())
    assert [1, 1] == pytest.approx(scores.std(axis=1, ddof=1).tolist())
    assert scores[0] == pytest.approx(scores[1])
    assert [(0, 1), (0, 1)] == [(row.min(), row.max()) for row in shares]
