"""The simulation behind the weight of a rater without a record, with fewer panels than the documentation's."""

import numpy as np
import pytest
from msgspec.structs import replace

from events.types import TrackRecord
from judge.panel.weights import rater_weights
from tests.judge.panel.rater_scores import equal_raters
from tests.measuring.unknown_raters import CASES, WORLDS, are_right, credited, rules, weights


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_half_is_not_worse_than_one_unless_the_unknown_raters_are_the_better_ones(world: object) -> None:
    found = are_right(world, 100_000)  # type: ignore[arg-type]
    one, half = (found[name].mean() for name in ("1 (the article)", "½ (ours)"))

    assert (half >= one) == ("better" not in getattr(world, "name", ""))
    assert 0.75 < one < 0.95


def test_the_simulation_weighs_as_the_panel_does() -> None:
    known, stranger = equal_raters(2)
    right = np.array([17])
    known = replace(known, record=TrackRecord(right=17, of=CASES))
    expected = rater_weights([known, stranger], rules(), "default")

    simulated = weights(np.array([*credited(right), 0.5]))

    assert list(expected.values()) == pytest.approx((simulated / simulated.sum()).tolist())


def test_credited_with_1_a_stranger_outweighs_a_rater_that_was_always_right() -> None:
    assert credited(np.array([CASES]))[0] < 1
