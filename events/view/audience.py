"""The audience as it is shown: votes, mean beliefs by turn, and in the end how far they agree with the judge."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.audience import THOUSANDTHS, Audience, last_of
from events.state.exchanges import Exchanges
from events.types import DebateConcluded, Missing, Side, Winner, missing

NO_MOVES: Final = "nobody stated a belief after both turns of an exchange that somebody won"


class Votes(Struct, frozen=True, kw_only=True, gc=False):
    """Voters by whom they would have win; ``cast`` is their sum."""

    pro: int = 0
    con: int = 0
    neither: int = 0
    cast: int = 0


class MeanBelief(Struct, frozen=True, kw_only=True, gc=False):
    """Beliefs after one turn, 0 wholly con to 100 wholly pro."""

    mean: float
    count: int


class BeliefShift(Struct, frozen=True, kw_only=True, gc=False):
    """What an exchange did to those who stated a belief after both of its turns."""

    winner: Side
    """Who won the exchange."""
    moved: float
    """Mean change of belief; above 0 towards pro."""
    voters: int
    agrees: bool
    """Whether it went towards the winner."""


class Agreement(Struct, frozen=True, kw_only=True, gc=False):
    """The audience beside the judge."""

    winner: Winner
    """Whom the debate's verdict names."""
    votes: float | Missing
    """Share of the votes for that winner, 0–1."""
    turns: dict[str, BeliefShift] = {}
    """By the later turn of each exchange that somebody won and that two beliefs of one voter frame."""
    moved: int = 0
    """How many of them went towards the winner."""
    share: float | Missing
    """``moved`` of all exchanges in ``turns``, 0–1."""


class AudienceView(Struct, frozen=True, kw_only=True, gc=False):
    """What is shown, to the director at any time and to everybody once the debate has concluded."""

    votes: Votes
    beliefs: dict[str, MeanBelief]
    agreement: Agreement | UnsetType = UNSET
    """Once the debate has concluded."""


def audience_view(audience: Audience, exchanges: Exchanges, sides: dict[int, Side]) -> AudienceView | UnsetType:
    """What is shown of it; nothing where nobody has said anything.  ``sides``: by turn."""
    if not audience.recorded:
        return UNSET
    counted = {winner: audience.votes.get(winner, 0) for winner in ("pro", "con", "neither")}
    beliefs = {
        str(turn): MeanBelief(mean=round(each.total / each.count / THOUSANDTHS, 2), count=each.count)
        for turn, each in sorted(audience.beliefs.items())
    }
    return AudienceView(
        votes=Votes(**counted, cast=sum(counted.values())),
        beliefs=beliefs,
        agreement=UNSET if audience.verdict is None else _agreement(audience, exchanges, sides, audience.verdict),
    )


def _agreement(
    audience: Audience, exchanges: Exchanges, sides: dict[int, Side], concluded: DebateConcluded
) -> Agreement:
    moves = dict(_moves(audience, exchanges, sides))
    agreed = sum(each.agrees for each in moves.values())
    cast = sum(audience.votes.values())
    share: float | Missing = missing("nobody voted")
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
    """Only those who spoke after both turns are compared: otherwise who answers would move the mean."""
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
