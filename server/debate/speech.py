"""What a debater said, made fit for the record: clean text, a cap on words, the pace at which it came."""

import re
from typing import Final, Literal
from unicodedata import category, combining

_CLOSERS: Final = r"""['"”’»)\]」』）】》〉]*"""
_SENTENCE_END: Final = re.compile(rf"[.!?…؟۔।॥]{_CLOSERS}(?=\s|$)|[。！？｡።။។།]{_CLOSERS}")
_RUN: Final = re.compile(r"\S+")
_UNSPACED: Final = re.compile(
    "(?P<han>[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U0001aff0-\U0001b16f\U00020000-\U0003ffff])"
    "|[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\ua980-\ua9ff\uaa60-\uaadf]"
)
"""Scripts that put no space between words: Han, kana, Bopomofo; Thai, Lao, Tibetan, Myanmar, Khmer, Tai, Javanese."""
_WORD, _HAN, _OTHERS = 6, 3, 2
"""Sixths of a word."""
LONGEST_RUN: Final = 40
"""Characters without white space that pass for one word."""
LONGEST_CLUSTER: Final = 64
"""Code points that pass for one character; the longest emoji in use has 10."""
_JOINER: Final = "\u200d"
_VIRAMA: Final = 9
"""Combining class of the sign that joins two consonants."""
_EXTENDS: Final = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\u1160-\u11ff\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""What belongs to the character before it besides marks: joiners, Thai and Lao am, Korean vowels and finals, tones of
skin, tags of regional flags."""
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_FLAG: Final = re.compile(f"[{_FLAG_LETTERS}]")
"""Two of them are a flag."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_EVERY_MS: Final = 40


def clean(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates replaced, control characters gone."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def count_words(text: str) -> int:
    """Number of words: by white space, and by characters where a script or a run of text has none.

    Scripts without spaces count by their letters: two Han or kana letters are a word, about what a word of Chinese
    (1.5 to 2) and of Japanese has; three of Thai, Lao, Khmer, Myanmar, Tibetan and their kin, since vowel signs above
    and below do not count as letters.  Any other run counts as a word for every 40 characters that it has begun: no
    ordinary word is longer.  What is left of a word at the end of the text counts as a whole one.
    """
    count = WordCounter()
    count.add(text)
    return count.number


class WordCounter:
    """Counts the words of a text that arrives in pieces, as ``count_words`` does; it looks at each piece once."""

    def __init__(self) -> None:
        self._sixths = 0
        self._before: Literal["blank", "marks", "word", "letter"] = "blank"
        """What the next piece may go on with: signs alone, a word of a script with spaces, a letter of one without."""
        self._length = 0
        """Characters since the last word was counted."""

    @property
    def number(self) -> int:
        """Words so far."""
        return -(-self._sixths // _WORD)

    def add(self, piece: str) -> None:
        """More of the text."""
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
        if self._before == "blank" and len(run) <= LONGEST_RUN and not _UNSPACED.search(run):
            self._sixths += _WORD
            self._before = "word" if any(map(str.isalnum, run)) else "marks"
            self._length = len(run)
            return
        for character in run:
            self._add_character(character)

    def _add_character(self, character: str) -> None:
        is_letter = character.isalnum()
        if is_letter and (found := _UNSPACED.match(character)):
            if self._before != "marks":  # signs before a letter have been counted as its word
                self._sixths += _HAN if found["han"] else _OTHERS
            self._before, self._length = "letter", 0
            return
        is_new = self._before == "blank" or (self._before == "letter" and is_letter) or self._length == LONGEST_RUN
        self._sixths += _WORD * is_new
        self._length = 1 if is_new else self._length + 1
        if is_letter:
            self._before = "word"
        elif self._before == "blank":
            self._before = "marks"


def clip(text: str, most: int, *, cut_short: bool = False) -> tuple[str, bool]:
    """The text within ``most`` words, and whether it was clipped.

    A clipped text, and one that the model was cut short in, ends with its last whole sentence if that keeps at least
    half of it.  What is read as one character is never cut.
    """
    text = text.strip()
    over = count_words(text) > most
    if not over and not cut_short:
        return text, False
    if over:
        text = text[: _border(text, _within(text, most))].rstrip()
    sentences = [match.end() for match in _SENTENCE_END.finditer(text)]
    if sentences and sentences[-1] >= len(text) / 2:
        text = text[: sentences[-1]]
    return text, True


def _within(text: str, most: int) -> int:
    """Length of the longest beginning that has at most ``most`` words."""
    count = WordCounter()
    for at, character in enumerate(text):
        count.add(character)
        if count.number > most:
            return at
    return len(text)


def _border(text: str, at: int) -> int:
    """The last place up to ``at`` that lies between two characters as readers see them (UAX #29, in the main)."""
    for place in range(at, max(at - LONGEST_CLUSTER, 0), -1):
        if not _is_joined(text, place):
            return place
    return at


def _is_joined(text: str, at: int) -> bool:
    """Whether what stands before and after a place is one character to a reader."""
    if at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if _FLAG.match(before) and _FLAG.match(after):
        letters = len(text[:at]) - len(text[:at].rstrip(_FLAG_LETTERS))
        return letters % 2 == 1
    is_linked = before == _JOINER or (combining(before) == _VIRAMA and after.isalpha())
    return is_linked or category(after).startswith("M") or _EXTENDS.match(after) is not None


class PaceRecorder:
    """(milliseconds since the start, code points by then), at most one mark in 40 ms."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = []

    def mark(self, at_ms: int, length: int) -> None:
        """The text was ``length`` code points long at ``at_ms``."""
        if self._marks and at_ms - self._marks[-1][0] < _MARK_EVERY_MS:
            at_ms = self._marks.pop()[0] if len(self._marks) > 1 else at_ms
        self._marks.append((at_ms, length))

    def until(self, length: int) -> tuple[tuple[int, int], ...]:
        """The marks of a text that was cut to ``length``; the last one is its end."""
        kept: list[tuple[int, int]] = []
        for at_ms, by_then in self._marks:
            kept.append((at_ms, min(by_then, length)))
            if by_then >= length:
                break
        return tuple(kept)
