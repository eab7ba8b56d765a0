"""What comparisons move: half of a fixed share of what each turn lacks, in any order, and never more than was given."""

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from events.state.scorecard import sums_of
from events.types import ScoreHarmonized, TurnsCompared
from judge.live.comparison import closes_ring, level_of
from judge.live.scoring import applicable
from tests.judge.ring_debates import (
    COMPARED,
    RUBRIC,
    TEXT,
    Judged,
    compared,
    debate,
    judgings,
    pairs_of,
    points_by_hand,
    score_parts,
    share,
)
from tests.judge.turns import balance, debate_of, effective, events_of, opened
from tests.laws import examples


def lead(batch: Any) -> float:
    found = sums_of(batch.debate.ledger).lead(RUBRIC)
    assert isinstance(found, float)
    return found


@pytest.mark.slow
@examples(20, whole=600)
@drawn(judgings())
def test_the_entries_add_up_to_the_scores_and_to_the_points_of_the_sides(judged: Judged) -> None:
    batch = debate(judged)
    ledger = batch.debate.ledger

    for card in ledger.cards.values():
        for name, each in card.balances.items():
            entries = [entry.applied for entry in card.entries if entry.dimension == name]
            assert sum(entries) == pytest.approx(each.effective, abs=1e-6)
            assert all(entry.requested == entry.applied for entry in card.entries if entry.kind != "score")
    pro, con = sums_of(ledger).cards(RUBRIC)
    by_hand = points_by_hand(batch.debate)
    assert (pro.composite, con.composite) == (
        pytest.approx(by_hand["pro"], abs=0.0051),
        pytest.approx(by_hand["con"], abs=0.0051),
    )


@pytest.mark.slow
@examples(15, whole=400)
@drawn(judgings(least=3), st.randoms(use_true_random=False))
def test_the_order_of_the_comparisons_changes_nothing(judged: Judged, chance: Any) -> None:
    order = sorted(judged.levels, key=lambda _: chance.random())
    one, two = debate(judged), debate(judged, order=order)

    for turn, card in one.debate.ledger.cards.items():
        for name, each in card.balances.items():
            assert each.effective == pytest.approx(effective(two, turn, name), abs=1e-6)
    assert lead(one) == pytest.approx(lead(two), abs=0.011)


@pytest.mark.slow
@examples(20, whole=600)
@drawn(judgings(), st.data())
def test_a_component_with_more_points_never_lowers_the_lead_of_its_side(judged: Judged, data: Any) -> None:
    turn = data.draw(st.sampled_from(sorted(judged.points)))
    maxima = applicable(RUBRIC, turn)
    name = data.draw(st.sampled_from(sorted(maxima)))
    more = judged.points | {turn: judged.points[turn] | {name: maxima[name].maximum}}

    before, after = lead(debate(judged)), lead(debate(Judged(more, judged.levels)))

    gained = (after - before) * (1 if turn % 2 else -1)
    assert gained >= -0.011 * len(judged.points), "each entry is rounded to two decimals"


@pytest.mark.slow
@examples(20, whole=600)
@drawn(judgings())
def test_comparisons_leave_a_score_between_0_and_its_maximum(judged: Judged) -> None:
    for card in debate(judged).debate.ledger.cards.values():
        for name in COMPARED:
            assert -0.011 <= card.balances[name].effective <= card.balances[name].maximum + 0.011


def test_a_comparison_moves_both_turns_by_its_share() -> None:
    """Logic 20 and 30 of 40; the later is clearly worse: 2 degrees of 0.085 are 6.8 of 40."""
    points = {2: {"cause": 5, "process": 5, "consequence": 5, "weakest_premise": 5}}
    points[3] = {"cause": 8, "process": 8, "consequence": 7, "weakest_premise": 7}
    batch = debate(Judged({1: {}} | points, {}))
    compared(batch, (2, 3), {"logic": (-2, -2)})

    assert [("comparison", 2, 3.19), ("comparison", 3, -3.19)] == [
        (each.rule, each.turn, each.applied) for each in events_of(batch, ScoreHarmonized)
    ]
    assert round(0.38 / 2 * (30 + 6.8 - 20), 2) == 3.19
    assert events_of(batch, ScoreHarmonized)[1].reason == (
        "logic compared with turn 2: clearly worse, clearly worse; 13.2 of 40 would fit that, the score gives 30"
    )


