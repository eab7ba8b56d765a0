"""Text measured without a model: its sentences, its tokens, its content words, the similarity of two texts."""

import math
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import Final

from events.types import Span
from judge.lenient import SENTENCE_END

IN_FULL: Final = 12
"""The last turns and messages of the moderator that a prompt shows in full; earlier ones are shortened."""
SHORT: Final = 240
"""The most characters of a shortened turn."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")


def shortened(text: str) -> str:
    """Return a turn's first sentence."""
    return _SENTENCE.split(text)[0][:SHORT]


def sentences(text: str) -> list[Span]:
    """Return the spans of the sentences, without the white space around them."""
    ends = [found.end() for found in SENTENCE_END.finditer(text)]
    parts = [(start, text[start:end]) for start, end in pairwise([0, *ends, len(text)])]
    return [
        (start + len(part) - len(part.lstrip()), start + len(part.rstrip())) for start, part in parts if part.strip()
    ]


SIGNS_A_TOKEN: Final = ((0x0250, 4.0), (0x0E00, 2.2), (0x2000, 1.5), (0x2E80, 3.0), (0x10FFFF, 1.4))
"""(code points below this, characters of a token): Latin; Greek to Arabic; South Asian; signs; CJK."""


@lru_cache(4096)
def tokens(text: str) -> float:
    """Return the estimated tokens of a text, by its script."""
    if text.isascii():
        return len(text) / SIGNS_A_TOKEN[0][1]
    return sum(1 / next(signs for below, signs in SIGNS_A_TOKEN if ord(sign) <= below) for sign in text)


_WORD: Final = re.compile(r"[^\W_]{3,}")
_STEM: Final = 6
"""Letters of a stem: ``invest`` and ``investing`` have the same one."""
_EMPTY: Final = (
    "about after again all also and any are because been before being both but can could did does done down each even "
    "ever every for from had has have her here hers him his how into its itself just less let like made make many may "
    "might mine more most much must never nor not now off once one only onto other our ours out over own same say says "
    "shall she should since some still such than that the their theirs them then there these they this those thus too "
    "under until upon use very was way were what when where which while who whom whose why will with would yet you "
    "your yours"
)
"""English words without content."""
_SKIPPED: Final = frozenset(_EMPTY.split())


def content_words(text: str) -> tuple[str, ...]:
    """Return the stems of words with three or more letters, in order, case-folded, without empty words."""
    return tuple(stem(word) for word in _WORD.findall(text.casefold()) if word not in _SKIPPED)


def similarity(one: str, two: str) -> float:
    """Return the cosine of two texts' content-word counts, in [0, 1] with 2 decimals; 0 if a text has none.

    Source: Salton and McGill, Introduction to Modern Information Retrieval (1983), the vector space model.
    """
    left, right = Counter(content_words(one)), Counter(content_words(two))
    product = sum(count * right[word] for word, count in left.items())
    length = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return round(min(product / length, 1.0), 2) if length else 0.0


def stem(word: str) -> str:
    """Return the first letters of a case-folded word, without the ending of a plural."""
    plural = word.endswith("s") and not word.endswith("ss")
    return (word[:-1] if plural and len(word) > 3 else word)[:_STEM]  # noqa: PLR2004 - "gas" keeps its s
