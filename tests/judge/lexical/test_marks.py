"""Marks are found as they are written in their file, in every language, the longest first."""

import pytest

from judge.lexical.marks import KEEP_SHORTER, PREFIX, _mark_file, kinds, languages, marks, table, words
from judge.text.words import empty_words


def found(text: str, language: str = "en") -> list[tuple[str, str]]:
    spoken = words(text)
    return [
        (mark.kind, " ".join(word.text for word in spoken[mark.first : mark.last])) for mark in marks(spoken, language)
    ]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_mark_of_the_file_is_found(language: str) -> None:
    data = _mark_file().languages[language]

    missed = []
    for kind in kinds():
        for written in data[kind]:
            said = " ".join(word.text for word in words(written))
            longer = {other for name in kinds() for other in data[name] if other.startswith(written + " ")}
            if (kind, said) not in found(written.replace("*", ""), language) and not longer:
                missed.append(written)

    assert not missed


def test_every_language_has_every_kind() -> None:
    assert ("en", "de", "fr", "es") == languages()
    for language in languages():
        assert {*kinds(), "opposites"} == set(_mark_file().languages[language])
        assert empty_words(language)
        assert all(len(words(each)[0].text) >= PREFIX for kind in kinds() for each in _any_ending(language, kind))


def _any_ending(language: str, kind: str) -> list[str]:
    return [each for each in _mark_file().languages[language][kind] if each.endswith("*") and " " not in each]


def test_no_mark_stands_twice_in_one_kind() -> None:
    for data in _mark_file().languages.values():
        for listed in data.values():
            assert len(set(listed)) == len(listed)


def test_the_longest_mark_counts() -> None:
    assert [("process", "so that")] == found("so that")
    assert [("consequence", "so")] == found("so the")


def test_a_negation_counts_also_within_a_longer_mark() -> None:
    assert "negation" in KEEP_SHORTER
    assert {("contrast", "not because"), ("negation", "not")} <= set(found("not because"))


def test_a_mark_is_whole_words_in_any_case() -> None:
    assert [("cause", "because")] == found("BECAUSE")
    assert [] == found("becauses")
    assert [("consequence", "reducing")] == found("reducing")


def test_an_apostrophe_separates_words() -> None:
    assert [("negation", "don t")] == found("don’t") == found("don't")
    assert ("cause", "parce qu") in found("parce qu'il", "fr")


def test_opposites_hold_both_ways() -> None:
    known = table("en").opposites

    assert "falls" in known["rises"]
    assert "rises" in known["falls"]
