"""How votes, beliefs and the votes of a poll change the audience."""

from datetime import datetime, timedelta

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.parts.audience import (
    BUCKET,
    THOUSANDTHS,
    TIME_FORMAT,
    Audience,
    Beliefs,
    ByVoter,
    PollVote,
    T,
    last_of,
)
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
)


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


def _with(said: ByVoter[T], voter: str, value: T) -> ByVoter[T]:
    bucket = voter[:BUCKET]
    return {**said, bucket: {**said.get(bucket, {}), voter: value}}
