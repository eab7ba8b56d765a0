"""The scores of a panel as the rules use them, and its outcome in figures."""

from collections.abc import Collection, Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from events.types import Dispute, Missing, PanelOutcome, Rater, Side
from events.types.criteria import PanelRules, Standing
from judge.panel.agreement import Ratings
from judge.panel.calibration import (
    CalibrationMethod,
    calibrated_points,
    calibrated_scores,
    calibration_method,
    score_rows,
)
from judge.panel.disputes import SideScores, Totals, counted_raters


def calibrated_totals(totals: Totals, sides: Mapping[str, Side], rules: PanelRules) -> dict[str, dict[str, float]]:
    """Return the totals calibrated: in points if these decide, else as z-scores or shares of the range."""
    calibrate = calibrated_points if rules.decides == "calibrated" else calibrated_scores
    rows = calibrate(score_rows(totals, list(sides)), _method(sides, rules))
    return {
        name: {item: float(score) for item, score in zip(sides, row, strict=True) if not np.isnan(score)}
        for name, row in zip(totals, rows, strict=True)
    }


def _method(sides: Mapping[str, Side], rules: PanelRules) -> CalibrationMethod:
    """Return how scores are calibrated: it depends on the items of the side that has fewer."""
    of = list(sides.values())
    return calibration_method(min(of.count("pro"), of.count("con")), rules.minmax_at)


class ScoredPanel(Struct, frozen=True, kw_only=True):
    """The scores of a panel; ``ratings`` and ``standings`` have a row for each seat.  ``totals`` are as given."""

    seats: tuple[Rater, ...]
    totals: Totals
    ratings: Ratings
    standings: tuple[dict[str, Standing], ...]
    sides: Mapping[str, Side]
    rules: PanelRules
    topic_type: str

    @property
    def item_name(self) -> str:
        """What an item is: arguments have ids, turns have numbers."""
        return "turn" if any(item.isdecimal() for item in self.sides) else "argument"

    @property
    def calibrates(self) -> bool:
        """Whether the rules measure calibrated scores."""
        return self.rules.decides == "calibrated"

    @property
    def rests_on_arguments(self) -> bool:
        """Whether the outcome rests on one score of each argument by each rater."""
        return self.rules.rests_on == "arguments"

    @property
    def method(self) -> CalibrationMethod:
        """How scores are calibrated."""
        return _method(self.sides, self.rules)

    @property
    def counted(self) -> tuple[str, ...]:
        """The raters that scored items of both sides."""
        return counted_raters(self.totals, self.sides)

    @property
    def deciding(self) -> Totals:
        """The totals that decide: as given, or calibrated, in points, of the raters that count."""
        if not self.calibrates:
            return self.totals
        points = calibrated_totals({name: self.totals[name] for name in self.counted}, self.sides, self.rules)
        return {name: {item: round(score, 6) for item, score in given.items()} for name, given in points.items()}

    def only(self, names: Collection[str]) -> "ScoredPanel":
        """Return the panel with these raters alone."""
        kept = [number for number, seat in enumerate(self.seats) if seat.name in names]
        return replace(
            self,
            seats=tuple(self.seats[number] for number in kept),
            ratings=Ratings(self.ratings.values[kept], self.ratings.items),
            totals={rater: given for rater, given in self.totals.items() if rater in names},
            standings=tuple(self.standings[number] for number in kept),
        )

    def without(self, name: str) -> "ScoredPanel":
        """Return the panel without one rater."""
        return self.only([seat.name for seat in self.seats if seat.name != name])


class PanelReading(Struct, frozen=True, kw_only=True):
    """A panel's outcome in figures.  ``sums`` and ``disputed`` rest on the scores that decide."""

    outcome: PanelOutcome
    sums: SideScores
    weights: dict[str, float]
    disputed: dict[str, Dispute]

    def leans(self, rules: PanelRules) -> bool:
        """Whether a side leads by the least gap or more."""
        gap = self.sums.gap
        return self.sums.leaning != "neither" and not isinstance(gap, Missing) and gap >= rules.least_gap

    @property
    def may_name(self) -> bool:
        """Whether the raters agree enough to name the side that leads."""
        return self.outcome in {"concluded", "cautious"}
