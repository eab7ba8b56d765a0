"""Acts of people: they pause, resume and halt a debate, speak as its moderator, vote, and state beliefs.

Votes and beliefs are private until the debate has concluded.  ``voter`` is a pseudonym, a different one in each
debate; only the last vote of a voter counts, and the last belief of a voter after each turn.
"""

from typing import ClassVar, Literal

from msgspec import UNSET, UnsetType

from events.types.base import ALL_PRIVATE, DerivedEvent, Event, Winner

DebateState = Literal["open", "paused", "halted", "concluded"]
"""``open``: it runs, or may run as soon as a server takes it up."""


class DebatePaused(Event, frozen=True, kw_only=True, tag="debate_paused"):
    """No further step is taken until somebody resumes."""

    reason: str
    by: str


class DebateResumed(Event, frozen=True, kw_only=True, tag="debate_resumed"):
    """A paused or halted debate goes on; ``max_cost_usd`` is its new cap, where one was given."""

    reason: str
    by: str
    max_cost_usd: float | UnsetType = UNSET


class DebateHalted(Event, frozen=True, kw_only=True, tag="debate_halted"):
    """It cannot go on as it is; the reason says what to do.  A halt can be resumed."""

    reason: str
    by: str


class ModeratorSpoke(Event, frozen=True, kw_only=True, tag="moderator_spoke"):
    """The moderator said something to both debaters; it stands in the next prompts of both."""

    text: str
    by: str


class AudienceVoted(Event, frozen=True, kw_only=True, tag="audience_voted"):
    """Somebody said who should win, before the judge had."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    winner: Winner


class BeliefStated(Event, frozen=True, kw_only=True, tag="belief_stated"):
    """Somebody said after a turn what to think of the motion: ``belief`` 0 is wholly con, 100 wholly pro."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    turn: int
    belief: float


class DebateConcluded(DerivedEvent, frozen=True, kw_only=True, tag="debate_concluded"):
    """The last word.  ``by_rule`` names the verdict that decides."""

    winner: Winner
    by_rule: str
