"""Passages: whole sentences of 80 to 150 words, every word once, in any script."""

import pytest

from events.text.segmentation import count_words
from server.evidence.passages import MAX_WORDS, MIN_WORDS, Block, cut

SENTENCE = "Buses carry more people than cars on the same road. "


def words_of(text: str) -> str:
    return "".join(text.split())


def test_short_paragraphs_are_joined_until_they_are_long_enough() -> None:
    passages = list(cut(Block(text=SENTENCE * 2) for _ in range(12)))

    assert [4, 4, 4] == [each.text.count("\n") + 1 for each in passages]
    assert all(MIN_WORDS <= count_words(each.text) <= MAX_WORDS for each in passages[:-1])


def test_a_long_paragraph_is_cut_at_the_ends_of_sentences() -> None:
    passages = list(cut([Block(text=SENTENCE * 100)]))

    assert all(
        MIN_WORDS <= count_words(each.text) <= MAX_WORDS and each.text.endswith("road.") for each in passages[:-1]
    )


def test_a_passage_ends_at_a_heading_and_holds_the_page_on_which_it_begins() -> None:
    blocks = [
        Block(text="First.", page=1, heading="A"),
        Block(text="Second.", page=2, heading="A"),
        Block(text="Third.", page=2, heading="B"),
    ]

    assert [("First.\nSecond.", 1, "A"), ("Third.", 2, "B")] == [
        (each.text, each.page, each.heading) for each in cut(blocks)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 5000,
        "x" * 20_000,
        "รถโดยสารบรรทุกคนได้มากกว่า" * 300,
        "これは文です。" * 800,
        "." * 9000,
        "👩\u200d👩\u200d👧" * 3000,
        " \n\t ",
        "",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_every_word_stands_in_one_passage_and_none_is_too_long(text: str) -> None:
    passages = list(cut([Block(text=text)]))

    assert words_of(text) == "".join(words_of(each.text) for each in passages)
    assert all(1 <= count_words(each.text) <= MAX_WORDS for each in passages)
