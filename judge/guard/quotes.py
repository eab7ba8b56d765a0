"""Find a quote in a turn: its span in code points of the original text.

Both are compared after NFKC, case folding, and merging of white space, quotation marks and dashes, and of the digits,
full stops, commas, question marks and percent signs of all scripts; without invisible characters (``characters``) and
Arabic vowel signs.  If the text does not contain a quote so, the words alone are compared: without punctuation,
quotation marks and marks of emphasis, and without white space next to letters of a script without spaces.  A mark
between two digits, a sign before a digit, an apostrophe in a word, and signs of currency and percent are words too.

A quote may leave words out: ``…``, ``...`` or ``[…]`` stands for them, and ``[words]`` for words that were replaced.
Its parts must stand in the text in their order, at most two cuts within two sentences, and the span is the whole with
what was left out.  A cut that hides a negation or a number is not accepted: the words may mean something else without
it.  One whole sentence between two whole ones may be left out, whatever it says.  Negations are looked for by lists of
seven languages (``turning_words.json``); in other languages only numbers.

The text is cut into chunks that normalise independently of each other (a base with its marks, a syllable of jamo), so
that each normalised character has a known place in the original.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import islice
from typing import Literal, get_args
from unicodedata import category, combining, decimal, normalize

import msgspec
from msgspec import Struct

from events.text.segmentation import SENTENCE_END, UNSPACED, count_words
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
TurningKind = Literal["negations", "numbers"]
"""Words that turn the sense of what stands around them."""
TURNING_KINDS: tuple[TurningKind, ...] = get_args(TurningKind)
_CUT = re.compile(r"(\[[^\[\]]{0,60}\]|\(\.{3,}\)|\.{3,}|\. \. \.)")
"""Words left out or replaced, in a text that is normalised: ``…`` is three full stops there."""
MAX_CUTS = 2
MAX_SENTENCES = 2
MIN_PART = 2
"""Characters of each part of a quote that leaves words out."""
MAX_PLACES = 100
"""Places of the first part that are tried."""
_KEPT_SIGNS = frozenset("%‰€$£¥₹°")
_JOINING_SIGNS = frozenset(".,:/")


class Normalised(Struct, frozen=True):
    """A text in the form for comparison.  Character ``i`` stands for ``[starts[i], ends[i])`` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    """Ranges, which take no memory, if each character stands for one."""

    def words(self) -> "Normalised":
        """Return the words alone, with one space between them; none next to letters of a script without spaces."""
        kept: list[int] = []
        is_apart = False
        for at, each in enumerate(self.text):
            if not self._is_of_word(at):
                is_apart = True
                continue
            if is_apart and kept and not (_is_tight(self.text[kept[-1]]) or _is_tight(each)):
                kept.append(at - 1)
            is_apart = False
            kept.append(at)
        return Normalised(
            "".join(self.text[at] if self._is_of_word(at) else " " for at in kept),
            tuple(self.starts[at] for at in kept),
            tuple(self.ends[at] for at in kept),
        )

    def _is_of_word(self, at: int) -> bool:
        """Return whether a character belongs to the words: a letter, a digit, or a sign that changes what is said."""
        character = self.text[at]
        if character.isalnum() or character in _KEPT_SIGNS or category(character).startswith("M"):
            return True
        before, after = self.text[at - 1 : at], self.text[at + 1 : at + 2]
        if character == "'":
            return _needs_space(before) and _needs_space(after)
        return after.isdecimal() and (
            (character in _JOINING_SIGNS and before.isdecimal()) or (character in "+-" and not _needs_space(before))
        )

    def is_edge(self, index: int) -> bool:
        """Return whether the original can be cut before character ``index``: not inside a ligature or a cluster."""
        return index in (0, len(self.text)) or self.starts[index] != self.starts[index - 1]


def find(quote: str, text: str, minimum: int) -> Span | None:
    """Return the span of ``quote`` in ``text``, [start, end) in code points; None if it is absent or too short.

    Quotation marks and white space around the quote do not count, nor does the ``| `` that ``neutralise`` adds.
    ``minimum``: characters that the quote has to have, after normalisation.
    """
    found = place(quote, text, minimum)
    return None if isinstance(found, str) else found


