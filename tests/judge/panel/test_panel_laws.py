"""Weights, laws of the outcome, and its explanation in words."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import asdict, replace

from events.types import AgreementMeasured, PanelConcluded, PanelistScored, TrackRecord
from judge.panel.agreement import band
from judge.panel.weights import accuracy, rater_weights
from judge.rubrics.rubric import rubric_v1
from tests.judge.panel.rater_scores import (
    ITEMS,
    STANDING,
    concluded,
    equal_raters,
    even_scores,
    few_resamples,
    panel_of,
    rater_seats,
)
from tests.laws import examples

FEW = few_resamples(rubric_v1())
RULES = rubric_v1().panel
CLEAR = [[8.0, 7, 8, 3, 4, 3], [8, 8, 7, 4, 3, 3], [7, 7, 8, 3, 4, 4], [8, 7, 7, 3, 3, 4]]
ROWS = st.lists(st.lists(st.integers(1, 10), min_size=6, max_size=6), min_size=2, max_size=5)


# weights


@pytest.mark.slow
@given(
    st.integers(1, 200).flatmap(lambda of: st.tuples(st.integers(of // 2 + 1, of), st.just(of))),
    st.sampled_from(["technical", "business", "risk", "general"]),
    st.sampled_from(list(RULES.topics)),
)
def test_a_stranger_never_outweighs_a_record_better_than_chance(
    record: tuple[int, int], domain: str, topic: str
) -> None:
    stranger, known = equal_raters(2)
    stranger = replace(stranger, domain=domain)
    known = replace(known, domain=domain, record=TrackRecord(right=record[0], of=record[1]))

    found = rater_weights([stranger, known], RULES, topic)

    assert found["r1"] > found["r0"]


@pytest.mark.parametrize(("right", "of", "expected"), [(0, 0, 0.5), (3, 3, 5 / 7), (0, 3, 2 / 7), (90, 100, 92 / 104)])
def test_accuracy_is_drawn_toward_chance(right: int, of: int, expected: float) -> None:
    assert expected == pytest.approx(accuracy(TrackRecord(right=right, of=of), RULES))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=9),
    st.sampled_from(list(RULES.topics)),
)
def test_weights_of_however_many_raters_sum_to_one(records: list[tuple[int, int]], topic: str) -> None:
    raters = [
        replace(seat, record=TrackRecord(right=min(each), of=max(each)))
        for seat, each in zip(equal_raters(len(records)), records, strict=True)
    ]

    assert 1 == pytest.approx(sum(rater_weights(raters, RULES, topic).values()), abs=1e-9)


@pytest.mark.parametrize("topic", ["architecture", "business", "security", "default", "a topic of nobody"])
def test_weights_are_the_topics_and_sum_to_one(topic: str) -> None:
    found = rater_weights(rater_seats(), RULES, topic)
    known = RULES.topics.get(topic, RULES.topics["default"]).weights
    raw = {name: 0.7 * known[name] + 0.3 * 0.5 for name in found}

    assert 1 == pytest.approx(sum(found.values()), abs=1e-5)
    assert {name: raw[name] / sum(raw.values()) for name in raw} == pytest.approx(found, abs=1e-5)


def test_whose_topic_it_is_weighs_most() -> None:
    found = rater_weights(rater_seats(), RULES, "security")

    assert "risk" == max(found, key=found.__getitem__)


# laws


@pytest.mark.slow
@given(
    st.lists(st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=6, max_size=6), min_size=2, max_size=4),
    st.randoms(use_true_random=False),
)
@examples(20, whole=40)
def test_neither_the_order_of_raters_nor_of_items_matters(rows: list[list[int | None]], chance: Random) -> None:
    raters = rater_seats(len(rows))
    pairs, items = list(zip(raters, rows, strict=True)), list(ITEMS)
    scored = {
        seat.name: PanelistScored(rater=seat.name, model="m", **even_scores(dict(zip(ITEMS, row, strict=True))))
        for seat, row in pairs
    }
    chance.shuffle(pairs)
    chance.shuffle(items)

    one = concluded(raters, scored, rubric=FEW)
    other = concluded([seat for seat, _ in pairs], scored, items={item: ITEMS[item] for item in items}, rubric=FEW)

    assert one[0] == other[0]
    texts = {"reasons": (), "advice": (), "act": ()}
    assert {**asdict(one[1]), **texts} == {**asdict(other[1]), **texts}
    assert len(one[1].reasons) == len(other[1].reasons)


def law_the_outcome_follows_from_the_figures_that_are_stated(
    measured: AgreementMeasured, verdict: PanelConcluded
) -> None:
    rungs = {"high": "concluded", "moderate": "concluded", "low": "cautious"}

    if any(each.decides for each in verdict.disputed.values()) or verdict.gap < RULES.least_gap:
        assert "irreconcilable" == verdict.outcome
    elif measured.raw.value is UNSET:
        assert "undetermined" == verdict.outcome
    else:
        below = "contested" if measured.kappa.value >= RULES.kappa_leaning else "irreconcilable"
        assert rungs.get(measured.raw.band, below) == verdict.outcome
        assert band(measured.raw.value, RULES) == measured.raw.band


def law_a_winner_is_named_only_where_the_raters_agree_and_it_leads(
    measured: AgreementMeasured, verdict: PanelConcluded
) -> None:
    if verdict.winner != "neither":
        assert measured.raw.value >= RULES.low
        assert verdict.gap >= RULES.least_gap
        assert verdict.winner == verdict.leaning
        assert not any(dispute.decides for dispute in verdict.disputed.values())
    else:
        assert verdict.outcome in {"contested", "irreconcilable", "undetermined"}


def law_everything_is_said_in_sentences(_: AgreementMeasured, verdict: PanelConcluded) -> None:
    assert verdict.reasons
    said = (*verdict.reasons, *verdict.advice, *(verdict.act or ()))
    assert all(each[0].isupper() and each.rstrip().endswith((".", "”")) for each in said)


def law_the_sides_swapped_swap_the_winner_and_nothing_else(verdict: PanelConcluded, mirrored: PanelConcluded) -> None:
    swapped = {"pro": "con", "con": "pro", "neither": "neither"}

    assert (verdict.outcome, verdict.gap) == (mirrored.outcome, mirrored.gap)
    assert swapped[verdict.leaning] == mirrored.leaning
    assert swapped[verdict.winner] == mirrored.winner


@pytest.mark.slow
@given(ROWS)
@examples(40, whole=160)
def test_the_laws_hold_for_any_scores(rows: list[list[int]]) -> None:
    raters = equal_raters(len(rows))
    measured, verdict = panel_of(raters, rows, rubric=FEW)
    _, mirrored = panel_of(raters, [[*row[3:], *row[:3]] for row in rows], rubric=FEW)

    law_the_outcome_follows_from_the_figures_that_are_stated(measured, verdict)
    law_a_winner_is_named_only_where_the_raters_agree_and_it_leads(measured, verdict)
    law_everything_is_said_in_sentences(measured, verdict)
    law_the_sides_swapped_swap_the_winner_and_nothing_else(verdict, mirrored)


@pytest.mark.parametrize(("pro", "con", "expected"), [(3, 4, "min-max"), (4, 3, "min-max"), (4, 4, "z-score")])
def test_the_shorter_side_says_how_scores_are_calibrated(pro: int, con: int, expected: str) -> None:
    items = {f"PRO-{n}": "pro" for n in range(pro)} | {f"CON-{n}": "con" for n in range(con)}

    measured, _ = concluded(rater_seats(2), {}, items=items)

    assert expected == measured.calibration


# in words


def test_a_dispute_says_who_is_apart_and_what_each_looks_at() -> None:
    rows = [[2, 8, 8, 2, 3, 2], [4, 8, 7, 2, 2, 3], [7, 7, 8, 3, 2, 2], [9, 8, 8, 2, 3, 3]]

    _, verdict = panel_of(rater_seats(), rows)

    assert (
        "On PRO-1 the raters are far apart: 2.0 to 9.0 (variance 9.7). So far that nobody can say what the panel "
        "thinks of it."
    ) == verdict.reasons[0]
    assert (
        "Find out what PRO-1 rests on: Technical rater gave it 2.0 looking at whether it can be built and would work, "
        "General rater 9.0 looking at the case as a whole."
    ) == verdict.advice[0]


def test_the_items_of_an_exchange_are_turns() -> None:
    items = {"1": "pro", "2": "con", "3": "pro", "4": "con"}
    raters = equal_raters(2)
    scored = {
        seat.name: PanelistScored(rater=seat.name, model="m", **even_scores(dict(zip(items, row, strict=True)), {}))
        for seat, row in zip(raters, [[9, 3, 2, None], [8, 2, 8, 3]], strict=True)
    }

    _, verdict = concluded(raters, scored, items=items)

    assert verdict.reasons[0].startswith("On turn 3 the raters are far apart")
    assert verdict.advice[0].startswith("Find out what turn 3 rests on")
    assert "Rater 0 left out turn 4." in verdict.reasons


def test_standings_that_agree_do_not_lean_where_a_dispute_decides() -> None:
    rows = [[9, 2, 9, 2, 9, 3], [2, 8, 3, 9, 4, 8], [7, 6, 7, 4, 5, 6]]

    measured, verdict = panel_of(equal_raters(3), rows)

    assert (1.0, "irreconcilable") == (measured.kappa.value, verdict.outcome)
    assert "They agree better on where arguments stand (1.00)." in verdict.reasons
    assert not any("leans" in reason for reason in verdict.reasons)


def test_standings_alone_name_nobody() -> None:
    raters = equal_raters(2)
    said = {item: STANDING[side] for item, side in ITEMS.items()}
    scored = {seat.name: PanelistScored(rater=seat.name, model="m", standings=said) for seat in raters}

    measured, verdict = concluded(raters, scored)

    assert ("nobody rated anything", 1.0) == (measured.raw.undefined, measured.kappa.value)
    assert ("undetermined", "neither") == (verdict.outcome, verdict.winner)
    assert any("that alone names nobody" in reason for reason in verdict.reasons)


def test_a_verdict_that_hangs_on_one_rater_says_so() -> None:
    rows = [[8, 8, 7, 5, 5, 5], [8, 7, 8, 5, 5, 4], [4, 4, 4, 8, 8, 8]]

    _, verdict = panel_of(equal_raters(3), rows)

    assert "Without Rater 2 the panel would name Pro: read what it saw." in verdict.advice
