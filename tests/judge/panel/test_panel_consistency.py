"""Rubric v2: consistency decides, strictness does not; margins and intraclass correlations; panels for reference."""

import math
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from events.types import AgreementMeasured, PanelConcluded, Side
from judge.panel.agreement import Ratings, resamples
from judge.panel.calibration import calibrated_points, calibrated_scores, offsets
from judge.panel.consistency import _by_side, _drawn, _margin_alphas, margins_alpha, measure_icc, measure_margins
from judge.rubrics.rubric import rubric_v2
from tests.judge.panel.rater_scores import ITEMS, TEN, equal_raters, panel_of, rater_seats

V2 = rubric_v2()
RULES = V2.panel
N = math.nan
THREE_STRICTER = [[8, 9, 7, 5, 4, 6], [8, 9, 7, 5, 4, 6], [5, 6, 4, 2, 1, 3], [5, 6, 4, 2, 1, 3]]
"""The example of the article: the same ranking and the same standings, two raters three points stricter."""
TEN_STRICTER = [
    [8, 9, 7, 8, 7, 5, 4, 6, 5, 4], [8, 9, 7, 7, 8, 5, 4, 6, 4, 5],
    [5, 6, 4, 4, 5, 2, 1, 3, 2, 2], [5, 6, 4, 5, 4, 2, 1, 3, 2, 1],
]  # fmt: skip
WIDE_AND_NARROW = [[9, 10, 9, 2, 1, 2], [6, 6.2, 6, 4.9, 4.7, 4.9], [6, 6.2, 6, 4.9, 4.7, 4.9]]
"""The same order and the same distances after calibration; one rater sees a lead of 7.7 points, two one of 1.2."""
LOW = [[7, 6, 8, 4, 5, 3], [6, 8, 6, 5, 3, 4], [8, 6, 6, 3, 5, 4]]
"""Three raters whose agreement is low, and who all see the same lead."""
# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = np.array([[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]], dtype=float)
ROWS = st.lists(st.lists(st.integers(1, 10), min_size=6, max_size=6), min_size=2, max_size=5)
SPARSE = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=6, max_size=6), min_size=2, max_size=5
).map(lambda rows: np.array([[N if each is None else each for each in row] for row in rows], dtype=float))


def by_v2(rows: Any, **given: Any) -> tuple[AgreementMeasured, PanelConcluded]:
    raters = rater_seats() if len(rows) == 4 else equal_raters(len(rows))
    return panel_of(raters, rows, rubric=V2, **given)


def units(values: np.ndarray) -> Ratings:
    return Ratings(np.asarray(values, dtype=float), np.arange(values.shape[1]))


def said(verdict: PanelConcluded, words: str) -> bool:
    return any(words in each for each in verdict.reasons)


# the example of the article


def test_raters_that_differ_in_strictness_alone_conclude() -> None:
    measured, verdict = by_v2(THREE_STRICTER)

    assert (1.0, 1.0, 1.0) == (measured.calibrated.value, measured.margins.value, measured.kappa.value)
    assert 0.4254 == pytest.approx(measured.raw.value, abs=0.0001)
    assert ("concluded", "pro", {}) == (verdict.outcome, verdict.leaning, verdict.disputed)
    assert (
        "The raters differ in strictness by 3.0 points: Technical rater +1.5, Business rater +1.5, Risk rater −1.5, "
        "General rater −1.5, beside the mean of all. Calibration takes this out, so it decides nothing."
    ) in verdict.reasons
    assert (
        "After calibration agreement is 1.00 on the scores, 1.00 on the lead: enough to rely on. "
        "On the scores as given it is 0.43."
    ) in verdict.reasons


def test_under_version_1_the_same_raters_are_contested_and_every_argument_is_disputed() -> None:
    _, verdict = panel_of(rater_seats(), THREE_STRICTER)

    assert ("contested", "neither") == (verdict.outcome, verdict.winner)
    assert ITEMS.keys() == verdict.disputed.keys()


