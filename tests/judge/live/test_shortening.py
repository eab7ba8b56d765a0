"""What is kept of a shortened turn, and the estimate of what a judge is given."""

import pytest

from events.types import ClaimFlagged
from judge.live.shortening import kept_parts
from judge.text.words import SHORT, sentences
from tests.judge.turns import debate_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.50 a day.  So what", ["It costs 3.50 a day.", "So what"]),
        ('He said "no." Then left.\n\nA new line', ['He said "no."', "Then left.", "A new line"]),
        ("电车更好。因为更省地方。", ["电车更好。", "因为更省地方。"]),
        ("   ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert parts == [text[start:end] for start, end in sentences(text)]


def kept(text: str, *flagged: str) -> list[str]:
    batch = debate_of(text)
    for number, quote in enumerate(flagged, 1):
        start = text.index(quote)
        batch.add(
            ClaimFlagged(
                claim=f"C1.{number}",
                turn=1,
                quote=quote,
                span=(start, start + len(quote)),
                kind="overclaim",
                reason="so",
                by="judge",
            ),
            batch.debate.position,
        )
    return [text[start:end] for start, end in kept_parts(batch.debate, 1)]


def test_the_first_sentence_and_those_with_flagged_words_are_kept() -> None:
    text = "First. Second is long. Third, flagged here. Fourth."

    assert ["First."] == kept(text)
    assert ["First.", "Third, flagged here."] == kept(text, "flagged")
    assert ["First. Second is long."] == kept(text, "is long")
    assert ["First.", "Third, flagged here. Fourth."] == kept(text, "here. Fourth")


def test_of_a_very_long_sentence_only_the_flagged_words_are_kept() -> None:
    text = "a " * 400 + "the flagged words" + " b" * 400

    assert [text[:SHORT], "the flagged words"] == kept(text, "the flagged words")


def test_an_empty_turn_keeps_nothing() -> None:
    assert [] == kept("  ")
