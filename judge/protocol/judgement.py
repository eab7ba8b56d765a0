"""The rules that turn an assessment into events: fallacies with verified quotes, the trace of arguments, the totals.

The rules compute all totals.  An argument's total is the sum of its weighted scores.  A side's total is the mean over
its arguments times the rubric's number of arguments, and exists only if every argument has a total.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Final

from msgspec import UNSET

from events.state.debate import Debate
from events.types import (
    SIDES,
    ArgumentTraced,
    AssessmentGiven,
    DebateOpened,
    Fallacy,
    FallacyFound,
    Missing,
    Reason,
    Side,
    Span,
    missing,
    other,
)
from events.types.criteria import Criteria
from judge.guard.quotes import find
from judge.lenient import same_id
from judge.live.answers import Answers, is_majority, majority, overlapping, why_missing
from judge.live.entries import record_notes, refuse_finding
from judge.live.event_batch import EventBatch
from judge.protocol.assess import AssessmentAnswer, FallacyAnswer, TracedAnswer, asks_examined, spoken_by
from judge.protocol.cross import cross_said
from judge.protocol.reading import excerpt

PURPOSE: Final = "assess"
PLACES: Final = 4
"""Decimals of a total: enough for a median between two points and a weight of hundredths."""

LEFT_OUT: Final = "the judge left it out"
NOTHING: Final = TracedAnswer()
_NO_LETTER: Final = re.compile(r"[^a-z]+")


def record_assessment(batch: EventBatch, answers: Answers[AssessmentAnswer], opened: DebateOpened) -> None:
    """Record the assessment: refusals, fallacies, the trace and the totals; or that there is none."""
    names = tuple(batch.debate.protocol.arguments)
    criteria = opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    if not answers.given:
        _give_nothing(batch, names, why_missing(answers))
        return
    first = answers.given[0][0]
    last = len(batch.debate.transcript.turns)
    unknown = "there is no argument of this id"
    record_notes(batch, last, PURPOSE, answers, kinds=("number",), unknown=unknown)
    _find_fallacies(batch, answers.given, opened)
    for name in names:
        batch.add(_trace(name, answers, criteria), first)
    batch.add(_overall(batch.debate, answers.values, opened), first)


def judges_nothing(answer: AssessmentAnswer) -> str:
    """Return the fault of an assessment without a score and a standing; empty for others."""
    is_judged = any(each.scores or each.standing for each in answer.arguments.values())
    return "" if is_judged else "the answer judges no argument"


def _give_nothing(batch: EventBatch, names: Sequence[str], why: Reason) -> None:
    nothing = Missing(why)
    for name in names:
        batch.add(ArgumentTraced(argument=name, total=nothing, missing=why), batch.debate.course)
    batch.add(AssessmentGiven(pro_total=nothing, con_total=nothing, missing=why), batch.debate.course)


# fallacies


def _find_fallacies(batch: EventBatch, given: Sequence[tuple[int, AssessmentAnswer]], opened: DebateOpened) -> None:
    """Record the fallacies that more than half of the samples find, with a quote from a turn of that side."""
    last = len(batch.debate.transcript.turns)
    found: dict[tuple[str, Fallacy, int], list[tuple[int, Span, tuple[FallacyAnswer, int]]]] = {}
    for sample, (position, each) in enumerate(given):
        for finding in each.fallacies:
            place = _place(batch.debate, finding, opened)
            if isinstance(place, str):
                refuse_finding(batch, last, PURPOSE, finding.quote, place, position)
            else:
                name, fallacy, turn, span = place
                found.setdefault((name, fallacy, turn), []).append((sample, span, (finding, position)))
    for (name, fallacy, turn), findings in found.items():
        text = batch.debate.transcript.turns[turn].text
        for group in overlapping(findings):
            votes, (_, span, (finding, position)) = len({sample for sample, _, _ in group}), group[0]
            quote = text[span[0] : span[1]]
            if not is_majority(votes, len(given)):
                why = f"only {votes} of {len(given)} samples find it ({fallacy})"
                refuse_finding(batch, turn, PURPOSE, quote, why, position)
                continue
            speaker, own = batch.debate.transcript.turns[turn].side, batch.debate.protocol.arguments[name].side
            batch.add(
                FallacyFound(
                    argument=name,
                    fallacy=fallacy,
                    quote=quote,
                    turn=turn,
                    span=span,
                    reason=finding.reason,
                    by=UNSET if speaker == own else speaker,
                ),
                position,
            )


def _place(debate: Debate, finding: FallacyAnswer, opened: DebateOpened) -> tuple[str, Fallacy, int, Span] | str:
    """Return the argument, the fallacy, its turn and its span, or why it is refused."""
    rules = opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    name = same_id(finding.argument, tuple(debate.protocol.arguments))
    if name is None:
        return f"there is no argument {excerpt(finding.argument)}" if finding.argument else "it names no argument"
    fallacy = next((each for each in rules.fallacies if each == plain_name(finding.fallacy)), None)
    if fallacy is None:
        return f"{finding.fallacy[:40] or 'what is not named'} is none of the fallacies that are looked for"
    side = debate.protocol.arguments[name].side
    for turn in spoken_by(debate, side):
        if (span := find(finding.quote, turn.text, opened.rubric.quote_minimum)) is not None:
            return name, fallacy, turn.turn, span
    if not asks_examined(opened):
        return f"the quote is not in what {side} said, or too short to tell ({fallacy}, {name})"
    if (found := _in_examination(debate, name, finding.quote, opened.rubric.quote_minimum)) is not None:
        return name, fallacy, *found
    where = f"in what {side} said, nor in the cross-examination of {name}"
    return f"the quote is not {where}, or too short to tell ({fallacy}, {name})"


def _in_examination(debate: Debate, name: str, quote: str, least: int) -> tuple[int, Span] | None:
    """Return the turn and the span of a quote in what the other side says of an argument in cross-examination.

    An examination that was not in the required form is searched whole.
    """
    argument = debate.protocol.arguments[name]
    turn = next(iter(spoken_by(debate, other(argument.side))[1:2]), None)
    if turn is None:
        return None
    said = turn.text if argument.cross is UNSET else cross_said(argument.cross)
    start = turn.text.find(said)
    if start < 0 or (span := find(quote, said, least)) is None:
        return None
    return turn.turn, (start + span[0], start + span[1])


def plain_name(name: str) -> str:
    """Return ``straw_man`` for ``Straw-Man fallacy``: lower case, underscores, without articles and "fallacy"."""
    words = [word for word in _NO_LETTER.split(name.casefold()) if word not in {"", "fallacy", "the", "an", "a"}]
    return "_".join(words)


# the trace and the totals


def _trace(name: str, answers: Answers[AssessmentAnswer], criteria: Criteria) -> ArgumentTraced:
    """Return the median of each dimension over the samples that have it, and the standing of most samples."""
    assessments = [each.arguments.get(name, NOTHING) for each in answers.values]
    points = {
        dimension: given
        for dimension in criteria.dimensions
        if (given := [each.scores[dimension] for each in assessments if dimension in each.scores])
    }
    scores = {dimension: float(median(given)) for dimension, given in points.items()}
    spread = {dimension: float(max(given) - min(given)) for dimension, given in points.items()}
    standings = [each.standing for each in assessments if each.standing is not None]
    standing = majority(standings, "UNCERTAIN") if standings else None
    agreeing = [each for each in assessments if each.standing == standing] or assessments
    lost = {note.path: note.what for _, note in reversed(answers.notes) if note.kind == "left_out"}
    why = lost.get(f"arguments.{name}", LEFT_OUT)
    return ArgumentTraced(
        argument=name,
        standing=UNSET if standing is None else standing,
        reason=agreeing[0].reason,
        scores=scores,
        spread=spread if len(assessments) > 1 else {},
        total=_total(name, scores, criteria, lost),
        missing=Reason(lost.get(f"arguments.{name}.standing", why)) if standing is None else UNSET,
    )


def _total(name: str, scores: dict[str, float], criteria: Criteria, lost: Mapping[str, str]) -> float | Missing:
    if absent := [dimension for dimension in criteria.dimensions if dimension not in scores]:
        at = f"arguments.{name}"
        why = {each: lost.get(f"{at}.scores.{each}", lost.get(at, LEFT_OUT)) for each in absent}
        if len(absent) == len(criteria.dimensions) and len(set(why.values())) == 1:
            return missing(why[absent[0]])
        return missing("; ".join(f"{each}: {reason}" for each, reason in why.items()))
    return round(sum(each.weight * scores[dimension] for dimension, each in criteria.dimensions.items()), PLACES)


def _overall(debate: Debate, read: Sequence[AssessmentAnswer], opened: DebateOpened) -> AssessmentGiven:
    """Return the totals, and the texts of the first sample that has them."""
    assert opened.rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    count = opened.rubric.protocol.arguments
    totals = {side: _side_total(debate, side, count) for side in SIDES}
    return AssessmentGiven(
        pro_total=totals["pro"],
        con_total=totals["con"],
        key_insight=next((each.key_insight for each in read if each.key_insight), ""),
        unresolved_questions=next((each.unresolved_questions for each in read if each.unresolved_questions), ()),
        recommendation=next((each.recommendation for each in read if each.recommendation), ""),
    )


def _side_total(debate: Debate, side: Side, count: int) -> float | Missing:
    """Return the mean of a side's arguments times ``count``; missing if one of them has no total."""
    totals: list[float] = []
    without: list[str] = []
    for name, argument in debate.protocol.arguments.items():
        if argument.side != side:
            continue
        if argument.trace is UNSET or isinstance(argument.trace.total, Missing):
            without.append(name)
        else:
            totals.append(argument.trace.total)
    if without or not totals:
        return missing(f"without a total: {', '.join(without) or 'every argument'}")
    return round(fmean(totals) * count, PLACES)
