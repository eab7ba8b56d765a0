"""Opinions of a panel before its raters read each other, derived from their independent scores."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.parts.panel import RaterState
from events.text.figures import rounded
from events.types import SIDES, DebateOpened, PanelistScored, Reason, Side
from events.types.criteria import Criteria
from events.types.deliberation import OpinionGiven, Verdict
from judge.deliberation.agreement import DIGITS, LISTED
from judge.deliberation.opinions import no_opinion
from judge.deliberation.subject import rules_of
from judge.panel.questions import item_sides

MIN_GAP = 0.05
"""Least gap if the rubric has no rules for panels."""


def independent_opinions(debate: Debate, opened: DebateOpened) -> dict[str, OpinionGiven]:
    """Return the opinion of every rater that has answered; missing if its scores give no verdict."""
    rules = opened.rubric.panel
    least_gap = rules.least_gap if rules is not None else MIN_GAP
    criteria = opened.rubric.criteria or Criteria(dimensions={})
    items = item_sides(debate, opened)
    given = {
        name: independent_opinion(heard, heard.scored, items, criteria, least_gap)
        for name, heard in debate.panel.raters.items()
        if isinstance(heard.scored, PanelistScored)
    }
    if rules_of(opened).reasons is not True:
        return given
    shown = most_disputed(debate)
    return {name: _with_reasons(each, debate.panel.raters[name], opened, shown) for name, each in given.items()}


def independent_opinion(
    heard: RaterState, scored: PanelistScored, items: Mapping[str, Side], criteria: Criteria, least_gap: float
) -> OpinionGiven:
    """Return a verdict by the rater's own weighted scores, with its mean score of each side and dimension.

    A gap |pro − con| ÷ (pro + con) below ``least_gap`` is a tie.
    """
    name, model = heard.seat.name, heard.seat.model
    if isinstance(scored.missing, Reason):
        return no_opinion(scored.missing, rater=name, model=model, number=0)
    totals = {side: [heard.totals[item] for item in heard.totals if items.get(item) == side] for side in SIDES}
    for side, values in totals.items():
        if not values:
            why = Reason(f"no item of {side} has a score on every dimension")
            return no_opinion(why, rater=name, model=model, number=0)
    pro, con = fmean(totals["pro"]), fmean(totals["con"])
    means: dict[str, float] = {}
    for side in SIDES:
        for dimension in criteria.dimensions:
            given = [
                each[dimension] for item, each in scored.scores.items() if items.get(item) == side and dimension in each
            ]
            if given:
                means[f"{side}.{dimension}"] = round(fmean(given), 4)
    return OpinionGiven(
        rater=name,
        model=model,
        round=0,
        verdict=_verdict(pro, con, least_gap),
        scores=means,
        rationale=f"independent scores, weighted: pro {rounded(pro, 2)}, con {rounded(con, 2)}",
    )


def _with_reasons(opinion: OpinionGiven, heard: RaterState, opened: DebateOpened, shown: Sequence[str]) -> OpinionGiven:
    """Return the opinion with what the rater wrote: its finding, and its notes on the items in ``shown``."""
    scored = heard.scored
    if opinion.verdict is UNSET or scored is UNSET:
        return opinion
    notes = (f"{name_of_item(item, opened)}: {scored.notes[item]}" for item in shown if scored.notes.get(item))
    return replace(opinion, rationale=scored.finding or opinion.rationale, findings=tuple(notes))


def most_disputed(debate: Debate) -> tuple[str, ...]:
    """Return the items whose notes are shown, in their order: those on which the raters lie furthest apart."""
    spread = {name: each.variance or 0.0 for name, each in debate.panel.items.items()}
    kept = sorted(spread, key=lambda each: -spread[each])[:LISTED]
    return tuple(name for name in spread if name in kept)


def name_of_item(item: str, opened: DebateOpened) -> str:
    """Return how a prompt names an item: the id of an argument, or a turn."""
    return item if opened.format == "protocol" else f"turn {item}"


def _verdict(pro: float, con: float, least_gap: float) -> Verdict:
    if pro + con == 0 or round(abs(pro - con) / (pro + con), DIGITS) < least_gap:
        return "tie"
    return "pro" if pro > con else "con"
