"""What people, and the rules, do to a debate's course."""

from msgspec import UNSET, UnsetType

from events.types.base import Base, Winner


class DebatePaused(Base, frozen=True, kw_only=True, tag="debate_paused"):
    """No further step is taken until somebody resumes."""

    reason: str
    by: str


class DebateResumed(Base, frozen=True, kw_only=True, tag="debate_resumed"):
    """A paused or halted debate goes on; ``max_cost_usd`` is its new cap, where one was given."""

    reason: str
    by: str
    max_cost_usd: float | UnsetType = UNSET


class DebateHalted(Base, frozen=True, kw_only=True, tag="debate_halted"):
    """It cannot go on as it is; the reason says what to do.  A halt can be resumed."""

    reason: str
    by: str


class ModeratorSpoke(Base, frozen=True, kw_only=True, tag="moderator_spoke"):
    """The moderator said something to both debaters; it stands in the next prompts of both."""

    text: str
    by: str


class DebateConcluded(Base, frozen=True, kw_only=True, tag="debate_concluded"):
    """The last word.  ``by_rule`` names the verdict that decides."""

    winner: Winner
    by_rule: str
