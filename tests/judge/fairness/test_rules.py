"""What rubric v3 promises of every debate, and formulas that have known values."""

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from judge.fairness.certainty import rests_on, student
from judge.fairness.findings import set_cost
from judge.fairness.rules import judged
from judge.fairness.world import HeldDebates, World, hold, parts_of
from judge.rubrics.rubric import rubric_v2, shipped_rubric

RUBRIC = shipped_rubric("v3")
PARTS = parts_of(RUBRIC)
DEBATES = 200
ROUGH = World(spread=9.0, level=0.5, noise=8.0, flaws=2.0)
LEAST = 0.015


def held(turns: int = 6, world: World = ROUGH, seed: int = 1) -> HeldDebates:
    return hold(replace(world, turns=turns), RUBRIC, DEBATES, np.random.default_rng(seed))


@pytest.mark.parametrize("turns", [2, 3, 4, *(pytest.param(turns, marks=pytest.mark.slow) for turns in (5, 6, 7, 10))])
def test_a_raised_component_never_lowers_the_lead_of_its_side(turns: int) -> None:
    rubric, one = replace(RUBRIC, rescore_above=UNSET), held(turns)
    lead = judged(one, rubric).lead
    for turn in range(turns):
        for component in np.flatnonzero(PARTS.composite & PARTS.apply(turns)[turn]):
            points = one.points.copy()
            points[:, turn, component] = np.minimum(points[:, turn, component] + 1, PARTS.maxima[component])
            change = judged(replace(one, points=points), rubric).lead - lead

            assert (change * (1 if turn % 2 == 0 else -1)).min() > -LEAST


@pytest.mark.slow
def test_the_order_in_which_findings_arrive_does_not_change_a_lead() -> None:
    one, chance = held(), np.random.default_rng(2)
    for _ in range(20):
        slots = chance.permutation(one.worth.shape[-1])
        names = ("worth", "sentence", "found", "audited")
        mixed = replace(one, **{name: getattr(one, name)[..., slots] for name in names})

        assert (judged(mixed, RUBRIC).lead == judged(one, RUBRIC).lead).all()


@pytest.mark.parametrize("turns", [2, 4, 6])
def test_a_judge_who_sees_the_sides_swapped_gives_the_lead_to_the_other(turns: int) -> None:
    """Where every component applies in every turn and comparisons are a ring, no place is special but for flaws."""
    dimensions = {
        name: replace(each, components={part: replace(one, applies_from=1) for part, one in each.components.items()})
        for name, each in RUBRIC.dimensions.items()
    }
    rubric = replace(RUBRIC, dimensions=dimensions, rescore_above=UNSET)
    one = hold(World(turns=turns, flaws=0, false=0, claims=0), rubric, DEBATES, np.random.default_rng(1))
    turned = replace(one, points=one.points[:, ::-1], levels=-one.levels)
    if turns > 2:
        back = [*range(turns - 2, -1, -1), turns - 1]
        turned = replace(turned, levels=-one.levels[:, back])

    assert judged(turned, rubric).lead == pytest.approx(-judged(one, rubric).lead, abs=LEAST)


@pytest.mark.parametrize(
    ("points", "sentences", "cost"),
    [
        ((3.0, 2.0), (1, 1), 3.0),
        ((3.0, 1.0), (1, 2), 4.0),
        ((4.0, 3.0, 2.0), (1, 2, 3), 5.0),
        ((8.0, 3.0), (1, 2), 8.0),
        ((1.0, 8.0), (1, 1), 8.0),
        ((0.0, 0.0), (1, 2), 0.0),
    ],
)
def test_a_sentence_is_paid_for_once_and_a_turn_pays_at_most_5_or_its_gravest(
    points: tuple[float, ...], sentences: tuple[int, ...], cost: float
) -> None:
    assert set_cost(np.array(points), np.array(sentences), 5.0) == cost
    assert set_cost(np.array(points[::-1]), np.array(sentences[::-1]), 5.0) == cost


@pytest.mark.parametrize(("t", "freedom", "p"), [(2.132, 4, 0.95), (1.895, 7, 0.95), (3.143, 6, 0.99), (0, 9, 0.5)])
def test_students_distribution_has_the_values_of_the_tables(t: float, freedom: float, p: float) -> None:
    assert student(np.array([t]), np.array([freedom]))[0] == pytest.approx(p, abs=1e-4)


@pytest.mark.parametrize(("turns", "rests"), [(2, 2.0), (4, 3.48), (6, 5.58), (10, 9.64)])
def test_a_lead_rests_on_fewer_turns_than_were_held_since_turn_1_lacks_components(turns: int, rests: float) -> None:
    assert rests_on(PARTS, np.ones((1, turns), bool))[0] == pytest.approx(rests, abs=0.005)


def test_a_lead_is_less_sure_without_comparisons_and_with_a_noisy_judge() -> None:
    plain, noisy = held(world=World()), held(world=World(noise=8.4))
    missing = replace(plain, uncompared=np.ones_like(plain.uncompared))
    some = replace(plain, uncompared=np.arange(plain.uncompared.shape[1]) < np.full((DEBATES, 1), 2))
    errors = [judged(each, RUBRIC).error.mean() for each in (plain, some, missing, noisy)]

    assert errors[0] < errors[1] < errors[2]
    assert errors[0] < errors[3]


def test_a_missing_score_is_filled_and_an_all_zero_answer_is_read_again() -> None:
    one = held(world=World(ahead=8.0))
    unscored, points = one.unscored.copy(), one.points.copy()
    unscored[:, 2] = True
    points[:, 2] = 0
    before = judged(one, RUBRIC)
    filled, again = judged(replace(one, unscored=unscored), RUBRIC), judged(replace(one, points=points), RUBRIC)
    never = judged(replace(one, points=points), replace(RUBRIC, rescore_above=UNSET))

    assert (filled.named != -1).all()
    assert (again.named != -1).all()
    assert abs(filled.lead - before.lead).mean() < 2
    assert never.lead.mean() < again.lead.mean() - 3


def test_within_the_tie_margin_v2_lets_credibility_and_then_stability_decide() -> None:
    one = hold(World(ahead=0.0, drops=0.0), rubric_v2(), DEBATES, np.random.default_rng(1))
    dropped = np.zeros_like(one.drops)
    dropped[:, 1] = True
    by_stability = replace(rubric_v2(), decided_by={"stability": 0.1}, conduct={})
    plain, decided = judged(one, by_stability), judged(replace(one, drops=dropped), by_stability)
    tied = np.abs(plain.lead) <= rubric_v2().tie_within

    assert (plain.named[tied] == 0).all()
    assert (decided.named[tied] == 1).all()
    assert (decided.decided == tied).all()
    assert 0 < judged(one, rubric_v2()).decided.sum() < tied.sum()


def test_a_rubric_of_other_parts_is_followed() -> None:
    """Each part of v3 alone changes leads, on a rubric that has the others of v2."""
    one = held(world=World())
    leads = [judged(one, rubric_v2()).lead]
    for part in ("base", "ring", "docking", "certainty"):
        found = judged(one, replace(rubric_v2(), **{part: getattr(RUBRIC, part)}))
        leads.append(found.lead)

        assert np.isfinite(found.lead).all()
        assert (part == "certainty") == np.isfinite(found.certainty).all()

    assert [(each != leads[0]).any() for each in leads[1:]] == [True, True, True, False]