def test_what_a_comparison_expects_stays_within_the_maximum() -> None:
    """Logic 38 and the later clearly better: 44.8 would be expected, and 40 is the most."""
    most = {"cause": 10, "process": 10, "consequence": 10, "weakest_premise": 8}
    batch = debate(Judged({1: {}, 2: most, 3: most}, {}))
    compared(batch, (2, 3), {"logic": (2, 2)})

    assert [round(0.19 * (31.2 - 38), 2), round(0.19 * 2, 2)] == [
        each.applied for each in events_of(batch, ScoreHarmonized)
    ]


def test_turn_1_is_compared_over_the_components_that_it_has() -> None:
    """Of turn 2 the component weakest_premise, with 10 of 10, is left out: 15 of 30 each."""
    own = {"cause": 5, "process": 5, "consequence": 5}
    batch = debate(Judged({1: own, 2: own | {"weakest_premise": 10}}, {}))
    compared(batch, (1, 2), {"logic": (0, 0)})

    assert not events_of(batch, ScoreHarmonized)
    assert 30 == balance(batch, 1).maximum
    assert 40 == balance(batch, 2).maximum


def test_the_mean_of_both_orders_counts_and_a_judge_that_is_asked_once_has_one() -> None:
    levels = {"logic": (2, -1), "rhetoric": (1, 1), "tactics": (0, 0)}
    both, one = (debate(Judged({1: share(0.5, 1), 2: share(0.5, 2)}, {})) for _ in range(2))
    compared(both, (1, 2), levels)
    compared(one, (1, 2), levels, once=True)
    (twice,), (once,) = events_of(both, TurnsCompared), events_of(one, TurnsCompared)

    assert twice.levels == {"logic": (2, -1), "rhetoric": (1, 1), "tactics": (0, 0)}
    assert once.levels == {"logic": (2,), "rhetoric": (1,), "tactics": (0,)}
    assert "logic" in twice.flipped
    moved = {each.dimension: each.applied for each in events_of(both, ScoreHarmonized) if each.turn == 2}
    alone = {each.dimension: each.applied for each in events_of(one, ScoreHarmonized) if each.turn == 2}
    assert alone["logic"] == pytest.approx(4 * moved["logic"], abs=0.02)
    assert alone["rhetoric"] == moved["rhetoric"]


def test_samples_count_by_their_median() -> None:
    said = [{"logic": each} for each in ("second_clear", "draw", "first_slight")]

    assert 0 == level_of(said, "logic")
    assert 2 == level_of(said[:1], "logic")
    assert 1 == level_of(said[:2], "logic")


@pytest.mark.parametrize(("turns", "closes"), [(1, False), (2, False), (3, True), (6, True)])
def test_the_last_of_more_than_two_turns_closes_the_ring(turns: int, closes: bool) -> None:
    of_debate = opened(RUBRIC, turns)

    assert closes == closes_ring(of_debate, turns)
    assert not closes_ring(of_debate, turns - 1)
    assert not closes_ring(replace(of_debate, rubric=replace(RUBRIC, ring=UNSET)), turns)
    assert turns == len(pairs_of(turns)) or turns < 3


def test_a_comparison_of_a_turn_without_a_score_moves_nothing() -> None:
    batch = debate_of(TEXT, TEXT, rubric=RUBRIC)
    score_parts(batch, 1, share(0.5, 1))
    at = compared(batch, (1, 2), dict.fromkeys(COMPARED, (2, 2)))

    assert not events_of(batch, ScoreHarmonized)
    assert at not in batch.debate.exchanges.residuals


def test_the_closing_comparison_decides_no_exchange() -> None:
    points = {turn: share(0.5, turn) for turn in (1, 2, 3)}
    batch = debate(Judged(points, {(1, 3): dict.fromkeys(COMPARED, (2, 2))}))

    assert [3] == [*batch.debate.exchanges.closing]
    assert not batch.debate.exchanges.comparisons
    assert {1, 3} == {each.turn for each in events_of(batch, ScoreHarmonized)}
