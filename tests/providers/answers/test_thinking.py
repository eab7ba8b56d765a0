"""Thinking between tags stays out of the text, for every tag and wherever the text is cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.answers.thinking import PAIRS, ThinkingFilter


def filtered(pieces: list[str], *, holds: bool = False, is_typed: bool = False) -> tuple[str, str, bool]:
    thinking = ThinkingFilter(holds=holds, is_typed=is_typed)
    speech = "".join(map(thinking.feed, pieces)) + thinking.end()
    return speech, thinking.thinking, thinking.found_unopened_tag


@pytest.mark.parametrize(("opens", "closes"), PAIRS)
def test_each_pair_of_tags_is_known(opens: str, closes: str) -> None:
    assert ("Cars.", "Hm.", False) == filtered([f"{opens}Hm.{closes}\n\nCars."])
    assert ("Cars. So.", "Hm.", False) == filtered([f"Cars. {opens}Hm.{closes}So."])


def test_a_closing_tag_without_an_opening_one_shows_thinking_as_text() -> None:
    speech, _, is_aloud = filtered(["Let me see.", "</thi", "nk>", "Cars are loud."])

    assert is_aloud
    assert "Cars" not in speech


def test_text_is_held_until_the_closing_tag_if_the_model_omits_the_opening_one() -> None:
    assert ("Cars are loud.", "Let me see.", False) == filtered(["Let me see.</think>Cars ", "are loud."], holds=True)
    assert ("Cars are loud.", "", False) == filtered(["Cars ", "are loud."], holds=True)
    assert ("Cars.", "Hm.", False) == filtered(["<think>Hm.</think>Cars."], holds=True)


def test_text_is_not_held_if_thinking_comes_in_a_field() -> None:
    thinking = ThinkingFilter(holds=True)
    thinking.release()

    assert "Cars " == thinking.feed("Cars ")


def test_tags_within_a_typed_answer_are_its_own() -> None:
    answer = '{"quote":"he wrote <think> and </think>"}'

    assert (answer, "", False) == filtered([answer], is_typed=True)
    assert (answer, "Hm.", False) == filtered([f"<think>Hm.</think>\n{answer}"], is_typed=True)


PIECES = st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "<", "think", "Cars ", "are\n", " ", "◁", "é"])
CUTS = st.lists(st.integers(0, 80))


@pytest.mark.slow
@given(text=st.lists(PIECES).map("".join), holds=st.booleans(), is_typed=st.booleans(), cuts=CUTS)
def test_where_the_text_is_cut_changes_nothing(text: str, holds: bool, is_typed: bool, cuts: list[int]) -> None:
    ends = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(ends)]

    at_once, in_pieces = (filtered(each, holds=holds, is_typed=is_typed) for each in ([text], pieces))

    assert at_once[1:] == in_pieces[1:]
    if not at_once[2]:  # the text before the closing tag is dropped as a whole
        assert at_once[0] == in_pieces[0]


@given(text=st.text())
def test_text_without_tags_is_given_as_it_is(text: str) -> None:
    if not any(tag in text for pair in PAIRS for tag in pair):
        assert (text, "", False) == filtered(list(text))
