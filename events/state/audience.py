"""Votes and beliefs of the audience, and the two votes of a poll.

Only the last vote of a voter counts, and the last belief of a voter after each turn.  Voters are kept in buckets by the
first characters of their pseudonyms: a vote among a hundred thousand copies a few hundred references, not all of them.
"""

from datetime import datetime, timedelta
from typing import Final, TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    STANCES,
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


def apply(audience: Audience, record: Recorded) -> Audience:
    """The audience after ``record``; the same object if nothing changed."""
    event = record.event
    match event:
        case AudienceVoted(voter=voter, winner=winner):
            before = last_of(audience.said, voter)
            votes = {**audience.votes, winner: audience.votes.get(winner, 0) + 1}
            if before is not None:
                votes[before] -= 1
            said = _with(audience.said, voter, winner)
            return replace(audience, votes=votes, said=said, recorded=audience.recorded + 1)
        case BeliefStated(voter=voter, turn=turn, belief=belief):
            of_turn = _believing(audience.beliefs.get(turn, Beliefs()), voter, belief)
            return replace(audience, beliefs={**audience.beliefs, turn: of_turn}, recorded=audience.recorded + 1)
        case DebateConcluded() if audience.recorded:
            return replace(audience, verdict=event)
        case PollOpened(when=when, closes_after_s=seconds):
            closes_at = "" if seconds is UNSET else _after(record.at, seconds)
            return _polled(audience, when, replace(audience.poll.vote(when), opened_at=record.at, closes_at=closes_at))
        case StanceStated(when=when, voter=voter, stance=stance):
            vote = audience.poll.vote(when)
            cast = vote.cast + (last_of(vote.said, voter) is None)
            vote = replace(vote, cast=cast, said=_with(vote.said, voter, stance))
            return replace(_polled(audience, when, vote), recorded=audience.recorded + 1)
        case PollClosed(when=when, counts=counts):
            closed = _polled(audience, when, replace(audience.poll.vote(when), closed=record.position))
            return closed if counts is UNSET else replace(closed, poll=replace(closed.poll, counts=counts))
        case _:
            return audience


def _polled(audience: Audience, when: PollRound, vote: PollVote) -> Audience:
    poll = replace(audience.poll, before=vote) if when == "before" else replace(audience.poll, after=vote)
    return replace(audience, poll=poll)


def _after(at: str, seconds: float) -> str:
    return (datetime.fromisoformat(at) + timedelta(seconds=seconds)).strftime(TIME_FORMAT)


def count_poll(audience: Audience) -> PollCounts:
    """The last votes of all voters, counted."""
    before, after = audience.poll.before.said, audience.poll.after.said
    moved: dict[Stance, dict[Stance, int]] = {was: dict.fromkeys(STANCES, 0) for was in STANCES}
    joined: dict[Stance, int] = dict.fromkeys(STANCES, 0)
    left: dict[Stance, int] = dict.fromkeys(STANCES, 0)
    for voters in after.values():
        for voter, stance in voters.items():
            if (was := last_of(before, voter)) is None:
                joined[stance] += 1
            else:
                moved[was][stance] += 1
    for voters in before.values():
        for voter, stance in voters.items():
            left[stance] += last_of(after, voter) is None
    return PollCounts(moved=moved, joined=joined, left=left)


def _believing(beliefs: Beliefs, voter: str, belief: float) -> Beliefs:
    before = last_of(beliefs.said, voter)
    total = beliefs.total + round(belief * THOUSANDTHS)
    said = _with(beliefs.said, voter, belief)
    if before is None:
        return Beliefs(total=total, count=beliefs.count + 1, said=said)
    return Beliefs(total=total - round(before * THOUSANDTHS), count=beliefs.count, said=said)


def last_of(said: ByVoter[T], voter: str) -> T | None:
    """The voter's last vote or belief."""
    return said.get(voter[:BUCKET], {}).get(voter)


def _with(said: ByVoter[T], voter: str, value: T) -> ByVoter[T]:
    bucket = voter[:BUCKET]
    return {**said, bucket: {**said.get(bucket, {}), voter: value}}
