"""Words, characters and sentences of a text in any script, by Unicode segmentation (UAX #29) with ICU.

Scripts without spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar) are cut into words by ICU's dictionaries.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal
from unicodedata import normalize

UNSPACED: Final = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\u2e80-\u2fdf\u3005-\u3007"
    "\u3021-\u3029\u3031-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua980-\ua9ff"
    "\uaa60-\uaadf\uf900-\ufaff\uff66-\uff9d\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""Ranges of scripts without spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer, Tai, Javanese; Han, Bopomofo,
kana.  They stand between the brackets of a pattern."""
MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u200c\u200d"
)
"""Ranges of combining marks of Latin, Cyrillic, Hebrew, Arabic and the scripts of South Asia, and the two joiners:
they belong to a word, and ``\\w`` does not match them."""
_CLOSERS: Final = r"""['"”’»)\]」』）】》〉]*+"""
_ENDERS: Final = ".!?…؟۔।॥"
SENTENCE_END: Final = re.compile(rf"(?<![{_ENDERS}])[{_ENDERS}]++{_CLOSERS}(?=\s|$)|[。！？｡।॥]++{_CLOSERS}")
"""The end of a sentence, with the quotation marks and brackets that close after it."""
_WORD: Final = re.compile(r"\w+")
_SEGMENTED: Final = re.compile(f"[{MARKS}{UNSPACED}]")
"""A text with one of these cannot be cut into words by ``\\w``."""
LONGEST_CLUSTER: Final = 64
"""Code points that count as one character; the longest emoji in use has 10."""
LONGEST_RUN: Final = 40
"""Characters without white space that count as one word."""
_RUN: Final = re.compile(r"\S+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_PARTS: Final = re.compile(f"(?P<unspaced>[{UNSPACED}]+)|.", re.DOTALL)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BASIC: Final = "\uffff"
"""The last code point that is one unit of UTF-16."""


def words(text: str) -> list[str]:
    """Return the words of a text, in order.

    In scripts whose words are runs of letters these are the runs; else the segments with a letter or a digit.
    """
    text = normalize("NFC", text)
    return _WORD.findall(text) if _SEGMENTED.search(text) is None else [text[start:end] for start, end in spans(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places [start, end) of the segments with a letter or a digit, in code points."""
    for start, end in segments(text):
        if any(map(str.isalnum, text[start:end])):
            yield start, end


def count_words(text: str) -> int:
    """Return the number of words: separated by white space, or by segmentation in scripts without spaces.

    A run without white space counts as one word for every 40 characters or part of them: no ordinary word is longer.
    A part of a word at the end of the text counts as a whole word.
    """
    count = WordCounter()
    count.add(text)
    return count.number


class WordCounter:
    """Counts the words of a text that arrives in pieces, as ``count_words`` does; it looks at each piece once."""

    def __init__(self) -> None:
        self.number = 0
        """Words so far."""
        self._before: Literal["blank", "marks", "word", "letter"] = "blank"
        """How the text ends so far: with white space, signs alone, a word, or a letter of a script without spaces."""
        self._length = 0
        """Characters since the last word was counted."""
        self._unspaced = ""
        """The letters of a script without spaces at the end; the next ones may change where its words begin."""
        self._unspaced_words = 0

    def add(self, piece: str) -> None:
        """More of the text."""
        if self._before == "blank" and len(runs := piece.split()) > 1 and not _UNSPACED.search(piece):
            *whole, last = runs  # how the text ends depends on the last one only
            is_usual = max(map(len, whole)) <= LONGEST_RUN
            self.number += len(whole) if is_usual else sum(map(_spaced_words, whole))
            piece = last if piece[-1:] == last[-1] else f"{last} "
        end = 0
        for run in _RUN.finditer(piece):
            if run.start():
                self._before = "blank"
            self._add_run(run[0])
            end = run.end()
        if end < len(piece):
            self._before = "blank"

    def _add_run(self, run: str) -> None:
        """Characters without white space."""
        if self._before == "blank" and not _UNSPACED.search(run):
            self.number += _spaced_words(run)
            self._before = "word" if any(map(str.isalnum, run)) else "marks"
            self._length = (len(run) - 1) % LONGEST_RUN + 1
            return
        for part in _PARTS.finditer(run):
            if part["unspaced"]:
                self._add_unspaced(part[0])
            else:
                self._add_character(part[0])

    def _add_unspaced(self, letters: str) -> None:
        if self._before == "marks":
            self.number -= 1  # the signs before the letters were counted as a word
        if self._before == "letter":
            self.number -= self._unspaced_words
            letters = self._unspaced + letters
        while len(letters) > LONGEST_RUN:
            *_, (last, _) = segments(letters[:LONGEST_RUN])
            border = last or LONGEST_RUN
            self.number += _unspaced_words(letters[:border])
            letters = letters[border:]
        self._unspaced, self._unspaced_words = letters, _unspaced_words(letters)
        self.number += self._unspaced_words
        self._before, self._length = "letter", 0

    def _add_character(self, character: str) -> None:
        is_letter = character.isalnum()
        is_new = self._before == "blank" or (self._before == "letter" and is_letter) or self._length == LONGEST_RUN
        self.number += is_new
        self._length = 1 if is_new else self._length + 1
        self._unspaced, self._unspaced_words = "", 0
        if is_letter:
            self._before = "word"
        elif self._before == "blank":
            self._before = "marks"


def first_words(text: str, most: int) -> str:
    """Return the longest beginning of a text with at most ``most`` words, without white space at its end.

    What a reader sees as one character is never cut.
    """
    return text[: _border(text, _within(text, most))].rstrip()


def up_to_sentence(text: str, otherwise: str = "") -> str:
    """Return a text that was cut, up to the end of its last sentence, if that keeps at least half.

    Else the text, and what marks that it was cut.
    """
    end = max((match.end() for match in SENTENCE_END.finditer(text)), default=0)
    return text[:end] if end and end >= len(text) / 2 else f"{text}{otherwise}"


def first_sentences(text: str, most: int) -> str:
    """Return a text within ``most`` words: a longer one ends with a whole sentence, or with an ellipsis."""
    cut = first_words(text, most)
    return cut if cut == text.rstrip() else up_to_sentence(cut, "…")


def _within(text: str, most: int) -> int:
    """Return the length of the longest beginning that has at most ``most`` words."""
    if _UNSPACED.search(text) is None:
        return _within_spaced(text, most)
    count = WordCounter()
    for at, character in enumerate(text):
        count.add(character)
        if count.number > most:
            return at
    return len(text)


def _within_spaced(text: str, most: int) -> int:
    """Return the same for a text without letters of scripts without spaces."""
    left = most
    for run in _RUN.finditer(text):
        if (words := _spaced_words(run[0])) > left:
            return run.start() + left * LONGEST_RUN
        left -= words
    return len(text)


def _border(text: str, at: int) -> int:
    """Return the last index up to ``at`` that lies between two characters as readers see them."""
    if at == len(text):
        return at
    start = next((start for start, end in characters(text) if end > at), at)
    return start if at - start < LONGEST_CLUSTER else at


def _spaced_words(run: str) -> int:
    """Return the number of words of a run without letters of scripts without spaces."""
    return -(-len(run) // LONGEST_RUN)


def _unspaced_words(letters: str) -> int:
    """Return the number of words of some letters, at least 1."""
    return max(1, sum(1 for _ in spans(letters)))


def segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of all segments between word boundaries, those of punctuation and white space included."""
    return _places(_icu().WordBreaker, text)


def characters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of what a reader sees as one character (an extended grapheme cluster)."""
    return _places(_icu().CharacterBreaker, text)


def _places(breaker: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield the segments of ICU, whose places count UTF-16, in code points."""
    found = breaker(_SURROGATE.sub("\ufffd", text), "en").segments()
    if max(text, default=_BASIC) <= _BASIC:
        yield from found
        return
    places = [at for at, each in enumerate(text) for _ in range(1 + (each > _BASIC))] + [len(text)]
    yield from ((places[start], places[end]) for start, end in found)


@cache
def _icu() -> Any:
    from icu4py import breakers  # noqa: PLC0415 - its data are mapped into memory at the first use

    return breakers
