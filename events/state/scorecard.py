"""The scorecard: mean effective scores of both sides."""

import math
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.exchanges import Exchanges
from events.state.exchanges import rounds as count_rounds
from events.state.ledger import Ledger, TurnCard
from events.types import JudgeNoise, Missing, Rounds, Side, Winner, missing
from events.types.rubric import Rubric

NOT_JUDGED = missing("no judged turn yet")


class SideCard(Struct, frozen=True, kw_only=True, gc=False):
    """Mean effective values of a side's judged turns, rounded to two decimals."""

    logic: float | Missing = NOT_JUDGED
    rhetoric: float | Missing = NOT_JUDGED
    tactics: float | Missing = NOT_JUDGED
    frame_control: float | Missing = NOT_JUDGED
    credibility: float | Missing = NOT_JUDGED
    composite: float | Missing = NOT_JUDGED
    judged_turns: int = 0


class Scorecard(Struct, frozen=True, kw_only=True, gc=False):
    """Both sides.  ``leader`` is ``neither`` within the rubric's tie margin, or while a side has no judged turn."""

    pro: SideCard = SideCard()
    con: SideCard = SideCard()
    leader: Winner = "neither"
    rounds: Rounds = Rounds()
    noise: float | UnsetType = UNSET
    """Points within which 95 % of the judge's readings of this lead lie, where a lab run has measured that."""


_SHOWN: Final = frozenset(SideCard.__struct_fields__) - {"composite", "judged_turns"}
_MILLION: Final = 1_000_000

NORMAL_95: Final = 1.96
"""The part of a normal distribution within this many standard deviations is 95 %."""

Sum = tuple[int, int]
"""(turns, millionths of a point).  Whole numbers are exact in any order of addition."""


class SideSums(Struct, frozen=True, kw_only=True, gc=False):
    """Sums over a side's judged turns.  A turn without a score does not count."""

    composite: Sum = (0, 0)
    dimensions: dict[str, Sum] = {}

    def plus(self, card: TurnCard, composite: tuple[str, ...], sign: int) -> "SideSums":
        """The sums with a turn's scores added (``sign`` 1) or subtracted (−1)."""
        each = {
            name: added(self.dimensions.get(name, (0, 0)), balance.effective, sign)
            for name, balance in card.balances.items()
        }
        whole = card.composite(composite)
        return SideSums(
            composite=self.composite if whole is None else added(self.composite, whole, sign),
            dimensions={**self.dimensions, **each},
        )


class ScorecardSums(Struct, frozen=True, kw_only=True, gc=False):
    """The sums of both sides.  A fold keeps them, so the cost of an event does not grow with the debate."""

    pro: SideSums = SideSums()
    con: SideSums = SideSums()

    def moved(self, before: TurnCard | None, after: TurnCard | None, composite: tuple[str, ...]) -> "ScorecardSums":
        """The sums with ``after`` in place of ``before``."""
        sums: dict[Side, SideSums] = {"pro": self.pro, "con": self.con}
        for card, sign in ((before, -1), (after, 1)):
            if card is not None and card.missing is None:
                sums[card.side] = sums[card.side].plus(card, composite, sign)
        return ScorecardSums(**sums)


def scorecard(ledger: Ledger, exchanges: Exchanges, noise: JudgeNoise | UnsetType = UNSET) -> Scorecard:
    """The scorecard of a ledger.  ``noise`` is that of one turn, as the opening of the debate has it."""
    sums = ScorecardSums()
    for card in ledger.cards.values():
        sums = sums.moved(None, card, ledger.dimensions)
    return read_off(sums, ledger.rubric, count_rounds(exchanges, ledger.sides), noise)


def read_off(
    sums: ScorecardSums, rubric: Rubric | None, rounds: Rounds, noise: JudgeNoise | UnsetType = UNSET
) -> Scorecard:
    """The scorecard from sums and exchanges won."""
    pro, con = _side(sums.pro), _side(sums.con)
    leader: Winner = "neither"
    of_lead: float | UnsetType = UNSET
    if noise is not UNSET and pro.judged_turns and con.judged_turns:
        of_lead = noise_of_lead(noise.sd, pro.judged_turns, con.judged_turns)
    if isinstance(pro.composite, float) and isinstance(con.composite, float) and rubric:
        leader = leader_of(pro.composite, con.composite, rubric)
    return Scorecard(pro=pro, con=con, leader=leader, rounds=rounds, noise=of_lead)


def leader_of(pro: float, con: float, rubric: Rubric) -> Winner:
    """The side whose mean composite, rounded to two decimals, is ahead by more than the tie margin."""
    ahead = round(round(pro, 2) - round(con, 2), 2)
    if abs(ahead) <= rubric.tie_within:
        return "neither"
    return "pro" if ahead > 0 else "con"


def noise_of_lead(sd: float, pro: int, con: int) -> float:
    """Points of a lead within which 95 % of a judge's readings lie.

    ``sd``: how much one turn's composite varies when it is asked again.  A lead is the difference of two means, over
    ``pro`` and ``con`` turns, whose variations are taken as independent.
    """
    return round(NORMAL_95 * sd * math.sqrt(1 / pro + 1 / con), 2)


def _side(sums: SideSums) -> SideCard:
    if not sums.composite[0]:
        return SideCard()
    means = {name: mean_of(sum_) for name, sum_ in sums.dimensions.items() if sum_[0] and name in _SHOWN}
    return SideCard(**means, composite=mean_of(sums.composite), judged_turns=sums.composite[0])


def added(sum_: Sum, points: float, sign: int) -> Sum:
    """A sum with the points of a turn added (``sign`` 1) or subtracted (−1)."""
    return sum_[0] + sign, sum_[1] + sign * round(points * _MILLION)


def mean_of(sum_: Sum) -> float:
    """The mean of at least one turn, rounded to two decimals."""
    turns, millionths = sum_
    return round(millionths / (turns * _MILLION), 2)
