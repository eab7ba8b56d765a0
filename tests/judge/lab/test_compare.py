"""Two judges on the same trials."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from events.types.lab import Battery
from judge.lab.compare import PairedDifference, compare, in_words
from judge.lab.trials import Reading, Trial, plan
from tests.judge.lab.planned import planned_items
from tests.measuring.mock_judges import MockJudge, Size

Said = Callable[[Trial], dict[str, Any]]


def planned(*batteries: Battery) -> tuple[Trial, ...]:
    return tuple(trial for battery in batteries for trial in plan(battery, planned_items(30), None, 1))


def read(trials: tuple[Trial, ...], said: Said) -> list[Reading]:
    return [Reading(trial=each.id, **said(each)) for each in trials]


def of(found: tuple[PairedDifference, ...], name: str) -> PairedDifference:
    return next(each for each in found if each.name == name)


def mock(trials: tuple[Trial, ...], battery: Battery | None, size: Size, seed: int) -> list[Reading]:
    return MockJudge(trials, battery, size).read(np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other", "better"), [("none", "large", "one"), ("large", "none", "other")])
def test_a_judge_without_the_bias_is_the_better_one(one: Size, other: Size, better: str) -> None:
    trials = planned("position", "length")

    found = compare(trials, mock(trials, "position", one, 1), mock(trials, "position", other, 2))

    assert better == of(found, "first_pick").better == of(found, "flips").better
    assert not of(found, "padded_50").better
    assert f"the first judge is better in {'2' if better == 'one' else '0'}" in in_words(found)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "advantage"), [(3, -3, 0), (3, -1, -2), (-1, 3, 2), (-3, -1, -2)])
def test_biases_of_opposite_directions_are_compared_by_their_size(first: int, second: int, advantage: int) -> None:
    trials = planned("length")

    def by(points: int) -> Said:
        return lambda trial: {"total": 60.0 + points * (trial.variant == "padded_50"), "chose": "draw"}

    found = of(compare(trials, read(trials, by(first)), read(trials, by(second))), "padded_50")

    assert (first, second, advantage) == (found.one, found.other, found.advantage)


@pytest.mark.slow
def test_distances_from_one_half_are_compared_on_both_sides_of_it() -> None:
    trials = planned("position")
    first = read(trials, lambda _: {"chose": "first"})
    second = read(trials, lambda trial: {"chose": "second" if int(trial.cluster[1:]) % 4 else "draw"})

    found = of(compare(trials, first, second), "first_pick")

    assert (1, pytest.approx(0.13, abs=0.01)) == (found.one, found.other)
    assert found.advantage == pytest.approx((0.5 - found.other) - 0.5)
    assert "other" == found.better


@pytest.mark.slow
def test_items_that_one_judge_has_not_answered_count_for_neither() -> None:
    trials = planned("length")
    whole = read(trials, lambda _: {"total": 60.0, "chose": "draw"})

    found = compare(trials, whole, whole[: len(whole) // 2])

    assert 30 == of(found, "padded_50").n


@pytest.mark.slow
def test_a_smaller_retest_deviation_is_the_better_one() -> None:
    trials = planned("retest")

    found = of(compare(trials, mock(trials, "retest", "small", 1), mock(trials, "retest", "large", 2)), "sd")

    assert ("one", "points²") == (found.better, found.unit)
    assert found.one == pytest.approx(1.5, abs=0.3)


@pytest.mark.slow
def test_two_runs_of_one_judge_differ_by_chance_in_at_most_5_per_cent_of_comparisons() -> None:
    trials = planned("retest", "position", "side", "length", "style")
    judge, rng = MockJudge(trials, None, "none"), np.random.default_rng(3)

    accused = sum(any(each.better for each in compare(trials, judge.read(rng), judge.read(rng))) for _ in range(20))

    assert accused <= 4  # 99 % of samples of 20 at 5 %


def test_judges_of_two_families_that_each_prefer_their_own_differ() -> None:
    trials = plan("family", planned_items(30), None, 1, family="ours")
    ours = read(trials, lambda trial: {"chose": trial.truth if int(trial.cluster[1:]) % 3 else "draw"})
    theirs = read(trials, lambda trial: {"chose": "second" if trial.truth == "first" else "first"})

    found = of(compare(trials, ours, theirs), "own_pick")

    assert ("other", pytest.approx(-0.83, abs=0.01)) == (found.better, found.advantage)


def test_judges_that_never_differ_in_so_few_items_could_differ_in_others() -> None:
    """An item that nobody has seen in 60 has a chance of 2.5 % if it is 6 % of all."""
    trials = planned("side")
    same = read(
        trials, lambda trial: {"total": 60.0, "chose": "first" if trial.speeches[0].side == "pro" else "second"}
    )

    pick = of(compare(trials, same, same), "pro_pick")

    assert (0, "") == (pick.advantage, pick.better)
    assert (pytest.approx(-0.06, abs=0.001), pytest.approx(0.06, abs=0.001)) == (pick.low, pick.high)
