"""The audience as it is shown: votes, mean beliefs by turn, and at the end their agreement with the judge."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.exchanges import Exchanges
from events.state.parts.audience import THOUSANDTHS, Audience, last_of
from events.types import DebateConcluded, Missing, Side, Winner, missing

NO_MOVES: Final = "no voter stated a belief after both turns of an exchange with a winner"


class Votes(Struct, frozen=True, kw_only=True, gc=False):
    """Votes for each winner; ``cast`` is their sum."""

    pro: int = 0
    con: int = 0
    neither: int = 0
    cast: int = 0


class MeanBelief(Struct, frozen=True, kw_only=True, gc=False):
    """The mean belief after a turn, 0 (wholly con) to 100 (wholly pro)."""

    mean: float
    count: int


class BeliefShift(Struct, frozen=True, kw_only=True, gc=False):
    """How an exchange changed the beliefs of voters that stated one after both of its turns."""

    winner: Side
    """The side that won the exchange."""
    moved: float
    """Mean change of belief; above 0 towards pro."""
    voters: int
    agrees: bool
    """Whether the change goes towards the winner."""


class Agreement(Struct, frozen=True, kw_only=True, gc=False):
    """Agreement of the audience with the judge."""

    winner: Winner
    """The winner by the debate's verdict."""
    votes: float | Missing
    """Share of the votes for that winner, 0–1."""
    turns: dict[str, BeliefShift] = {}
    """By the later turn of each exchange that has a winner and voters with beliefs after both turns."""
    moved: int = 0
    """How many of ``turns`` changed beliefs towards the winner."""
    share: float | Missing
    """``moved`` of all exchanges in ``turns``, 0–1."""


class AudienceView(Struct, frozen=True, kw_only=True, gc=False):
    """Shown to the director at any time, and to everyone once the debate has concluded."""

    votes: Votes
    shares: dict[Winner, float] | UnsetType = UNSET
    """Parts of the votes cast, 0–1; absent without one."""
    beliefs: dict[str, MeanBelief]
    agreement: Agreement | UnsetType = UNSET
    """Once the debate has concluded."""


def audience_view(audience: Audience, exchanges: Exchanges, sides: dict[int, Side]) -> AudienceView | UnsetType:
    """The view; absent without votes and beliefs, whatever was voted in a poll.  ``sides``: by turn."""
    if not audience.votes and not audience.beliefs:
        return UNSET
    counted: dict[Winner, int] = {winner: audience.votes.get(winner, 0) for winner in ("pro", "con", "neither")}
    beliefs = {
        str(turn): MeanBelief(mean=round(each.total / each.count / THOUSANDTHS, 2), count=each.count)
        for turn, each in sorted(audience.beliefs.items())
    }
    cast = sum(counted.values())
    shares = {winner: round(votes / cast, 4) for winner, votes in counted.items()} if cast else UNSET
    return AudienceView(
        votes=Votes(**counted, cast=cast),
        shares=shares,
        beliefs=beliefs,
        agreement=UNSET if audience.verdict is None else _agreement(audience, exchanges, sides, audience.verdict),
    )


def _agreement(
    audience: Audience, exchanges: Exchanges, sides: dict[int, Side], concluded: DebateConcluded
) -> Agreement:
    moves = dict(_moves(audience, exchanges, sides))
    agreed = sum(each.agrees for each in moves.values())
    cast = sum(audience.votes.values())
    share: float | Missing = missing("no votes were cast")
    if concluded.by_rule == "no_judgement":
        share = missing("the judge reached no verdict")
    elif cast:
        share = round(audience.votes.get(concluded.winner, 0) / cast, 4)
    return Agreement(
        winner=concluded.winner,
        votes=share,
        turns=moves,
        moved=agreed,
        share=round(agreed / len(moves), 4) if moves else missing(NO_MOVES),
    )


def _moves(audience: Audience, exchanges: Exchanges, sides: dict[int, Side]) -> Iterator[tuple[str, BeliefShift]]:
    """Only voters with beliefs after both turns count: otherwise the mean would depend on who answers."""
    for later, comparison in sorted(exchanges.comparisons.items()):
        outcome = comparison.winner()
        before, after = audience.beliefs.get(comparison.earlier), audience.beliefs.get(later)
        if outcome in {None, "draw"} or before is None or after is None:
            continue
        changes = [
            belief - was
            for voters in after.said.values()
            for voter, belief in voters.items()
            if (was := last_of(before.said, voter)) is not None
        ]
        if changes:
            side = sides[comparison.earlier if outcome == "earlier" else later]
            moved = round(sum(changes) / len(changes), 2)
            yield (
                str(later),
                BeliefShift(
                    winner=side, moved=moved, voters=len(changes), agrees=moved > 0 if side == "pro" else moved < 0
                ),
            )
