"""A debater's speech made ready to record: clean text, a limit on words, the pace at which it arrived."""

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
"""Scripts without spaces between words: Han, kana, Bopomofo; Thai, Lao, Tibetan, Myanmar, Khmer, Tai, Javanese."""
_WORD, _HAN, _OTHERS = 6, 3, 2
"""What one word, one Han or kana letter, and one letter of the other scripts count, in sixths of a word."""
LONGEST_RUN: Final = 40
"""Characters without white space that count as one word."""
LONGEST_CLUSTER: Final = 64
"""Code points that count as one character; the longest emoji in use has 10."""
_JOINER: Final = "\u200d"
_VIRAMA: Final = 9
"""Combining class of the signs that join two consonants."""
_EXTENDS: Final = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\u1160-\u11ff\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""Code points other than marks that belong to the character before them: joiners, Thai and Lao am, Korean vowels and
finals, skin tones, tags of regional flags."""
_FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_FLAG: Final = re.compile(f"[{_FLAG_LETTERS}]")
"""Two of these letters are a flag."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_EVERY_MS: Final = 40


def clean(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates are replaced, control characters removed."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def count_words(text: str) -> int:
    """Number of words: separated by white space, or counted by letters in scripts without spaces.

    Two Han or kana letters count as a word: a word of Chinese has 1.5 to 2, a word of Japanese about 2.  Three letters
    of Thai, Lao, Khmer, Myanmar, Tibetan and related scripts count as a word, because their vowel signs above and below
    are no letters.  Any other run without white space counts as one word for every 40 characters or part of them: no
    ordinary word is longer.  A part of a word at the end of the text counts as a whole word.
    """
    count = WordCounter()
    count.add(text)
    return count.number


class WordCounter:
    """Counts the words of a text that arrives in pieces, as ``count_words`` does; it looks at each piece once."""

    def __init__(self) -> None:
        self._sixths = 0
        self._before: Literal["blank", "marks", "word", "letter"] = "blank"
        """How the text ends so far: with white space, signs alone, a word, or a letter of a script without spaces."""
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
            if self._before != "marks":  # the signs before the letter were counted as its word
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

    If the text is too long, or if the model was cut short, it ends with its last whole sentence, provided that this
    keeps at least half of it.  What a reader sees as one character is never cut.
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
    """The last index up to ``at`` that lies between two characters as readers see them (mostly UAX #29)."""
    for place in range(at, max(at - LONGEST_CLUSTER, 0), -1):
        if not _is_joined(text, place):
            return place
    return at


def _is_joined(text: str, at: int) -> bool:
    """Whether a reader sees the code points before and after an index as one character."""
    if at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if _FLAG.match(before) and _FLAG.match(after):
        letters = len(text[:at]) - len(text[:at].rstrip(_FLAG_LETTERS))
        return letters % 2 == 1
    is_linked = before == _JOINER or (combining(before) == _VIRAMA and after.isalpha())
    return is_linked or category(after).startswith("M") or _EXTENDS.match(after) is not None


class PaceRecorder:
    """Records how a text grows: marks of (milliseconds since the start, code points by then), at most one in 40 ms."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = []

    def mark(self, at_ms: int, length: int) -> None:
        """The text has ``length`` code points at ``at_ms``."""
        if self._marks and at_ms - self._marks[-1][0] < _MARK_EVERY_MS:
            at_ms = self._marks.pop()[0] if len(self._marks) > 1 else at_ms
        self._marks.append((at_ms, length))

    def until(self, length: int) -> tuple[tuple[int, int], ...]:
        """The marks of the text clipped to ``length``; the last mark is its end."""
        kept: list[tuple[int, int]] = []
        for at_ms, by_then in self._marks:
            kept.append((at_ms, min(by_then, length)))
            if by_then >= length:
                break
        return tuple(kept)
