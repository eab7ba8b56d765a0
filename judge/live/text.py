"""Text measured without a model: its first sentence, its content words, the similarity of two texts."""

import math
import re
from collections import Counter
from typing import Final

IN_FULL: Final = 12
"""Turns, and words of the moderator, that are read in full: the last ones.  Earlier ones by their first sentences."""
SHORT: Final = 240
"""Characters of a shortened turn."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")


def shortened(text: str) -> str:
    """A turn's first sentence."""
    return _SENTENCE.split(text)[0][:SHORT]


_WORD: Final = re.compile(r"[^\W_]{3,}")
_STEM: Final = 6
"""Letters by which words are told apart: enough that ``invest`` meets ``investing``."""
_EMPTY: Final = (
    "about after again all also and any are because been before being both but can could did does done down each even "
    "ever every for from had has have her here hers him his how into its itself just less let like made make many may "
    "might mine more most much must never nor not now off once one only onto other our ours out over own same say says "
    "shall she should since some still such than that the their theirs them then there these they this those thus too "
    "under until upon use very was way were what when where which while who whom whose why will with would yet you "
    "your yours"
)
"""English words that say nothing of what a text is about."""
_SKIPPED: Final = frozenset(_EMPTY.split())


def content_words(text: str) -> tuple[str, ...]:
    """Stems of the words of three letters and more, in order, case-folded, without the empty ones."""
    return tuple(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _SKIPPED)


def similarity(one: str, two: str) -> float:
    """Cosine of the content-word counts of two texts, in [0, 1] and rounded to 2; 0 where one of them has none.

    Source: Salton and McGill, Introduction to Modern Information Retrieval (1983), the vector space model.
    """
    left, right = Counter(content_words(one)), Counter(content_words(two))
    product = sum(count * right[word] for word, count in left.items())
    length = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return round(min(product / length, 1.0), 2) if length else 0.0


def _stem(word: str) -> str:
    plural = word.endswith("s") and not word.endswith("ss")
    return (word[:-1] if plural and len(word) > 3 else word)[:_STEM]  # noqa: PLR2004 - "gas" keeps its s
