"""The poll as it is shown: how many voted, and once the debate has concluded, who moved.

A vote's *lead* is Pro's share of it minus Con's.  Pro wins the audience if its lead grew, Con if it fell.  The winner
is found twice: among those who voted twice, which names the winner, and among all voters of each vote.  Source:
docs/design.md, the poll.
"""

from math import sqrt
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.parts.audience import PollState, PollVote
from events.types import SIDES, STANCES, Missing, PollCounts, PollSetup, Side, Stance, Winner, missing

Z: Final = 1.959964
"""The 97.5 % quantile of the normal distribution."""
NOT_TWICE: Final = "no voter voted twice"
NOT_BOTH: Final = "one of the two votes had no voter"


class VoteView(Struct, frozen=True, kw_only=True, gc=False):
    """One of the two votes; ``cast`` is the number of voters so far."""

    state: str
    """``open`` or ``closed``."""
    cast: int
    opened_at: str
    closes_at: str | UnsetType = UNSET


class StanceShare(Struct, frozen=True, kw_only=True, gc=False):
    """Voters with one stance: their number, their share 0–1, and its 95 % interval (Wilson)."""

    count: int
    share: float
    low: float
    high: float


class LeadChange(Struct, frozen=True, kw_only=True, gc=False):
    """How the shares of both sides changed, and who won by that."""

    gains: dict[Side, float]
    """Share after minus share before, -1 to 1, to a tenth of a percentage point."""
    winner: Winner


class PollVoters(Struct, frozen=True, kw_only=True, gc=False):
    """Numbers of voters by the votes in which they took part."""

    twice: int
    """Who voted twice."""
    stayed: int
    """Who voted for the same twice."""
    joined: int
    """Who voted in the second vote only."""
    left: int
    """Who voted in the first vote only."""


class PollResult(Struct, frozen=True, kw_only=True, gc=False):
    """The result of both votes."""

    before: dict[Stance, StanceShare]
    """Of all first votes; empty if there are none."""
    after: dict[Stance, StanceShare]
    moved: dict[Stance, dict[Stance, int]]
    """Voters that voted twice, by their stance before and their stance after."""
    joined: dict[Stance, int]
    left: dict[Stance, int]
    voters: PollVoters
    twice: LeadChange | Missing
    """Among voters that voted twice; its winner is the audience's."""
    everyone: LeadChange | Missing
    """Among all voters of each vote."""


class PollView(Struct, frozen=True, kw_only=True, gc=False):
    """The poll of a debate.  The result is absent until the debate has concluded."""

    before: VoteView | UnsetType = UNSET
    """Absent until it has opened."""
    after: VoteView | UnsetType = UNSET
    result: PollResult | UnsetType = UNSET


def poll_view(setup: PollSetup | UnsetType, poll: PollState, *, has_ended: bool) -> PollView | UnsetType:
    """The view; absent without a poll."""
    if setup is UNSET:
        return UNSET
    counts = poll.counts if has_ended else None
    return PollView(
        before=_vote(poll.before), after=_vote(poll.after), result=UNSET if counts is None else result_of(counts)
    )


def _vote(vote: PollVote) -> VoteView | UnsetType:
    if not vote.opened_at:
        return UNSET
    return VoteView(
        state="open" if vote.is_open else "closed",
        cast=vote.cast,
        opened_at=vote.opened_at,
        closes_at=vote.closes_at or UNSET,
    )


def result_of(counts: PollCounts) -> PollResult:
    """Shares, gains and winners of the recorded counts."""
    before_twice = {was: sum(counts.moved[was].values()) for was in STANCES}
    after_twice = {now: sum(counts.moved[was][now] for was in STANCES) for now in STANCES}
    before = {each: before_twice[each] + counts.left[each] for each in STANCES}
    after = {each: after_twice[each] + counts.joined[each] for each in STANCES}
    return PollResult(
        before=_shares(before),
        after=_shares(after),
        moved=counts.moved,
        joined=counts.joined,
        left=counts.left,
        voters=PollVoters(
            twice=sum(before_twice.values()),
            stayed=sum(counts.moved[each][each] for each in STANCES),
            joined=sum(counts.joined.values()),
            left=sum(counts.left.values()),
        ),
        twice=_change(before_twice, after_twice, NOT_TWICE),
        everyone=_change(before, after, NOT_BOTH),
    )


def _shares(votes: dict[Stance, int]) -> dict[Stance, StanceShare]:
    cast = sum(votes.values())
    return {each: _share(count, cast) for each, count in votes.items()} if cast else {}


def _share(count: int, cast: int) -> StanceShare:
    """Wilson's score interval: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) ÷ (1 + z²/n)."""
    share, z2 = count / cast, Z * Z
    middle = share + z2 / (2 * cast)
    reach = Z * sqrt(share * (1 - share) / cast + z2 / (4 * cast * cast))
    whole = 1 + z2 / cast
    low = 0.0 if count == 0 else round((middle - reach) / whole, 4)
    high = 1.0 if count == cast else round((middle + reach) / whole, 4)
    return StanceShare(count=count, share=round(share, 4), low=low, high=high)


def _change(before: dict[Stance, int], after: dict[Stance, int], why_not: str) -> LeadChange | Missing:
    """The winner is decided on whole numbers, so that equal gains are a tie and no rounding decides."""
    was, now = sum(before.values()), sum(after.values())
    if not was or not now:
        return missing(why_not)
    change = (after["pro"] - after["con"]) * was - (before["pro"] - before["con"]) * now
    winner: Winner = "pro" if change > 0 else "con" if change < 0 else "neither"
    return LeadChange(gains={side: round(after[side] / now - before[side] / was, 3) for side in SIDES}, winner=winner)
