"""A report for a debater in format ``protocol``: arguments take the place of turns."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct

from events.state.debate import Debate
from events.state.parts.rounds import ArgumentState, has_answers
from events.types import ArgumentCrossExamined, Missing, Side, other
from server.errors import NotNow
from server.export.document import CitedTurn, Parts, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.document import (
    MIN_LOSS,
    STATED,
    ReportSection,
    count,
    ranked_advice,
)
from server.export.wording import NAMES, RESPONSES, STANDINGS

Arguments = dict[str, ArgumentState]
MAX_ENTRIES: Final = 3
"""Entries of a section: the report is to stay on one page."""


def argument_sections(debate: Debate, side: Side) -> tuple[ReportSection, ...]:
    """The sections for one side.  Raises ``NotNow`` before the judge has assessed its arguments."""
    mine = {name: each for name, each in debate.protocol.arguments.items() if each.side == side}
    traced = {name: each for name, each in mine.items() if each.trace is not UNSET}
    if not traced:
        raise NotNow(f"no argument of {NAMES[side]} is judged yet, so there is nothing to report")
    sections = [*_moments(debate, traced)]
    totals = _totals(traced)
    told = {min(totals, key=totals.__getitem__), max(totals, key=totals.__getitem__)} if totals else set()
    for title, entries in (
        ("What was left unanswered", _unanswered(debate, side, mine)),
        ("Where your arguments lost, and why", _lost(debate, mine)),
    ):
        found = tuple(entries)[:MAX_ENTRIES]
        sections.append(ReportSection(title=title, entries=found or (("The record has nothing here.",),)))
    sections.append(ranked_advice(_advice(debate, traced, told)))
    if unscored := tuple(_unscored(traced)):
        sections.append(ReportSection(title="Not scored", entries=unscored))
    return tuple(sections)


def _total(argument: ArgumentState) -> float | None:
    if argument.trace is UNSET or isinstance(argument.trace.total, Missing):
        return None
    return argument.trace.total


def _totals(traced: Arguments) -> dict[str, float]:
    return {name: total for name, each in traced.items() if (total := _total(each)) is not None}


def _claimed(name: str, argument: ArgumentState) -> Parts:
    return (Strong(name), " (", CitedTurn(argument.turn, argument.opened), "): ", QuotedWords(argument.claim))


def _says(debate: Debate, argument: ArgumentState) -> Parts:
    """The judge's reason for the standing of an argument."""
    if argument.trace is UNSET or not argument.trace.reason:
        return ()
    turns = debate.transcript.turns
    first: Side = turns[1].side if 1 in turns else "pro"
    return (" The judge wrote: ", QuotedWords(named(argument.trace.reason, first)))


def _moments(debate: Debate, traced: Arguments) -> Iterator[ReportSection]:
    totals = _totals(traced)
    if not totals:
        entry: Parts = ("None of your arguments has a score.",)
        yield ReportSection(title="Your strongest and weakest argument", entries=(entry,))
        return
    best, worst = max(totals, key=totals.__getitem__), min(totals, key=totals.__getitem__)
    for title, name in (("Your strongest argument", best), ("Your weakest argument", worst)):
        each = traced[name]
        standing = "without a standing" if each.standing is None else STANDINGS[each.standing]
        scored = f" It has {totals[name]:g} of 10 points and is {standing}."
        yield ReportSection(title=title, entries=((*_claimed(name, each), scored, *_says(debate, each)),))


