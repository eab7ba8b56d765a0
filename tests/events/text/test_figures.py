"""Figures are rounded alike everywhere: a half away from zero.  tests/web/formatting.test.mjs has the same values."""

import pytest

from events.text.figures import rounded, shortest


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (83.25, 1, "83.3"),
        (56.65, 1, "56.7"),
        (-0.15, 1, "-0.2"),
        (53, 1, "53.0"),
        (-0.01, 1, "0.0"),
        (0.175, 2, "0.18"),
        (100, 0, "100"),
    ],
)
def test_a_half_is_rounded_away_from_zero(value: float, decimals: int, text: str) -> None:
    assert rounded(value, decimals) == text


def test_zeros_at_the_end_are_left_out() -> None:
    assert [shortest(each) for each in (9.0, 0.67, 100)] == ["9", "0.7", "100"]