def test_six_arguments_are_for_reference_and_ten_name_a_winner() -> None:
    _, six = by_v2(THREE_STRICTER)
    measured, ten = by_v2(TEN_STRICTER, items=TEN)

    assert ("concluded", "neither") == (six.outcome, six.winner)
    assert ("6 arguments where at least 10 are needed",) == six.reference_only
    assert said(six, "So the panel alone names no winner; one is named if the judge names the same side.")
    assert {"neither"} == {each.winner for each in six.without.values()}
    assert ("concluded", "pro", UNSET) == (ten.outcome, ten.winner, ten.reference_only)
    assert "z-score" == measured.calibration
    assert measured.raw.value < RULES.low < RULES.high < measured.calibrated.value


def test_two_raters_are_for_reference_and_three_stay_a_panel_when_one_is_left_out() -> None:
    _, two = by_v2(TEN_STRICTER[1:3], items=TEN)
    _, three = by_v2(TEN_STRICTER[:3], items=TEN)

    assert ("2 raters where at least 3 are needed",) == two.reference_only
    assert ("neither", "pro") == (two.winner, two.leaning)
    assert {"pro"} == {three.winner, *(each.winner for each in three.without.values())}


@pytest.mark.slow
@given(ROWS, st.integers(0, 4), st.sampled_from([-20.0, -3.0, 0.5, 4.0]))
@settings(max_examples=40, deadline=None)
def test_how_strict_a_rater_is_decides_nothing(rows: list[list[float]], at: int, points: float) -> None:
    at %= len(rows)
    shifted = [[score + points for score in row] if number == at else row for number, row in enumerate(rows)]

    (one, verdict), (other, after) = by_v2(rows), by_v2(shifted)

    for name in ("calibrated", "margins", "icc_consistency", "kappa"):
        before, now = getattr(one, name), getattr(other, name)
        assert (before.value is UNSET) == (now.value is UNSET)
        assert before.value is UNSET or before.value == pytest.approx(now.value, abs=1e-5)
    assert verdict.disputed.keys() == after.disputed.keys()
    assert {name: each.variance for name, each in verdict.disputed.items()} == pytest.approx(
        {name: each.variance for name, each in after.disputed.items()}, abs=1e-3
    )
    assert round(verdict.calibrated.pro - verdict.calibrated.con, 3) == pytest.approx(
        round(after.calibrated.pro - after.calibrated.con, 3), abs=0.002
    )


# calibration


def test_calibrated_points_stay_on_the_raters_scale() -> None:
    strict, lenient = [2.0, 3, 1, 4, 2, 3, 3, 2], [6.0, 8, 4, 10, 6, 8, 8, 6]

    points = calibrated_points(np.array([strict, lenient]), "z-score")
    shares = calibrated_points(np.array([strict, lenient]), "min-max")

    assert points[0] == pytest.approx(points[1])
    assert (2.5 + 7) / 2 == pytest.approx(points.mean())
    assert shares[0] == pytest.approx(shares[1])
    assert ((1 + 4) / 2, (4 + 10) / 2) == pytest.approx((shares.min(), shares.max()))


def test_a_rater_that_left_out_a_weak_argument_is_not_lenient() -> None:
    whole = [8.0, 7, 8, 3, 4, 2]
    scores = np.array([whole, whole, [*whole[:5], N]])

    points = calibrated_points(scores, "z-score")

    assert [0, 0, 0] == pytest.approx(offsets(scores).tolist())
    assert points[0][:5].mean() == pytest.approx(points[2][:5].mean(), abs=0.15)
    assert np.nanmean(calibrated_scores(scores, "z-score")[2]) == pytest.approx(0)


@pytest.mark.slow
@given(SPARSE, st.sampled_from(["z-score", "min-max"]))
@settings(max_examples=60, deadline=None)
def test_calibration_keeps_the_order_of_a_raters_scores_and_fills_nothing_in(values: np.ndarray, method: Any) -> None:
    points = calibrated_points(values, method)

    assert (np.isnan(values) == np.isnan(points)).all()
    for row, levelled in zip(values, points, strict=True):
        known = ~np.isnan(row)
        assert (np.diff(levelled[known][np.argsort(row[known], kind="stable")]) >= -1e-9).all()


