"""The simulated world is as its knobs say."""

import numpy as np
import pytest

from judge.fairness.world import CLAIMS, PER_ANSWER, Array, HeldDebates, World, hold, parts_of
from judge.rubrics.rubric import rubric_v2

RUBRIC = rubric_v2()
PARTS = parts_of(RUBRIC)
MANY = 4000


def held(debates: int = MANY, seed: int = 1, **knobs: float) -> HeldDebates:
    return hold(World(**knobs), RUBRIC, debates, np.random.default_rng(seed))  # type: ignore[arg-type]


def composites(points: Array) -> Array:
    """(B, n − 1) of the turns in which every component applies."""
    sums: Array = points[..., 1:, PARTS.composite].sum(-1)
    return sums


@pytest.mark.parametrize(("turns", "wrong"), [(6, 0.18), (10, 0.115)])
def test_a_strength_of_4_is_hidden_by_the_turns_as_often_as_in_the_issue(turns: int, wrong: float) -> None:
    assert np.mean(held(turns=turns, differs_by=4.0).truth < 0) == pytest.approx(wrong, abs=0.02)


@pytest.mark.parametrize("ahead", [0.0, 4.0, 8.0])
def test_the_performance_can_be_chosen(ahead: float) -> None:
    truth = held(ahead=ahead).truth

    assert np.abs(truth - ahead).mean() < 0.02  # a component that is cut at its maximum moves it


@pytest.mark.parametrize("noise", [2.0, 4.2, 6.0])
def test_two_readings_differ_by_the_noise(noise: float) -> None:
    one, two = (composites(each) for each in held(noise=noise).again)

    assert (one - two).std() / np.sqrt(2) == pytest.approx(noise, rel=0.05)


@pytest.mark.slow
def test_the_median_of_three_readings_has_less_noise() -> None:
    errors = [(composites(each.points) - composites(each.again[0])).std() for each in (held(), held(samples=3))]

    assert errors[1] < 0.9 * errors[0]


@pytest.mark.slow
def test_what_biases_scores_moves_them_by_as_much() -> None:
    plain = composites(held().points).mean(0)

    assert composites(held(lenient=3.0).points).mean(0) - plain == pytest.approx(3, abs=0.1)
    assert composites(held(drift=2.0).points).mean(0) - plain == pytest.approx(2 * np.arange(1, 6), abs=0.2)
    assert composites(held(by_side=3.0).points).mean(0) - plain == pytest.approx([0, 3, 0, 3, 0], abs=0.1)
    assert composites(held(by_length=3.0, wordy=2).points).mean(0) - plain == pytest.approx([3, 0, 3, 0, 3], abs=0.4)
    assert composites(held(hard=0.2).points).mean(0) - plain == pytest.approx(-6, abs=0.1)


@pytest.mark.slow
def test_what_biases_comparisons_moves_them() -> None:
    neighbours = slice(0, 5)
    plain = held().levels[:, neighbours].mean((0, 2))
    by_order = held(by_order=0.05).levels[:, neighbours].mean((0, 2))
    by_side = held(by_side=4.0).levels[:, neighbours].mean((0, 2, 3))
    one_order = held(orders=1).levels

    assert plain == pytest.approx(0, abs=0.05)
    assert (by_order[:, 0] < -0.2).all()
    assert (by_order[:, 1] > 0.2).all()
    assert list(np.sign(by_side)) == [-1, 1, -1, 1, -1]
    assert np.abs(by_side).min() > 0.2
    assert (one_order[..., 0] == one_order[..., 1]).all()


@pytest.mark.slow
def test_a_misreading_is_shared_by_scores_and_comparisons() -> None:
    plain, misread = held(noise=0.0), held(noise=0.0, misread=4.0)
    wrong = composites(misread.points) - composites(plain.points)
    rises = np.diff(wrong, axis=1)
    compared = (misread.levels - plain.levels)[:, 1:5].mean((2, 3))

    assert wrong.std() == pytest.approx(4, rel=0.1)
    assert np.corrcoef(rises.ravel(), compared.ravel())[0, 1] > 0.7


def test_flaws_and_claims_are_found_as_judges_find_them() -> None:
    one = held(flaws=3.0, claims=2.0, repeats=0.3)
    exposed = np.isfinite(one.worth) & (one.found < 6)
    turns, later = np.arange(6)[None, :, None], one.found
    each = np.stack([(exposed & (later == turn)).sum((1, 2)) for turn in range(6)])

    assert ((later - turns)[exposed] % 2 == 1).all()
    assert (one.worth[exposed] >= 1).all()
    assert each.max() == PER_ANSWER
    assert (one.sentence == np.take_along_axis(one.sentence, one.same, axis=-1)).all()
    assert set(np.unique(one.claim_grave)) == {-1, 0, 1}
    assert one.claim_grave.shape[-1] == CLAIMS


def test_a_seed_gives_the_same_debates_again() -> None:
    one, two, other = held(50), held(50), held(50, seed=2)

    assert (one.points == two.points).all()
    assert (one.points != other.points).any()
