"""The scorecard: the points of both sides, and how sure the lead is."""

import math
from collections.abc import Container
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.certainty import LeadBasis, certainty_of, weight_of
from events.state.exchanges import Exchanges
from events.state.exchanges import rounds as count_rounds
from events.state.ledger import Ledger, TurnCard
from events.types import JudgeNoise, Missing, Rounds, Side, Winner, missing
from events.types.rubric import Rubric, composite_dimensions, is_unscaled

NOT_JUDGED = missing("no judged turn yet")


class SideCard(Struct, frozen=True, kw_only=True, gc=False):
    """The points of a side, rounded to two decimals: by the rubric means over its judged turns, or over components."""

    logic: float | Missing = NOT_JUDGED
    rhetoric: float | Missing = NOT_JUDGED
    tactics: float | Missing = NOT_JUDGED
    frame_control: float | Missing = NOT_JUDGED
    credibility: float | Missing = NOT_JUDGED
    composite: float | Missing = NOT_JUDGED
    judged_turns: int = 0
    maximum: int | UnsetType = UNSET
    """Of the composite, while it is less than the rubric's: what one side has in no turn counts for neither."""


class Scorecard(Struct, frozen=True, kw_only=True, gc=False):
    """Both sides.  ``leader`` is ``neither`` within the rubric's tie margin, or while a side has no judged turn."""

    pro: SideCard = SideCard()
    con: SideCard = SideCard()
    leader: Winner = "neither"
    rounds: Rounds = Rounds()
    noise: float | UnsetType = UNSET
    """Points within which 95 % of the judge's readings of this lead lie, where a lab run has measured that."""
    certainty: float | UnsetType = UNSET
    """How probable it is that the leader was ahead, where the rubric says how sure a verdict must be."""
    error: float | UnsetType = UNSET
    """Standard error of the lead, in points."""
    pairs: int | UnsetType = UNSET
    """Compared turns on which the error rests."""


_SHOWN: Final = frozenset(SideCard.__struct_fields__) - {"composite", "judged_turns", "maximum"}
_MILLION: Final = 1_000_000

OF_SCALED: Final = 100
"""The most that a turn can have where the rubric scales."""
NORMAL_95: Final = 1.96
"""The part of a normal distribution within this many standard deviations is 95 %."""

Sum = tuple[int, int]
"""(turns, millionths of a point).  Whole numbers are exact in any order of addition."""
NOTHING: Final[Sum] = (0, 0)


class SideSums(Struct, frozen=True, kw_only=True, gc=False):
    """Sums over a side's judged turns.  A turn without a score does not count.

    Where nothing is scaled, ``dimensions`` hold what was added to the components, which have sums of their own.
    """

    composite: Sum = NOTHING
    dimensions: dict[str, Sum] = {}
    components: dict[str, Sum] = {}
    scored: int = 0
    """Turns whose whole composite the judge gave."""

    def plus(self, card: TurnCard, ledger: Ledger, sign: int, kept: Container[str] = ()) -> "SideSums":
        """The sums with a turn's scores added (``sign`` 1) or subtracted (−1), without the dimensions ``kept``."""
        dimensions, components = dict(self.dimensions), dict(self.components)
        for name, balance in card.balances.items():
            if name in kept:
                continue
            changes = balance.effective
            if not balance.is_bounded and ledger.rubric is not None:
                parts = [each for each in ledger.rubric.dimensions[name].components if each in card.components]
                changes -= math.fsum(card.components[each].admitted for each in parts)
                for part in parts:
                    components[part] = added(components.get(part, NOTHING), card.components[part].admitted, sign)
            dimensions[name] = added(dimensions.get(name, NOTHING), changes, sign)
        whole = card.composite(ledger.dimensions)
        is_own = whole is not None and not card.inferred
        return SideSums(
            composite=self.composite if whole is None else added(self.composite, whole, sign),
            dimensions=dimensions,
            components=components,
            scored=self.scored + sign * is_own,
        )


