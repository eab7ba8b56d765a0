"""A report for a debater: its best and its worst moment, what it left open, what it lost later, what to do next time.

Every sentence follows from recorded events, which it cites: see ``sentences.py``.  No model is called.  The rules stand
in docs/design.md.
"""

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from events.record import Recorded
from events.state.debate import Debate
from events.state.scorecard import most_of
from events.text.figures import rounded
from events.types import Missing, Side, other
from events.types.rubric import is_unscaled
from events.view.view import Fold, SeatView, View
from server.errors import NotNow
from server.export.preview.card import scores_of
from server.export.preview.course import course_of
from server.export.preview.drawing import course_svg
from server.export.reports.arguments import argument_sections
from server.export.reports.document import Report, count
from server.export.reports.sentences import ReportLog, ReportSentence
from server.export.reports.turns import turn_sections
from server.export.wording import NAMES, judge_name, listed


def report_for(records: Iterable[Recorded], fold: Fold, view: View, side: Side) -> Report:
    """The report for one side.  ``records`` are those of the ``fold``; ``view`` is what its reader may see.

    Raises ``NotNow`` if the format has no sides, or nothing of the side is judged yet.
    """
    if view.format not in {"exchange", "protocol"}:
        raise NotNow(f"a report for a debater needs a debate of two sides, and this one has the format {view.format}")
    log = ReportLog(tuple(each for each in records if each.position <= fold.view.position))
    sections = (
        argument_sections(log, fold.debate, side) if view.format == "protocol" else turn_sections(log, fold, view, side)
    )
    seat = view.pro if side == "pro" else view.con
    who = NAMES[side]
    if isinstance(seat, SeatView) and seat.speaker is not UNSET:
        who = f"{seat.speaker} ({who})"
    return Report(
        debate=view.id,
        title=f"Report for {who}",
        motion=view.motion,
        language=view.language or "en",
        facts=tuple(_facts(log, fold.debate, view, side)),
        caveats=tuple(_caveats(log, view)),
        sections=sections,
        drawing=course_svg(course_of(fold), scores_of(view)[0]),
    )


def _caveats(log: ReportLog, view: View) -> Iterator[ReportSentence]:
    if view.judge is not UNSET and view.judge.caveat:
        yield log.say("judge_caveat", caveat=view.judge.caveat)
    if view.transcript is not UNSET:
        source = "" if view.transcript.source is UNSET else f" ({view.transcript.source})"
        yield log.say("judged_again" if view.transcript.kind == "moot" else "supplied", source=source)
    if view.state != "concluded":
        state = f"{view.state}: {view.reason}" if view.reason else view.state
        yield log.say("not_ended", state=state.rstrip("."))
        yield log.say("ends_at", view.position, position=str(view.position))


def _facts(log: ReportLog, debate: Debate, view: View, side: Side) -> Iterator[ReportSentence]:
    """The judge, the outcome and the scores, from the side's place."""
    yield log.say("judge", judge=judge_name(UNSET if view.judge is UNSET else view.judge.model))
    if view.judge is not UNSET and view.judge.effort == "brief":
        yield log.say("judge_brief")
    if view.outcome is not UNSET:
        yield log.say("outcome", outcome=view.outcome.text)
    if view.mark is not UNSET:
        yield log.say("origin", origin=view.mark.text)
    rival = NAMES[other(side)]
    if view.format == "protocol":
        given = debate.protocol.assessment
        if given is not UNSET:
            totals = {"pro": given.pro_total, "con": given.con_total}
            yield log.say("totals", mine=_figure(totals[side]), rival=rival, theirs=_figure(totals[other(side)]))
        return
    pro, con = view.scorecard.pro, view.scorecard.con
    means = {"pro": pro.composite, "con": con.composite}
    figures: dict[str, str] = {"mine": _figure(means[side]), "rival": rival, "theirs": _figure(means[other(side)])}
    rubric = debate.ledger.rubric
    if rubric is not None and is_unscaled(rubric):
        yield log.say("points", pro, con, most=str(most_of(debate.ledger)), **figures)
    else:
        yield log.say("means", pro, con, **figures)
    won, lost, drawn = _exchanges(debate, side)
    if pairs := won + lost + drawn:
        compared = dict.fromkeys(name for each in debate.exchanges.comparisons.values() for name in each.outcomes)
        yield log.say(
            "exchanges",
            pairs=count(pairs, "pair"),
            won=str(won),
            lost=str(lost),
            drawn=f"{drawn} {'was' if drawn == 1 else 'were'}",
            dimensions=listed([name.replace("_", " ") for name in compared]),
        )


def _exchanges(debate: Debate, side: Side) -> tuple[int, int, int]:
    rounds = [each.winner() for each in debate.exchanges.comparisons.values()]
    sides = debate.ledger.sides
    winners = [
        None if winner in {None, "draw"} else sides[each.earlier if winner == "earlier" else each.later]
        for each, winner in zip(debate.exchanges.comparisons.values(), rounds, strict=True)
    ]
    return winners.count(side), winners.count(other(side)), rounds.count("draw")


def _figure(value: float | Missing) -> str:
    return "none" if isinstance(value, Missing) else rounded(value)
