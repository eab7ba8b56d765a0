"""The outcome of a panel, from its raters' independent scores.  The same scores always give the same outcome.

All rules use raw scores.  The outcome is irreconcilable for a deciding dispute, for a gap below ``least_gap``, or for
too little agreement on scores and on standings.  It is undetermined if agreement cannot be measured.  Otherwise alpha
tells how far the verdict can be relied on.  ``docs/panel.md`` explains the rules.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.types import (
    AgreementMeasured,
    Coefficient,
    Dispute,
    LeaveOneOut,
    Missing,
    PanelConcluded,
    PanelistScored,
    PanelOutcome,
    Rater,
    Side,
    Winner,
    missing,
)
from events.types.criteria import Criteria, PanelRules
from judge.panel import explanation
from judge.panel.agreement import (
    PLACES,
    Array,
    CalibrationMethod,
    Ratings,
    alpha,
    calibrated_scores,
    calibration_method,
    measure,
)
from judge.panel.disputes import SideScores, Totals, counted_raters, disputed_items, side_scores
from judge.panel.kappa import count_standings, kappa, measure_kappa
from judge.panel.truth import weighted_total as weighed
from judge.panel.weights import rater_weights


class PanelReading(Struct, frozen=True, kw_only=True):
    """A panel's outcome in figures.  ``alpha`` and ``kappa`` are None if they are undefined."""

    outcome: PanelOutcome
    sums: SideScores
    weights: dict[str, float]
    disputed: dict[str, Dispute]
    alpha: float | None
    kappa: float | None

    @property
    def winner(self) -> Winner:
        """The leading side if the raters agree enough, else ``neither``."""
        return self.sums.leaning if self.outcome in {"concluded", "cautious"} else "neither"


class ScoredPanel(Struct, frozen=True, kw_only=True):
    """The scores of a panel; ``ratings`` and ``standings`` have a row for each seat."""

    seats: tuple[Rater, ...]
    totals: Totals
    ratings: Ratings
    standings: tuple[dict[str, str], ...]
    sides: Mapping[str, Side]
    rules: PanelRules
    topic_type: str

    def without(self, name: str) -> "ScoredPanel":
        """Return the panel without one rater."""
        gone = [seat.name for seat in self.seats].index(name)
        return replace(
            self,
            seats=self.seats[:gone] + self.seats[gone + 1 :],
            ratings=self.ratings.without(gone),
            totals={rater: given for rater, given in self.totals.items() if rater != name},
            standings=self.standings[:gone] + self.standings[gone + 1 :],
        )


def conclude(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    rules: PanelRules,
    criteria: Criteria,
    topic_type: str,
) -> tuple[AgreementMeasured, PanelConcluded]:
    """Return the agreement of a panel and its conclusion.  ``sides``: the side of every item, scored or not."""
    given = {seat.name: scored[seat.name] for seat in seats if seat.name in scored}
    standings = ({} if seat.name not in given else given[seat.name].standings for seat in seats)
    panel = ScoredPanel(
        seats=tuple(seats),
        sides=sides,
        rules=rules,
        topic_type=topic_type,
        totals=_totals(seats, given, sides),
        ratings=_ratings(seats, given, sides, tuple(criteria.dimensions)),
        standings=tuple({item: said for item, said in each.items() if item in sides} for each in standings),
    )
    measured = agreement(panel)
    reading = read_panel(panel, _value(measured.raw), _value(measured.kappa))
    without = {name: _without(panel.without(name)) for name in reading.weights}
    return measured, PanelConcluded(
        outcome=reading.outcome,
        winner=reading.winner,
        leaning=reading.sums.leaning,
        weights=reading.weights,
        topic_type=topic_type,
        weighted=reading.sums.both,
        calibrated=_calibrated(panel, reading.weights).both,
        gap=reading.sums.gap,
        disputed=reading.disputed,
        without=without,
        reasons=explanation.reasons(
            panel.seats,
            scored,
            sides,
            rules,
            measured,
            reading.sums,
            reading.disputed,
            reading.weights,
            reading.outcome,
        ),
        advice=explanation.advice(panel.seats, reading.outcome, reading.disputed, without, reading.winner),
    )


def _totals(seats: Sequence[Rater], scored: Mapping[str, PanelistScored], sides: Mapping[str, Side]) -> Totals:
    """Return each rater's weighted score of the items that it scored on all of its dimensions."""
    return {
        seat.name: {
            item: score
            for item, given in scored[seat.name].scores.items()
            if item in sides and (score := weighed(given, seat.weights)) is not None
        }
        for seat in seats
        if seat.name in scored
    }


