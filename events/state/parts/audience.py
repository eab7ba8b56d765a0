"""Votes and beliefs of the audience, and the two votes of a poll.

Only the last vote of a voter counts, and the last belief of a voter after each turn.  Voters are kept in buckets by the
first characters of their pseudonyms: a vote among a hundred thousand copies a few hundred references, not all of them.
"""

from typing import Final, TypeVar

from msgspec import Struct

from events.types import (
    AudienceVoted,
    BeliefStated,
    DebateConcluded,
    PollClosed,
    PollCounts,
    PollOpened,
    PollRound,
    Stance,
    StanceStated,
    Winner,
)

MOVED_BY: Final = frozenset({AudienceVoted, BeliefStated, DebateConcluded, PollOpened, PollClosed, StanceStated})

T = TypeVar("T")
ByVoter = dict[str, dict[str, T]]
"""The last vote or belief of each voter, by bucket."""

BUCKET: Final = 2
"""Characters of a pseudonym that name its bucket: 256 of them."""
TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
THOUSANDTHS: Final = 1000
"""Beliefs are added up in whole thousandths, so a mean does not depend on their order."""


class Beliefs(Struct, frozen=True, kw_only=True, gc=False):
    """Beliefs after one turn: their sum in thousandths, their number, and the belief of each voter."""

    total: int = 0
    count: int = 0
    said: ByVoter[float] = {}


class PollVote(Struct, frozen=True, kw_only=True, gc=False):
    """One of the two votes of a poll."""

    opened_at: str = ""
    """Empty before it opens."""
    closes_at: str = ""
    """When it closes at the latest; empty if only an operator closes it."""
    closed: int = 0
    """Position of its end; 0 before."""
    cast: int = 0
    """Number of voters."""
    said: ByVoter[Stance] = {}

    @property
    def is_open(self) -> bool:
        """Whether it takes votes."""
        return bool(self.opened_at) and not self.closed


class PollState(Struct, frozen=True, kw_only=True, gc=False):
    """Both votes of a poll."""

    before: PollVote = PollVote()
    after: PollVote = PollVote()
    counts: PollCounts | None = None
    """Once the second vote has closed."""

    def vote(self, when: PollRound) -> PollVote:
        """One of the votes."""
        return self.before if when == "before" else self.after

    @property
    def open_round(self) -> PollRound | None:
        """The vote that is open now."""
        return "before" if self.before.is_open else "after" if self.after.is_open else None


class Audience(Struct, frozen=True, kw_only=True, gc=False):
    """All votes and beliefs.  ``recorded`` counts events, replaced ones included."""

    votes: dict[Winner, int] = {}
    said: ByVoter[Winner] = {}
    beliefs: dict[int, Beliefs] = {}
    recorded: int = 0
    verdict: DebateConcluded | None = None
    poll: PollState = PollState()


INITIAL = Audience()


def last_of(said: ByVoter[T], voter: str) -> T | None:
    """The voter's last vote or belief."""
    return said.get(voter[:BUCKET], {}).get(voter)
