"""The briefing for a person who must decide: what to rely on, what is open, what to find out.  See docs/design.md."""

import re
from collections.abc import Iterable, Iterator
from math import inf
from typing import Final

from msgspec import UNSET

from events.state.parts.panel import STANDING_WORDS, PanelState
from events.state.parts.rounds import ProtocolState
from events.text.figures import rounded
from events.types import (
    SIDES,
    AssessmentGiven,
    Briefing,
    DebateOpened,
    Missing,
    missing,
)
from events.types.criteria import ProtocolRules, Standing

MAX_QUESTIONS: Final = 9
"""Maximum questions that a briefing lists."""
MAX_QUOTED: Final = 120
"""Characters of a quote."""
SAME: Final = 0.6
"""From this share of common words (of all words of both) on, two questions count as one."""
WEAK: Final = 5.0
"""Up to this score of its evidence (1–10) an argument needs better evidence."""
NAMES: Final = {"pro": "Pro", "con": "Con"}
ONE_MODEL: Final = "Both sides and the judge are the same model: what it does not know, no one here knows."
_WORD: Final = re.compile(r"[^\W_]+")


def briefing(protocol: ProtocolState, opened: DebateOpened | None, panel: PanelState) -> Briefing:
    """The briefing that follows from the standings of arguments, the assessment and the panel."""
    given = protocol.assessment
    assert given is not UNSET, "a briefing follows from an assessment"
    rules = (opened.rubric.protocol if opened is not None else None) or ProtocolRules()
    gap = _gap(given)
    return Briefing(
        gap=gap,
        meaning=_meaning(given, gap, rules, (opened.judge.baseline or "") if opened is not None else ""),
        rely_on=_standing(protocol, "UPHELD"),
        with_care=_standing(protocol, "PARTIALLY_UPHELD"),
        do_not_use=_standing(protocol, "REFUTED"),
        still_open=tuple(name for name, each in protocol.arguments.items() if each.standing in {"UNCERTAIN", None}),
        unresolved=given.unresolved_questions,
        find_out=_different(_to_find_out(protocol, given, panel)),
        key_insight=given.key_insight,
        recommendation=given.recommendation,
        cautions=tuple(dict.fromkeys(_cautions(protocol, given, opened, panel))),
        limits=_limits(protocol) or UNSET,
        standings=_standings_of_both(protocol, panel) or UNSET,
    )


def _gap(given: AssessmentGiven) -> float | Missing:
    if isinstance(given.pro_total, Missing) or isinstance(given.con_total, Missing):
        reasons = (
            f"{NAMES[side]}: {total.missing.reason}"
            for side, total in (("pro", given.pro_total), ("con", given.con_total))
            if isinstance(total, Missing)
        )
        return missing(given.missing.reason if given.missing is not UNSET else "; ".join(reasons))
    return round(abs(given.pro_total - given.con_total), 2)


def _meaning(given: AssessmentGiven, gap: float | Missing, rules: ProtocolRules, baseline: str) -> str:
    if isinstance(gap, Missing) or isinstance(given.pro_total, Missing) or isinstance(given.con_total, Missing):
        return "no gap can be stated: the assessment is not complete"
    points = "1 point apart" if gap == 1 else f"{gap:g} points apart"
    if baseline:
        return f"no lead that means anything: {points} by {baseline}, which understands nothing"
    if gap < rules.even_within:
        return f"evenly matched: {points}, less than {rules.even_within:g}"
    leader = NAMES["pro" if given.pro_total > given.con_total else "con"]
    if gap > rules.clear_above:
        return f"the judge’s totals put {leader} clearly ahead: {points}, more than {rules.clear_above:g}"
    return f"the judge’s totals put {leader} ahead, not clearly: {points}, at most {rules.clear_above:g}"


def _standing(protocol: ProtocolState, standing: Standing) -> tuple[str, ...]:
    return tuple(name for name, each in protocol.arguments.items() if each.standing == standing)


def _limits(protocol: ProtocolState) -> dict[str, str]:
    return {
        name: each.trace.reason
        for name, each in protocol.arguments.items()
        if each.standing == "PARTIALLY_UPHELD" and each.trace is not UNSET and each.trace.reason
    }


def _standings_of_both(protocol: ProtocolState, panel: PanelState) -> dict[str, str]:
    judge = {
        name: STANDING_WORDS[each.standing] if each.standing else "no standing"
        for name, each in protocol.arguments.items()
    }
    return {
        name: f"judge: {said}; panel: {panel.standings[name]}"
        for name, said in judge.items()
        if name in panel.standings
    }


# what to find out


def _to_find_out(protocol: ProtocolState, given: AssessmentGiven, panel: PanelState) -> Iterator[str]:
    """Questions, the most important first: open ones of the judge, unsettled follow-ups, missing evidence."""
    yield from given.unresolved_questions
    if panel.conclusion is not UNSET:
        yield from panel.conclusion.advice
    for name, each in protocol.arguments.items():
        is_answered = each.answer is not UNSET and each.standing == "PARTIALLY_UPHELD"
        if each.standing in {"UPHELD", "REFUTED"} or is_answered:
            continue
        if each.cross is not UNSET and each.cross.follow_up:
            yield f"{name}: {each.cross.follow_up}"
        elif each.standing != "PARTIALLY_UPHELD":
            yield f"{name}: does it hold that {_quote(each.claim)}? It was not put to the test."
    for name, each in protocol.arguments.items():
        if each.standing == "REFUTED":
            continue
        if not each.evidence:
            yield f"{name}: what evidence is there that {_quote(each.claim)}? None was given."
        elif each.trace is not UNSET and (score := each.trace.scores.get("evidence", inf)) <= WEAK:
            yield f"{name}: is there better evidence than {_quote(each.evidence)}? It was scored {score:g} of 10."


