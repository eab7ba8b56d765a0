"""What people who watch say of a debate: whom they would have win, and how far each turn has moved them.

Both are the director's until the debate has concluded.  ``voter`` is a pseudonym that is another in every debate; of
several events of one voter the last counts.
"""

from typing import ClassVar

from events.types.base import ALL_PRIVATE, Base, Winner


class AudienceVoted(Base, frozen=True, kw_only=True, tag="audience_voted"):
    """Somebody said who should win, before the judge had."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    winner: Winner


class BeliefStated(Base, frozen=True, kw_only=True, tag="belief_stated"):
    """Somebody said after a turn what to think of the motion: ``belief`` 0 is wholly con, 100 wholly pro."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    turn: int
    belief: float
