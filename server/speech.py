"""What a debater said, made fit for the record: clean text, a cap on words, the pace at which it came."""

import re
from typing import Final

_SENTENCE_END: Final = re.compile(r"[.!?…]['\"”’)\]]*(?=\s|$)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_EVERY_MS: Final = 40


def clean(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates replaced, control characters gone."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def words(text: str) -> int:
    """Number of words, by white space."""
    return len(text.split())


class Words:
    """The number of words in a text that comes piece by piece: ``words`` of all of it, each piece looked at once."""

    def __init__(self) -> None:
        self.number = 0
        self._within = False
        """Whether the next piece may go on with the last word."""

    def add(self, piece: str) -> None:
        """More of the text."""
        if piece:
            self.number += len(piece.split()) - (self._within and not piece[0].isspace())
            self._within = not piece[-1].isspace()


def clip(text: str, most: int, *, cut_short: bool = False) -> tuple[str, bool]:
    """The text within ``most`` words, and whether it was clipped.

    A clipped text, and one that the model was cut short in, ends with its last whole sentence if that keeps at least
    half of it.
    """
    text = text.strip()
    over = words(text) > most
    if not over and not cut_short:
        return text, False
    if over:
        ends = [match.end() for match in re.finditer(r"\S+", text)]
        text = text[: ends[most - 1]]
    sentences = [match.end() for match in _SENTENCE_END.finditer(text)]
    if sentences and sentences[-1] >= len(text) / 2:
        text = text[: sentences[-1]]
    return text, True


class Pace:
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
