"""The figures of a study: by hand, and beside statsmodels and the definitions."""

from typing import Any

import numpy as np
import pytest

from judge.lab.statistics import share
from judge.study.audit import audit_of, detectable
from judge.study.calibration import calibrated, isotonic
from judge.study.items import Answered
from judge.study.simulation import USUAL, WORLDS, coverage, mean_for, simulated, truth_of
from judge.study.study import difference, gain, holm, p_of, study_of


def answer(item: str, arm: Any, p_right: float | None, **more: Any) -> Answered:
    facts: dict[str, Any] = {"cluster": item[0], "judge": "j", "swapped": False, "right_letter": "A", "tokens": 10}
    facts |= {"missing": "" if p_right is not None else "none", "debate": f"{item}.{arm}.{more.get('swapped')}"}
    return Answered(item=item, arm=arm, p_right=p_right, **facts | more)


def test_an_item_counts_if_every_planned_answer_is_there_and_a_tie_counts_half() -> None:
    second: dict[str, Any] = {"swapped": True, "right_letter": "B"}
    rows = [
        answer("a1", "naive", 0.9),
        answer("a1", "naive", 0.1, **second),
        answer("b1", "naive", 0.5),
        answer("b1", "naive", 0.8, **second),
        answer("c1", "naive", 0.9),
        answer("c1", "naive", None, **second),
        answer("d1", "naive", None, missing="", chosen_right=True),  # a letter without a probability
        answer("d1", "naive", 0.6, **second),
    ]
    (arm,) = study_of(rows).whole.arms

    assert arm.accuracy is not None
    assert (arm.accuracy.value, arm.accuracy.items) == (pytest.approx((0.5 + 0.75 + 1) / 3), 3)
    assert (arm.answers, arm.missing, arm.left_out, arm.why_missing) == (7, 1, 1, {"none": 1})
    assert arm.position is not None
    assert arm.position.value == pytest.approx((1 - 0 + 0.5 - 1 + 1 - 1) / 3), "right is A less right is B"
    assert arm.calibration is not None
    assert arm.calibration.answers == 6


def test_a_vote_counts_the_samples_that_take_no_more_tokens_than_the_debates() -> None:
    samples = [0.2, 0.9, 0.8, 0.1, 0.1]
    rows = [answer("a1", "vote", p, sample=n) for n, p in enumerate(samples, 1)]
    rows += [answer("b1", "vote", p, sample=n) for n, p in enumerate([0.2, 0.9], 1)]
    rows += [answer("a1", "debate", 0.9, debater="d", tokens=35), answer("b1", "debate", 0.9, debater="d", tokens=5)]
    whole = study_of(rows).whole
    vote, (_, arm) = whole.vote, whole.arms

    assert vote is not None
    assert (vote.samples, vote.tokens, vote.debate_tokens, vote.over, vote.unused) == (3 + 1, 30 + 10, 35 + 5, 1, 2 + 1)
    assert arm.accuracy is not None
    assert arm.accuracy.value == 0.5, "two of the first three are right, and the only one of b1 is wrong"


def test_a_paired_difference_is_the_cluster_robust_one_of_statsmodels() -> None:
    import statsmodels.api as sm  # noqa: PLC0415 - the import takes seconds
    from scipy import stats  # noqa: PLC0415 - likewise

    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(12), 2)
    values = np.round(rng.normal(0.15, 0.3, 24) + np.repeat(rng.normal(0, 0.2, 12), 2), 1).clip(-1, 1)
    fitted = sm.OLS(values, np.ones(24)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    error = float(fitted.bse[0]) * np.sqrt(12 / 11) / np.sqrt(12 / 11 * 23 / 23)
    found = share(values, clusters.tolist(), -1.0)

    assert found is not None
    assert (found.value, found.error) == (pytest.approx(float(values.mean())), pytest.approx(error, rel=1e-9))
    t = abs(found.value) / error * np.sqrt(1 - found.value**2)
    assert p_of(found) == pytest.approx(2 * stats.t.sf(t, 11), rel=1e-6)


def test_holm_is_that_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - the import takes seconds

    rng = np.random.default_rng(2)
    for _ in range(20):
        p = rng.uniform(0, 0.2, 4).tolist()
        assert holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist())


def test_an_interval_leaves_0_out_where_p_is_below_5_percent_and_equivalence_is_that_of_90_percent() -> None:
    from statsmodels.stats.weightstats import ttost_paired  # noqa: PLC0415 - the import takes seconds

    rng = np.random.default_rng(4)
    seen, decided = set(), 0
    for number in range(300):
        values = rng.choice([-1, -0.5, 0, 0.5, 1], 30, p=[0.02, 0.1, 0.6 - number / 1000, 0.25 + number / 1000, 0.03])
        one = {f"{i}": float(value) for i, value in enumerate(values)}
        found = gain("debate", "naive", one, dict.fromkeys(one, 0.0), {each: each for each in one}, 0.2)
        assert found.difference is not None
        assert found.difference.low is not None
        assert found.difference.high is not None
        assert found.p is not None
        assert (found.difference.low <= 0 <= found.difference.high) == (found.p > 0.05)
        p = float(ttost_paired(values, np.zeros(30), -0.2, 0.2)[0])
        if abs(p - 0.05) > 0.02:
            decided += 1
            assert found.is_equivalent == (p < 0.05)
        seen.add((found.verdict, found.is_equivalent))
    assert decided > 200
    assert {("open", True), ("better", False)} <= seen, seen


