"""A debater's speech made ready to record: clean text, a limit on words, the pace at which it arrived."""

import re
from typing import Final

from events.text.segmentation import count_words, first_words, up_to_sentence

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_EVERY_MS: Final = 40


def clean(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates are replaced, control characters removed."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def clip(text: str, most: int, *, cut_short: bool = False) -> tuple[str, bool]:
    """The text within ``most`` words, and whether it was clipped.

    If the text is too long, or if the model was cut short, it ends with its last whole sentence, provided that this
    keeps at least half of it.
    """
    text = text.strip()
    over = count_words(text) > most
    if not over and not cut_short:
        return text, False
    if over:
        text = first_words(text, most)
    return up_to_sentence(text), True


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