def _different(questions: Iterable[str]) -> tuple[str, ...]:
    """The questions without near repeats of earlier ones, at most ``MAX_QUESTIONS``."""
    kept: dict[str, frozenset[str]] = {}
    for each in questions:
        asked = frozenset(_WORD.findall(each.casefold()))
        if asked and not any(len(asked & known) >= SAME * len(asked | known) for known in kept.values()):
            kept[each] = asked
    return tuple(kept)[:MAX_QUESTIONS]


def _quote(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".?!")
    return f"“{flat if len(flat) <= MAX_QUOTED else flat[:MAX_QUOTED].rsplit(' ', 1)[0] + '…'}”"


# cautions


def _cautions(
    protocol: ProtocolState, given: AssessmentGiven, opened: DebateOpened | None, panel: PanelState
) -> Iterator[str]:
    """Limits of the debate that the reader must know."""
    if opened is not None:
        caveats = [opened.judge.caveat, opened.pro.caveat, opened.con.caveat, *(each.caveat for each in opened.panel)]
        yield from filter(None, caveats)
        is_script = opened.judge.model.startswith("scripted:")
        if opened.pro.model == opened.con.model == opened.judge.model and not is_script:
            yield ONE_MODEL
    if given.missing is not UNSET:
        yield f"There is no assessment: {given.missing.reason}."
    yield from _orders(protocol, given, opened)
    yield from _faulty(protocol)
    for name, each in protocol.arguments.items():
        if each.cross is UNSET:
            yield f"{name} was not answered in cross-examination."
        for found in each.fallacies.values():
            where = f"{NAMES[found.by]}’s cross-examination of {name}" if found.by else name
            yield f"{where}: {found.fallacy.replace('_', ' ')} in {_quote(found.quote)}."
        if given.missing is UNSET and each.trace is not UNSET and isinstance(each.trace.total, Missing):
            yield f"{name} has no total: {each.trace.total.missing.reason}."
    yield from _panel_beside(given, panel)


def _orders(protocol: ProtocolState, given: AssessmentGiven, opened: DebateOpened | None) -> Iterator[str]:
    """What depends on the side that the judge read first, where the rules ask for both orders."""
    rules = (opened.rubric.protocol if opened is not None else None) or ProtocolRules()
    if given.readings is UNSET:
        is_read = given.missing is UNSET and opened is not None and not opened.judge.baseline
        if is_read and rules.both_orders:
            yield "The judge read the debate once, with Pro first."
        return
    if len(given.readings) == 1:
        (first,) = given.readings
        silent = "second" if first == "pro" else "first"
        yield f"The judge’s {silent} reading gave no answer: all scores are from the one with {NAMES[first]} first."
        return
    totals = {
        first: (each.pro, each.con)
        for first, each in given.readings.items()
        if isinstance(each.pro, float) and isinstance(each.con, float)
    }
    if len({_leader(*each, rules) for each in totals.values()}) > 1:
        said = "; ".join(
            f"with {NAMES[first]} first Pro has {rounded(pro, 2)} and Con {rounded(con, 2)}"
            for first, (pro, con) in totals.items()
        )
        yield f"Which side the judge’s totals put ahead depends on the order of reading: {said}."
    for name, argument in protocol.arguments.items():
        readings = (argument.trace.readings or {}) if argument.trace is not UNSET else {}
        standings = {first: _plain(each.standing) for first, each in readings.items() if each.standing is not UNSET}
        if len(set(standings.values())) > 1:
            said = ", ".join(f"{standing} with {NAMES[first]} first" for first, standing in standings.items())
            yield f"The judge’s readings of {name} differ: {said}."


def _leader(pro: float, con: float, rules: ProtocolRules) -> str:
    """The side that is ahead; empty if the sides are evenly matched."""
    if round(abs(pro - con), 2) < rules.even_within:
        return ""
    return "pro" if pro > con else "con"


def _plain(standing: Standing) -> str:
    return standing.lower().replace("_", " ")


def _panel_beside(given: AssessmentGiven, panel: PanelState) -> Iterator[str]:
    """Differences between the panel and the judge."""
    if panel.conclusion is UNSET:
        return
    winner, agrees = panel.conclusion.winner, panel.conclusion.outcome in {"concluded", "cautious"}
    is_reference = agrees and panel.conclusion.reference_only is not UNSET
    if is_reference:
        winner = panel.conclusion.leaning
        few = " and ".join(panel.conclusion.reference_only or ())
        yield f"The panel is for reference only: {few} to rely on its agreement."
    elif winner == "neither":
        yield panel.says or ""
    yield from panel.conclusion.act or ()
    if winner != "neither" and not isinstance(given.pro_total, Missing) and not isinstance(given.con_total, Missing):
        leader, says = "pro" if given.pro_total > given.con_total else "con", "leans to" if is_reference else "names"
        if leader != winner and given.pro_total != given.con_total:
            yield f"The panel {says} {NAMES[winner]}, though the judge's totals stand higher for {NAMES[leader]}."


def _faulty(protocol: ProtocolState) -> Iterator[str]:
    """Statements whose form was still wrong after the second attempt."""
    for side in SIDES:
        opening, closing = protocol.openings.get(side), protocol.closings.get(side)
        answered = protocol.answered.get(side)
        parts = (
            ("opening", opening.faults if opening is not None else ()),
            ("cross-examination", protocol.crossed.get(side, ())),
            ("answers", answered.faults if answered is not None else ()),
            ("closing", closing.faults if closing is not None else ()),
        )
        for name, faults in parts:
            if faults:
                yield f"{NAMES[side]}'s {name} did not keep the form: {'; '.join(faults)}."