def test_recalibrated_probabilities_are_isotonic_by_definition_and_the_parts_add_up() -> None:
    rng = np.random.default_rng(7)
    stated = np.round(rng.uniform(0, 1, 60), 1)
    happened = (rng.uniform(0, 1, 60) < stated).astype(float)
    order = np.argsort(stated, kind="stable")
    x, y = stated[order], happened[order]
    starts = [int(np.flatnonzero(x == value)[0]) for value in np.unique(x)] + [len(x)]

    def fitted(at: int) -> float:
        """The max-min formula over groups of equal values (Robertson, Wright and Dykstra 1988)."""
        group = max(n for n, start in enumerate(starts[:-1]) if start <= at)
        lows = [min(y[starts[i] : starts[j]].mean() for j in range(group + 1, len(starts))) for i in range(group + 1)]
        return float(max(lows))

    expected = [fitted(at) for at in range(60)]
    found = [share_ for _, share_, weight in isotonic(stated, happened) for _ in range(weight)]
    assert found == pytest.approx(expected)

    made = calibrated(stated.tolist(), happened.tolist(), [i % 10 for i in range(60)])
    assert made is not None
    assert made.brier.value == pytest.approx(float(((stated - happened) ** 2).mean()))
    assert made.brier.value == pytest.approx(made.miscalibration - made.discrimination + made.uncertainty)
    assert sum(each.answers for each in made.blocks) == 60
    assert made.miscalibration >= 0 <= made.discrimination


def test_planted_accuracies_are_those_of_the_simulated_answers() -> None:
    planted = WORLDS["alone 50 %, debate 75 %"]
    rows = simulated(np.random.default_rng(1), 1500, 1, planted)
    found = {each.arm: each.accuracy for each in study_of(rows).whole.arms}

    for arm, accuracy in planted.items():
        assert truth_of(mean_for(accuracy, arm), arm) == pytest.approx(accuracy, abs=1e-6)
        figure = found[arm]
        assert figure is not None
        assert figure.value == pytest.approx(accuracy, abs=0.04)


def test_an_audit_finds_a_judge_that_verifies_and_one_that_believes_all() -> None:
    def rows(moves: dict[str, float], critic: float) -> list[Answered]:
        made = []
        for n in range(12):
            item = f"{'abcdefghijkl'[n]}1"
            alone = 0.45 + n / 100
            made += [answer(item, "naive", alone, swapped=each, debate=f"{item}{each}") for each in (False, True)]
            made.append(answer(item, "critique", critic, by="critic", stage="final", debate=f"{item}c"))
            for assigned in ("right", "wrong"):
                facts: dict[str, Any] = {"assigned": assigned, "debate": f"{item}{assigned}", "debater": "d"}
                made.append(answer(item, "critique", alone, stage="alone", **facts))
                made.append(answer(item, "critique", min(0.97, max(0.03, alone + moves[assigned])), **facts))
        return made

    verifies = audit_of(rows({"right": 0.4, "wrong": -0.02}, 0.9), 24, 16)
    believes = audit_of(rows({"right": 0.2, "wrong": -0.2}, 0.9), 24, 16)
    worse = audit_of(rows({"right": 0.02, "wrong": -0.4}, 0.1), 24, 16)

    assert (verifies.classifies, verifies.verifies) == ("yes", "yes")
    assert (believes.classifies, believes.verifies) == ("yes", "open")
    assert (worse.classifies, worse.verifies) == ("no", "no")
    chosen = [answer(f"{'abc'[n]}1", "critique", 0.9, debater="d", debate=f"{n}free") for n in range(3)]
    assigned = rows({"right": 0.4, "wrong": -0.3}, 0.9)[:15]
    (_, critique) = study_of([*assigned, *chosen]).whole.arms
    assert critique.accuracy is not None
    assert (critique.accuracy.value, critique.answers) == (1.0, 3), "critiques for an assigned answer are no arm"


def test_a_larger_study_finds_less() -> None:
    small, large = (detectable(0.6, USUAL, clusters * 2, clusters, studies=60) for clusters in (12, 60))

    assert large is not None
    assert small is None or small > large


def test_a_difference_is_over_common_items_alone() -> None:
    found, p = difference({"a": 1.0, "b": 1.0}, {"b": 0.0}, {"a": "x", "b": "x"})

    assert found is not None
    assert (found.value, found.items, found.low, p) == (1.0, 1, None, None)
    assert difference({"a": 1.0}, {}, {}) == (None, None)


@pytest.mark.parametrize("world", WORLDS)
def test_intervals_of_simulated_studies_hold_the_truth(world: str, request: pytest.FixtureRequest) -> None:
    """The quick part has 60 studies of the demo's size; ``thorough`` 200 of each of three sizes."""
    thorough = "thorough" in str(request.config.getoption("-m"))
    for size in ((12, 2), (24, 1), (30, 2)) if thorough else ((12, 2),):
        found = coverage(*size, world, 200 if thorough else 60)
        least = 0.93 if thorough else 0.9
        assert least <= found.accuracies <= 0.985
        assert least <= found.differences <= 0.985
        assert found.null_claims is None or found.null_claims <= 0.05
