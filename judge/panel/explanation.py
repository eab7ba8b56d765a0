"""A panel's outcome explained in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from events.types import (
    AgreementMeasured,
    Coefficient,
    Dispute,
    LeaveOneOut,
    Missing,
    PanelistScored,
    PanelOutcome,
    Rater,
    Winner,
)
from events.types.criteria import PanelRules
from judge.panel.disputes import SideScores, turning
from judge.panel.scored import PanelReading, ScoredPanel

NAMES: Mapping[Winner, str] = {"pro": "Pro", "con": "Con", "neither": "nobody"}
ENOUGH: Mapping[str, str] = {
    "high": "enough to rely on",
    "moderate": "enough to conclude",
    "low": "enough to conclude with care only",
    "unacceptable": "too little to conclude",
}
UNSURE: Final = "How sure that figure is cannot be said: there are too few items, or too few that differ."


def reasons(
    panel: ScoredPanel,
    scored: Mapping[str, PanelistScored],
    measured: AgreementMeasured,
    reading: PanelReading,
    offsets: Mapping[str, float],
    without: Mapping[str, LeaveOneOut],
    reference: Sequence[str],
) -> tuple[str, ...]:
    """Return the reasons for the outcome, the most important first."""
    rules = panel.rules
    if panel.calibrates:
        agreement = (
            *_reference(reference, reading),
            *_consistency(measured),
            *_cautious(panel, reading, without),
            *_strictness(panel.seats, offsets, rules),
            *_scores_and_standings(measured, rules, reading.outcome),
        )
    else:
        agreement = (*_alpha(measured.raw), *_kappa(measured, rules, reading.outcome))
    return (
        *_disputes(reading.disputed, rules),
        *_gap(reading.sums, rules),
        *agreement,
        *_one_model(panel.seats),
        *_left_out(panel, scored, reading.weights),
    )


def _reference(reference: Sequence[str], reading: PanelReading) -> Iterator[str]:
    if reference:
        alone = " So the panel alone names no winner; one is named if the judge names the same side."
        says = f"For reference only: {' and '.join(reference)} to rely on the agreement."
        yield f"{says}{alone if reading.may_name else ''}"


def _consistency(measured: AgreementMeasured) -> Iterator[str]:
    deciding, calibrated = measured.deciding, measured.calibrated
    if deciding.value is UNSET or calibrated.value is UNSET:
        yield f"How far the raters agree on scores cannot be said: {deciding.undefined}."
        return
    on_lead = (
        ""
        if measured.margins is UNSET or measured.margins.value is UNSET
        else f", {_coefficient(measured.margins.value)} on the lead"
    )
    raw = "" if measured.raw.value is UNSET else f" On the scores as given it is {_coefficient(measured.raw.value)}."
    enough = ENOUGH[str(deciding.band)]
    yield f"After calibration agreement is {_coefficient(calibrated.value)} on the scores{on_lead}: {enough}.{raw}"
    if calibrated.low is UNSET:
        yield UNSURE


def _cautious(panel: ScoredPanel, reading: PanelReading, without: Mapping[str, LeaveOneOut]) -> Iterator[str]:
    if reading.outcome != "cautious" or not panel.rules.cautious_survives:
        return
    side, titles = NAMES[reading.sums.leaning], {seat.name: seat.title for seat in panel.seats}
    if names := turning(reading.sums.leaning, without, panel.rules):
        who = " or without ".join(titles[name] for name in names)
        yield f"Agreement is low, and without {who} {side} would not lead by enough: {side} is a leaning, no winner."
    else:
        yield f"Agreement is low, but {side} leads also without any one of the raters."


def _strictness(seats: Sequence[Rater], offsets: Mapping[str, float], rules: PanelRules) -> Iterator[str]:
    if not offsets or rules.strictness_from is UNSET:
        return
    apart = max(offsets.values()) - min(offsets.values())
    if round(apart, 4) >= rules.strictness_from:
        each = ", ".join(f"{seat.title} {_signed(offsets[seat.name])}" for seat in seats if seat.name in offsets)
        yield (
            f"The raters differ in strictness by {apart:.1f} points: {each}, beside the mean of all. "
            "Calibration takes this out, so it decides nothing."
        )


def _coefficient(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _signed(points: float) -> str:
    return f"{points:+.1f}".replace("-", "−") if round(points, 1) else "±0.0"


def _scores_and_standings(measured: AgreementMeasured, rules: PanelRules, outcome: PanelOutcome) -> Iterator[str]:
    """Say where scores and standings disagree on how far the raters agree."""
    alpha, kappa = measured.calibrated.value, measured.kappa.value
    if kappa is UNSET:
        if alpha is UNSET or alpha < rules.low:
            yield f"How far they agree on where arguments stand cannot be said: {measured.kappa.undefined}."
    elif alpha is UNSET:
        yield f"On where arguments stand their agreement is {kappa:.2f}; that alone names nobody."
    elif alpha >= rules.moderate and kappa < rules.kappa_leaning:
        yield (
            f"They score alike and give different standings (agreement {kappa:.2f}): the raters draw the lines between "
            "the standings in different places. Rely on the scores, not on the standings; the definitions of the "
            "standings need tuning."
        )
    elif alpha < rules.low and kappa >= rules.kappa_leaning:
        leans = " The panel leans, and no more." if outcome == "contested" else ""
        yield (
            f"They agree on where arguments stand ({kappa:.2f}) and not on how good they are: the same arguments hold "
            f"for them, for different reasons.{leans}"
        )
    elif alpha < rules.low:
        yield f"Nor do they agree on where arguments stand ({kappa:.2f})."


def _disputes(contested: Mapping[str, Dispute], rules: PanelRules) -> Iterator[str]:
    for item, dispute in contested.items():
        low, high = min(dispute.scores.values()), max(dispute.scores.values())
        spread = f"{low:.1f} to {high:.1f} (variance {dispute.variance:.1f})"
        apart = f"On {_named(item)} the raters are far apart: {spread}."
        if dispute.variance >= rules.decisive_variance:
            yield f"{apart} So far that nobody can say what the panel thinks of it."
        elif dispute.decides:
            yield f"{apart} Without it the winner would be another."
        else:
            yield f"{apart} Without it the same side leads."


def _one_model(seats: Sequence[Rater]) -> Iterator[str]:
    models = {seat.model for seat in seats}
    if len(models) == 1 and not models.pop().startswith("scripted:"):
        yield "One model sits on all seats: that it agrees with itself says little."


def _gap(total: SideScores, rules: PanelRules) -> Iterator[str]:
    gap = total.gap
    if isinstance(gap, Missing):
        yield f"The sides cannot be compared: {gap.missing.reason}."
    elif gap < rules.least_gap:
        yield (
            f"The sides are too close: {total.sides['pro']:.2f} to {total.sides['con']:.2f}, "
            f"a gap of {gap:.2%} where {rules.least_gap:.0%} is the least."
        )


def _alpha(raw: Coefficient) -> Iterator[str]:
    if raw.value is UNSET:
        yield f"How far the raters agree on scores cannot be said: {raw.undefined}."
        return
    yield f"Agreement on scores is {raw.value:.2f}, {ENOUGH[str(raw.band)]}."
    if raw.low is UNSET:
        yield UNSURE


def _kappa(measured: AgreementMeasured, rules: PanelRules, outcome: PanelOutcome) -> Iterator[str]:
    raw, kappa = measured.raw.value, measured.kappa
    if raw is not UNSET and raw >= rules.low:
        return  # standings matter only if the scores do not agree
    if kappa.value is UNSET:
        if kappa.undefined != measured.raw.undefined:
            yield f"How far they agree on where arguments stand cannot be said: {kappa.undefined}."
    elif raw is UNSET:
        yield f"On where arguments stand their agreement is {kappa.value:.2f}; that alone names nobody."
    elif kappa.value >= rules.kappa_leaning:
        leans = ": the panel leans, and no more" if outcome == "contested" else ""
        yield f"They agree better on where arguments stand ({kappa.value:.2f}){leans}."
    else:
        yield f"Nor do they agree on where arguments stand ({kappa.value:.2f})."


def _left_out(panel: ScoredPanel, scored: Mapping[str, PanelistScored], weighing: Mapping[str, float]) -> Iterator[str]:
    sides = panel.sides
    for seat in panel.seats:
        given = scored.get(seat.name)
        if given is None or given.missing is not UNSET:
            why = "" if given is None or given.missing is UNSET else f" ({given.missing.reason})"
            yield f"{seat.title} gave nothing{why}; the panel goes on without it."
        elif seat.name not in weighing:
            yield f"{seat.title} left a whole side without a score: its scores are shown and do not count."
        else:
            rated = {item: given.scores.get(item, {}).keys() for item in sides}
            if gone := [_named(item) for item in sides if not rated[item]]:
                yield f"{seat.title} left out {', '.join(gone)}."
            if part := [_named(item) for item in sides if rated[item] and not rated[item] >= seat.weights.keys()]:
                yield f"{seat.title} scored {', '.join(part)} in part only, which does not count for a side."


def advice(
    panel: ScoredPanel, reading: PanelReading, without: Mapping[str, LeaveOneOut], winner: Winner
) -> Iterator[str]:
    """Yield what to find out or to do next."""
    seats = {seat.name: seat for seat in panel.seats}
    for item, dispute in reading.disputed.items():
        ordered = sorted(dispute.scores, key=lambda name: dispute.scores[name])
        least, most = seats[ordered[0]], seats[ordered[-1]]
        yield (
            f"Find out what {_named(item)} rests on: {least.title} gave it {dispute.scores[least.name]:.1f} looking at "
            f"{_short(least.focus)}, {most.title} {dispute.scores[most.name]:.1f} looking at {_short(most.focus)}."
        )
    if panel.calibrates and winner == "neither":
        yield from _other_leanings(seats, reading, without)
    else:
        yield from _other_winners(seats, without, winner)
    match reading.outcome:
        case "irreconcilable" | "undetermined":
            yield "Do not decide by this panel. Get the facts that the open questions name, then ask it again."
            yield "A person may decide and record the decision with its reason."
        case "contested":
            yield "A person should decide: the panel leans one way and does not agree on why."
        case "cautious":
            yield "Read the transcript of the disputed and partly upheld arguments before relying on the verdict."
        case "concluded":
            pass


def _other_winners(seats: Mapping[str, Rater], without: Mapping[str, LeaveOneOut], winner: Winner) -> Iterator[str]:
    turns: dict[Winner, list[str]] = {}
    for name, each in without.items():
        if each.winner != winner and each.outcome != "undetermined":
            turns.setdefault(each.winner, []).append(seats[name].title)
    for named, titles in turns.items():
        yield f"Without {' or without '.join(titles)} the panel would name {NAMES[named]}: read what it saw."


def _other_leanings(
    seats: Mapping[str, Rater], reading: PanelReading, without: Mapping[str, LeaveOneOut]
) -> Iterator[str]:
    turns: dict[Winner, list[str]] = {}
    for name, each in without.items():
        if each.leaning is not UNSET and each.leaning != reading.sums.leaning:
            turns.setdefault(each.leaning, []).append(seats[name].title)
    for side, titles in turns.items():
        leads = "neither side would lead" if side == "neither" else f"{NAMES[side]} would lead"
        yield f"Without {' or without '.join(titles)} {leads}: read what it saw."


def _short(focus: str) -> str:
    return focus.partition(":")[0].strip()


def _named(item: str) -> str:
    """Return the name of an item: arguments have ids, turns have numbers."""
    return f"turn {item}" if item.isdecimal() else item
