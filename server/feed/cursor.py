"""The position of a reader in a channel.  Sockets, groups of sockets and the terminal all use this class."""

from server.feed import frames
from server.feed.channel import PAGE_FRAMES, Channel


class Cursor:
    """A position in a channel, and what was delivered besides events: to one reader, or to a group of them."""

    __slots__ = (
        "channel",
        "director",
        "heartbeats",
        "is_live",
        "is_new",
        "position",
        "spectators",
        "text_end",
        "text_key",
        "wait",
    )

    def __init__(self, channel: Channel, after: int | None = None, *, director: bool = False) -> None:
        """``after``: the position that the reader already has; None for a reader that has nothing."""
        self.channel, self.director = channel, director
        self.position = after or 0
        self.is_new = after is None
        self.is_live = False
        """Whether the message ``live`` was delivered: the reader has caught up."""
        self.text_key: tuple[int, int] = (0, 0)
        """Turn and attempt of the text in flight that was delivered last."""
        self.text_end = 0
        """Number of its code points that were delivered."""
        self.spectators = -1
        self.wait = ""
        self.heartbeats = channel.heartbeats

    def copy(self) -> "Cursor":
        """A cursor with the same deliveries, for a reader that leaves a group."""
        other = Cursor(self.channel, self.position, director=self.director)
        other.is_live, other.text_key, other.text_end = self.is_live, self.text_key, self.text_end
        other.spectators, other.wait = self.spectators, self.wait
        return other

    def after_snapshot(self) -> "Cursor":
        """A cursor for a reader that was sent ``snapshot()``: it has the same events and text, but no status."""
        other = self.copy()
        other.is_live, other.spectators, other.wait = False, -1, ""
        return other

    def skip_to_head(self) -> None:
        """Count all events and all text so far as delivered: the reader was sent the channel's snapshot."""
        self.position = self.channel.position
        if text := self.channel.text_in_flight():
            self.text_key, self.text_end = text.key, len(text.text)

    def is_snapshot_due(self, size: int) -> bool:
        """Whether the reader gets a snapshot of ``size`` characters instead of the frames after its position."""
        if self.is_new:
            return True
        found = self.next_frames(self.channel.ring)
        return found is None or sum(map(len, found)) > size

    def snapshot(self) -> str:
        """The view now, with the text in flight as far as it was delivered here."""
        text = self.channel.text_in_flight()
        end = self.text_end if text is not None and text.key == self.text_key else 0
        return self.channel.snapshot(director=self.director, text_end=end)

    def next_frames(self, most: int = PAGE_FRAMES) -> list[str] | None:
        """The next frames; None if the ring does not reach back that far.  The cursor stays where it is."""
        return self.channel.frames_after(self.position, most, director=self.director)

    def advance(self, count: int) -> list[str]:
        """Move past ``count`` frames.  Gives what is new besides events, if the cursor is at the head then."""
        self.position += count
        return [] if self.position < self.channel.position else self._news()

    def _news(self) -> list[str]:
        """The messages besides events that were not delivered yet; they count as delivered then."""
        channel, messages = self.channel, []
        if not self.is_live:
            self.is_live = True
            messages.append(frames.LIVE)
        if channel.announced != self.spectators:
            self.spectators = channel.announced
            messages.append(frames.status(spectators=channel.announced))
        if channel.wait != self.wait:
            self.wait = channel.wait
            messages.append(frames.status(wait=channel.wait))
        if channel.heartbeats != self.heartbeats:
            self.heartbeats = channel.heartbeats
            messages.append(frames.HEARTBEAT)
        if text := channel.text_in_flight():
            if text.key != self.text_key:
                self.text_key, self.text_end = text.key, 0
            if self.text_end < len(text.text):
                messages.append(text.delta_from(self.text_end))
                self.text_end = len(text.text)
        return messages

    def missed_by(self, other: "Cursor") -> list[str]:
        """The messages besides events that were delivered here and not to ``other``, which has the same position."""
        messages = [] if other.is_live else [frames.LIVE]
        if self.channel.announced != other.spectators:
            messages.append(frames.status(spectators=self.channel.announced))
        if self.wait != other.wait:
            messages.append(frames.status(wait=self.wait))
        text = self.channel.text_in_flight()
        if text is not None and text.key == self.text_key:
            start = other.text_end if other.text_key == self.text_key else 0
            if start < self.text_end:
                messages.append(frames.delta(text.turn, text.attempt, start, text.text[start : self.text_end]))
        return messages
