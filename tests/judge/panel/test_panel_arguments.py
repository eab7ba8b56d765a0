"""Rubric v3: the outcome rests on one calibrated score of each argument; sides that are too close are no quarrel."""

from collections.abc import Mapping, Sequence
from typing import Any

import krippendorff
import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types import AgreementMeasured, PanelConcluded, PanelistScored
from events.types.criteria import PanelRules
from judge.rubrics.rubric import rubric_v2, rubric_v3
from server.debate.formats.parts.panel import supports
from tests.judge.panel.rater_scores import DIMENSIONS, ITEMS, TEN, concluded, equal_raters, panel_of, rater_seats

V3 = rubric_v3()
EVIDENCE_LOW = {"logic": 6, "evidence": 3, "responsiveness": 6, "honesty": 9}
# Four raters whose rankings within each side contradict each other; all of them score honesty high and evidence low.
RANKINGS = [
    {"PRO-1": 1, "PRO-2": 0, "PRO-3": -1, "CON-1": 2, "CON-2": 1, "CON-3": 0},
    {"PRO-1": -1, "PRO-2": 1, "PRO-3": 0, "CON-1": 0, "CON-2": 2, "CON-3": 1},
    {"PRO-1": 0, "PRO-2": -1, "PRO-3": 1, "CON-1": 1, "CON-2": 0, "CON-3": 2},
    {"PRO-1": 0, "PRO-2": 1, "PRO-3": -1, "CON-1": 0, "CON-2": 1, "CON-3": 2},
]
KINDS = ["UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"]


def by_v3(rows: Sequence[Sequence[float | None]], **given: Any) -> tuple[AgreementMeasured, PanelConcluded]:
    """The conclusion on six or ten arguments by the rules of v3, and of a panel that may name a side alone."""
    rules = V3.panel
    assert rules is not None
    rubric = replace(V3, panel=replace(rules, reliable_items=UNSET, reliable_raters=UNSET))
    items = ITEMS if len(rows[0]) == len(ITEMS) else TEN
    return panel_of(equal_raters(len(rows)), rows, rubric=rubric, items=items, **given)


def contradicting(rubric: Any = V3) -> tuple[AgreementMeasured, PanelConcluded]:
    seats = rater_seats()
    scored = {
        seat.name: PanelistScored(
            rater=seat.name,
            model="m",
            scores={item: {part: float(EVIDENCE_LOW[part] + up) for part in DIMENSIONS} for item, up in ranks.items()},
            standings={item: KINDS[(at + number) % 4] for at, item in enumerate(ITEMS)},  # type: ignore[misc]
        )
        for number, (seat, ranks) in enumerate(zip(seats, RANKINGS, strict=True))
    }
    return concluded(seats, scored, rubric=rubric)


def said(verdict: PanelConcluded, words: str) -> bool:
    return any(words in each for each in verdict.reasons)


# what the outcome rests on


def test_agreement_on_criteria_is_no_agreement_on_arguments() -> None:
    measured, verdict = contradicting()
    _, before = contradicting(rubric_v2())

    assert measured.calibrated.value > 0.67
    assert measured.deciding.value < 0.5
    assert measured.deciding is measured.arguments
    assert ("concluded", "irreconcilable") == (before.outcome, verdict.outcome)
    assert "neither" == verdict.winner
    assert said(verdict, "On the arguments, with one calibrated score of each by each rater, agreement is 0.")
    assert said(verdict, "on the criteria, which counts as well which criterion is rated higher")
    assert not said(verdict, "score alike")


def test_the_alpha_of_arguments_is_that_of_the_package_krippendorff() -> None:
    measured, _ = contradicting()
    weights = np.array([[seat.weights[part] for part in DIMENSIONS] for seat in rater_seats()])
    base = weights @ np.array([EVIDENCE_LOW[part] for part in DIMENSIONS])
    totals = base[:, None] + np.array([[ranks[item] for item in ITEMS] for ranks in RANKINGS])
    low, high = totals.min(axis=1, keepdims=True), totals.max(axis=1, keepdims=True)

    expected = krippendorff.alpha(reliability_data=(totals - low) / (high - low), level_of_measurement="interval")

    assert expected == pytest.approx(measured.arguments.value, abs=1e-6)
    assert len(ITEMS) == measured.arguments.items


def test_versions_1_and_2_measure_and_say_nothing_of_it() -> None:
    measured, verdict = contradicting(rubric_v2())

    assert measured.arguments is UNSET
    assert min(measured.calibrated.value, measured.margins.value) == measured.deciding.value
    assert not said(verdict, "one calibrated score")


def test_with_four_turns_agreement_on_them_is_not_measured() -> None:
    """Four items are too few, though each of them has four criteria."""
    turns: Mapping[str, Any] = {"1": "pro", "2": "con", "3": "pro", "4": "con"}

    measured, verdict = panel_of(equal_raters(3), [[8, 3, 8, 3]] * 3, rubric=V3, items=turns, standings=[{}] * 3)

    assert "only 4 ratings can be compared, at least 5 are needed" == measured.arguments.undefined
    assert ("undetermined", "neither") == (verdict.outcome, verdict.winner)
    assert said(verdict, "How far the raters agree on the turns cannot be said: only 4 ratings")


