"""Words, characters and sentences are found in the scripts of seven languages and more."""

from array import array
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.state.transcript import NOTHING, grams, repetition
from events.text.segmentation import (
    SENTENCE_END,
    WordCounter,
    characters,
    count_words,
    first_words,
    segments,
    spans,
    words,
)

SPEECHES = msgspec.json.decode((Path(__file__).parents[1] / "judge/speeches_in_seven_languages.json").read_bytes())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They don't pay 3.5 euros", ["They", "don", "t", "pay", "3", "5", "euros"]),
        ("Die Straße ist schön", ["Die", "Straße", "ist", "schön"]),
        ("scho\u0308n und cafe\u0301", ["schön", "und", "café"]),
        ("स्वास्थ्य की क़ीमत", ["स्वास्थ्य", "की", "क़ीमत"]),
        ("لأنّ التلوّث يقتل", ["لأنّ", "التلوّث", "يقتل"]),
        ("城市应该禁止私人汽车。", ["城市", "应该", "禁止", "私人", "汽车"]),
        ("私たちは自家用車を禁止する", ["私", "たち", "は", "自家用車", "を", "禁止", "する"]),
        ("เราควรห้ามรถยนต์", ["เรา", "ควร", "ห้าม", "รถยนต์"]),
        ("", []),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert expected == words(text)


@pytest.mark.parametrize(
    ("language", "count"), [("en", 69), ("de", 64), ("fr", 70), ("es", 67), ("hi", 74), ("zh", 64), ("ar", 58)]
)
def test_a_speech_of_one_content_has_about_as_many_words_in_every_language(language: str, count: int) -> None:
    assert count == count_words(SPEECHES[language])


@pytest.mark.parametrize("language", SPEECHES)
def test_a_speech_of_four_sentences_has_four_ends(language: str) -> None:
    ends = [found.end() for found in SENTENCE_END.finditer(SPEECHES[language])]

    assert (5 if language == "es" else 4) == len(ends)
    assert len(SPEECHES[language]) == ends[-1]


@pytest.mark.parametrize("language", SPEECHES)
def test_a_speech_that_is_said_again_repeats_all_of_it(language: str) -> None:
    speech, said = SPEECHES[language], NOTHING
    for other in SPEECHES:
        if other != language:
            _, said = repetition(SPEECHES[other], said)

    share, twice = repetition(speech, said)
    assert 0.0 == share
    assert (1.0, twice) == repetition(speech, twice)
    assert twice == array("q", sorted(grams(speech) | {*said}))
    assert NOTHING == array("q")


@pytest.mark.slow
@given(st.text(alphabet="ab \u0301世界กิ𝄞👩\u200d👧🇨🇭क्षि\ud800") | st.text(max_size=40))
def test_segments_and_characters_are_the_whole_text_in_order(text: str) -> None:
    for found in (list(segments(text)), list(characters(text))):
        assert text == "".join(text[start:end] for start, end in found)
        assert all(start < end for start, end in found)
    assert all(any(map(str.isalnum, text[start:end])) for start, end in spans(text))


PIECES = st.lists(st.sampled_from([" ", "\n", "a", "?!", "ab" * 20, "b" * 39, "x" * 95, "é", "世界", "ก"]))


@pytest.mark.slow
@given(PIECES, st.integers(1, 9))
def test_words_are_counted_and_cut_off_alike_at_once_by_piece_and_by_character(pieces: list[str], most: int) -> None:
    text = "".join(pieces)
    by_piece, counter, within = WordCounter(), WordCounter(), ""
    for piece in pieces:
        by_piece.add(piece)
    for end, character in enumerate(text, 1):
        counter.add(character)
        if counter.number > most and not within:
            within = text[: end - 1]

    assert counter.number == by_piece.number == count_words(text)
    assert (within or text).rstrip() == first_words(text, most)
