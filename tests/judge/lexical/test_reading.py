"""A text is cut into sentences; its quotes stand in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.guard.quotes import find
from judge.lexical.reading import LONGEST, LONGEST_QUOTE, read


def test_a_text_is_read_by_sentence_and_by_line() -> None:
    reading = read("Cars are loud. Trams are quiet!\nBuses are slow", "en")

    assert ["Cars are loud", "Trams are quiet", "Buses are slow"] == [reading.shown(each) for each in reading.sentences]
    assert (9, 0) == (reading.words, reading.repeated)


def test_a_text_without_full_stops_is_cut() -> None:
    reading = read("word " * (3 * LONGEST), "en")

    assert max(len(each.words) for each in reading.sentences) <= LONGEST
    assert 3 * LONGEST == reading.words


def test_a_sentence_that_is_said_twice_is_one_sentence() -> None:
    reading = read("Cars are loud. Trams are quiet. CARS are loud.", "en")

    assert (2, 1, 9) == (len(reading.sentences), reading.repeated, reading.words)


def test_figures_and_sources_belong_to_their_sentence() -> None:
    first, second = read("It saves 40 percent. A study by Basel University says so.", "en").sentences

    assert (True, False) == (first.has_figure, first.has_source)
    assert (False, True) == (second.has_figure, second.has_source)


def test_a_quote_has_at_most_twelve_words_around_its_mark() -> None:
    reading = read("one two three four five six because eight nine ten eleven twelve thirteen fourteen fifteen.", "en")

    quote = reading.quote(reading.sentences[0], "cause")

    assert "because" in quote
    assert LONGEST_QUOTE == len(quote.split())


@pytest.mark.parametrize("text", ["So.", "a b c", "…"])
def test_words_that_are_too_few_are_no_quote(text: str) -> None:
    assert not [each for sentence in read(text, "en").sentences if (each := read(text, "en").quote(sentence))]


@pytest.mark.slow
@given(st.text(max_size=300), st.sampled_from(["en", "de", "fr", "es"]))
def test_every_quote_of_any_text_stands_in_it(text: str, language: str) -> None:
    reading = read(text, language)

    for sentence in reading.sentences:
        for kind in ("", *{mark.kind for mark in sentence.marks}):
            if quote := reading.quote(sentence, kind):
                assert find(quote, text, 8) is not None
