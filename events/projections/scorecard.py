"""Means of the effective scores, side by side."""

from msgspec import Struct

from events.projections.exchanges import Exchanges, rounds
from events.projections.ledger import Ledger
from events.types import SIDES, Missing, Rounds, Side, Winner, missing

NOT_JUDGED = missing("no judged turn yet")


class SideCard(Struct, frozen=True, kw_only=True):
    """Mean effective values of a side's judged turns, rounded to two decimals."""

    logic: float | Missing = NOT_JUDGED
    rhetoric: float | Missing = NOT_JUDGED
    tactics: float | Missing = NOT_JUDGED
    frame_control: float | Missing = NOT_JUDGED
    credibility: float | Missing = NOT_JUDGED
    composite: float | Missing = NOT_JUDGED
    judged_turns: int = 0


class Scorecard(Struct, frozen=True, kw_only=True):
    """Both sides.  ``leader`` is ``neither`` within the rubric's tie margin or while a side has no judged turn."""

    pro: SideCard = SideCard()
    con: SideCard = SideCard()
    leader: Winner = "neither"
    rounds: Rounds = Rounds()


def scorecard(ledger: Ledger, exchanges: Exchanges) -> Scorecard:
    """The card that the ledger adds up to.  A turn without a score counts for nobody."""
    sides = {side: _side(ledger, side) for side in SIDES}
    pro, con = sides["pro"].composite, sides["con"].composite
    leader: Winner = "neither"
    if not isinstance(pro, Missing) and not isinstance(con, Missing) and ledger.rubric:
        if pro - con > ledger.rubric.tie_within:
            leader = "pro"
        elif con - pro > ledger.rubric.tie_within:
            leader = "con"
    return Scorecard(pro=sides["pro"], con=sides["con"], leader=leader, rounds=rounds(exchanges, ledger.sides))


def _side(ledger: Ledger, side: Side) -> SideCard:
    cards = [card for card in ledger.cards.values() if card.side == side and card.missing is None]
    if not cards:
        return SideCard()
    means: dict[str, float] = {}
    for name in SideCard.__struct_fields__:
        values = [card.balances[name].effective for card in cards if name in card.balances]
        if values:
            means[name] = round(sum(values) / len(values), 2)
    composites = [card.composite(ledger.dimensions) for card in cards]
    means["composite"] = round(sum(composites) / len(composites), 2)
    return SideCard(**means, judged_turns=len(cards))