def _unanswered(debate: Debate, side: Side, mine: Arguments) -> Iterator[Parts]:
    """Questions without an answer, arguments that stayed uncertain, and those of the opponent without a reply."""
    protocol, rival = debate.protocol, NAMES[other(side)]
    for name, each in mine.items():
        cross, is_uncertain = each.cross, each.standing == "UNCERTAIN"
        if cross is UNSET or not cross.follow_up:
            continue
        asked: Parts = (
            f"{rival} asked about {name} in ",
            _asked(each, cross),
            ": ",
            QuotedWords(cross.follow_up),
        )
        if each.answer is UNSET:
            is_due = has_answers(debate.opened) and side in protocol.answered
            if is_due or is_uncertain:
                yield (*asked, " You did not answer." if is_due else " The argument stayed uncertain.")
        elif is_uncertain:
            yield (*asked, " You answered, and the argument stayed uncertain.")
    if side in protocol.crossed:
        for name, each in protocol.arguments.items():
            if each.side != side and each.cross is UNSET:
                yield ("You did not reply to ", *_claimed(name, each))


def _asked(argument: ArgumentState, cross: ArgumentCrossExamined) -> CitedTurn:
    return CitedTurn(cross.turn, argument.opened if argument.crossed is UNSET else argument.crossed)


def _lost(debate: Debate, mine: Arguments) -> Iterator[Parts]:
    """Refuted arguments with the words against them, and fallacies with their quotes."""
    for name, each in mine.items():
        if each.standing == "REFUTED":
            against: Parts = ()
            if each.cross is not UNSET:
                who, how = NAMES[each.cross.by], RESPONSES[each.cross.response]
                against = (f" {who} {how} in ", _asked(each, each.cross), ": ", QuotedWords(each.cross.reasoning))
            yield (*_claimed(name, each), " It was refuted.", *against, *_says(debate, each))
    for name, each in mine.items():
        for position, found in each.fallacies.items():
            why: Parts = (" The judge wrote: ", QuotedWords(found.reason)) if found.reason else ()
            kind = found.fallacy.replace("_", " ")
            cited = CitedTurn(found.turn, int(position))
            yield (Strong(name), f", {kind} in ", cited, ": ", QuotedWords(found.quote), *why)


class _Mark(Struct, frozen=True):
    """The score of one argument in one criterion."""

    name: str
    argument: ArgumentState
    score: float


def _advice(debate: Debate, traced: Arguments, told: set[str]) -> Iterator[tuple[float, Parts]]:
    """Of each criterion: the weighted points below the best argument of the debate, over the side's arguments.

    Of the arguments ``told`` the report has given the judge's reason.
    """
    opened = debate.opened
    criteria = None if opened is None else opened.rubric.criteria
    if criteria is None:
        return
    for criterion, rule in criteria.dimensions.items():
        everywhere = [_score(each, criterion) for each in debate.protocol.arguments.values()]
        top = max((each for each in everywhere if each is not None), default=0.0)
        mine = [
            _Mark(name, each, score) for name, each in traced.items() if (score := _score(each, criterion)) is not None
        ]
        below = [each for each in mine if each.score < top and _says(debate, each.argument)]
        lost = sum(top - each.score for each in mine)
        if not below or lost < MIN_LOSS:
            continue
        worst = min(below, key=lambda each: each.score)
        respect = f"{criterion.replace('_', ' ')}, {top:g} of {criteria.high}"
        advice: Parts = (
            Strong(f"Ask of each argument: {rule.asks}?"),
            f" Against the best argument of this debate in this respect ({respect}) yours lost {count(lost, 'point')} ",
            f"together. Lowest is {worst.name}, ",
            CitedTurn(worst.argument.turn, worst.argument.opened),
            f", with {worst.score:g}.",
            *((STATED,) if worst.name in told else _says(debate, worst.argument)),
        )
        yield rule.weight * lost, advice


def _score(argument: ArgumentState, criterion: str) -> float | None:
    return None if argument.trace is UNSET else argument.trace.scores.get(criterion)


def _unscored(traced: Arguments) -> Iterator[Parts]:
    for name, each in traced.items():
        if each.trace is not UNSET and isinstance(each.trace.total, Missing):
            yield (Strong(name), f" has no score: {each.trace.total.missing.reason}.")
        elif each.trace is not UNSET and each.trace.missing is not UNSET:
            yield (Strong(name), f" has no standing: {each.trace.missing.reason}.")
