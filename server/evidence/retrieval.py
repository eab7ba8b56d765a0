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

from events.state.parts.evidence import EvidencePack
from events.text.said import sentences, words_of
from events.text.segmentation import UNSPACED
from judge.text.words import empty_words, stem

MAX_TERMS: Final = 200
"""Different words of a query."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SHORT: Final = 3
"""Letters of words that keep their endings."""
_FIND: Final = "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?"


def best_passages(pack: EvidencePack, query: str, language: str, most: int) -> tuple[str, ...]:
    """The ids of the passages that fit a query best, the best first; none that has no word of it."""
    terms = query_terms(query, language)
    if not terms or not pack.passages:
        return ()
    names = tuple(pack.passages)
    return tuple(names[row - 1] for row in index_of(_texts(pack)).find(terms, most))


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

    def find(self, terms: tuple[str, ...], most: int) -> list[int]:
        """The numbers of the best passages, from 1."""
        match = " OR ".join(f'"{term}"' for term in terms)
        with self._lock:
            return [row for (row,) in self._connection.execute(_FIND, (match, most))]


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
