"""Graded comparisons: what a slight and a clear win move, and that the rule favours neither side nor place.

The simulated judge is noisy and unbiased: it scores every turn by its true strength with noise, and compares two turns
by their true strengths with other noise, in both orders.
"""

import math
import random
from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.scorecard import scorecard
from events.types import ScoreHarmonized, Side, TurnsCompared, TurnStarted, other
from events.types.rubric import Rubric
from judge.live.comparison import harmonize
from judge.live.event_batch import EventBatch
from judge.rubrics.rubric import rubric_v1, rubric_v2
from tests.judge.turns import balance, debate_of, events_of, opened, score, spoken_turn

V2 = rubric_v2()
RUBRIC = replace(rubric_v1(), harmonization="graded", bands=V2.bands, band_reach=V2.band_reach)
UNLIMITED = replace(RUBRIC, band_reach=UNSET)


def compared(batch: EventBatch, later: int, outcome: Any, degree: Any, dimension: str = "logic") -> None:
    found = TurnsCompared(earlier=later - 1, later=later, outcomes={dimension: outcome}, degrees={dimension: degree})
    harmonize(batch, batch.add(found, batch.debate.position))


def debate(*logic: float, rubric: Rubric = RUBRIC) -> EventBatch:
    batch = debate_of(*(f"Turn {number} is so." for number in range(1, len(logic) + 1)), rubric=rubric)
    for number, points in enumerate(logic, 1):
        score(batch, number, logic=points)
    return batch


def logic(batch: EventBatch) -> list[float]:
    return [balance(batch, number).effective for number in batch.debate.ledger.cards]


@pytest.mark.parametrize(
    ("before", "outcome", "after"),
    [
        ((24, 23), "later", [23, 24]),
        ((24, 23), "earlier", [24, 23]),
        ((23, 23), "later", [22.5, 23.5]),
        ((20, 30), "earlier", [25.5, 24.5]),
        ((20, 30), "later", [20, 30]),
        ((40, 40), "later", [39, 40]),
        ((0, 0), "earlier", [1, 0]),
    ],
)
def test_a_slight_win_puts_the_winner_one_point_ahead(before: Any, outcome: Any, after: Any) -> None:
    batch = debate(*before)
    compared(batch, 2, outcome, "slight")

    assert after == logic(batch)
    assert sum(before) == sum(after) or {0, 40} & set(before)


@pytest.mark.parametrize(
    ("before", "outcome", "after"),
    [((24, 23), "later", [21, 23]), ((18, 23), "earlier", [22, 21]), ((30, 12), "earlier", [30, 12])],
)
def test_without_a_limit_a_clear_win_brings_both_turns_into_their_bands(before: Any, outcome: Any, after: Any) -> None:
    batch = debate(*before, rubric=UNLIMITED)
    compared(batch, 2, outcome, "clear")

    assert after == logic(batch)


@pytest.mark.parametrize(
    ("before", "outcome", "after"),
    [
        ((24, 23), "later", [22, 23]),
        ((30, 27), "earlier", [30, 25]),
        ((16, 27), "earlier", [22, 21]),
        ((22, 21), "earlier", [22, 21]),
    ],
)
def test_a_clear_win_moves_values_by_its_reach_and_puts_the_winner_ahead(before: Any, outcome: Any, after: Any) -> None:
    batch = debate(*before)
    compared(batch, 2, outcome, "clear")

    assert after == logic(batch)


@pytest.mark.parametrize(("first", "second"), [("later", "later"), ("earlier", "earlier")])
def test_a_turn_that_clearly_won_and_clearly_lost_is_left_and_is_an_anomaly(first: Any, second: Any) -> None:
    batch = debate(30, 18 if first == "later" else 25, 25, rubric=UNLIMITED)
    before = logic(batch)[1]
    compared(batch, 2, first, "clear")
    assert logic(batch)[1] != before

    compared(batch, 3, second, "clear")

    assert logic(batch)[1] == before
    assert [each.rule for each in events_of(batch, ScoreHarmonized) if each.turn == 2][-1] == "band_conflict"
    assert [each.turn for each in batch.debate.exchanges.anomalies.values()] == [2]


