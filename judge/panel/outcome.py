"""The outcome of a panel, from its raters' independent scores.  The same scores always give the same outcome.

The order is: calibrate, weight, measure.  If the rubric does not calibrate (version 1), all rules use raw scores.  From
version 3 on the outcome rests on how far the raters agree on arguments; before, on every argument and criterion.
``docs/design.md`` has the table of the outcomes.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import UNSET

from events.types import (
    AgreementMeasured,
    Coefficient,
    Dispute,
    ItemStandings,
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
from events.types.criteria import STANDINGS, Criteria, PanelRules
from judge.panel import explanation
from judge.panel.agreement import PLACES, Ratings, alpha, measure
from judge.panel.calibration import calibrated_points, calibrated_scores, score_rows, strictness
from judge.panel.consistency import margins_alpha, measure_icc, measure_margins
from judge.panel.disputes import SideScores, Totals, disputed_items, hangs_on_one, side_scores
from judge.panel.kappa import count_standings, kappa, measure_kappa
from judge.panel.scored import PanelReading, ScoredPanel, calibrated_totals
from judge.panel.truth import weighted_total as weighed
from judge.panel.weights import rater_weights


def conclude(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    rules: PanelRules,
    criteria: Criteria,
    topic_type: str,
) -> tuple[AgreementMeasured, PanelConcluded]:
    """Return the agreement of a panel and its conclusion.  ``sides``: the side of every item, scored or not."""
    panel = scored_panel(seats, scored, sides, rules, criteria, topic_type)
    measured = agreement(panel)
    reading = read_panel(panel, _value(measured.deciding), _value(measured.kappa))
    reference = _reference(panel, reading)
    without = {name: _without(panel.without(name), is_reference=bool(reference)) for name in reading.weights}
    winner = _winner(panel, reading, without, is_reference=bool(reference))
    offsets = strictness({name: panel.totals[name] for name in reading.weights}, list(sides))
    find_out = tuple(explanation.to_find_out(panel, reading))
    act = tuple(explanation.to_do(panel, reading, without, winner))
    return measured, PanelConcluded(
        outcome=reading.outcome,
        winner=winner,
        leaning=reading.sums.leaning,
        weights=reading.weights,
        topic_type=topic_type,
        weighted=side_scores(panel.totals, reading.weights, sides).both,
        calibrated=reading.sums.both if panel.calibrates else _calibrated(panel, reading.weights).both,
        gap=reading.sums.gap,
        disputed=reading.disputed,
        without=without,
        reasons=explanation.reasons(panel, scored, measured, reading, offsets, without, reference),
        advice=find_out if panel.rests_on_arguments else (*find_out, *act),
        act=act if panel.rests_on_arguments else UNSET,
        decides="calibrated" if panel.calibrates else UNSET,
        strictness=offsets if panel.calibrates else UNSET,
        reference_only=reference or UNSET,
        standings=(panel.rests_on_arguments and _item_standings(panel)) or UNSET,
    )


def scored_panel(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    rules: PanelRules,
    criteria: Criteria,
    topic_type: str,
) -> ScoredPanel:
    """Return a panel with the scores that its raters gave; scores of other items are left out."""
    given = {seat.name: scored[seat.name] for seat in seats if seat.name in scored}
    standings = ({} if seat.name not in given else given[seat.name].standings for seat in seats)
    return ScoredPanel(
        seats=tuple(seats),
        sides=sides,
        rules=rules,
        topic_type=topic_type,
        totals=_totals(seats, given, sides),
        ratings=_ratings(seats, given, sides, tuple(criteria.dimensions)),
        standings=tuple({item: said for item, said in each.items() if item in sides} for each in standings),
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


def _item_standings(panel: ScoredPanel) -> dict[str, ItemStandings]:
    found = {}
    for item in panel.sides:
        given = [said[item] for said in panel.standings if item in said]
        counts = {standing: given.count(standing) for standing in STANDINGS if standing in given}
        most = [standing for standing, count in counts.items() if count == max(counts.values())]
        if counts:
            found[item] = ItemStandings(counts=counts, commonest=most[0] if len(most) == 1 else UNSET)
    return found


# agreement


def agreement(panel: ScoredPanel) -> AgreementMeasured:
    """Return all coefficients with their intervals."""
    ratings, rules = panel.ratings, panel.rules
    return AgreementMeasured(
        raw=measure(ratings, "interval", rules),
        nominal=measure(ratings, "nominal", rules),
        ordinal=measure(ratings, "ordinal", rules),
        ratio=measure(ratings, "ratio", rules),
        calibrated=measure(_calibrated_ratings(panel), "interval", rules),
        kappa=measure_kappa(panel.standings, rules),
        calibration=panel.method,
        margins=measure_margins(_counted_ratings(panel), _item_sides(panel), rules) if panel.calibrates else UNSET,
        icc_agreement=measure_icc(_counted_ratings(panel), "2,k", rules) if panel.calibrates else UNSET,
        icc_consistency=measure_icc(_counted_ratings(panel), "3,k", rules) if panel.calibrates else UNSET,
        arguments=measure(_argument_ratings(panel), "interval", rules) if panel.rests_on_arguments else UNSET,
    )


def _counted_ratings(panel: ScoredPanel) -> Ratings:
    return panel.only(panel.counted).ratings


def _argument_ratings(panel: ScoredPanel) -> Ratings:
    """Return one score of each item, the weighted one that decides, of the raters that count."""
    items = sorted(panel.sides)
    return Ratings(score_rows(panel.deciding, items), np.arange(len(items)))


def _calibrated_ratings(panel: ScoredPanel) -> Ratings:
    """Return calibrated ratings; if they decide, those of the raters that count."""
    if not panel.calibrates:
        return Ratings(calibrated_scores(panel.ratings.values, panel.method), panel.ratings.items)
    ratings = _counted_ratings(panel)
    return Ratings(calibrated_points(ratings.values, panel.method), ratings.items)


def _item_sides(panel: ScoredPanel) -> list[Side]:
    """Return the sides of the items in the order of the ratings."""
    return [panel.sides[item] for item in sorted(panel.sides)]


def _value(measured: Coefficient) -> float | None:
    return None if measured.value is UNSET else measured.value


# outcome


def read_panel(panel: ScoredPanel, alpha_value: float | None, kappa_value: float | None) -> PanelReading:
    """Return the outcome for these coefficients."""
    totals, sides, rules = panel.deciding, panel.sides, panel.rules
    counted = panel.counted
    weighing = rater_weights([seat for seat in panel.seats if seat.name in counted], rules, panel.topic_type)
    total, contested = side_scores(totals, weighing, sides), disputed_items(totals, weighing, sides, rules)
    return PanelReading(
        outcome=(_outcome_on_arguments if panel.rests_on_arguments else _outcome)(
            total, contested, alpha_value, kappa_value, rules
        ),
        sums=total,
        weights=weighing,
        disputed=contested,
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


def _outcome_on_arguments(
    total: SideScores,
    contested: Mapping[str, Dispute],
    alpha_value: float | None,
    kappa_value: float | None,
    rules: PanelRules,
) -> PanelOutcome:
    """Return the outcome; only disagreement is irreconcilable, and none where alpha is high."""
    gap, is_split = total.gap, any(dispute.decides for dispute in contested.values())
    if alpha_value is not None and alpha_value < rules.low:
        leans = kappa_value is not None and kappa_value >= rules.kappa_leaning and not is_split
        return "contested" if leans else "irreconcilable"
    if not isinstance(gap, Missing) and gap < rules.least_gap:
        return "too_close"
    if is_split and (alpha_value is None or alpha_value < rules.high):
        return "irreconcilable"
    if alpha_value is None or isinstance(gap, Missing):
        return "undetermined"
    return "cautious" if is_split or alpha_value < rules.moderate else "concluded"


def _reference(panel: ScoredPanel, reading: PanelReading) -> tuple[str, ...]:
    """Return why the panel is for reference only; nothing if it may name a winner alone."""
    rules, raters, items = panel.rules, len(reading.weights), len(panel.sides)
    found = []
    if rules.reliable_raters is not UNSET and raters < rules.reliable_raters:
        found.append(f"{raters} rater{'' if raters == 1 else 's'} where at least {rules.reliable_raters} are needed")
    if rules.reliable_items is not UNSET and items < rules.reliable_items:
        what = panel.item_name
        found.append(f"{items} {what}{'' if items == 1 else 's'} where at least {rules.reliable_items} are needed")
    return tuple(found)


def _winner(
    panel: ScoredPanel, reading: PanelReading, without: Mapping[str, LeaveOneOut], *, is_reference: bool
) -> Winner:
    """Return the side that the panel names."""
    if not reading.may_name or is_reference:
        return "neither"
    is_weak = reading.outcome == "cautious" and panel.rules.cautious_survives
    hangs = is_weak and hangs_on_one(reading.sums.leaning, without, reading.disputed, panel.rules)
    return "neither" if hangs else reading.sums.leaning


def _without(panel: ScoredPanel, *, is_reference: bool) -> LeaveOneOut:
    """Return the outcome of a panel that has lost a rater."""
    value, reading = _read_quickly(panel)
    return LeaveOneOut(
        outcome=reading.outcome,
        winner=reading.sums.leaning if reading.may_name and not is_reference else "neither",
        gap=reading.sums.gap,
        alpha=missing(value) if isinstance(value, str) else round(value, PLACES),
        leaning=reading.sums.leaning if panel.calibrates else UNSET,
    )


def names_side(panel: ScoredPanel) -> Winner:
    """Return the side that a panel names, without measuring any interval."""
    _, reading = _read_quickly(panel)
    is_weak = reading.outcome == "cautious" and panel.rules.cautious_survives
    without = {name: _without(panel.without(name), is_reference=False) for name in reading.weights} if is_weak else {}
    return _winner(panel, reading, without, is_reference=False)


def _read_quickly(panel: ScoredPanel) -> tuple[float | str, PanelReading]:
    """Return the alpha that decides, or why it is undefined, and the outcome; no interval is measured."""
    value = _alpha_of(panel)
    known = round(value, PLACES) if isinstance(value, float) else None
    counts = count_standings(panel.standings)
    leaning = kappa(counts) if len(counts) >= panel.rules.least_items else np.nan
    return value, read_panel(panel, known, None if np.isnan(leaning) else round(leaning, PLACES))


def _alpha_of(panel: ScoredPanel) -> float | str:
    """Return the alpha that decides, without an interval, or why it is undefined."""
    if panel.rests_on_arguments:
        return alpha(_argument_ratings(panel), "interval", panel.rules.least_items)
    if not panel.calibrates:
        return alpha(panel.ratings, "interval", panel.rules.least_items)
    calibrated = alpha(_calibrated_ratings(panel), "interval", panel.rules.least_items)
    margins = margins_alpha(_counted_ratings(panel), _item_sides(panel))
    return calibrated if isinstance(calibrated, str) or isinstance(margins, str) else min(calibrated, margins)


def _calibrated(panel: ScoredPanel, weighing: Mapping[str, float]) -> SideScores:
    """Return the sides' scores from calibrated totals that do not decide: z-scores, or shares of the range."""
    given = calibrated_totals({name: panel.totals[name] for name in weighing}, panel.sides, panel.rules)
    return side_scores(given, weighing, panel.sides)
