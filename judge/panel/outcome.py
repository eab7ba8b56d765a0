"""From independent scores to what the panel says.  Pure; the same scores always say the same.

The ladder is read on raw scores: a deciding dispute, a gap under ``least_gap``, or too little agreement on scores and
on standings make it irreconcilable; agreement that cannot be measured leaves it undetermined; else alpha says how much
the verdict may be relied on.  Sources: seed 000 and design, section 7.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import UNSET, Struct

from events.criteria import Criteria, PanelRules
from events.types import (
    AgreementMeasured,
    Dispute,
    Measured,
    Missing,
    PanelConcluded,
    PanelistScored,
    PanelOutcome,
    Rater,
    Side,
    Winner,
    Without,
    missing,
)
from judge.panel import words
from judge.panel.agreement import Array, Ratings, alpha, measure
from judge.panel.calibration import Method, calibrated, method_for
from judge.panel.disputes import Sums, Totals, counting, disputed, sums
from judge.panel.kappa import kappa, measure_kappa, tally
from judge.panel.weights import weights


class Reading(Struct, frozen=True, kw_only=True):
    """What a panel says, without its words.  ``alpha`` and ``kappa`` are None where they are undefined."""

    outcome: PanelOutcome
    sums: Sums
    weights: dict[str, float]
    disputed: dict[str, Dispute]
    alpha: float | None
    kappa: float | None

    @property
    def winner(self) -> Winner:
        """Nobody, unless the panel agrees enough."""
        return self.sums.leaning if self.outcome in {"concluded", "cautious"} else "neither"


class Panel(Struct, frozen=True, kw_only=True):
    """Everything that a reading is made of."""

    seats: tuple[Rater, ...]
    scored: Mapping[str, PanelistScored]
    sides: Mapping[str, Side]
    rules: PanelRules
    criteria: Criteria
    topic_type: str

    @property
    def totals(self) -> Totals:
        """Each rater's own weighted score of the items that it scored on all of its dimensions."""
        return {
            seat.name: {
                item: round(sum(weight * given[name] for name, weight in seat.weights.items()), 9)
                for item, given in self.scored[seat.name].scores.items()
                if item in self.sides and given.keys() >= seat.weights.keys()
            }
            for seat in self.seats
            if seat.name in self.scored
        }

    @property
    def ratings(self) -> Ratings:
        """Item × dimension, a row a rater."""
        names = list(self.criteria.dimensions)
        values = [
            [self._score(seat.name, item, name) for item in self.sides for name in names] for seat in self.seats
        ]
        shaped = np.array(values, dtype=np.float64).reshape(len(self.seats), len(self.sides) * len(names))
        return Ratings(shaped, np.repeat(np.arange(len(self.sides)), len(names)))

    @property
    def standings(self) -> list[dict[str, str]]:
        """What each rater says of where the items stand."""
        return [
            {item: said for item, said in self.scored[seat.name].standings.items() if item in self.sides}
            if seat.name in self.scored
            else {}
            for seat in self.seats
        ]

    def without(self, name: str) -> "Panel":
        """The panel with one rater less."""
        seats = tuple(seat for seat in self.seats if seat.name != name)
        return Panel(
            seats=seats, scored=self.scored, sides=self.sides, rules=self.rules, criteria=self.criteria,
            topic_type=self.topic_type,
        )

    def _score(self, rater: str, item: str, dimension: str) -> float:
        given = self.scored.get(rater)
        return np.nan if given is None else given.scores.get(item, {}).get(dimension, np.nan)


def conclude(
    seats: Sequence[Rater], scored: Mapping[str, PanelistScored], sides: Mapping[str, Side], rules: PanelRules,
    criteria: Criteria, topic_type: str,
) -> tuple[AgreementMeasured, PanelConcluded]:
    """The agreement of a panel and what follows from it.  ``sides``: the side of every item, scored or not."""
    panel = Panel(
        seats=tuple(seats), scored=scored, sides=sides, rules=rules, criteria=criteria, topic_type=topic_type
    )
    measured = agreement(panel)
    reading = read(panel, _value(measured.raw), _value(measured.kappa))
    without = {name: _without(panel.without(name)) for name in reading.weights}
    return measured, PanelConcluded(
        outcome=reading.outcome, winner=reading.winner, leaning=reading.sums.leaning, weights=reading.weights,
        topic_type=topic_type, weighted=reading.sums.both, calibrated=_calibrated(panel, reading.weights).both,
        gap=reading.sums.gap, disputed=reading.disputed, without=without,
        reasons=words.reasons(
            panel.seats, scored, sides, rules, measured, reading.sums, reading.disputed, reading.weights
        ),
        advice=words.advice(panel.seats, reading.outcome, reading.disputed, without, reading.winner),
    )


def agreement(panel: Panel) -> AgreementMeasured:
    """All coefficients with their intervals."""
    ratings, rules = panel.ratings, panel.rules
    method = _method(panel)
    return AgreementMeasured(
        raw=measure(ratings, "interval", rules), nominal=measure(ratings, "nominal", rules),
        ordinal=measure(ratings, "ordinal", rules), ratio=measure(ratings, "ratio", rules),
        calibrated=measure(Ratings(calibrated(ratings.values, method), ratings.items), "interval", rules),
        kappa=measure_kappa(panel.standings, rules), calibration=method,
    )


def read(panel: Panel, alpha_value: float | None, kappa_value: float | None) -> Reading:
    """The rung of the ladder."""
    totals, sides, rules = panel.totals, panel.sides, panel.rules
    names = counting(totals, sides)
    weighing = weights([seat for seat in panel.seats if seat.name in names], rules, panel.topic_type)
    total, contested = sums(totals, weighing, sides), disputed(totals, weighing, sides, rules)
    return Reading(
        outcome=_outcome(total, contested, alpha_value, kappa_value, rules), sums=total, weights=weighing,
        disputed=contested, alpha=alpha_value, kappa=kappa_value,
    )


def _outcome(
    total: Sums, contested: Mapping[str, Dispute], alpha_value: float | None, kappa_value: float | None,
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


def _without(panel: Panel) -> Without:
    """The same panel with a rater less; no interval is needed to read it."""
    value = alpha(panel.ratings, "interval", panel.rules.least_items)
    counts = tally(panel.standings)
    leaning = kappa(counts) if len(counts) >= panel.rules.least_items else np.nan
    known = value if isinstance(value, float) else None
    reading = read(panel, known, None if np.isnan(leaning) else leaning)
    return Without(
        outcome=reading.outcome, winner=reading.winner, gap=reading.sums.gap,
        alpha=round(value, 4) if isinstance(value, float) else missing(value),
    )


def _calibrated(panel: Panel, weighing: Mapping[str, float]) -> Sums:
    """The same sums over calibrated totals."""
    totals = {name: panel.totals[name] for name in weighing}
    items = list(panel.sides)
    rows: Array = np.array(
        [[given.get(item, np.nan) for item in items] for given in totals.values()], dtype=np.float64
    ).reshape(len(totals), len(items))
    levelled = calibrated(rows, _method(panel))
    given = {
        name: {item: float(score) for item, score in zip(items, row, strict=True) if not np.isnan(score)}
        for name, row in zip(totals, levelled, strict=True)
    }
    return sums(given, weighing, panel.sides)


def _method(panel: Panel) -> Method:
    sides = list(panel.sides.values())
    return method_for(max(sides.count("pro"), sides.count("con")), panel.rules.minmax_at)


def _value(measured: Measured) -> float | None:
    return None if measured.value is UNSET else measured.value