class ScorecardSums(Struct, frozen=True, kw_only=True, gc=False):
    """The sums of both sides.  A fold keeps them, so the cost of an event does not grow with the debate."""

    pro: SideSums = SideSums()
    con: SideSums = SideSums()

    def moved(self, before: TurnCard | None, after: TurnCard | None, ledger: Ledger) -> "ScorecardSums":
        """The sums with ``after`` in place of ``before``."""
        sums: dict[Side, SideSums] = {"pro": self.pro, "con": self.con}
        kept = set[str]()
        if before and after and before.components is after.components and before.missing is after.missing:
            known = before.balances  # most events change one dimension
            kept = {n for n, each in after.balances.items() if n in known and known[n].effective == each.effective}
        for card, sign in ((before, -1), (after, 1)):
            if card is not None and card.missing is None:
                sums[card.side] = sums[card.side].plus(card, ledger, sign, kept)
        return ScorecardSums(**sums)

    def cards(self, rubric: Rubric | None) -> tuple[SideCard, SideCard]:
        """The points of Pro and of Con."""
        if rubric is None or not is_unscaled(rubric):
            return _means(self.pro), _means(self.con)
        return _points(self.pro, self.con, rubric), _points(self.con, self.pro, rubric)

    def exact(self, rubric: Rubric | None) -> tuple[float | None, float | None]:
        """The points of Pro and of Con, means unrounded; None for a side without a judged turn."""
        if rubric is not None and is_unscaled(rubric):
            pro, con = (each.composite for each in self.cards(rubric))
            return None if isinstance(pro, Missing) else pro, None if isinstance(con, Missing) else con
        first, second = (_mean(each.composite) if each.composite[0] else None for each in (self.pro, self.con))
        return first, second

    def lead(self, rubric: Rubric | None) -> float | UnsetType:
        """Points of Pro less those of Con; unset while a side has none."""
        return lead_of(*self.cards(rubric))


def lead_of(pro: SideCard, con: SideCard) -> float | UnsetType:
    """Points of Pro less those of Con; unset while a side has none."""
    if isinstance(pro.composite, Missing) or isinstance(con.composite, Missing):
        return UNSET
    return round(pro.composite - con.composite, 2)


def sums_of(ledger: Ledger) -> ScorecardSums:
    """The sums of a ledger."""
    sums = ScorecardSums()
    for card in ledger.cards.values():
        sums = sums.moved(None, card, ledger)
    return sums


def most_of(ledger: Ledger) -> int:
    """The most points that a side can have, of what counts for both sides."""
    rubric = ledger.rubric
    if rubric is None or not is_unscaled(rubric):
        return OF_SCALED
    card, _ = sums_of(ledger).cards(rubric)
    return card.maximum or sum(rubric.dimensions[name].maximum for name in ledger.dimensions)


def scorecard(ledger: Ledger, exchanges: Exchanges, noise: JudgeNoise | UnsetType = UNSET) -> Scorecard:
    """The scorecard of a ledger.  ``noise`` is that of one turn, as the opening of the debate has it."""
    return read_off(sums_of(ledger), ledger, exchanges, count_rounds(exchanges, ledger.sides), noise)


def read_off(
    sums: ScorecardSums, ledger: Ledger, exchanges: Exchanges, rounds: Rounds, noise: JudgeNoise | UnsetType = UNSET
) -> Scorecard:
    """The scorecard from sums, the residuals of the comparisons, and exchanges won."""
    pro, con = sums.cards(ledger.rubric)
    card = Scorecard(pro=pro, con=con, rounds=rounds)
    if isinstance(pro.composite, float) and isinstance(con.composite, float) and ledger.rubric:
        card = replace(card, leader=leader_of(pro.composite, con.composite, ledger.rubric))
        if ledger.certainty is not None and sums.pro.scored and sums.con.scored:
            lead = round(pro.composite - con.composite, 2)
            found = certainty_of(lead, basis_of(ledger, exchanges, sums), ledger.certainty)
            return replace(card, certainty=round(found.probability, 4), error=round(found.error, 2), pairs=found.pairs)
    if noise is not UNSET and ledger.certainty is None and pro.judged_turns and con.judged_turns:
        return replace(card, noise=noise_of_lead(noise.sd, pro.judged_turns, con.judged_turns))
    return card


