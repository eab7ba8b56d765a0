"""Search in what was said: the texts, the terms of a query, and the sentence in which they are found.

A term is a run without white space, or several words in quotation marks; all terms must be found, each of them as words
that follow one another.  The last word of a term may be the beginning of a longer word.  A letter of a script without
spaces counts as one word.  Case, Latin accents and forms of one character do not count.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import normalize

from msgspec import Struct

from events.text.segmentation import MARKS, SENTENCE_END, UNSPACED
from events.types import Event, ModeratorSpoke, Span, TurnSpoken

MAX_QUERY: Final = 200
_TERM: Final = re.compile(rf'["“„«]([^"”“»]{{1,{MAX_QUERY}}}+)["”“»]|(\S+)')
MAX_WORDS: Final = 16
LONGEST_WORD: Final = 64
MAX_EXCERPT: Final = 320
"""Characters of an excerpt."""
_WORD: Final = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}_])[\w{MARKS}])+")
_PLAIN: Final = re.compile("[a-z0-9]+")
"""The words of an ASCII text, for which the general pattern is ten times slower."""
_ACCENT: Final = re.compile("[\u0300-\u036f]")
_SIGN: Final = re.compile(r"[\x00-/:-@\[-`{-\x7f\s]")

Term = tuple[str, ...]


class SpokenWord(NamedTuple):
    """A word as searches compare it, and its place in code points."""

    text: str
    start: int
    end: int


class Excerpt(Struct, frozen=True, kw_only=True):
    """The sentence of a text in which most of the terms were found, or a part of it; places count code points."""

    text: str
    start: int
    """Its place in the whole text."""
    marks: tuple[Span, ...]
    """The words that were found, as places in the excerpt."""


def text_of(event: Event) -> str:
    """What a debater or the moderator said; empty for other events."""
    return event.text if isinstance(event, TurnSpoken | ModeratorSpoke) else ""


def words_of(text: str) -> Iterator[SpokenWord]:
    """The words of a text, in order."""
    if text.isascii():
        for found in _PLAIN.finditer(text.lower()):
            yield SpokenWord(found[0][:LONGEST_WORD], found.start(), found.end())
        return
    for found in _WORD.finditer(text):
        if folded := _folded(found[0]):
            yield SpokenWord(folded[:LONGEST_WORD], found.start(), found.end())


def terms_of(query: str) -> tuple[Term, ...]:
    """The terms of a query, at most ``MAX_WORDS`` words of it."""
    terms, left = [], MAX_WORDS
    for quoted, run in _TERM.findall(query[:MAX_QUERY]):
        term = tuple(word.text for word in words_of(quoted or run))[:left]
        if term:
            terms.append(term)
            left -= len(term)
    return tuple(terms)


def excerpt_of(text: str, terms: Sequence[Term]) -> Excerpt | None:
    """The excerpt for terms that are all in the text; None if one is not."""
    if text.isascii() and not all(word in text.lower() for term in terms for word in term):
        return None
    words = list(words_of(text))
    found: list[Span] = []
    for term in terms:
        places = [
            (words[at].start, words[at + len(term) - 1].end)
            for at in range(len(words) - len(term) + 1)
            if words[at].text.startswith(term[0]) and _stands_at(words, at, term)
        ]
        if not places:
            return None
        found += places
    if not found:
        return None
    start, end = max(sentences(text), key=lambda each: sum(_within(mark, each) for mark in found))
    marks = sorted({mark for mark in found if _within(mark, (start, end))}) or [min(found)]
    if end - start > MAX_EXCERPT or not _within(marks[0], (start, end)):
        start = max(min(start, marks[0][0]), marks[0][0] - MAX_EXCERPT // 4)
        end = min(len(text), start + MAX_EXCERPT)
    shown = tuple((max(one, start) - start, min(other, end) - start) for one, other in marks if one < end)
    return Excerpt(text=text[start:end], start=start, marks=shown)


def _stands_at(words: Sequence[SpokenWord], at: int, term: Term) -> bool:
    *whole, last = term
    return all(words[at + step].text == word for step, word in enumerate(whole)) and words[
        at + len(whole)
    ].text.startswith(last)


@lru_cache(1024)
def sentences(text: str) -> tuple[Span, ...]:
    """The places [start, end) of the sentences that are not empty, without white space before them.  Cached."""
    found, start = list[Span](), 0
    for end in [each.end() for each in SENTENCE_END.finditer(text)] + [len(text)]:
        begin = start + len(text[start:end]) - len(text[start:end].lstrip())
        if begin < end:
            found.append((begin, end))
        start = end
    return tuple(found)


def _within(mark: Span, place: Span) -> bool:
    return place[0] <= mark[0] and mark[1] <= place[1]


def _folded(word: str) -> str:
    plain = normalize("NFC", _ACCENT.sub("", normalize("NFKD", word)).casefold())
    return _SIGN.sub("", plain)
