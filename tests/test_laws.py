"""A law gets few examples, or the whole number and the mark ``thorough``."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import asks_for_thorough
from tests.laws import THOROUGH, examples


@pytest.fixture(autouse=True)
def _profile() -> Iterator[None]:
    before = settings.get_current_profile_name()
    yield
    settings.load_profile(before)


@pytest.mark.parametrize(("profile", "expected", "marks"), [("busy", 3, set()), (THOROUGH, 9, {THOROUGH, "timeout"})])
def test_the_profile_gives_the_number_and_the_mark(profile: str, expected: int, marks: set[str]) -> None:
    settings.load_profile(profile)
    drawn: list[int] = []

    @given(st.integers())
    @examples(3, whole=9)
    def law(number: int) -> None:
        drawn.append(number)

    law()

    assert expected == len(drawn)
    assert marks == {each.name for each in getattr(law, "pytestmark", [])}


@pytest.mark.parametrize(
    ("chosen", "is_asked"),
    [("", False), ("not browser and not slow", False), ("thorough", True), ("slow or thorough", True),
     ("not thorough", False)],
)  # fmt: skip
def test_an_expression_asks_for_thorough_tests(chosen: str, is_asked: bool) -> None:
    assert is_asked == asks_for_thorough(chosen)
