"""Weighted scores of the sides, and the items that the raters dispute, from the totals that decide."""

import statistics
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Final

from msgspec import UNSET, Struct

from events.types import SIDES, BothSides, Dispute, LeaveOneOut, Missing, Side, Winner, missing
from events.types.criteria import PanelRules
from judge.panel.truth import DIGITS

PAIR: Final = 2
"""Minimum number of ratings that can differ."""
Totals = Mapping[str, Mapping[str, float]]
"""By rater: its weighted score of each item that it scored on every dimension."""


class SideScores(Struct, frozen=True, kw_only=True):
    """Scores of the sides.  A side's score is the mean over its items of the raters' weighted mean."""

    sides: dict[Side, float | None]
    items: dict[str, float]

    @property
    def leaning(self) -> Winner:
        """The side with the higher score."""
        pro, con = self.sides["pro"], self.sides["con"]
        if pro is None or con is None or round(pro - con, DIGITS) == 0:
            return "neither"
        return "pro" if pro > con else "con"

    @property
    def gap(self) -> float | Missing:
        """|pro − con| ÷ (pro + con)."""
        pro, con = self.sides["pro"], self.sides["con"]
        if pro is None or con is None:
            return missing("a side has no score")
        if pro + con == 0:
            return missing("both sides stand at 0")
        return round(abs(pro - con) / (pro + con), DIGITS)

    @property
    def both(self) -> BothSides:
        """The scores in the form that an event stores."""
        scores = {
            side: missing(f"nobody whose scores count scored {side}") if score is None else round(score, 4)
            for side, score in self.sides.items()
        }
        return BothSides(pro=scores["pro"], con=scores["con"])


def counted_raters(totals: Totals, sides: Mapping[str, Side]) -> tuple[str, ...]:
    """Return the raters that scored items of both sides; a rater that left a side out would bias the result."""
    return tuple(
        name for name, given in totals.items() if {sides[item] for item in given if item in sides} == set(SIDES)
    )


def side_scores(
    totals: Totals, weights: Mapping[str, float], sides: Mapping[str, Side], *, without: str = ""
) -> SideScores:
    """Return the weighted scores of the raters in ``weights``; ``without`` names an item to leave out."""
    items = {item: score for item in sides if item != without and (score := _item(totals, weights, item)) is not None}
    scored = {side: [score for item, score in items.items() if sides[item] == side] for side in SIDES}
    return SideScores(sides={side: fmean(each) if each else None for side, each in scored.items()}, items=items)


def disputed_items(
    totals: Totals, weights: Mapping[str, float], sides: Mapping[str, Side], rules: PanelRules
) -> dict[str, Dispute]:
    """Return the items with a high variance of scores, the highest first.

    An item decides if the winner changes without it, if a side has no other item, or if its variance is so high that
    the panel has no common view of it.
    """
    leaning = side_scores(totals, weights, sides).leaning
    found = {}
    for item in sides:
        scores = {name: given[item] for name, given in totals.items() if item in given}
        spread = variance(scores.values())
        if spread is None or spread < rules.disputed_variance:
            continue
        left = side_scores(totals, weights, sides, without=item)
        turns = None in left.sides.values() or left.leaning != leaning
        found[item] = Dispute(
            variance=round(spread, 4),
            decides=turns or spread >= rules.decisive_variance,
            scores=scores,
            turns=UNSET if rules.rests_on is UNSET else turns,
        )
    return dict(sorted(found.items(), key=lambda each: -each[1].variance))


def turning(leaning: Winner, without: Mapping[str, LeaveOneOut], rules: PanelRules) -> tuple[str, ...]:
    """Return the raters without whom the leading side would not lead, or by less than the least gap."""
    return tuple(
        name
        for name, each in without.items()
        if each.leaning != leaning or isinstance(each.gap, Missing) or each.gap < rules.least_gap
    )


def hangs_on_one(
    leaning: Winner, without: Mapping[str, LeaveOneOut], disputed: Mapping[str, Dispute], rules: PanelRules
) -> bool:
    """Whether the side that leads would not lead without one rater, or without one disputed item."""
    return bool(turning(leaning, without, rules)) or any(each.turns is True for each in disputed.values())


def variance(scores: Iterable[float]) -> float | None:
    """Return the sample variance (n − 1); None for fewer than two scores."""
    given = list(scores)
    return round(statistics.variance(given), DIGITS) if len(given) >= PAIR else None


def _item(totals: Totals, weights: Mapping[str, float], item: str) -> float | None:
    given = [(weights[name], totals[name][item]) for name in weights if item in totals.get(name, {})]
    total = sum(weight for weight, _ in given)
    return sum(weight * score for weight, score in given) / total if total > 0 else None