def basis_of(ledger: Ledger, exchanges: Exchanges, known: ScorecardSums | None = None) -> LeadBasis:
    """What the error of the lead rests on.  ``known``: the sums of the ledger, if they are."""
    sums = sums_of(ledger) if known is None else known
    maxima = {
        name: each.maximum
        for dimension in ledger.dimensions
        for name, each in (ledger.rubric.dimensions[dimension].components if ledger.rubric else {}).items()
    }
    both = {
        name: (sums.pro.components.get(name, NOTHING)[0], sums.con.components.get(name, NOTHING)[0]) for name in maxima
    }
    counted = [name for name, turns in both.items() if all(turns)]
    whole = sum(maxima[name] for name in counted)
    return LeadBasis(
        residuals=tuple(exchanges.residuals.values()),
        turns=len(ledger.cards),
        paired=len(exchanges.used),
        weight=weight_of((maxima[name] / whole, *both[name]) for name in counted),
    )


def leader_of(pro: float, con: float, rubric: Rubric) -> Winner:
    """The side whose points, rounded to two decimals, are ahead by more than the tie margin."""
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


def _means(sums: SideSums) -> SideCard:
    """The means over a side's turns."""
    if not sums.composite[0]:
        return SideCard()
    means: dict[str, Any] = {
        name: mean_of(each) for name, each in sums.dimensions.items() if each[0] and name in _SHOWN
    }
    return SideCard(**means, composite=mean_of(sums.composite), judged_turns=sums.composite[0])


def _points(own: SideSums, other: SideSums, rubric: Rubric) -> SideCard:
    """The sums over components of their means over the turns in which they apply, and what changed the scores.

    A component of the composite that one side has in no turn counts for neither, once both sides have a turn.
    """
    if not own.composite[0]:
        return SideCard()
    values: dict[str, float] = {}
    whole, counted = 0, 0
    for name, dimension in rubric.dimensions.items():
        changes = own.dimensions.get(name, NOTHING)
        if not changes[0]:
            continue
        is_both = dimension.in_composite and other.composite[0]
        means: list[float] = []
        for part, component in dimension.components.items():
            turns, millionths = own.components.get(part, NOTHING)
            if turns and not (is_both and not other.components.get(part, NOTHING)[0]):
                means.append(millionths / (turns * _MILLION))
                counted += component.maximum if dimension.in_composite else 0
        values[name] = math.fsum(means) + _mean(changes)
        whole += dimension.maximum if dimension.in_composite else 0
    counting = composite_dimensions(rubric)
    if not all(name in values for name in counting):
        return SideCard()
    shown: dict[str, Any] = {name: round(value, 2) for name, value in values.items() if name in _SHOWN}
    return SideCard(
        **shown,
        composite=round(math.fsum(values[name] for name in counting), 2),
        judged_turns=own.composite[0],
        maximum=UNSET if counted == whole else counted,
    )


def added(sum_: Sum, points: float, sign: int) -> Sum:
    """A sum with the points of a turn added (``sign`` 1) or subtracted (−1)."""
    return sum_[0] + sign, sum_[1] + sign * round(points * _MILLION)


def mean_of(sum_: Sum) -> float:
    """The mean of at least one turn, rounded to two decimals."""
    return round(_mean(sum_), 2)


def _mean(sum_: Sum) -> float:
    turns, millionths = sum_
    return millionths / (turns * _MILLION)
