"""A text as sentences with their words, marks and figures.  A pure function of the text, cached."""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from events.types import Span
from judge.guard.quotes import comparable
from judge.lexical.marks import Mark, Word, marks, table, words
from judge.text.scanner import Candidate, scan
from judge.text.words import sentences, stem

LONGEST = 40
"""Words of a sentence; a longer one is cut, so that a text without full stops is not one sentence."""
SHORTEST_QUOTE, LONGEST_QUOTE = 8, 12
"""Characters that a quote has at least, and words that it has at most."""
MAX_CHARACTERS = 200
"""Characters of a quote: words may be long."""
FIGURES = frozenset({"percentage", "money", "figure"})
SOURCES = frozenset({"study", "authority"})
LETTERS = 3
"""Letters of a word that has content."""


class Sentence(Struct, frozen=True, gc=False):
    """One sentence."""

    span: Span
    words: tuple[Word, ...]
    marks: tuple[Mark, ...]
    candidates: tuple[Candidate, ...]
    """Specific claims that the scanner finds in it."""
    content: frozenset[str]
    """Stems of the words with content."""

    def has(self, *wanted: str) -> bool:
        """Return whether it has a mark of one of these kinds."""
        return any(mark.kind in wanted for mark in self.marks)

    def number(self, kind: str) -> int:
        """Return how many marks of a kind it has."""
        return sum(mark.kind == kind for mark in self.marks)

    @property
    def has_figure(self) -> bool:
        """Whether it has a figure with a unit, a share or an amount of money."""
        return any(each.kind in FIGURES for each in self.candidates)

    @property
    def has_source(self) -> bool:
        """Whether it names a study or an authority."""
        return any(each.kind in SOURCES for each in self.candidates)


class TextReading(Struct, frozen=True, gc=False):
    """A text as its sentences.  A sentence that repeats an earlier one is left out, but its words count."""

    text: str
    language: str
    sentences: tuple[Sentence, ...]
    words: int
    repeated: int
    """Sentences that repeat an earlier one."""
    content: frozenset[str]

    def shown(self, sentence: Sentence, through: int = 0) -> str:
        """Return the words of a sentence, with ``through`` further characters."""
        return self.text[sentence.span[0] : sentence.span[1] + through]

    def quote(self, sentence: Sentence, kind: str = "") -> str:
        """Return at most twelve words of a sentence, around its first mark of a kind; empty if they are too few."""
        return self.quote_at(sentence, next((mark for mark in sentence.marks if mark.kind == kind), None))

    def quote_at(self, sentence: Sentence, mark: Mark | None) -> str:
        """Return the words around a mark, which stand in the second third of them where that is possible."""
        first = 0 if mark is None else mark.first - LONGEST_QUOTE // 3
        return self.quote_from(sentence, first)

    def quote_from(self, sentence: Sentence, first: int) -> str:
        """Return the words of a sentence from one of them on; from earlier ones if fewer than twelve follow."""
        first = max(0, min(first, len(sentence.words) - LONGEST_QUOTE))
        shown = sentence.words[first : first + LONGEST_QUOTE]
        quote = self.text[shown[0].start : shown[-1].end][:MAX_CHARACTERS]
        return quote if len(comparable(quote)) >= SHORTEST_QUOTE else ""


@lru_cache(maxsize=1024)
def read(text: str, language: str) -> TextReading:
    """Return the reading of a text in one of the languages that have marks."""
    empty, candidates = table(language).empty, scan(text)
    known: set[tuple[str, ...]] = set()
    found: list[Sentence] = []
    number = repeated = 0
    for part in _parts(text):
        number += len(part)
        spoken = tuple(word.text for word in part)
        if spoken in known:
            repeated += 1
            continue
        known.add(spoken)
        start, end = part[0].start, part[-1].end
        content = frozenset(stem(word) for word in spoken if len(word) >= LETTERS and word not in empty)
        inside = tuple(each for each in candidates if start <= each.span[0] < end)
        found.append(Sentence((start, end), part, marks(part, language), inside, content))
    everything = frozenset[str]().union(*(each.content for each in found))
    return TextReading(text, language, tuple(found), number, repeated, everything)


def _parts(text: str) -> Iterator[tuple[Word, ...]]:
    """Yield the words of each sentence and of each line; a long sentence in pieces."""
    for start, end in sentences(text):
        for line in re.finditer(r"[^\r\n]+", text[start:end]):
            at = start + line.start()
            found = tuple(Word(each.text, each.start + at, each.end + at) for each in words(line[0]))
            pieces = -(-len(found) // LONGEST)
            for number in range(pieces):
                yield found[len(found) * number // pieces : len(found) * (number + 1) // pieces]
