"""The decision briefing: what a person who must decide may take from a debate.  Source: seed 002, reading results."""

from typing import TYPE_CHECKING

from events.types import Briefing, DebateOpened

if TYPE_CHECKING:
    from events.projections.protocol import Protocol


def briefing(protocol: "Protocol", opened: DebateOpened | None) -> Briefing:
    """What the trace and the assessment come to."""
    raise NotImplementedError  # the briefing is written with the protocol
