"""Finds the passages that fit a text: BM25 by SQLite's FTS5, in memory.

Words are compared without case and accents, by their first letters (``judge.text.words.stem``); in scripts without
spaces the pairs of neighbouring letters are words.  Source of the ranking: Robertson and Zaragoza, The Probabilistic
Relevance Framework: BM25 and Beyond (2009), with SQLite's constants k1 = 1.2 and b = 0.75.
"""

import re
import sqlite3
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final
from unicodedata import decimal

from events.state.parts.evidence import EvidencePack
from events.text.said import sentences, words_of
from events.text.segmentation import UNSPACED
from judge.text.words import empty_words, stem

MAX_TERMS: Final = 200
"""Different words of a query."""
DIGITS: Final = {"ar": 0x0660, "bn": 0x09E6, "fa": 0x06F0, "hi": 0x0966, "th": 0x0E50, "ur": 0x06F0}
"""The zero of the digits that some languages have of their own, by BCP 47 tag."""
NOT_LATIN: Final = frozenset(("ar", "bn", "el", "fa", "he", "hi", "ja", "ko", "ru", "th", "uk", "ur", "zh"))
"""Languages that are not written in Latin letters."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SHORT: Final = 3
"""Letters of words that keep their endings."""
_FIND: Final = (
    "SELECT bm25(passages), rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?"
)


def best_passages(pack: EvidencePack, query: str, language: str, most: int) -> tuple[str, ...]:
    """The ids of the passages that fit a query best, the best first; none that has no word of it.

    ``language``: that of the query.  A document in another one is searched by its numbers and names only.
    """
    names, foreign = tuple(pack.passages), pack.foreign(language)
    if not foreign:
        return tuple(names[row - 1] for _, row in index_of(_texts(pack)).find(query_terms(query, language), most))
    found: list[tuple[float, int]] = []
    tags = frozenset(foreign.values())
    for terms, is_foreign in ((query_terms(query, language), False), (foreign_terms(query, language, tags), True)):
        hits = index_of(_texts(pack)).find(terms, len(names))
        found += (hit for hit in hits if (pack.passages[names[hit[1] - 1]].document in foreign) is is_foreign)
    return tuple(names[row - 1] for _, row in sorted(found)[:most])


def best_sentences(text: str, query: str, language: str) -> Iterator[tuple[int, str]]:
    """The sentences of a passage with the number of different query terms in each, in their order."""
    wanted = frozenset(query_terms(query, language))
    for start, end in sentences(text):
        sentence = text[start:end].rstrip()
        yield len(wanted.intersection(terms_of(sentence))), sentence


class PassageIndex:
    """The index of some passages; threads use it one at a time."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute("CREATE VIRTUAL TABLE passages USING fts5(words, content='', tokenize='ascii')")
        self._connection.executemany(
            "INSERT INTO passages (rowid, words) VALUES (?, ?)",
            ((row, " ".join(terms_of(text))) for row, text in enumerate(texts, 1)),
        )

    def find(self, terms: tuple[str, ...], most: int) -> list[tuple[float, int]]:
        """The ranks and the numbers, from 1, of the best passages; a better one has a lower rank."""
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        with self._lock:
            return list(self._connection.execute(_FIND, (match, most)))


@lru_cache(maxsize=16)
def index_of(texts: tuple[str, ...]) -> PassageIndex:
    """The index of these passages.  Two million characters take about a second, so a thread makes it first."""
    return PassageIndex(texts)


def prepare(pack: EvidencePack) -> None:
    """Make the index of some evidence, which stays in memory for a while."""
    index_of(_texts(pack))


def _texts(pack: EvidencePack) -> tuple[str, ...]:
    return tuple(each.passage.text for each in pack.passages.values())


def query_terms(query: str, language: str) -> tuple[str, ...]:
    """The different words of a query that have content."""
    empty = _empty(language)
    return tuple(dict.fromkeys(term for term in terms_of(query) if term not in empty))[:MAX_TERMS]


def foreign_terms(query: str, language: str, of: frozenset[str]) -> tuple[str, ...]:
    """The numbers and the names of a query, for documents in the languages ``of``.

    Names begin with a capital, or have Latin letters in a language of another script.  Numbers are looked for in the
    digits of these languages too.
    """
    zeros = [0x30, *(DIGITS[tag] for tag in sorted(of) if tag in DIGITS)]
    found: list[str] = []
    for word, start, end in words_of(query):
        said = query[start:end]
        if said.isdecimal():
            found += (said.translate({ord(each): zero + decimal(each) for each in said}) for zero in zeros)
        elif said[0].isupper() or (said.isascii() and language in NOT_LATIN):
            found.append(_term(word))
    empty = _empty(language).union(*map(_empty, of))
    return tuple(dict.fromkeys(term for term in found if term and term not in empty))[:MAX_TERMS]


def terms_of(text: str) -> Iterator[str]:
    """The words of a text as they are compared, in order."""
    before, at = "", -1
    for word, start, end in words_of(text):
        if word.isascii() or not _UNSPACED.match(word):
            if term := _term(word):
                yield term
            before = ""
            continue
        if before and at == start:
            yield before + word
        before, at = word, end


def _term(word: str) -> str:
    """A word as it is compared, without an ending ``e`` or ``es``; empty for a single letter."""
    term = stem(word)
    return (
        "" if len(word) == 1 and not word.isdigit() else term[:-1] if len(term) > _SHORT and term[-1] == "e" else term
    )


@cache
def _empty(language: str) -> frozenset[str]:
    return frozenset(term for word in empty_words(language) for term in terms_of(word))