def place(quote: str, text: str, minimum: int) -> Span | str:
    """Return the span of ``quote`` in ``text`` as ``find`` does, or what is wrong with a cut: the end of a sentence.

    The sentence is empty if the words are absent or too short.
    """
    where, why = normalised(text), ""
    for candidate in dict.fromkeys((quote, _PREFIX.sub("", quote))):
        needle = normalised(candidate)
        wanted = needle.text.strip(_ENDS)
        if not wanted or _is_short(wanted, minimum):
            continue
        if (at := _position(wanted, where)) is not None:
            return where.starts[at], where.ends[at + len(wanted) - 1]
        found = _place_of_parts(needle.text, where, text, minimum)
        if not isinstance(found, str):
            return found
        why = why or found
    return why


def not_quoted(why: str) -> str:
    """Return the sentence for a quote of a turn that ``place`` did not find."""
    return f"the quote {why}" if why else "the quote is not in the turn, or too short to tell"


def _place_of_parts(quote: str, where: Normalised, text: str, minimum: int) -> Span | str:
    """Return the span of the words of a normalised quote, which may leave words out."""
    whole = _only_words(where)
    said = [normalised(part).words().text for part in _CUT.split(quote)]
    joined = normalised(_CUT.sub(" ", quote)).words().text
    if _is_short(joined, minimum):
        return ""
    if (at := next(_places(joined, whole), None)) is not None and not any(said[1::2]):
        return whole.starts[at], whole.ends[at + len(joined) - 1]
    parts = [part for part in said[::2] if part]
    replaced = [part for part in said[1::2] if part]
    if len(said) == 1 or not parts or any(_is_short(each, MIN_PART) for each in parts):
        return ""
    if len(parts) - 1 > MAX_CUTS:
        return f"leaves words out more than {MAX_CUTS} times"
    if turning := next(filter(None, map(turning_word, replaced)), ""):
        return f"puts “{turning}” in"
    return _tightest(parts, whole, text)


def _tightest(parts: list[str], whole: Normalised, text: str) -> Span | str:
    """Return the shortest span with all parts in their order, whose cuts hide nothing that turns the sense."""
    best, why = None, ""
    bounds = (0, *(each.end() for each in SENTENCE_END.finditer(text)), len(text))
    for start in islice(_places(parts[0], whole), MAX_PLACES):
        begin, end, cuts, whole_cuts = start, start + len(parts[0]), [], 0
        for part in parts[1:]:
            at = next(_places(part, whole, end), None)
            if at is None:
                return why if best is None else best
            before = whole.starts[begin], whole.ends[end - 1]
            after = whole.starts[at], whole.ends[at + len(part) - 1]
            if _leaves_a_sentence(text, bounds, before, after):
                whole_cuts += 1
            else:
                cuts.append(whole.text[end:at])
            begin, end = at, at + len(part)
        span = whole.starts[start], whole.ends[end - 1]
        if turning := next(filter(None, map(turning_word, cuts)), ""):
            why = f"leaves out “{turning}”"
        elif _ends_within(text[span[0] : span[1]]) - whole_cuts >= MAX_SENTENCES:
            why = f"is spread over more than {MAX_SENTENCES} sentences"
        elif best is None or span[1] - span[0] < best[1] - best[0]:
            best = span
    return why if best is None else best


def _leaves_a_sentence(text: str, bounds: tuple[int, ...], before: Span, after: Span) -> bool:
    """Return whether just one whole sentence stands between two whole ones: what it says turns neither of them.

    ``bounds``: where the sentences of the text begin, and its end.
    """
    first = bisect_right(bounds, before[0]) - 1
    if first + 3 >= len(bounds):
        return False
    edges = bounds[first], before[0], before[1], bounds[first + 1], bounds[first + 2], after[0], after[1]
    rest = (text[edges[0] : edges[1]], text[edges[2] : edges[3]], text[edges[4] : edges[5]])
    ends = text[after[1] : bounds[first + 3]]
    return after[0] >= bounds[first + 2] and not any(map(str.isalnum, "".join((*rest, ends))))


def _ends_within(words: str) -> int:
    """Return the number of sentences that end before the end of some words."""
    return sum(each.end() < len(words) for each in SENTENCE_END.finditer(words))


