"""Text measured without a model: its sentences, its tokens, its content words, the similarity of two texts."""

import math
import re
from collections import Counter
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final

import msgspec

from events.text.segmentation import SENTENCE_END, UNSPACED, words
from events.types import Span

IN_FULL: Final = 12
"""The last turns and messages of the moderator that a prompt shows in full; earlier ones are shortened."""
SHORT: Final = 240
"""The most characters of a shortened turn."""
_SENTENCE: Final = re.compile(r"(?<=[.!?؟۔।॥])\s|(?<=[。！？｡।॥])")


@lru_cache(4096)
def shortened(text: str) -> str:
    """Return a turn's first sentence.  Cached, since every later prompt asks for it again."""
    return _SENTENCE.split(text[:SHORT], 1)[0]


def sentences(text: str) -> list[Span]:
    """Return the spans of the sentences, without the white space around them."""
    return list(_sentences(text))


@lru_cache(1024)
def _sentences(text: str) -> tuple[Span, ...]:
    ends = [found.end() for found in SENTENCE_END.finditer(text)]
    parts = [(start, text[start:end]) for start, end in pairwise([0, *ends, len(text)])]
    found = ((start + len(part) - len(part.lstrip()), start + len(part.rstrip())) for start, part in parts)
    return tuple((start, end) for start, end in found if start < end)


SIGNS_A_TOKEN: Final = ((0x0250, 4.0), (0x0E00, 2.2), (0x2000, 1.5), (0x2E80, 3.0), (0x10FFFF, 1.4))
"""(code points below this, characters of a token): Latin; Greek to Arabic; South Asian; signs; CJK."""


@lru_cache(4096)
def tokens(text: str) -> float:
    """Return the estimated tokens of a text, by its script."""
    if text.isascii():
        return len(text) / SIGNS_A_TOKEN[0][1]
    return sum(1 / next(signs for below, signs in SIGNS_A_TOKEN if ord(sign) <= below) for sign in text)


_MIN_LETTERS, _MIN_LETTERS_UNSPACED = 3, 2
"""Letters of a word with content; in scripts without spaces words are short."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_ARABIC_MARKS: Final = re.compile("[\u0640\u064b-\u065f\u0670]")
"""Arabic vowel signs and the line that stretches a word; both may be left out."""
_ARABIC_PREFIX: Final = re.compile("(?:[وف]?[بكل]?ال|[وف]?لل|و)(?=[\u0620-\u064a]{3})")
"""The article and the particles that are written with the next word."""
_STEM: Final = 6
"""Letters of a stem: ``invest`` and ``investing`` have the same one."""


@cache
def empty_words(language: str) -> frozenset[str]:
    """Return the words without content of a language; none for a language without a list."""
    return frozenset(_empty_words().get(language, ()))


@cache
def _empty_words() -> dict[str, list[str]]:
    data = resources.files("judge").joinpath("text/empty_words.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, list[str]])


def content_words(text: str, language: str = "en") -> tuple[str, ...]:
    """Return the stems of words with three or more letters, in order, case-folded, without empty words.

    In scripts without spaces words have two or more letters.
    """
    empty = empty_words(language)
    plain = _ARABIC_MARKS.sub("", text.casefold().replace("_", " "))
    return tuple(stem(word) for word in words(plain) if _has_content(word) and word not in empty)


def _has_content(word: str) -> bool:
    return len(word) >= (_MIN_LETTERS_UNSPACED if _UNSPACED.match(word) else _MIN_LETTERS)


def similarity(one: str, two: str, language: str = "en") -> float:
    """Return the cosine of two texts' content-word counts, in [0, 1] with 2 decimals; 0 if a text has none.

    Source: Salton and McGill, Introduction to Modern Information Retrieval (1983), the vector space model.
    """
    left, right = Counter(content_words(one, language)), Counter(content_words(two, language))
    product = sum(count * right[word] for word, count in left.items())
    length = math.sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
    return round(min(product / length, 1.0), 2) if length else 0.0


def stem(word: str) -> str:
    """Return the first letters of a case-folded word, without the ending of a plural or an Arabic prefix."""
    if prefix := _ARABIC_PREFIX.match(word):
        word = word[prefix.end() :]
    plural = word.endswith("s") and not word.endswith("ss")
    return (word[:-1] if plural and len(word) > 3 else word)[:_STEM]  # noqa: PLR2004 - "gas" keeps its s
