"""A report for a debater in format ``protocol``: arguments take the place of turns."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct

from events.state.debate import Debate
from events.state.parts.rounds import ArgumentState, has_answers
from events.types import ArgumentCrossExamined, ArgumentTraced, Missing, Side, other
from events.types.criteria import Criteria
from server.errors import NotNow
from server.export.document import CitedTurn, Part, Parts, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.document import MIN_LOSS, ReportSection, count, ranked_advice
from server.export.reports.sentences import Entry, ReportLog, ReportSentence
from server.export.wording import NAMES, RESPONSES, STANDINGS

Arguments = dict[str, ArgumentState]
MAX_ENTRIES: Final = 3
"""Entries of a section: the report is to stay on one page."""


class _SideOfProtocol(Struct, frozen=True):
    """The side's arguments in a debate of format ``protocol``."""

    log: ReportLog
    debate: Debate
    side: Side
    criteria: Criteria
    mine: Arguments
    traced: Arguments
    """Those that the judge has assessed."""

    def reason(self, name: str) -> Entry:
        """The judge's reason for the standing of an argument; nothing without one."""
        trace = self.mine[name].trace
        if trace is UNSET or not trace.reason:
            return ()
        turns = self.debate.transcript.turns
        first: Side = turns[1].side if 1 in turns else "pro"
        position = next(self.log.of(ArgumentTraced, argument=name))
        return (self.log.say("judge_wrote", position, words=QuotedWords(named(trace.reason, first))),)

    def claimed(self, name: str, argument: ArgumentState) -> ReportSentence:
        """An argument in its own words."""
        words: dict[str, Part] = {"name": Strong(name), "claim": QuotedWords(argument.claim)}
        return self.log.say("argument", argument.opened, turn=CitedTurn(argument.turn, argument.opened), **words)


def argument_sections(log: ReportLog, debate: Debate, side: Side) -> tuple[ReportSection, ...]:
    """The sections for one side.  Raises ``NotNow`` before the judge has assessed its arguments."""
    mine = {name: each for name, each in debate.protocol.arguments.items() if each.side == side}
    traced = {name: each for name, each in mine.items() if each.trace is not UNSET}
    criteria = None if debate.opened is None else debate.opened.rubric.criteria
    if not traced or criteria is None:
        raise NotNow(f"no argument of {NAMES[side]} is judged yet, so there is nothing to report")
    case = _SideOfProtocol(log, debate, side, criteria, mine, traced)
    sections = [*_moments(case)]
    totals = _totals(traced)
    told = {min(totals, key=totals.__getitem__), max(totals, key=totals.__getitem__)} if totals else set()
    for title, found in (
        ("What was left unanswered", _unanswered(case)),
        ("Where your arguments lost, and why", _lost(case)),
    ):
        if entries := tuple(found)[:MAX_ENTRIES]:
            sections.append(ReportSection(title=title, entries=entries))
    sections += ranked_advice(_advice(case, told))
    if unscored := tuple(_unscored(case)):
        sections.append(ReportSection(title="Not scored", entries=unscored))
    return tuple(sections)


def _total(argument: ArgumentState) -> float | None:
    if argument.trace is UNSET or isinstance(argument.trace.total, Missing):
        return None
    return argument.trace.total


def _totals(traced: Arguments) -> dict[str, float]:
    return {name: total for name, each in traced.items() if (total := _total(each)) is not None}


def _moments(case: _SideOfProtocol) -> Iterator[ReportSection]:
    totals = _totals(case.traced)
    if not totals:
        none = (case.log.say("no_totals", *case.traced),)
        yield ReportSection(title="Your strongest and weakest argument", entries=(none,))
        return
    best, worst = max(totals, key=totals.__getitem__), min(totals, key=totals.__getitem__)
    for title, name in (("Your strongest argument", best), ("Your weakest argument", worst)):
        points = {"total": f"{totals[name]:g}", "highest": str(case.criteria.high)}
        entry = (case.claimed(name, case.traced[name]), case.log.say("total", name, **points))
        yield ReportSection(title=title, entries=((*entry, *_standing(case, name), *case.reason(name)),))


def _standing(case: _SideOfProtocol, name: str) -> Iterator[ReportSentence]:
    standing = case.traced[name].standing
    if standing is not None:
        yield case.log.say("stands", name, standing=STANDINGS[standing])


