"""The rules that turn an assessment into events: fallacies with verified quotes, the trace of arguments, the totals.

The rules compute all totals.  An argument's total is the sum of its weighted scores.  A side's total is the mean over
its arguments times the rubric's number of arguments, and exists only if every argument has a total.
"""

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, Final

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
)
from events.types.criteria import Criteria
from judge.guard.quotes import find
from judge.live.answers import Answers, is_majority, majority, overlapping, why_missing
from judge.live.entries import refuse_finding
from judge.live.event_batch import EventBatch
from judge.protocol.assess import spoken_by
from judge.protocol.assessment import ArgumentAssessment, Assessment, Finding, plain_name, read_assessment
from judge.protocol.reading import excerpt

PURPOSE: Final = "assess"
PLACES: Final = 4
"""Decimals of a total: enough for a median between two points and a weight of hundredths."""

Read = tuple[int, Assessment]
"""Position of the answer, and the assessment."""


def record_assessment(batch: EventBatch, answers: Answers[Any], opened: DebateOpened) -> None:
    """Record the assessment: refusals, fallacies, the trace and the totals; or that there is none."""
    names = tuple(batch.debate.protocol.arguments)
    criteria = opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    read = [(position, read_assessment(value, names, criteria)) for position, value in answers.given]
    if not read:
        _give_nothing(batch, names, why_missing(answers))
        return
    _refuse_invented(batch, read)
    _find_fallacies(batch, read, opened)
    for name in names:
        assessments = [each.arguments[name] for _, each in read]
        batch.add(_trace(name, assessments, criteria), read[0][0])
    batch.add(_overall(batch.debate, [each for _, each in read], opened), read[0][0])


def check_assessment(value: Any, names: Sequence[str], criteria: Criteria) -> str:
    """Return the fault of an assessment that judges no argument; empty for others."""
    return "the answer judges no argument" if read_assessment(value, names, criteria).is_empty else ""


def _give_nothing(batch: EventBatch, names: Sequence[str], why: Reason) -> None:
    nothing = Missing(why)
    for name in names:
        batch.add(ArgumentTraced(argument=name, total=nothing, missing=why), batch.debate.course)
    batch.add(AssessmentGiven(pro_total=nothing, con_total=nothing, missing=why), batch.debate.course)


def _refuse_invented(batch: EventBatch, read: Sequence[Read]) -> None:
    last = len(batch.debate.transcript.turns)
    seen: set[str] = set()
    for position, each in read:
        for name in each.invented:
            if name not in seen:
                seen.add(name)
                refuse_finding(batch, last, PURPOSE, name, "there is no argument of this id", position)


# fallacies


def _find_fallacies(batch: EventBatch, read: Sequence[Read], opened: DebateOpened) -> None:
    """Record the fallacies that more than half of the samples find, with a quote from a turn of that side."""
    last = len(batch.debate.transcript.turns)
    found: dict[tuple[str, Fallacy, int], list[tuple[int, Span, tuple[Finding, int]]]] = {}
    for sample, (position, each) in enumerate(read):
        for finding in each.fallacies:
            place = _place(batch.debate, finding, opened)
            if isinstance(place, str):
                refuse_finding(batch, last, PURPOSE, finding.quote, place, position)
            else:
                fallacy, turn, span = place
                found.setdefault((finding.argument, fallacy, turn), []).append((sample, span, (finding, position)))
    for (name, fallacy, turn), findings in found.items():
        text = batch.debate.transcript.turns[turn].text
        for group in overlapping(findings):
            votes, (_, span, (finding, position)) = len({sample for sample, _, _ in group}), group[0]
            quote = text[span[0] : span[1]]
            if not is_majority(votes, len(read)):
                why = f"only {votes} of {len(read)} samples find it ({fallacy})"
                refuse_finding(batch, turn, PURPOSE, quote, why, position)
                continue
            batch.add(
                FallacyFound(argument=name, fallacy=fallacy, quote=quote, turn=turn, span=span, reason=finding.reason),
                position,
            )


def _place(debate: Debate, finding: Finding, opened: DebateOpened) -> tuple[Fallacy, int, Span] | str:
    """Return the fallacy, its turn and its span, or why it is refused."""
    rules = opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    argument = debate.protocol.arguments.get(finding.argument)
    if argument is None:
        return f"there is no argument {excerpt(finding.argument)}" if finding.argument else "it names no argument"
    named = plain_name(finding.fallacy)
    fallacy = next((each for each in rules.fallacies if each == named), None)
    if fallacy is None:
        return f"{finding.fallacy[:40] or 'what is not named'} is none of the fallacies that are looked for"
    for turn in spoken_by(debate, argument.side):
        if (span := find(finding.quote, turn.text, opened.rubric.quote_minimum)) is not None:
            return fallacy, turn.turn, span
    return f"the quote is not in what {argument.side} said, or too short to tell ({fallacy}, {finding.argument})"


# the trace and the totals


def _trace(name: str, assessments: Sequence[ArgumentAssessment], criteria: Criteria) -> ArgumentTraced:
    """Return the median of each dimension over the samples that have it, and the standing of most samples."""
    points = {
        dimension: given
        for dimension in criteria.dimensions
        if (given := [each.scores[dimension] for each in assessments if dimension in each.scores])
    }
    scores = {dimension: float(median(given)) for dimension, given in points.items()}
    spread = {dimension: float(max(given) - min(given)) for dimension, given in points.items()}
    standings = [each.standing for each in assessments if each.standing is not None]
    standing = majority(standings, "UNCERTAIN") if standings else None
    agreeing = [each for each in assessments if each.standing == standing] or list(assessments)
    return ArgumentTraced(
        argument=name,
        standing=UNSET if standing is None else standing,
        reason=agreeing[0].reason,
        scores=scores,
        spread=spread if len(assessments) > 1 else {},
        total=_total(scores, assessments, criteria),
        missing=Reason(assessments[0].why) if standing is None else UNSET,
    )


def _total(scores: dict[str, float], assessments: Sequence[ArgumentAssessment], criteria: Criteria) -> float | Missing:
    if absent := [name for name in criteria.dimensions if name not in scores]:
        reasons = dict.fromkeys(assessments[0].absent[name] for name in absent)
        if len(absent) == len(criteria.dimensions) and len(reasons) == 1:
            return missing(next(iter(reasons)))
        return missing("; ".join(f"{name}: {assessments[0].absent[name]}" for name in absent))
    return round(sum(each.weight * scores[name] for name, each in criteria.dimensions.items()), PLACES)


def _overall(debate: Debate, read: Sequence[Assessment], opened: DebateOpened) -> AssessmentGiven:
    """Return the totals, and the texts of the first sample that has them."""
    assert opened.rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    count = opened.rubric.protocol.arguments
    totals = {side: _side_total(debate, side, count) for side in SIDES}
    return AssessmentGiven(
        pro_total=totals["pro"],
        con_total=totals["con"],
        key_insight=next((each.key_insight for each in read if each.key_insight), ""),
        unresolved_questions=next((each.unresolved for each in read if each.unresolved), ()),
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
