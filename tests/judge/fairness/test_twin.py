"""The rules as array code give the verdicts that the product gives."""

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types.rubric import Rubric
from judge.fairness.rules import judged
from judge.fairness.world import World, hold
from judge.rubrics.rubric import ShippedRubric, shipped_rubric
from tests.judge.fairness.played import PlayedDebate

SIGNS = {"pro": 1, "con": -1, "neither": 0}
PLAIN = World(drops=0)  # the premises of these debates are not simulated
HARD = replace(
    PLAIN,
    flaws=2,
    claims=1.5,
    spread=9,
    level=0.5,
    noise=8,
    unscored=0.05,
    uncompared=0.05,
    continuing=0.7,
    repeats=0.3,
)
"""A world in which every rule is often at work: low scores, many flaws, missing answers."""
RULES: tuple[ShippedRubric, ...] = ("v1", "v2", "v3")
ROUNDED = 0.035
"""The product rounds sums, means and each inferred component to a hundredth, and halves by their binary value."""
MIN_DIFFERENCE = 0.005
"""Between two leads that are rounded to a hundredth, and between certainties that decide alike."""
RARELY = 0.3
"""Where the length of a turn lies on the edge of two factors, which are rounded to a tenth: a share of its flaws."""


def differences(rubric: Rubric, world: World, debates: int, seed: int = 1) -> list[float]:
    """The leads of the twin less those of the product; both name the same side, unless rounding decides it."""
    held = hold(world, rubric, debates, np.random.default_rng(seed))
    twin = judged(held, rubric)
    found = []
    for debate in range(debates):
        verdict = PlayedDebate(held, debate, rubric).verdict
        pro, con = verdict.mean.pro, verdict.mean.con
        if not isinstance(pro, float) or not isinstance(con, float):
            assert np.isnan(twin.lead[debate])
            continue
        found.append(float(twin.lead[debate]) - (pro - con))
        on_the_edge = abs(found[-1]) > MIN_DIFFERENCE
        if rubric.certainty is not UNSET and isinstance(verdict.certainty, float):
            on_the_edge |= abs(verdict.certainty - rubric.certainty.name_at) < MIN_DIFFERENCE

            assert twin.certainty[debate] == pytest.approx(verdict.certainty, abs=0.03)
            assert twin.error[debate] == pytest.approx(verdict.error, abs=0.01)

        assert on_the_edge or SIGNS[verdict.winner] == twin.named[debate]
    return found


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("turns", [1, 2, *(pytest.param(turns, marks=pytest.mark.slow) for turns in (3, 6))])
def test_the_twin_gives_the_lead_and_the_name_that_the_product_gives(name: ShippedRubric, turns: int) -> None:
    found = differences(shipped_rubric(name), replace(HARD, turns=turns), 25)

    assert max(map(abs, found), default=0) < ROUNDED


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("debates", [80, pytest.param(1000, marks=[pytest.mark.thorough, pytest.mark.timeout(600)])])
def test_the_twin_gives_the_same_in_many_debates(name: ShippedRubric, debates: int) -> None:
    worlds = (HARD, 0.4, 6), (PLAIN, 0.4, 6), (PLAIN, 0.1, 10), (HARD, 0.1, 7)
    found = np.abs(
        [
            each
            for world, share, turns in worlds
            for each in differences(shipped_rubric(name), replace(world, turns=turns), round(share * debates), turns)
        ]
    )

    assert found.max() < RARELY
    assert np.sort(found)[-2 - round(0.005 * debates)] < ROUNDED, "but for one debate, and one of 200 more"
    assert np.median(found) < MIN_DIFFERENCE