def _ratings(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    dimensions: Sequence[str],
) -> Ratings:
    """Return item × dimension, one row for each rater; sorted by item, so that the order of items has no effect."""
    values = np.full((len(seats), len(sides), len(dimensions)), np.nan)
    for row, seat in zip(values, seats, strict=True):
        given = scored[seat.name].scores if seat.name in scored else {}
        for unit, item in zip(row, sorted(sides), strict=True):
            unit[:] = [given.get(item, {}).get(name, np.nan) for name in dimensions]
    items = np.repeat(np.arange(len(sides)), len(dimensions))
    return Ratings(values.reshape(len(seats), items.size), items)


def agreement(panel: ScoredPanel) -> AgreementMeasured:
    """Return all coefficients with their intervals."""
    ratings, rules = panel.ratings, panel.rules
    method = _method(panel)
    return AgreementMeasured(
        raw=measure(ratings, "interval", rules),
        nominal=measure(ratings, "nominal", rules),
        ordinal=measure(ratings, "ordinal", rules),
        ratio=measure(ratings, "ratio", rules),
        calibrated=measure(Ratings(calibrated_scores(ratings.values, method), ratings.items), "interval", rules),
        kappa=measure_kappa(panel.standings, rules),
        calibration=method,
    )


def read_panel(panel: ScoredPanel, alpha_value: float | None, kappa_value: float | None) -> PanelReading:
    """Return the outcome for these coefficients."""
    totals, sides, rules = panel.totals, panel.sides, panel.rules
    names = counted_raters(totals, sides)
    weighing = rater_weights([seat for seat in panel.seats if seat.name in names], rules, panel.topic_type)
    total, contested = side_scores(totals, weighing, sides), disputed_items(totals, weighing, sides, rules)
    return PanelReading(
        outcome=_outcome(total, contested, alpha_value, kappa_value, rules),
        sums=total,
        weights=weighing,
        disputed=contested,
        alpha=alpha_value,
        kappa=kappa_value,
    )


def _outcome(
    total: SideScores,
    contested: Mapping[str, Dispute],
    alpha_value: float | None,
    kappa_value: float | None,
    rules: PanelRules,
) -> PanelOutcome:
    gap = total.gap
    if any(dispute.decides for dispute in contested.values()):
        return "irreconcilable"
    if not isinstance(gap, Missing) and gap < rules.least_gap:
        return "irreconcilable"
    if alpha_value is None or isinstance(gap, Missing):
        return "undetermined"
    if alpha_value >= rules.moderate:
        return "concluded"
    if alpha_value >= rules.low:
        return "cautious"
    return "contested" if kappa_value is not None and kappa_value >= rules.kappa_leaning else "irreconcilable"


def _without(panel: ScoredPanel) -> LeaveOneOut:
    """Return the outcome of a panel that has lost a rater; it needs no interval."""
    value = alpha(panel.ratings, "interval", panel.rules.least_items)
    known = round(value, PLACES) if isinstance(value, float) else None
    counts = count_standings(panel.standings)
    leaning = kappa(counts) if len(counts) >= panel.rules.least_items else np.nan
    reading = read_panel(panel, known, None if np.isnan(leaning) else round(leaning, PLACES))
    return LeaveOneOut(
        outcome=reading.outcome,
        winner=reading.winner,
        gap=reading.sums.gap,
        alpha=missing(value) if isinstance(value, str) else round(value, PLACES),
    )


def _calibrated(panel: ScoredPanel, weighing: Mapping[str, float]) -> SideScores:
    """Return the sides' scores from calibrated totals."""
    totals = {name: panel.totals[name] for name in weighing}
    items = list(panel.sides)
    rows: Array = np.array(
        [[given.get(item, np.nan) for item in items] for given in totals.values()], dtype=np.float64
    ).reshape(len(totals), len(items))
    levelled = calibrated_scores(rows, _method(panel))
    given = {
        name: {item: float(score) for item, score in zip(items, row, strict=True) if not np.isnan(score)}
        for name, row in zip(totals, levelled, strict=True)
    }
    return side_scores(given, weighing, panel.sides)


def _method(panel: ScoredPanel) -> CalibrationMethod:
    sides = list(panel.sides.values())
    return calibration_method(min(sides.count("pro"), sides.count("con")), panel.rules.minmax_at)


def _value(measured: Coefficient) -> float | None:
    return None if measured.value is UNSET else measured.value