def _places(part: str, whole: Normalised, after: int = 0) -> Iterator[int]:
    """Yield where whole words stand, both as ``Normalised.words`` returns them."""
    at = whole.text.find(part, after) if part else -1
    while at >= 0:
        end = at + len(part)
        if (
            whole.is_edge(at)
            and whole.is_edge(end)
            and not (_needs_space(whole.text[at - 1 : at]) and _needs_space(part[0]))
            and not (_needs_space(part[-1]) and _needs_space(whole.text[end : end + 1]))
        ):
            yield at
        at = whole.text.find(part, at + 1)


def turning_word(
    text: str, kinds: tuple[TurningKind, ...] = TURNING_KINDS, languages: frozenset[str] | None = None
) -> str:
    """Return the first negation or number in normalised words that a quote leaves out or puts in; empty without one.

    ``languages``: BCP 47 tags of the lists that are used; all of them without it.
    """
    known = _turning_words(kinds, languages)
    for word in text.split():
        parts = {word, word.removeprefix("و").removeprefix("ف"), *word.split("'")}
        is_number = "numbers" in kinds and any(map(str.isdecimal, word))
        is_contracted = "negations" in kinds and (word.endswith("n't") or word.startswith("n'"))
        if is_number or is_contracted or not known.isdisjoint(parts):
            return word
    return next((each for each in text if _UNSPACED.match(each) and each in known), "")


@cache
def _turning_words(kinds: tuple[TurningKind, ...], languages: frozenset[str] | None) -> frozenset[str]:
    """Return the negations of some languages, or their words for numbers, or both; of all seven without a choice."""
    data = resources.files("judge").joinpath("guard/turning_words.json").read_bytes()
    listed = msgspec.json.decode(data, type=dict[TurningKind, dict[str, list[str]]])
    wanted = [listed[kind].get(tag, []) for kind in kinds for tag in languages or listed[kind]]
    return frozenset(word for group in wanted for word in group)


_only_words = lru_cache(maxsize=256)(Normalised.words)


def _is_short(text: str, minimum: int) -> bool:
    """Whether a text has fewer characters; in a script without spaces each word is at least ``WORD_CHARACTERS``."""
    if len(text) >= minimum:
        return False
    return not _UNSPACED.search(text) or WORD_CHARACTERS * count_words(text) < minimum


def _needs_space(character: str) -> bool:
    """Return whether a character is part of a word of a script with spaces; not for an empty text."""
    return (
        bool(character)
        and (character.isalnum() or category(character).startswith("M"))
        and not _UNSPACED.match(character)
    )


def _is_tight(character: str) -> bool:
    """Return whether white space next to a character makes no difference."""
    return character in _KEPT_SIGNS or _UNSPACED.match(character) is not None


@lru_cache(4096)
def comparable(text: str) -> str:
    """Return ``text`` in the form for comparison, without quotation marks and white space around it.

    Cached, since what a turn says is compared with all earlier premises and claims.
    """
    return normalised(text).text.strip(_ENDS)


@lru_cache(maxsize=512)
def normalised(text: str) -> Normalised:
    """Return ``text`` in the form for comparison, with the places in the original; linear in its length."""
    if _PLAIN.fullmatch(text):
        return _normalised_plain(text)
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


def _normalised_plain(text: str) -> Normalised:
    """The same for a text in which each character stands by itself, and keeps its length: several times as fast."""
    folded = text.translate(_PLAIN_FOLDED)
    runs = list(_RUN.finditer(folded))
    if not runs:
        return Normalised(folded, range(len(text)), range(1, len(text) + 1))
    starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    for run in reversed(runs):
        first, end = run.span()
        folded = folded[: first + 1] + folded[end:]
        ends[first] = end
        del starts[first + 1 : end], ends[first + 1 : end]
    return Normalised(folded, tuple(starts), tuple(ends))


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


_PLAIN = re.compile(r"[\t\n\r -~]*")
"""A text in ASCII without invisible characters."""
_PLAIN_FOLDED = {code: _fold(chr(code)) for code in (*b"\t\n\r", *range(0x20, 0x7F))}
_RUN = re.compile("|".join(f"{each}{{2,}}" for each in sorted(_COLLAPSING)))
"""Equal characters of which one is kept."""
