"""A panel's outcome explained in sentences."""

from collections.abc import Iterator, Mapping, Sequence

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
    Side,
    Winner,
)
from events.types.criteria import PanelRules
from judge.panel.disputes import SideScores

NAMES: Mapping[Winner, str] = {"pro": "Pro", "con": "Con", "neither": "nobody"}


def reasons(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    rules: PanelRules,
    measured: AgreementMeasured,
    total: SideScores,
    contested: Mapping[str, Dispute],
    weighing: Mapping[str, float],
    outcome: PanelOutcome,
) -> tuple[str, ...]:
    """Return the reasons for the outcome, the most important first."""
    return (
        *_disputes(contested, rules),
        *_gap(total, rules),
        *_alpha(measured.raw),
        *_kappa(measured, rules, outcome),
        *_one_model(seats),
        *_left_out(seats, scored, sides, weighing),
    )


def advice(
    seats: Sequence[Rater],
    outcome: PanelOutcome,
    contested: Mapping[str, Dispute],
    without: Mapping[str, LeaveOneOut],
    winner: Winner,
) -> tuple[str, ...]:
    """Return what to find out or to do next."""
    return tuple(_advice({seat.name: seat for seat in seats}, outcome, contested, without, winner))


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
    enough = {
        "high": "enough to rely on",
        "moderate": "enough to conclude",
        "low": "enough to conclude with care only",
        "unacceptable": "too little to conclude",
    }
    yield f"Agreement on scores is {raw.value:.2f}, {enough[str(raw.band)]}."
    if raw.low is UNSET:
        yield "How sure that figure is cannot be said: there are too few items, or too few that differ."


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


def _left_out(
    seats: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    sides: Mapping[str, Side],
    weighing: Mapping[str, float],
) -> Iterator[str]:
    for seat in seats:
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


def _advice(
    seats: Mapping[str, Rater],
    outcome: PanelOutcome,
    contested: Mapping[str, Dispute],
    without: Mapping[str, LeaveOneOut],
    winner: Winner,
) -> Iterator[str]:
    for item, dispute in contested.items():
        ordered = sorted(dispute.scores, key=lambda name: dispute.scores[name])
        least, most = seats[ordered[0]], seats[ordered[-1]]
        yield (
            f"Find out what {_named(item)} rests on: {least.title} gave it {dispute.scores[least.name]:.1f} looking at "
            f"{_short(least.focus)}, {most.title} {dispute.scores[most.name]:.1f} looking at {_short(most.focus)}."
        )
    turning: dict[Winner, list[str]] = {}
    for name, each in without.items():
        if each.winner != winner and each.outcome != "undetermined":
            turning.setdefault(each.winner, []).append(seats[name].title)
    for named, titles in turning.items():
        yield f"Without {' or without '.join(titles)} the panel would name {NAMES[named]}: read what it saw."
    match outcome:
        case "irreconcilable" | "undetermined":
            yield "Do not decide by this panel. Get the facts that the open questions name, then ask it again."
            yield "A person may decide and record the decision with its reason."
        case "contested":
            yield "A person should decide: the panel leans one way and does not agree on why."
        case "cautious":
            yield "Read the transcript of the disputed and partly upheld arguments before relying on the verdict."
        case "concluded":
            pass


def _short(focus: str) -> str:
    return focus.partition(":")[0].strip()


def _named(item: str) -> str:
    """Return the name of an item: arguments have ids, turns have numbers."""
    return f"turn {item}" if item.isdecimal() else item