def _unanswered(case: _SideOfProtocol) -> Iterator[Entry]:
    """Questions without an answer, arguments that stayed uncertain, and those of the opponent without a reply."""
    debate, side, log = case.debate, case.side, case.log
    for name, each in case.mine.items():
        cross, is_uncertain = each.cross, each.standing == "UNCERTAIN"
        if cross is UNSET or not cross.follow_up:
            continue
        words: dict[str, Part] = {"name": name, "question": QuotedWords(cross.follow_up)}
        cited = _crossed(each, cross)
        asked = log.say("asked", cited.position, rival=NAMES[other(side)], turn=cited, **words)
        if each.answer is not UNSET:
            if is_uncertain:
                yield (asked, log.say("answered_uncertain", side, name))
        elif has_answers(debate.opened) and side in debate.protocol.answered:
            yield (asked, log.say("no_answer", side))
        elif is_uncertain:
            yield (asked, log.say("stayed_uncertain", name))
    if side in debate.protocol.crossed:
        for name, each in debate.protocol.arguments.items():
            if each.side != side and each.cross is UNSET:
                yield (case.claimed(name, each), log.say("no_reply", side))


def _crossed(argument: ArgumentState, cross: ArgumentCrossExamined) -> CitedTurn:
    return CitedTurn(cross.turn, argument.opened if argument.crossed is UNSET else argument.crossed)


def _lost(case: _SideOfProtocol) -> Iterator[Entry]:
    """Refuted arguments with the words against them, and fallacies with their quotes."""
    for name, each in case.mine.items():
        if each.standing == "REFUTED":
            yield (case.claimed(name, each), *_standing(case, name), *_replied(case, each), *case.reason(name))
    for name, each in case.debate.protocol.arguments.items():
        for position, found in each.fallacies.items():
            if (found.by or each.side) != case.side:
                continue
            at = int(position)
            words: dict[str, Part] = {"name": Strong(name), "fallacy": found.fallacy.replace("_", " ")}
            words |= {"turn": CitedTurn(found.turn, at), "quote": QuotedWords(found.quote)}
            told = case.log.say("fallacy", at, **words)
            why = (case.log.say("judge_wrote", at, words=QuotedWords(found.reason)),) if found.reason else ()
            yield (told, *why)


def _replied(case: _SideOfProtocol, argument: ArgumentState) -> Iterator[ReportSentence]:
    """What the opponent says against an argument."""
    if (cross := argument.cross) is not UNSET:
        cited = _crossed(argument, cross)
        words: dict[str, Part] = {"response": RESPONSES[cross.response], "words": QuotedWords(cross.reasoning)}
        yield case.log.say("replied", cited.position, rival=NAMES[cross.by], turn=cited, **words)


class _Mark(Struct, frozen=True):
    """The score of one argument in one criterion."""

    name: str
    argument: ArgumentState
    score: float


def _advice(case: _SideOfProtocol, told: set[str]) -> Iterator[tuple[float, Entry]]:
    """Of each criterion: the weighted points below the best argument of the debate, over the side's arguments.

    Of the arguments ``told`` the report has given the judge's reason.
    """
    for criterion, rule in case.criteria.dimensions.items():
        everywhere = {name: _score(each, criterion) for name, each in case.debate.protocol.arguments.items()}
        top = max((each for each in everywhere.values() if each is not None), default=0.0)
        mine = [
            _Mark(name, each, score)
            for name, each in case.traced.items()
            if (score := _score(each, criterion)) is not None
        ]
        below = [each for each in mine if each.score < top and case.reason(each.name)]
        lost = round(sum(top - each.score for each in mine), 2)
        if not below or lost < MIN_LOSS:
            continue
        worst = min(below, key=lambda each: each.score)
        compared = case.log.say(
            "below_best_argument",
            *everywhere,
            criterion=criterion.replace("_", " "),
            best=f"{top:g} of {case.criteria.high}",
            arguments=f"{count(len(mine), 'argument')} {'is' if len(mine) == 1 else 'are'} {count(lost, 'point')}",
            together=", added up" if len(mine) > 1 else "",
        )
        opened = worst.argument.opened
        cited: Parts = (worst.name, " (", CitedTurn(worst.argument.turn, opened), ")")
        yield (
            rule.weight * lost,
            (
                case.log.say("advice", *compared.because_of, advice=Strong(f"Ask of each argument: {rule.asks}?")),
                compared,
                case.log.say("lowest_argument", opened, worst.name, argument=cited, points=f"{worst.score:g}"),
                *(() if worst.name in told else case.reason(worst.name)),
            ),
        )


def _score(argument: ArgumentState, criterion: str) -> float | None:
    return None if argument.trace is UNSET else argument.trace.scores.get(criterion)


def _unscored(case: _SideOfProtocol) -> Iterator[Entry]:
    for name, each in case.traced.items():
        if each.trace is not UNSET and isinstance(each.trace.total, Missing):
            reason = each.trace.total.missing.reason
            yield (case.log.say("no_total", name, name=Strong(name), reason=reason),)
        elif each.trace is not UNSET and each.trace.missing is not UNSET:
            yield (case.log.say("no_standing", name, name=Strong(name), reason=each.trace.missing.reason),)
