"""The text of a turn that is being spoken and is not recorded yet."""

from typing import Any

from server.feed import frames


class Speech:
    """Text of a turn in flight."""

    def __init__(self, turn: int, side: str, attempt: int, started_at: str) -> None:
        self.turn, self.side, self.attempt, self.started_at = turn, side, attempt, started_at
        self.text = ""
        self._encoded: tuple[int, int, str] = (0, 0, "")

    def delta_from(self, at: int) -> str:
        """The encoded text after ``at``; readers at the same place share one encoding."""
        start, end, encoded = self._encoded
        if (start, end) != (at, len(self.text)) or not encoded:
            encoded = frames.delta(self.turn, self.attempt, at, self.text[at:])
            self._encoded = (at, len(self.text), encoded)
        return encoded

    def so_far(self, upto: int | None = None) -> dict[str, Any]:
        """What a joiner is given once: the text, or its first ``upto`` code points."""
        return {
            "turn": self.turn,
            "side": self.side,
            "attempt": self.attempt,
            "text": self.text[:upto],
            "started_at": self.started_at,
        }