def simulated(
    chance: random.Random, batch_of: Callable[..., EventBatch], turns: int
) -> tuple[list[float], EventBatch, Side]:
    """The raw values of one debate, the debate with its corrections, and the side that is truly stronger."""
    stronger: Side = chance.choice(("pro", "con"))
    gap = abs(chance.gauss(0, 1.5))
    sides = ["pro" if number % 2 == 0 else "con" for number in range(turns)]
    true = [24 + (gap if side == stronger else -gap) / 2 + chance.gauss(0, 3) for side in sides]
    raw = [float(min(40, max(0, round(each + chance.gauss(0, 3))))) for each in true]
    batch = batch_of(*raw)
    for number in range(1, turns):
        seen = [true[number] - true[number - 1] + chance.gauss(0, 2.5) for _ in range(2)]
        if min(abs(each) for each in seen) >= 1 and seen[0] * seen[1] > 0:
            degree = "clear" if min(abs(each) for each in seen) >= 4 else "slight"
            compared(batch, number + 1, "later" if seen[0] > 0 else "earlier", degree)
    return raw, batch, stronger


def mirrored(*points: float) -> EventBatch:
    """The same debate with con as its opener."""
    batch = EventBatch(Debate(id="d"))
    batch.add(opened(RUBRIC), None)
    for number, value in enumerate(points, 1):
        spoken = spoken_turn(number, f"Turn {number} is so.")
        side = other(spoken.side)
        started = batch.add(TurnStarted(turn=number, side=side, attempt=1, directive=None), batch.debate.position)
        batch.add(replace(spoken, side=side), started)
        score(batch, number, logic=value)
    return batch


def measured(debates: int, seed: int) -> tuple[float, float, float, float]:
    """Opener's cost minus replier's, half of its 99 % interval, and how often raw and effective means are right."""
    chance = random.Random(seed)
    costs, right_raw, right = [], 0.0, 0.0
    for _ in range(debates):
        raw, batch, stronger = simulated(chance, debate, 8)
        after = logic(batch)
        lost = [one - two for one, two in zip(raw, after, strict=True)]
        costs.append(mean(lost[0::2]) - mean(lost[1::2]))
        right_raw += named(raw, stronger)
        right += named(after, stronger)
    return mean(costs), 2.576 * stdev(costs) / math.sqrt(debates), right_raw / debates, right / debates


def named(values: list[float], stronger: Side) -> float:
    """1 where the means name the stronger side, one half where they are equal."""
    ahead = round(mean(values[0::2]) - mean(values[1::2]), 6)
    return 0.5 if ahead == 0 else float((ahead > 0) == (stronger == "pro"))


def test_swapping_the_sides_swaps_the_outcome() -> None:
    for seed in range(50):
        _, plain, _ = simulated(random.Random(seed), debate, 7)
        _, mirror, _ = simulated(random.Random(seed), mirrored, 7)
        card, swapped = (scorecard(each.debate.ledger, each.debate.exchanges) for each in (plain, mirror))

        assert (card.pro, card.con) == (swapped.con, swapped.pro)
        assert {"pro": "con", "con": "pro", "neither": "neither"}[card.leader] == swapped.leader
        assert (card.rounds.pro, card.rounds.con) == (swapped.rounds.con, swapped.rounds.pro)


@pytest.mark.slow
def test_the_rule_costs_opener_and_replier_the_same() -> None:
    difference, half, raw, effective = measured(300, seed=1)

    assert abs(difference) <= half
    assert effective >= raw - 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    "debates", [1_000, pytest.param(10_000, marks=[pytest.mark.thorough, pytest.mark.timeout(600)])]
)
def test_the_rule_costs_opener_and_replier_the_same_over_many_debates(debates: int) -> None:
    difference, half, raw, effective = measured(debates, seed=2)

    assert abs(difference) <= half
    assert effective >= raw
