"""The rules that turn an assessment into events: fallacies with verified quotes, the trace of arguments, the totals.

The rules compute all totals.  An argument's total is the sum of its weighted scores.  A side's total is the mean over
its arguments times the rubric's number of arguments, and exists only if every argument has a total.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import (
    SIDES,
    ArgumentReading,
    ArgumentTraced,
    AssessmentGiven,
    BothSides,
    DebateOpened,
    Fallacy,
    FallacyFound,
    Missing,
    Reason,
    Side,
    Span,
    Standing,
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
from judge.protocol.order import drawn_side
from judge.protocol.prompt import SPEAKER
from judge.protocol.reading import excerpt

PURPOSE: Final = "assess"
PLACES: Final = 4
"""Decimals of a total: enough for a median between two points and a weight of hundredths."""

LEFT_OUT: Final = "the judge left it out"
NOTHING: Final = TracedAnswer()
_NO_LETTER: Final = re.compile(r"[^a-z]+")
Reading = Answers[AssessmentAnswer]
"""The samples of one reading."""


def record_assessment(
    batch: EventBatch, answers: Reading, opened: DebateOpened, con_first: Reading | None = None
) -> None:
    """Record the assessment: refusals, fallacies, the trace and the totals; or that there is none.

    ``con_first``: the second reading, in which Con stands first; ``answers`` has Pro first then.  A reading that gave
    no answer leaves the other one alone.
    """
    names = tuple(batch.debate.protocol.arguments)
    criteria = opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    asked: dict[Side, Reading] = {"pro": answers} if con_first is None else {"pro": answers, "con": con_first}
    readings = {first: each for first, each in asked.items() if each.given}
    if not readings:
        _give_nothing(batch, names, why_missing(answers))
        return
    last = len(batch.debate.transcript.turns)
    unknown = "there is no argument of this id"
    whole = Answers(
        given=tuple(each for reading in readings.values() for each in reading.given),
        notes=tuple(each for reading in readings.values() for each in reading.notes),
    )
    record_notes(batch, last, PURPOSE, whole, kinds=("number",), unknown=unknown)
    _find_fallacies(batch, [each.given for each in readings.values()], opened)
    cause = min(each.given[0][0] for each in readings.values())
    traces = {first: {name: _trace(name, each, criteria) for name in names} for first, each in readings.items()}
    for name in names:
        by_order = {first: said[name] for first, said in traces.items()}
        traced = next(iter(by_order.values()))
        if len(by_order) > 1:
            pooled = _trace(name, whole, criteria)
            traced = _of_both(pooled, by_order, criteria, whole, drawn_side(batch.debate))
        batch.add(traced, cause)
    by_reading = {first: _totals(batch.debate, said, opened) for first, said in traces.items()}
    given = _overall(batch.debate, readings, by_reading, opened)
    if con_first is not None:
        given = replace(given, readings=by_reading)
    batch.add(given, cause)


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


def _find_fallacies(
    batch: EventBatch, readings: Sequence[Sequence[tuple[int, AssessmentAnswer]]], opened: DebateOpened
) -> None:
    """Record the fallacies that more than half of the samples of a reading find, with a quote from a turn."""
    last = len(batch.debate.transcript.turns)
    found: dict[tuple[str, Fallacy, int], list[tuple[int, Span, tuple[FallacyAnswer, int]]]] = {}
    samples = [(number, answer) for number, given in enumerate(readings) for answer in given]
    for sample, (_, (position, each)) in enumerate(samples):
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
            _, span, (finding, position) = group[0]
            voices = Counter(samples[sample][0] for sample in {sample for sample, _, _ in group})
            quote = text[span[0] : span[1]]
            if not any(is_majority(votes, len(readings[number])) for number, votes in voices.items()):
                number, votes = voices.most_common(1)[0]
                why = f"only {votes} of {len(readings[number])} samples find it ({fallacy})"
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


def _of_both(
    pooled: ArgumentTraced, readings: Mapping[Side, ArgumentTraced], criteria: Criteria, whole: Reading, drawn: Side
) -> ArgumentTraced:
    """Return the trace of an argument from both readings: the mean of their scores, and one standing.

    ``pooled`` is the trace of all samples of both readings, with their spread.
    """
    scores = {
        dimension: round(fmean(points), PLACES)
        for dimension in criteria.dimensions
        if (points := [each.scores[dimension] for each in readings.values() if dimension in each.scores])
    }
    given = {first: each.standing for first, each in readings.items() if each.standing is not UNSET}
    standing = standing_of_both(tuple(given.values())) if given else UNSET
    order = (drawn, other(drawn))
    saying = [readings[first] for first in order if given.get(first) == standing]
    reason = saying[0].reason if saying else " ".join(_told(readings[first], first) for first in order)
    return replace(
        pooled,
        scores=scores,
        standing=standing,
        reason=reason,
        total=_total(pooled.argument, scores, criteria, _lost(whole)),
        readings={
            first: ArgumentReading(standing=each.standing, reason=each.reason, scores=each.scores)
            for first, each in readings.items()
        },
    )


def standing_of_both(standings: Sequence[Standing]) -> Standing:
    """Return the standing of an argument from those of both readings.

    Two that differ: upheld and partially upheld are partially upheld, as both say that the core holds; any other two
    are uncertain.
    """
    kinds = set(standings)
    if len(kinds) == 1:
        return standings[0]
    return "PARTIALLY_UPHELD" if kinds == {"UPHELD", "PARTIALLY_UPHELD"} else "UNCERTAIN"


def _told(reading: ArgumentTraced, first: Side) -> str:
    return f"Reading {SPEAKER[first]} first: {reading.reason}"


def _lost(answers: Reading) -> dict[str, str]:
    """Return what could not be read of the answers, and why, by path."""
    return {note.path: note.what for _, note in reversed(answers.notes) if note.kind == "left_out"}


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
    lost = _lost(answers)
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


def _overall(
    debate: Debate, readings: Mapping[Side, Reading], by_reading: Mapping[Side, BothSides], opened: DebateOpened
) -> AssessmentGiven:
    """Return the totals, and the texts of the first sample that has them.

    Of two readings the one comes first that puts the same side ahead as both together; else the drawn one.
    """
    traces = {name: each.trace for name, each in debate.protocol.arguments.items() if each.trace is not UNSET}
    totals, drawn = _totals(debate, traces, opened), drawn_side(debate)
    order = sorted(readings, key=lambda first: (_leader(by_reading[first]) != _leader(totals), first != drawn))
    read = [each for first in order for each in readings[first].values]
    return AssessmentGiven(
        pro_total=totals.pro,
        con_total=totals.con,
        key_insight=next((each.key_insight for each in read if each.key_insight), ""),
        unresolved_questions=next((each.unresolved_questions for each in read if each.unresolved_questions), ()),
        recommendation=next((each.recommendation for each in read if each.recommendation), ""),
    )


def _totals(debate: Debate, traces: Mapping[str, ArgumentTraced], opened: DebateOpened) -> BothSides:
    assert opened.rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    count = opened.rubric.protocol.arguments
    pro, con = ({name: traces.get(name) for name in debate.protocol.arguments_of(side)} for side in SIDES)
    return BothSides(pro=_side_total(pro, count), con=_side_total(con, count))


def _side_total(traces: Mapping[str, ArgumentTraced | None], count: int) -> float | Missing:
    """Return the mean of a side's arguments times ``count``; missing if one of them has no total."""
    totals: list[float] = []
    without: list[str] = []
    for name, trace in traces.items():
        if trace is None or isinstance(trace.total, Missing):
            without.append(name)
        else:
            totals.append(trace.total)
    if without or not totals:
        return missing(f"without a total: {', '.join(without) or 'every argument'}")
    return round(fmean(totals) * count, PLACES)


def _leader(totals: BothSides) -> Side | None:
    """Return the side with the higher total; None without one."""
    if isinstance(totals.pro, Missing) or isinstance(totals.con, Missing) or totals.pro == totals.con:
        return None
    return "pro" if totals.pro > totals.con else "con"
