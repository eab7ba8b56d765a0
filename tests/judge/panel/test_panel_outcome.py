"""The outcome from raw scores: thresholds, disputes, weights, and the effect of a missing rater."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.types import AgreementMeasured, Missing, PanelConcluded, PanelistScored, Reason
from judge.panel.disputes import variance
from judge.rubrics.rubric import rubric_v1
from tests.judge.panel.rater_scores import ITEMS, STANDING, concluded, equal_raters, even_scores, panel_of, rater_seats

RULES = rubric_v1().panel
CLEAR = [[8.0, 7, 8, 3, 4, 3], [8, 8, 7, 4, 3, 3], [7, 7, 8, 3, 4, 4], [8, 7, 7, 3, 3, 4]]
ROWS = st.lists(st.lists(st.integers(1, 10), min_size=6, max_size=6), min_size=2, max_size=5)


# outcomes by threshold


def test_raters_who_agree_conclude() -> None:
    measured, verdict = panel_of(rater_seats(), CLEAR)

    assert measured.raw.value > 0.8
    assert ("concluded", "pro", "pro") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert not verdict.disputed


def test_a_moderate_agreement_concludes_with_care() -> None:
    measured, verdict = panel_of(equal_raters(3), [[7, 6, 8, 4, 5, 3], [6, 8, 6, 5, 3, 4], [8, 6, 6, 3, 5, 4]])

    assert RULES.low <= measured.raw.value < RULES.moderate
    assert ("cautious", "pro") == (verdict.outcome, verdict.winner)
    assert any("care" in reason for reason in verdict.reasons)


def test_agreement_on_standings_alone_is_a_leaning_and_no_winner() -> None:
    measured, verdict = panel_of(equal_raters(3), [[9, 8, 9, 7, 6, 7], [6, 7, 6, 4, 5, 4], [8, 6, 8, 5, 6, 6]])

    assert measured.raw.value < RULES.low
    assert 1.0 == measured.kappa.value
    assert ("contested", "neither", "pro") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert any("A person should decide" in each for each in verdict.advice)


def test_no_agreement_on_scores_nor_on_standings_is_irreconcilable() -> None:
    kinds = ["UPHELD", "REFUTED", "UNCERTAIN"]
    mixed = [{item: kinds[(at + rater) % 3] for at, item in enumerate(ITEMS)} for rater in range(3)]

    measured, verdict = panel_of(
        equal_raters(3), [[9, 8, 9, 7, 6, 7], [6, 7, 6, 4, 5, 4], [8, 6, 8, 5, 6, 6]], standings=mixed
    )

    assert measured.raw.value < RULES.low
    assert measured.kappa.value < RULES.kappa_leaning
    assert ("irreconcilable", "neither") == (verdict.outcome, verdict.winner)
    assert any("Do not decide by this panel" in each for each in verdict.advice)


def test_one_rater_alone_is_undetermined_and_never_agreement() -> None:
    rater, other = rater_seats(2)
    scored = {
        rater.name: PanelistScored(rater=rater.name, model="m", **even_scores(dict(zip(ITEMS, CLEAR[0], strict=True)))),
        other.name: PanelistScored(rater=other.name, model="m", missing=Reason("timeout: no answer")),
    }

    measured, verdict = concluded([rater, other], scored)

    assert "one rater alone" in measured.raw.undefined
    assert "one rater alone" in measured.kappa.undefined
    assert ("undetermined", "neither", "pro") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert any("Business rater gave nothing (timeout: no answer)" in reason for reason in verdict.reasons)


def test_nobody_at_all_is_undetermined() -> None:
    _, verdict = concluded(rater_seats(), {})

    assert ("undetermined", "neither") == (verdict.outcome, verdict.winner)
    assert isinstance(verdict.gap, Missing)
    assert {} == verdict.weights


def test_all_equal_scores_have_no_alpha_and_no_winner() -> None:
    measured, verdict = panel_of(rater_seats(), [[7] * 6] * 4)

    assert "every rating is the same" in measured.raw.undefined
    assert ("irreconcilable", "neither", 0.0) == (verdict.outcome, verdict.winner, verdict.gap)


# the gap


@pytest.mark.parametrize(("pro", "outcome"), [(5.51, "irreconcilable"), (5.54, "concluded")])
def test_a_gap_of_under_five_per_cent_has_no_winner(pro: float, outcome: str) -> None:
    spread = [pro - 3, pro, pro + 3, 2, 5, 8]

    measured, verdict = panel_of(equal_raters(2), [spread, spread])

    assert outcome == verdict.outcome
    assert 1.0 == pytest.approx(measured.raw.value)
    assert (verdict.gap < 0.05) == (outcome == "irreconcilable")


@pytest.mark.parametrize(("gap", "outcome"), [(0.049, "irreconcilable"), (0.05, "concluded"), (0.051, "concluded")])
def test_a_gap_of_4_9_per_cent_is_irreconcilable_and_one_of_5_1_is_not(gap: float, outcome: str) -> None:
    pro, con = 5 * (1 + gap), 5 * (1 - gap)
    row = [pro - 2, pro, pro + 2, con - 2, con, con + 2]

    _, verdict = panel_of(equal_raters(3), [row] * 3)

    assert gap == pytest.approx(verdict.gap)
    assert outcome == verdict.outcome


# disputes


@pytest.mark.slow
@given(
    st.lists(st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=5, max_size=5), min_size=4, max_size=4),
    st.integers(0, 5),
    st.permutations([2, 4, 7, 9]),
)
@settings(max_examples=60, deadline=None)
def test_2_4_7_9_for_one_argument_is_irreconcilable_whatever_the_others(
    rows: list[list[int | None]], at: int, scores: list[int]
) -> None:
    disputed = [[*row[:at], score, *row[at:]] for row, score in zip(rows, scores, strict=True)]

    _, verdict = panel_of(rater_seats(), disputed)

    assert ("irreconcilable", "neither") == (verdict.outcome, verdict.winner)
    assert verdict.disputed[list(ITEMS)[at]].decides


def test_5_6_8_9_is_disputed_and_the_panel_keeps_its_winner_where_it_does_not_decide() -> None:
    rows = [[5, 8, 8, 2, 3, 2], [6, 8, 7, 2, 2, 3], [8, 7, 8, 3, 2, 2], [9, 8, 8, 2, 3, 3]]

    _, verdict = panel_of(equal_raters(4), rows)

    assert {"PRO-1": False} == {item: dispute.decides for item, dispute in verdict.disputed.items()}
    assert pytest.approx(10 / 3, abs=0.001) == verdict.disputed["PRO-1"].variance
    assert ("concluded", "pro") == (verdict.outcome, verdict.winner)


def test_5_6_8_9_leaves_nobody_the_winner_where_it_decides() -> None:
    rows = [[5, 4, 4, 5, 5, 5], [6, 4, 4, 5, 5, 5], [8, 4, 4, 5, 4, 4], [9, 4, 4, 4, 4, 4]]

    _, verdict = panel_of(equal_raters(4), rows)

    assert verdict.disputed["PRO-1"].decides
    assert ("irreconcilable", "neither") == (verdict.outcome, verdict.winner)


def test_a_sides_only_scored_argument_decides_when_it_is_disputed() -> None:
    rows = [[5, None, None, 2, 3, 2], [9, None, None, 2, 2, 3]]

    _, verdict = panel_of(equal_raters(2), rows)

    assert verdict.disputed["PRO-1"].decides
    assert "irreconcilable" == verdict.outcome


@pytest.mark.parametrize(
    ("scores", "expected"), [([5, 6, 8, 9], 10 / 3), ([2, 4, 7, 9], 29 / 3), ([1, 3, 1, 3], 4 / 3)]
)
def test_the_variance_is_that_of_a_sample(scores: list[float], expected: float) -> None:
    assert expected == pytest.approx(variance(scores))


def test_a_variance_of_exactly_three_is_disputed_whatever_floats_make_of_it() -> None:
    thirds = equal_raters(3, {"logic": 0.333333, "evidence": 0.333333, "honesty": 0.333333})

    assert 3.0 == variance([2.3 + 2.7, 5.7 + 2.3, 8.1 - 0.1])
    for raters in (rater_seats(3), equal_raters(3), thirds):
        _, verdict = panel_of(raters, [[5, 8, 8, 2, 3, 2], [8, 8, 8, 2, 3, 2], [8, 8, 8, 2, 3, 2]])

        assert {"PRO-1": 3.0} == {item: dispute.variance for item, dispute in verdict.disputed.items()}


def test_a_variance_of_exactly_nine_decides() -> None:
    _, below = panel_of(rater_seats(3), [[3.0001, 8, 8, 2, 3, 2], [9, 8, 8, 2, 3, 2], [6, 8, 8, 2, 3, 2]])
    _, exact = panel_of(rater_seats(3), [[3, 8, 8, 2, 3, 2], [9, 8, 8, 2, 3, 2], [6, 8, 8, 2, 3, 2]])

    assert (False, "concluded") == (below.disputed["PRO-1"].decides, below.outcome)
    assert (True, "irreconcilable") == (exact.disputed["PRO-1"].decides, exact.outcome)


# two, three, and one rater that always gives seven


def test_two_raters_split_one_to_one_name_nobody() -> None:
    """1–1: the raters name different winners by the same gap."""
    measured, verdict = panel_of(equal_raters(2), [[8, 8, 8, 4, 4, 4], [4, 4, 4, 8, 8, 8]])

    assert measured.raw.value < 0
    assert ("irreconcilable", "neither", "neither") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert 0.0 == verdict.gap


def split() -> tuple[AgreementMeasured, PanelConcluded]:
    for_pro, for_con = ({item: STANDING[side] for item, side in ITEMS.items()} for _ in range(2))
    for_con = {item: "REFUTED" if standing == "UPHELD" else "UPHELD" for item, standing in for_con.items()}
    rows = [[8, 8, 8, 4, 4, 4], [8, 7, 8, 4, 5, 4], [4, 4, 4, 8, 8, 8]]
    return panel_of(equal_raters(3), rows, standings=[for_pro, for_pro, for_con])


def test_three_raters_split_two_to_one_name_nobody_either() -> None:
    """2–1: a majority leads, but without agreement there is no winner."""
    measured, verdict = split()

    assert measured.raw.value < RULES.low
    assert ("neither", "pro") == (verdict.winner, verdict.leaning)
    assert "irreconcilable" == verdict.outcome


def test_without_the_dissenter_the_majority_would_conclude() -> None:
    _, verdict = split()

    assert ("concluded", "pro") == (verdict.without["r2"].outcome, verdict.without["r2"].winner)
    assert "neither" == verdict.without["r0"].winner
    assert any("Rater 2" in each for each in verdict.advice)


def test_of_two_neither_can_be_left_out() -> None:
    _, verdict = panel_of(equal_raters(2), CLEAR[:2])

    assert {"undetermined"} == {each.outcome for each in verdict.without.values()}
    assert all(isinstance(each.alpha, Missing) for each in verdict.without.values())


def test_a_rater_who_gives_everyone_seven_does_not_vanish() -> None:
    with_it, verdict = panel_of(equal_raters(4), [*CLEAR[:3], [7] * 6])
    without_it, _ = panel_of(equal_raters(3), CLEAR[:3])

    assert with_it.raw.value < without_it.raw.value
    assert 0.25 == pytest.approx(verdict.weights["r3"], abs=0.001)
    assert with_it.raw.items == without_it.raw.items
    assert verdict.calibrated.con > 0  # min-max puts it in the middle of every item


# missing values


def test_a_rater_that_leaves_a_side_out_does_not_tilt_the_balance() -> None:
    generous = [10, 10, 10, None, None, None]

    _, verdict = panel_of(equal_raters(3), [*CLEAR[:2], generous])
    _, without = panel_of(equal_raters(2), CLEAR[:2])

    assert {"r0", "r1"} == verdict.weights.keys()
    assert without.weighted == verdict.weighted
    assert any("left a whole side" in reason for reason in verdict.reasons)


def test_an_argument_that_one_rater_left_out_is_scored_by_the_others() -> None:
    _, verdict = panel_of(equal_raters(3), [*CLEAR[:2], [8, 7, None, 3, 4, 3]])

    assert {"r0", "r1", "r2"} == verdict.weights.keys()
    assert "concluded" == verdict.outcome
    assert any("Rater 2 left out PRO-3" in reason for reason in verdict.reasons)


def test_an_item_counts_only_with_all_the_dimensions_that_its_rater_weighs() -> None:
    raters = equal_raters(2)
    whole = even_scores(dict(zip(ITEMS, CLEAR[0], strict=True)))
    part = {**whole, "scores": {**whole["scores"], "PRO-1": {"logic": 10.0}}}
    scored = {
        "r0": PanelistScored(rater="r0", model="m", **whole),
        "r1": PanelistScored(rater="r1", model="m", **part),
    }

    measured, verdict = concluded(raters, scored)

    assert pytest.approx((8 + 7 + 8) / 3, abs=0.0001) == verdict.weighted.pro  # r1's logic of 10 alone changes nothing
    assert 21 == measured.raw.items  # 24 units minus three that only one rater has scored
    assert any("Rater 1 scored PRO-1 in part only" in reason for reason in verdict.reasons)
