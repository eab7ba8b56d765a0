"""A report for a debater: its best and its worst moment, what it left open, what it lost later, what to do next time.

Every sentence follows from recorded events.  No model is called.  The rules stand in docs/design.md.
"""

from collections.abc import Iterator

from msgspec import UNSET

from events.state.debate import Debate
from events.state.outcome import rule_name
from events.types import Missing, Side, other
from events.view.view import Fold, SeatView, View
from server.errors import NotNow
from server.export.reports.arguments import argument_sections
from server.export.reports.document import Report
from server.export.reports.turns import turn_sections
from server.export.wording import NAMES, judge_name


def report_for(fold: Fold, view: View, side: Side) -> Report:
    """The report for one side.  ``view`` is what its reader may see.

    Raises ``NotNow`` if the format has no sides, or nothing of the side is judged yet.
    """
    if view.format not in {"exchange", "protocol"}:
        raise NotNow(f"a report for a debater needs a debate of two sides, and this one has the format {view.format}")
    sections = argument_sections(fold.debate, side) if view.format == "protocol" else turn_sections(fold, view, side)
    seat = view.pro if side == "pro" else view.con
    who = NAMES[side]
    if isinstance(seat, SeatView) and seat.speaker is not UNSET:
        who = f"{seat.speaker} ({who})"
    return Report(
        debate=view.id,
        title=f"Report for {who}",
        motion=view.motion,
        language=view.language or "en",
        facts=tuple(_facts(fold.debate, view, side)),
        caveats=tuple(_caveats(view)),
        sections=sections,
    )


def _caveats(view: View) -> Iterator[str]:
    if view.judge is not UNSET and view.judge.caveat:
        yield view.judge.caveat
    if view.transcript is not UNSET:
        source = "" if view.transcript.source is UNSET else f" ({view.transcript.source})"
        yield f"The turns come from a transcript{source}. They were not spoken in Moot."
    if view.state != "concluded":
        why = f": {view.reason}" if view.reason else ""
        yield f"The debate has not ended; it is {view.state}{why}. This report ends at event {view.position}."


def _facts(debate: Debate, view: View, side: Side) -> Iterator[str]:
    """The judge, the outcome and the scores, from the side's place."""
    judge = judge_name(UNSET if view.judge is UNSET else view.judge.model)
    yield f"Judged by {judge}. Moot wrote this report from the judge's recorded answers; no model was asked for it."
    if view.conclusion is not UNSET:
        winner = view.conclusion.winner
        by = rule_name(view.conclusion.by_rule)
        said = "won" if winner == side else "lost"
        named_none = f"No winner is named, by {by}."
        yield named_none if winner == "neither" else f"You {said}. {NAMES[winner]} wins by {by}."
    if view.format == "protocol":
        given = debate.protocol.assessment
        if given is not UNSET:
            totals = {"pro": given.pro_total, "con": given.con_total}
            theirs = f"{NAMES[other(side)]}: {_figure(totals[other(side)])}"
            yield f"Total of your arguments: {_figure(totals[side])}. {theirs}."
        return
    means = {"pro": view.scorecard.pro.composite, "con": view.scorecard.con.composite}
    theirs = f"{NAMES[other(side)]}: {_figure(means[other(side)])}"
    yield f"Mean score of your turns: {_figure(means[side])} of 100. {theirs}."
    won, lost, drawn = _exchanges(debate, side)
    if won + lost + drawn:
        yield f"Exchanges: {won} won, {lost} lost, {drawn} drawn."


def _exchanges(debate: Debate, side: Side) -> tuple[int, int, int]:
    rounds = [each.winner() for each in debate.exchanges.comparisons.values()]
    sides = debate.ledger.sides
    winners = [
        None if winner in {None, "draw"} else sides[each.earlier if winner == "earlier" else each.later]
        for each, winner in zip(debate.exchanges.comparisons.values(), rounds, strict=True)
    ]
    return winners.count(side), winners.count(other(side)), rounds.count("draw")


def _figure(value: float | Missing) -> str:
    return "none" if isinstance(value, Missing) else f"{value:.1f}"