# too close


@pytest.mark.parametrize(("gap", "outcome"), [(0.049, "too_close"), (0.05, "concluded")])
def test_a_gap_below_the_limit_is_too_close_and_no_quarrel(gap: float, outcome: str) -> None:
    pro, con = 5 * (1 + gap), 5 * (1 - gap)

    _, verdict = by_v3([[pro - 2, pro, pro + 2, con - 2, con, con + 2]] * 3)

    assert (outcome, outcome == "too_close") == (verdict.outcome, verdict.winner == "neither")
    assert (outcome == "too_close") == any("Do not take a side from this panel" in each for each in verdict.act)
    assert not any("Do not decide by this panel" in each for each in verdict.act)


def test_a_gap_just_below_the_limit_is_never_shown_as_the_limit() -> None:
    _, verdict = by_v3([[*(5 * 1.0498 + each for each in (-2, 0, 2)), *(5 * 0.9502 + each for each in (-2, 0, 2))]] * 3)

    assert said(verdict, "a gap of 4.98 % where 5 % is the least.")


def test_raters_who_contradict_each_other_are_not_called_close() -> None:
    _, verdict = by_v3([[8, 8, 9, 4, 4, 3], [4, 4, 3, 8, 8, 9]])

    assert ("irreconcilable", 0.0) == (verdict.outcome, verdict.gap)


# disputes

WITH_ONE_DISPUTE = [[9, 8, 9, 1, 2, 2], [9, 8, 9, 2, 1, 7], [9, 8, 9, 1, 2, 2], [9, 9, 8, 1, 2, 7]]


def test_a_disputed_argument_is_a_caution_where_alpha_is_high() -> None:
    measured, verdict = by_v3(WITH_ONE_DISPUTE)
    dispute = verdict.disputed["CON-3"]

    assert measured.arguments.value >= 0.8
    assert (True, False) == (dispute.decides, dispute.turns)
    assert ("cautious", "pro") == (verdict.outcome, verdict.winner)
    assert said(verdict, "On CON-3 the raters are far apart")
    assert said(verdict, "Without it the same side leads.")
    assert not said(verdict, "Agreement is low")


def test_the_same_argument_prevents_a_winner_where_alpha_is_lower() -> None:
    measured, verdict = by_v3([[9, 7, 7, 2, 4, 2], [8, 7, 8, 2, 3, 7], [8, 8, 7, 3, 3, 2], [9, 7, 7, 3, 2, 7.5]])

    assert 0.5 <= measured.arguments.value < 0.8
    assert verdict.disputed["CON-3"].decides
    assert ("irreconcilable", "neither") == (verdict.outcome, verdict.winner)


def test_a_side_that_leads_by_a_disputed_argument_alone_is_a_leaning() -> None:
    rows = [[9.5, 2, 3, 1, 4.2, 5.3], [9.5, 2, 3, 1, 4.2, 5.3], [9.5, 2, 3, 1, 4.2, 5.3], [5.5, 2, 3, 1, 4.2, 9]]

    measured, verdict = by_v3(rows)

    assert measured.arguments.value >= 0.8
    assert {"PRO-1": True, "CON-3": False} == {item: each.turns for item, each in verdict.disputed.items()}
    assert ("cautious", "neither", "pro") == (verdict.outcome, verdict.winner, verdict.leaning)
    assert said(verdict, "Without PRO-1 Pro would not lead: Pro is a leaning, no winner.")
    assert not supports(verdict, rules())


def rules() -> PanelRules:
    found = V3.panel
    assert found is not None
    return found


# standings


def test_the_standings_of_each_argument_are_counted_and_a_tie_has_no_commonest() -> None:
    mostly, tied = ["REFUTED"] * 3 + ["UPHELD"], ["UPHELD", "REFUTED", "REFUTED", "UPHELD"]
    standings = [{"PRO-1": one, "CON-1": two} for one, two in zip(mostly, tied, strict=True)]

    _, verdict = by_v3([[8, 8, 8, 3, 3, 3]] * 4, standings=standings)

    assert {"PRO-1", "CON-1"} == verdict.standings.keys()
    assert ({"UPHELD": 1, "REFUTED": 3}, "REFUTED") == (
        verdict.standings["PRO-1"].counts,
        verdict.standings["PRO-1"].commonest,
    )
    assert ({"UPHELD": 2, "REFUTED": 2}, UNSET) == (
        verdict.standings["CON-1"].counts,
        verdict.standings["CON-1"].commonest,
    )


def test_without_any_standing_none_are_counted() -> None:
    _, verdict = by_v3([[8, 8, 8, 3, 3, 3]] * 3, standings=[{}, {}, {}])

    assert verdict.standings is UNSET
