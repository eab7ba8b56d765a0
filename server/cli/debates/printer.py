"""The part of every printer that follows the feed of a debate."""

from typing import Any, ClassVar

import click
import msgspec

from events.patch import merge
from server.export.document.terminal import say
from server.export.text import escape_controls, escape_json
from server.export.wording import BRIEF, BRIEF_IN_LAB


class FeedPrinter:
    """Follows a feed: keeps the view and the event that ended the debate, and prints each event.

    With ``as_json`` it prints the messages themselves, one a line, and no event.  With ``is_quiet`` it prints nothing.
    """

    kind: ClassVar[str] = "debate"
    """What is followed, in a word."""

    def __init__(self, *, as_json: bool, is_quiet: bool = False) -> None:
        self.as_json = as_json
        self.is_quiet = is_quiet
        self.view: Any = {}
        self.ended: dict[str, Any] | None = None

    def take(self, message: str) -> None:
        """Take one message of the feed."""
        content = escape_controls(msgspec.json.decode(message))
        kind = content["kind"]
        if self.as_json and kind in {"frame", "delta"}:
            click.echo(f'{{"{kind}":{escape_json(message)}}}')
        if kind == "snapshot":
            self.view = content["view"]
        elif kind == "delta" and not (self.as_json or self.is_quiet):
            self.delta(content)
        elif kind == "frame":
            self.view = merge(self.view, content["patch"])
            self._event(content["event"])

    def _event(self, event: dict[str, Any]) -> None:
        if event["type"] in {"debate_concluded", "debate_halted"}:
            self.ended = event
        elif event["type"] == "debate_resumed":
            self.ended = None
        self.note(event)
        if not (self.as_json or self.is_quiet):
            self.event(event)

    def note(self, event: dict[str, Any]) -> None:
        """Note an event, whether it is printed or not."""

    def event(self, event: dict[str, Any]) -> None:
        """Print an event."""

    def delta(self, content: dict[str, Any]) -> None:
        """Print a piece of a turn that is being spoken."""

    def finish(self) -> None:
        """Print a halt."""
        if not (self.as_json or self.is_quiet) and self.ended is not None and self.ended["type"] == "debate_halted":
            say(f"halted: {self.ended['reason']}", "red")


def say_opening(event: dict[str, Any], *roles: str) -> None:
    """Print the motion, and what to know of the models of these seats and of the panel."""
    say(event["motion"], "bold")
    seats = [*(event[role] for role in roles), *event["panel"]]
    for caveat in sorted({seat.get("caveat", "") for seat in seats} - {""}):
        say(caveat, "dim")
    if event["judge"].get("effort") == "brief":
        say(BRIEF_IN_LAB if event["format"] == "lab" else BRIEF, "dim")
