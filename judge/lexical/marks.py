"""Marks of argument: words and phrases that name a reason, a step, an effect, and so on, as data by language.

A mark is written as it stands in a text; ``*`` at its end stands for any ending, and ``/`` separates two opposites.
Letters are compared case-folded, and an apostrophe separates words as a space does.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from judge.text.words import empty_words

PREFIX: Final = 3
"""Letters by which a mark with any ending is looked up; it has at least so many."""
KEEP_SHORTER: Final = frozenset({"negation", "condition", "absolute"})
"""Kinds that count also as the beginning of a longer mark of another kind."""
_WORD: Final = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """One word, case-folded; ``[start, end)`` is its place in the text."""

    text: str
    start: int
    end: int


class Mark(NamedTuple):
    """One mark, as the words ``[first, last)``."""

    kind: str
    first: int
    last: int


class MarkTable(Struct, frozen=True):
    """The marks of one language, ready for look-up.  A mark is (kind, words, whether its last word has any ending)."""

    by_word: dict[str, tuple[tuple[str, tuple[str, ...], bool], ...]]
    by_beginning: dict[str, tuple[tuple[str, tuple[str, ...], bool], ...]]
    opposites: dict[str, frozenset[str]]
    empty: frozenset[str]
    """Words without content."""


class _MarkFile(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    kinds: dict[str, str]
    languages: dict[str, dict[str, list[str]]]


@cache
def _mark_file() -> _MarkFile:
    data = resources.files("judge").joinpath("lexical/marks.json").read_bytes()
    return msgspec.json.decode(data, type=_MarkFile)


def version() -> int:
    """Return the version of the marks: the same version gives the same answers."""
    return _mark_file().version


def kinds() -> dict[str, str]:
    """Return the kinds of marks, each with what such a mark does."""
    return _mark_file().kinds


def languages() -> tuple[str, ...]:
    """Return the languages that have marks."""
    return tuple(_mark_file().languages)


def words(text: str) -> tuple[Word, ...]:
    """Return the words of a text in order."""
    return tuple(Word(found[0].casefold(), *found.span()) for found in _WORD.finditer(text))


@cache
def table(language: str) -> MarkTable:
    """Return the marks of one of ``languages``."""
    data = _mark_file().languages[language]
    by_word: dict[str, list[tuple[str, tuple[str, ...], bool]]] = {}
    by_beginning: dict[str, list[tuple[str, tuple[str, ...], bool]]] = {}
    for kind in kinds():
        for written in data[kind]:
            parts = tuple(word.text for word in words(written))
            has_any_ending = written.endswith("*")
            if has_any_ending and len(parts) == 1:
                by_beginning.setdefault(parts[0][:PREFIX], []).append((kind, parts, True))
            else:
                by_word.setdefault(parts[0], []).append((kind, parts, has_any_ending))
    opposites: dict[str, set[str]] = {}
    for pair in data["opposites"]:
        one, _, other = pair.partition("/")
        opposites.setdefault(one, set()).add(other)
        opposites.setdefault(other, set()).add(one)
    return MarkTable(
        {word: tuple(each) for word, each in by_word.items()},
        {word: tuple(each) for word, each in by_beginning.items()},
        {word: frozenset(each) for word, each in opposites.items()},
        empty_words(language),
    )


def marks(found: tuple[Word, ...], language: str) -> tuple[Mark, ...]:
    """Return the marks in the words of one sentence, by place; at one place only the longest of each kind."""
    known = table(language)
    return tuple(mark for at in range(len(found)) for mark in _marks_at(found, at, known))


def _marks_at(found: tuple[Word, ...], at: int, known: MarkTable) -> Iterator[Mark]:
    word = found[at].text
    longest: dict[str, int] = {}
    for kind, parts, has_any_ending in (*known.by_word.get(word, ()), *known.by_beginning.get(word[:PREFIX], ())):
        if len(parts) > longest.get(kind, 0) and _stands(parts, found, at, has_any_ending=has_any_ending):
            longest[kind] = len(parts)
    most = max(longest.values(), default=0)
    for kind, length in longest.items():
        if length == most or kind in KEEP_SHORTER:
            yield Mark(kind, at, at + length)


def _stands(parts: tuple[str, ...], found: tuple[Word, ...], at: int, *, has_any_ending: bool) -> bool:
    if at + len(parts) > len(found):
        return False
    *first, last = parts
    end = found[at + len(parts) - 1].text
    is_last = end.startswith(last) if has_any_ending else end == last
    return is_last and all(found[at + number].text == part for number, part in enumerate(first))
