"""Find a quote in a turn: its span in code points of the original text.

Both are compared after NFKC, case folding, and merging of white space, quotation marks and dashes, and of the digits,
full stops, commas, question marks and percent signs of all scripts; without invisible characters (``characters``) and
Arabic vowel signs.  If a text that is not all ASCII does not contain a quote so, both are compared without white space
beside punctuation or beside letters of a script without spaces.

The text is cut into chunks that normalise independently of each other (a base with its marks, a syllable of jamo), so
that each normalised character has a known place in the original.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import category, combining, decimal, normalize

from msgspec import Struct

from events.segmentation import UNSPACED, count_words
from events.types import Span
from judge.guard.characters import INVISIBLE, REMOVE

_QUOTATION = "\"'`<>‘’‚‛“”„‟‹›«»′″‴‵‶‷⁗ʹʺʻʼʽˮ❛❜❝❞〈〉《》「」『』〝〞〟＂＇＜＞﹤﹥｢｣"
_DASHES = "-‐‑‒–—―−⁃˗⸺⸻﹘﹣－︱︲〜〰"
_SAME = (
    {ord(mark): "'" for mark in _QUOTATION}
    | {ord(dash): "-" for dash in _DASHES}
    | dict(zip(map(ord, "。｡।۔٫、､،٬؛؟٪"), ".....,,,,;?%", strict=True))
)
_ARABIC_SIGNS = re.compile("[\u0640\u064b-\u0652\u0656-\u065f\u0670]")
"""Vowel signs, which may be left out, and the line that stretches a word."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
WORD_CHARACTERS = 4
"""A word of a script without spaces counts as so many characters where a quote has to have a minimum of them."""
_COLLAPSING = frozenset(" '-")
_FIRST_THAT_JOINS = "\u0300"
"""Characters below this one never compose with the character before them."""
_PREFIX = re.compile(r"(?m)^[ \t]*\|[ \t]?")
_ENDS = " '"


class Normalised(Struct, frozen=True):
    """A text in the form for comparison.  Character ``i`` stands for ``[starts[i], ends[i])`` of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def tight(self) -> "Normalised":
        """Return the text without white space beside punctuation or beside letters of a script without spaces."""
        last = len(self.text) - 1
        kept = [
            at
            for at, each in enumerate(self.text)
            if each != " " or (0 < at < last and _needs_space(self.text[at - 1]) and _needs_space(self.text[at + 1]))
        ]
        return Normalised(
            "".join(self.text[at] for at in kept),
            tuple(self.starts[at] for at in kept),
            tuple(self.ends[at] for at in kept),
        )

    def is_edge(self, index: int) -> bool:
        """Return whether the original can be cut before character ``index``: not inside a ligature or a cluster."""
        return index in (0, len(self.text)) or self.starts[index] != self.starts[index - 1]


def find(quote: str, text: str, minimum: int) -> Span | None:
    """Return the span of ``quote`` in ``text``, [start, end) in code points; None if it is absent or too short.

    Quotation marks and white space around the quote do not count, nor does the ``| `` that ``neutralise`` adds.
    """
    where = normalised(text)
    for candidate in dict.fromkeys((quote, _PREFIX.sub("", quote))):
        needle = normalised(candidate)
        wanted = needle.text.strip(_ENDS)
        if not wanted or max(len(wanted), _unspaced_length(wanted)) < minimum:
            continue
        span = _span(wanted, where)
        if span is None and not text.isascii():
            span = _span(needle.tight().text.strip(_ENDS), where.tight())
        if span is not None:
            return span
    return None


def _span(wanted: str, where: Normalised) -> Span | None:
    at = _position(wanted, where)
    return None if at is None else (where.starts[at], where.ends[at + len(wanted) - 1])


def _unspaced_length(text: str) -> int:
    """Return the words of a text in a script without spaces as characters; 0 in other scripts."""
    return WORD_CHARACTERS * count_words(text) if _UNSPACED.search(text) else 0


def _needs_space(character: str) -> bool:
    return (character.isalnum() or category(character).startswith("M")) and not _UNSPACED.match(character)


def comparable(text: str) -> str:
    """Return ``text`` in the form for comparison, without quotation marks and white space around it."""
    return normalised(text).text.strip(_ENDS)


@lru_cache(maxsize=512)
def normalised(text: str) -> Normalised:
    """Return ``text`` in the form for comparison, with the places in the original; linear in its length."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _chunks(text):
        for character in _fold(text[start:end]):
            if character in _COLLAPSING and out and out[-1] == character:
                ends[-1] = end
                continue
            out.append(character)
            starts.append(start)
            ends.append(end)
    return Normalised("".join(out), tuple(starts), tuple(ends))


def _position(needle: str, where: Normalised) -> int | None:
    """Return the first place whose edges are edges of original characters, else the first place."""
    first = at = where.text.find(needle)
    while at >= 0:
        if where.is_edge(at) and where.is_edge(at + len(needle)):
            return at
        at = where.text.find(needle, at + 1)
    return first if first >= 0 else None


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for index, character in enumerate(text):
        if index > start and not _joins(text, start, index, character):
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _joins(text: str, start: int, index: int, character: str) -> bool:
    """Return whether the character belongs to the chunk that begins at ``start``."""
    if character in INVISIBLE:
        return True
    if character < _FIRST_THAT_JOINS:
        return False
    folded = _fold(character)
    if not folded or combining(folded[0]) or category(folded[0]).startswith("M"):
        return True
    before = text[start:index]
    return not before.isascii() and _fold(before + character) != _fold(before) + folded


@lru_cache(maxsize=8192)
def _fold(chunk: str) -> str:
    """Apply Unicode's NFKC_Casefold, and merge all quotation marks, all dashes and all white space."""
    if chunk.isascii():
        folded = chunk.translate(REMOVE).translate(_SAME).lower()
    else:
        seen = normalize("NFD", normalize("NFC", chunk.translate(REMOVE)).translate(_SAME))
        folded = normalize("NFKC", normalize("NFKC", seen.casefold()).casefold()).translate(REMOVE).translate(_SAME)
        folded = folded.replace(" \u0301", "'")  # the acute accent that is typed for an apostrophe
        folded = _ARABIC_SIGNS.sub("", folded)
        folded = "".join(str(decimal(each)) if each.isdecimal() else each for each in folded)
    return "".join(" " if character.isspace() else character for character in folded)
