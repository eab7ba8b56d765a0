"""What has been told: to one reader, or to many who are told the same."""


class Cursor:
    """How far the telling has come: events up to a position, text in flight up to an offset, presence, waiting."""

    __slots__ = ("is_live", "position", "said", "said_to", "spectators", "wait")

    def __init__(self, position: int = 0) -> None:
        self.position = position
        self.is_live = False
        """Whether it was told that it has caught up."""
        self.said: tuple[int, int] = (0, 0)
        """Turn and attempt of the text in flight."""
        self.said_to = 0
        self.spectators = -1
        self.wait = ""

    def copy(self) -> "Cursor":
        """The same place, for somebody who leaves the others."""
        other = Cursor(self.position)
        other.is_live, other.said, other.said_to = self.is_live, self.said, self.said_to
        other.spectators, other.wait = self.spectators, self.wait
        return other
