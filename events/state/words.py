"""The messages of the moderator."""

from typing import Final

from msgspec import Struct

from events.record import Recorded
from events.state.transcript import Transcript
from events.types import ModeratorSpoke


class ModeratorMessage(Struct, frozen=True, kw_only=True, gc=False):
    """A message of the moderator.  ``after_turn`` is the newest turn that did not get it, 0 before the first."""

    text: str
    by: str
    after_turn: int


ModeratorMessages = dict[str, ModeratorMessage]
"""By position."""

INITIAL: ModeratorMessages = {}
MOVED_BY: Final = frozenset({ModeratorSpoke})


def apply(words: ModeratorMessages, transcript: Transcript, record: Recorded) -> ModeratorMessages:
    """The messages after ``record``; the same object if there is no new one."""
    event = record.event
    if not isinstance(event, ModeratorSpoke):
        return words
    return {
        **words,
        str(record.position): ModeratorMessage(text=event.text, by=event.by, after_turn=_after(transcript)),
    }


def _after(transcript: Transcript) -> int:
    """The newest turn that does not get the message: a failed turn is attempted again and gets it."""
    turns = transcript.turns.values()
    return max((turn.number for turn in turns if turn.state != "failed"), default=0)
