"""The simulation of the order of reading, with fewer debates than the documentation's."""

import pytest

from tests.measuring.reading_order import Winners, changes, debates, decided, shares

READ = debates(60)


@pytest.fixture(scope="module")
def in_one_order() -> list[tuple[Winners, Winners]]:
    """The winners if all readers add ten points to the side that they read first, and all read the same side first."""
    return changes(READ, 10, both_orders=False)


def test_without_an_effect_the_order_changes_nothing() -> None:
    for both_orders in (False, True):
        pairs = changes(READ[:10], 0, both_orders=both_orders)

        assert all(one == two for one, two in pairs)


@pytest.mark.slow
def test_ten_points_for_the_side_read_first_never_turn_the_winner_and_seldom_take_it_away() -> None:
    pairs = changes(READ, 10, both_orders=True)

    assert (0, 0) == shares(pairs, "judge")[:2]
    changed, turned, _ = shares(pairs, "debate")
    assert (True, 0) == (changed <= 0.1, turned)  # of 600 debates: under 5 %


@pytest.mark.parametrize("part", ["judge", "debate"])
def test_in_one_order_the_same_effect_decides_most_debates(
    in_one_order: list[tuple[Winners, Winners]], part: str
) -> None:
    assert shares(in_one_order, part)[0] > 0.5


def test_an_effect_as_large_as_the_scale_puts_the_side_read_first_ahead() -> None:
    winners = decided(READ[0], 100, both_orders=False, is_reversed=True)

    assert "con" == winners.judge