def test_raters_that_give_every_item_the_same_score_stand_in_the_middle() -> None:
    assert [[6, 6], [6, 6]] == calibrated_points(np.array([[7.0, 7], [5, 5]]), "min-max").tolist()
    assert [[6, 6], [6, 6]] == calibrated_points(np.array([[7.0, 7], [5, 5]]), "z-score").tolist()


# disputes


@pytest.mark.parametrize("items", [ITEMS, TEN])
@pytest.mark.parametrize("scores", [(2, 4, 7, 9), (9, 2, 4, 7)])
def test_2_4_7_9_is_irreconcilable_where_the_raters_agree_on_the_rest(items: Any, scores: tuple[int, ...]) -> None:
    rest = [8, 7, 8, 7][: len(items) // 2 - 1] + [2, 3, 2, 3, 2][: len(items) // 2]

    _, verdict = by_v2([[score, *rest] for score in scores], items=items)

    assert ("irreconcilable", "neither") == (verdict.outcome, verdict.winner)
    assert verdict.disputed["PRO-1"].decides


def test_a_dispute_is_shown_in_calibrated_points() -> None:
    rows = [[5, 8, 8, 2, 3, 2], [6, 8, 8, 2, 2, 3], [8, 8, 8, 3, 2, 2], [2, 5, 5, 0, 0, 0]]

    _, verdict = by_v2(rows)

    assert {} == verdict.disputed
    assert "calibrated" == verdict.decides


# margins


def margins_by_hand(values: np.ndarray, sides: list[Side]) -> np.ndarray:
    """``[rater, criterion]``, then the same with the other sign."""
    whole = values.reshape(len(values), len(sides), -1)
    pro = [side == "pro" for side in sides]
    found = np.nanmean(whole[:, pro], axis=1) - np.nanmean(whole[:, np.logical_not(pro)], axis=1)
    return np.column_stack([found, -found])


SIDES_OF_SIX: list[Side] = ["con", "con", "con", "pro", "pro", "pro"]


@pytest.mark.slow
@given(
    st.lists(st.lists(st.integers(1, 10), min_size=24, max_size=24), min_size=2, max_size=5).map(
        lambda rows: np.array(rows, dtype=float)
    )
)
@settings(max_examples=40, deadline=None)
def test_alpha_of_margins_is_what_the_package_says_of_both_directions(values: np.ndarray) -> None:
    ratings = Ratings(values, np.repeat(np.arange(6), 4))
    by_hand = margins_by_hand(values, SIDES_OF_SIX)
    found = margins_alpha(ratings, SIDES_OF_SIX)

    if np.abs(by_hand).max() < 1e-9:
        assert "no rater puts a side ahead" == found
    else:
        expected = krippendorff.alpha(reliability_data=by_hand, level_of_measurement="interval")
        assert expected == pytest.approx(found, abs=1e-9)


def test_every_sample_of_margins_is_what_the_package_says_of_it() -> None:
    values = np.random.default_rng(1).integers(1, 11, size=(3, 24)).astype(float)
    ratings = Ratings(values, np.repeat(np.arange(6), 4))
    draws = [_drawn(3, 60, number) for number in range(2)]

    sampled = _margin_alphas(_by_side(ratings, SIDES_OF_SIX), draws)

    for sample in range(60):
        counts = {"pro": draws[0][sample].astype(int), "con": draws[1][sample].astype(int)}
        picked = [
            number
            for side, first in (("con", 0), ("pro", 3))
            for number in np.repeat(np.arange(first, first + 3), counts[side])
        ]
        again = values.reshape(3, 6, 4)[:, picked].reshape(3, -1)
        expected = krippendorff.alpha(
            reliability_data=margins_by_hand(again, ["con"] * 3 + ["pro"] * 3), level_of_measurement="interval"
        )
        assert expected == pytest.approx(sampled[sample], abs=1e-9)


def test_both_sides_are_drawn_independently() -> None:
    pro, con = _drawn(3, 2000, 0), _drawn(3, 2000, 1)

    assert 0.1 > abs(np.corrcoef(pro[:, 0], con[:, 0])[0, 1])
    assert sorted(map(tuple, pro)) == sorted(map(tuple, con)) == sorted(map(tuple, resamples(3, 2000)))


def test_margins_tell_a_lead_that_all_see_from_one_that_some_see() -> None:
    same, _ = by_v2([[8, 8, 8, 4, 4, 4]] * 3)
    wide, _ = by_v2(WIDE_AND_NARROW)
    apart, _ = by_v2([[8, 8, 8, 4, 4, 4], [4, 4, 4, 8, 8, 8]])

    assert 1.0 == same.margins.value
    assert wide.calibrated.value > 0.9  # the same order; calibration takes the different spread out
    assert wide.margins.value < RULES.low
    assert apart.margins.value < 0


def test_the_lower_one_of_scores_and_margins_decides() -> None:
    measured, verdict = by_v2(WIDE_AND_NARROW)

    assert ("contested", "neither") == (verdict.outcome, verdict.winner)
    assert said(verdict, f"{measured.margins.value:.2f} on the lead: too little to conclude")


def test_margins_need_both_sides_and_two_raters() -> None:
    one_side = Ratings(np.array([[5.0, 6], [6, 7]]), np.array([0, 1]))
    alone = Ratings(np.array([[5.0, 6], [N, N]]), np.array([0, 1]))

    assert "a side has no item" == margins_alpha(one_side, ["pro", "pro"])
    assert "no two raters scored both sides" in measure_margins(alone, ["pro", "con"], RULES).undefined


# intraclass correlation


def test_shrout_and_fleiss_own_example() -> None:
    assert 0.62 == pytest.approx(measure_icc(units(TARGETS), "2,k", RULES).value, abs=0.005)
    assert 0.91 == pytest.approx(measure_icc(units(TARGETS), "3,k", RULES).value, abs=0.005)


@pytest.mark.slow
@given(
    st.integers(2, 5).flatmap(
        lambda raters: st.lists(st.lists(st.integers(1, 10), min_size=raters, max_size=raters), min_size=5, max_size=9)
    )
)
@settings(max_examples=15, deadline=None)
def test_icc_is_that_of_the_mean_squares_of_statsmodels(rows: list[list[int]]) -> None:
    import pandas as pd  # noqa: PLC0415 - the imports take seconds
    from statsmodels.formula.api import ols  # noqa: PLC0415 - the import takes seconds
    from statsmodels.stats.anova import anova_lm  # noqa: PLC0415

    values = np.array(rows, dtype=float)
    n, k = values.shape
    table = pd.DataFrame({"score": values.ravel(), "unit": np.repeat(range(n), k), "rater": np.tile(range(k), n)})
    squares = anova_lm(ols("score ~ C(unit) + C(rater)", data=table).fit())["mean_sq"]
    msr, msc, mse = squares["C(unit)"], squares["C(rater)"], squares["Residual"]

    agreement, consistency = (measure_icc(units(values.T), form, RULES) for form in ("2,k", "3,k"))

    if msr < 1e-9:
        assert "do not differ" in consistency.undefined
    else:
        assert (msr - mse) / (msr + (msc - mse) / n) == pytest.approx(agreement.value, abs=1e-5)
        assert (msr - mse) / msr == pytest.approx(consistency.value, abs=1e-5)


def test_strictness_counts_for_icc_2_k_and_not_for_icc_3_k() -> None:
    measured, _ = by_v2(THREE_STRICTER)

    assert 1.0 == measured.icc_consistency.value
    assert measured.icc_agreement.value < 0.85
    assert measured.icc_agreement.low < measured.icc_agreement.value < measured.icc_agreement.high
    assert (24, UNSET) == (measured.icc_agreement.items, measured.icc_agreement.band)


def test_a_unit_that_one_rater_left_out_does_not_count_for_icc() -> None:
    more = np.column_stack([TARGETS, [1, N, 9, 5]])

    assert measure_icc(units(TARGETS), "3,k", RULES) == measure_icc(units(more), "3,k", RULES)
    assert "one rater alone" in measure_icc(units(TARGETS[:1]), "2,k", RULES).undefined
    assert "only 4 ratings by every rater" in measure_icc(units(TARGETS[:, :4]), "2,k", RULES).undefined


# scores and standings


def test_raters_that_score_alike_and_stand_apart_need_other_lines_between_standings() -> None:
    kinds = ["UPHELD", "PARTIALLY_UPHELD", "UNCERTAIN"]
    mixed = [{item: kinds[(at + rater) % 3] for at, item in enumerate(ITEMS)} for rater in range(3)]

    measured, verdict = by_v2([[8, 7, 8, 3, 4, 3]] * 3, standings=mixed)

    assert measured.kappa.value < RULES.kappa_leaning
    assert "concluded" == verdict.outcome
    assert said(verdict, "the definitions of the standings need tuning")


def test_raters_that_stand_alike_and_score_apart_lean_and_no_more() -> None:
    rows = [[8, 4, 6, 6, 2, 4], [4, 8, 6, 2, 6, 4], [6, 4, 8, 4, 6, 2]]

    measured, verdict = by_v2(rows)

    assert (1.0, "contested") == (measured.kappa.value, verdict.outcome)
    assert min(measured.calibrated.value, measured.margins.value) < RULES.low
    assert said(verdict, "Their standings are alike (agreement 1.00), and their scores are not")


# low agreement


def ten_of(rows: list[list[int]]) -> Any:
    """The rules without the least number of items, to look at low agreement alone."""
    assert RULES is not None
    rubric = replace(V2, panel=replace(RULES, reliable_items=UNSET))
    return panel_of(equal_raters(len(rows)), rows, rubric=rubric)


def test_with_low_agreement_a_winner_survives_leaving_out_any_one_rater() -> None:
    measured, verdict = ten_of(LOW)

    assert RULES.low <= min(measured.calibrated.value, measured.margins.value) < RULES.moderate
    assert ("cautious", "pro") == (verdict.outcome, verdict.winner)
    assert said(verdict, "Agreement is low, but Pro leads also without any one of the raters.")


def test_with_low_agreement_a_lead_that_hangs_on_one_rater_is_a_leaning() -> None:
    rows = [[9, 8, 5, 6, 8, 2], [7, 4, 5, 5, 8, 2], [8, 4, 5, 5, 8, 2]]

    measured, verdict = ten_of(rows)

    assert RULES.low <= min(measured.calibrated.value, measured.margins.value) < RULES.moderate
    assert ("cautious", "neither", "pro") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert verdict.without["r0"].gap < RULES.least_gap
    assert said(verdict, "without Rater 0 Pro would not lead by enough: Pro is a leaning, no winner.")


@pytest.mark.slow
@given(ROWS)
@settings(max_examples=40, deadline=None)
def test_a_winner_is_named_only_where_the_raters_are_consistent(rows: list[list[int]]) -> None:
    measured, verdict = ten_of(rows)

    if verdict.winner == "neither":
        return
    assert len(rows) >= RULES.reliable_raters
    assert measured.calibrated.value >= RULES.low
    assert measured.margins.value >= RULES.low
    assert verdict.gap >= RULES.least_gap
    assert verdict.winner == verdict.leaning
    assert not any(dispute.decides for dispute in verdict.disputed.values())
    if min(measured.calibrated.value, measured.margins.value) < RULES.moderate:
        assert {verdict.winner} == {each.leaning for each in verdict.without.values()}


@pytest.mark.slow
@given(ROWS)
@settings(max_examples=30, deadline=None)
def test_everything_is_said_in_sentences(rows: list[list[int]]) -> None:
    _, verdict = by_v2(rows)

    assert verdict.reasons
    assert all(
        each[0].isupper() and each.endswith(".") for each in (*verdict.reasons, *verdict.advice, *(verdict.act or ()))
    )
