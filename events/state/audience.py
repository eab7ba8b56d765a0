"""Votes and beliefs of the audience.

Only the last vote of a voter counts, and the last belief of a voter after each turn.  Voters are kept in buckets by the
first characters of their pseudonyms: a vote among a hundred thousand copies a few hundred references, not all of them.
"""

from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from events.record import Recorded
from events.types import AudienceVoted, BeliefStated, DebateConcluded, Winner

MOVED_BY: Final = frozenset({AudienceVoted, BeliefStated, DebateConcluded})

T = TypeVar("T")
ByVoter = dict[str, dict[str, T]]
"""The last vote or belief of each voter, by bucket."""

BUCKET: Final = 2
"""Characters of a pseudonym that name its bucket: 256 of them."""
THOUSANDTHS: Final = 1000
"""Beliefs are added up in whole thousandths, so a mean does not depend on their order."""


class Beliefs(Struct, frozen=True, kw_only=True, gc=False):
    """Beliefs after one turn: their sum in thousandths, their number, and the belief of each voter."""

    total: int = 0
    count: int = 0
    said: ByVoter[float] = {}


class Audience(Struct, frozen=True, kw_only=True, gc=False):
    """All votes and beliefs.  ``recorded`` counts events, replaced ones included."""

    votes: dict[Winner, int] = {}
    said: ByVoter[Winner] = {}
    beliefs: dict[int, Beliefs] = {}
    recorded: int = 0
    verdict: DebateConcluded | None = None


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
        case _:
            return audience


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
