"""A panel's outcome explained in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from events.text.figures import percent, rounded, signed
from events.types import (
    SIDES,
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
A_PERSON: Final = "A person may decide and record the decision with its reason."
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
            *(_consistency(measured) if measured.arguments is UNSET else _on_arguments(panel, measured)),
            *_cautious(panel, measured, reading, without),
            *_strictness(panel.seats, offsets, rules),
            *_scores_and_standings(measured, rules, reading),
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


def _on_arguments(panel: ScoredPanel, measured: AgreementMeasured) -> Iterator[str]:
    """Say how far the raters agree on arguments, which decides, and on what the other coefficients are measured."""
    found, item = measured.deciding, panel.item_name
    if found.value is UNSET:
        yield f"How far the raters agree on the {item}s cannot be said: {found.undefined}."
    else:
        measured_on = f"On the {item}s, with one calibrated score of each by each rater"
        yield f"{measured_on}, agreement is {_coefficient(found.value)}: {ENOUGH[str(found.band)]}."
        if found.low is UNSET:
            yield UNSURE
    beside = (
        ("on the criteria, which counts as well which criterion is rated higher", measured.calibrated),
        ("on the lead", measured.margins),
        ("on the scores as given", measured.raw),
    )
    said = [f"{_coefficient(each.value)} {on}" for on, each in beside if each is not UNSET and each.value is not UNSET]
    if said:
        yield f"Measured as well, without deciding anything: {'; '.join(said)}."
    lead, rules = (measured.margins or Coefficient()).value, panel.rules
    if found.value is not UNSET and lead is not UNSET and found.value >= rules.moderate and lead < rules.low:
        yield "How far one side leads they see differently: rely on the order of the arguments more than on the lead."


def _cautious(
    panel: ScoredPanel, measured: AgreementMeasured, reading: PanelReading, without: Mapping[str, LeaveOneOut]
) -> Iterator[str]:
    if reading.outcome != "cautious" or not panel.rules.cautious_survives:
        return
    side, titles = NAMES[reading.sums.leaning], {seat.name: seat.title for seat in panel.seats}
    items = [_named(item) for item, each in reading.disputed.items() if each.turns is True]
    raters = [titles[name] for name in turning(reading.sums.leaning, without, panel.rules)]
    is_low = measured.deciding.band == "low"
    for names, lead in ((items, "would not lead"), (raters, "would not lead by enough")):
        if names:
            said = f"ithout {' or without '.join(names)} {side} {lead}: {side} is a leaning, no winner."
            yield f"Agreement is low, and w{said}" if is_low else f"W{said}"
    if not items and not raters:
        also = f"{side} leads also without any one of the raters."
        yield f"Agreement is low, but {also}" if is_low else also


def _strictness(seats: Sequence[Rater], offsets: Mapping[str, float], rules: PanelRules) -> Iterator[str]:
    if not offsets or rules.strictness_from is UNSET:
        return
    apart = max(offsets.values()) - min(offsets.values())
    if round(apart, 4) >= rules.strictness_from:
        each = ", ".join(f"{seat.title} {signed(offsets[seat.name])}" for seat in seats if seat.name in offsets)
        yield (
            f"The raters differ in strictness by {rounded(apart)} points: {each}, beside the mean of all. "
            "Calibration takes this out, so it decides nothing."
        )


def _coefficient(value: float) -> str:
    return rounded(value, 2).replace("-", "−")


def _scores_and_standings(measured: AgreementMeasured, rules: PanelRules, reading: PanelReading) -> Iterator[str]:
    """Say where scores and standings disagree on how far the raters agree."""
    alpha, found = (measured.arguments or measured.calibrated).value, measured.kappa
    if found.value is UNSET:
        if alpha is UNSET or alpha < rules.low:
            yield f"How far they agree on where arguments stand cannot be said: {found.undefined}."
        return
    stands, is_leaning = _coefficient(found.value), found.value >= rules.kappa_leaning
    if alpha is UNSET:
        yield f"On where arguments stand their agreement is {stands}; that alone names nobody."
    elif alpha >= rules.moderate and not is_leaning:
        yield (
            f"They score alike and give different standings (agreement {stands}): the raters draw the lines between "
            "the standings in different places. Rely on the scores, not on the standings; the definitions of the "
            "standings need tuning."
        )
    elif alpha < rules.low and is_leaning:
        leans = " The panel leans, and no more." if reading.outcome == "contested" and reading.leans(rules) else ""
        yield (
            f"Their standings are alike (agreement {stands}), and their scores are not: the same arguments hold for "
            f"them, for different reasons.{leans}"
        )
    elif alpha < rules.low:
        yield f"On where arguments stand they do not agree either ({stands})."


def _disputes(contested: Mapping[str, Dispute], rules: PanelRules) -> Iterator[str]:
    for item, dispute in contested.items():
        low, high = min(dispute.scores.values()), max(dispute.scores.values())
        spread = f"{rounded(low)} to {rounded(high)} (variance {rounded(dispute.variance)})"
        apart = f"On {_named(item)} the raters are far apart: {spread}."
        is_decisive = dispute.variance >= rules.decisive_variance
        far = " So far that nobody can say what the panel thinks of it." if is_decisive else ""
        if is_decisive and dispute.turns is UNSET:
            yield f"{apart}{far}"
        else:
            turns = dispute.decides if dispute.turns is UNSET else dispute.turns
            yield f"{apart}{far} Without it the same side {'does not lead' if turns else 'leads'}."


def _one_model(seats: Sequence[Rater]) -> Iterator[str]:
    models = {seat.model for seat in seats}
    if len(models) == 1 and not models.pop().startswith("scripted:"):
        yield "One model sits on all seats: that it agrees with itself says little."


def _gap(total: SideScores, rules: PanelRules) -> Iterator[str]:
    gap = total.gap
    if isinstance(gap, Missing):
        yield f"The sides cannot be compared: {gap.missing.reason}."
    elif gap < rules.least_gap:
        pro, con = (rounded(total.sides[side] or 0, 2) for side in SIDES)
        least, apart = percent(rules.least_gap), percent(gap)
        shown = percent(gap, 2) if apart == least else apart
        yield f"The sides are too close: {pro} to {con}, a gap of {shown} where {least} is the least."


def _alpha(raw: Coefficient) -> Iterator[str]:
    if raw.value is UNSET:
        yield f"How far the raters agree on scores cannot be said: {raw.undefined}."
        return
    yield f"Agreement on scores is {_coefficient(raw.value)}, {ENOUGH[str(raw.band)]}."
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
        yield f"On where arguments stand their agreement is {_coefficient(kappa.value)}; that alone names nobody."
    elif kappa.value >= rules.kappa_leaning:
        leans = ": the panel leans, and no more" if outcome == "contested" else ""
        yield f"They agree better on where arguments stand ({_coefficient(kappa.value)}){leans}."
    else:
        yield f"Nor do they agree on where arguments stand ({_coefficient(kappa.value)})."


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


def to_find_out(panel: ScoredPanel, reading: PanelReading) -> Iterator[str]:
    """Yield what to find out next."""
    seats = {seat.name: seat for seat in panel.seats}
    for item, dispute in reading.disputed.items():
        ordered = sorted(dispute.scores, key=lambda name: dispute.scores[name])
        least, most = seats[ordered[0]], seats[ordered[-1]]
        low, high = rounded(dispute.scores[least.name]), rounded(dispute.scores[most.name])
        yield (
            f"Find out what {_named(item)} rests on: {least.title} gave it {low} looking at "
            f"{_short(least.focus)}, {most.title} {high} looking at {_short(most.focus)}."
        )


def to_do(
    panel: ScoredPanel, reading: PanelReading, without: Mapping[str, LeaveOneOut], winner: Winner
) -> Iterator[str]:
    """Yield what to do with the conclusion, and what to read before."""
    seats = {seat.name: seat for seat in panel.seats}
    match reading.outcome:
        case "irreconcilable" | "undetermined":
            yield "Do not decide by this panel. Get the facts that the open questions name, then ask it again."
            yield A_PERSON
        case "too_close":
            yield "Do not take a side from this panel: what separates the two is less than it can tell."
            yield A_PERSON
        case "contested":
            leans = "the panel leans one way and does not agree on why"
            yield f"A person should decide: {leans if reading.leans(panel.rules) else 'the raters are divided'}."
        case "cautious":
            yield "Read the transcript of the disputed and partly upheld arguments before relying on the verdict."
        case "concluded":
            pass
    if panel.calibrates and winner == "neither":
        yield from _other_leanings(seats, reading, without)
    else:
        yield from _other_winners(seats, without, winner)


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
