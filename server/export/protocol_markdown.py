"""A protocol as Markdown: the briefing, every argument with what was said of it, the closings, the trace."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET

from events.state.rounds import ArgumentState, ProtocolState
from events.types import SIDES, ArgumentTraced, Briefing, ClosingStated, Missing, Side, other
from events.view.view import View
from server.export.exchange import citations
from server.export.text import escaped
from server.export.wording import NAMES, RESPONSES, SIGNS, STANDINGS

ANSWERS = "This round of answers"
CROSSED_IN = {"pro": "3", "con": "4"}
"""The turn in which a side cross-examines."""


def briefing_lines(briefing: Briefing, claims: Mapping[str, str]) -> list[str]:
    """The decision briefing.  ``claims``: what each argument claims, by id."""
    lines = ["## Decision briefing", "", f"**{_sentence(briefing.meaning)}**", ""]
    if isinstance(briefing.gap, Missing):
        lines += [f"No gap: {escaped(briefing.gap.missing.reason)}.", ""]
    if briefing.key_insight:
        lines += [escaped(briefing.key_insight), ""]
    if briefing.recommendation:
        lines += [f"**Recommendation:** {escaped(briefing.recommendation)}", ""]
    for title, found in (
        ("Rely on", briefing.rely_on),
        ("Treat with care", briefing.with_care),
        ("Do not use", briefing.do_not_use),
        ("Still open", briefing.still_open),
        ("Unresolved", tuple(each for each in briefing.unresolved if each not in briefing.find_out)),
        ("What to find out", briefing.find_out),
        ("Cautions", briefing.cautions),
    ):
        named = (f"{each}: {escaped(claims[each])}" if each in claims else escaped(each) for each in found)
        lines += _listed(title, named)
    return lines


def protocol_lines(view: View) -> list[str]:
    """Everything that a protocol adds to a debate."""
    protocol = view.protocol
    if not isinstance(protocol, ProtocolState):
        return []
    lines: list[str] = []
    if protocol.briefing is not UNSET:
        lines += briefing_lines(protocol.briefing, {name: each.claim for name, each in protocol.arguments.items()})
    for side in SIDES:
        lines += _case(view, protocol, side)
    if protocol.closings:
        lines += ["## Closings", ""]
        for side in SIDES:
            if side in protocol.closings:
                lines += _closing(side, protocol.closings[side])
    cited = (
        f"{SIGNS[turn.side]}, statement {number}: {escaped(line)}"
        for number, turn in view.turns.items()
        for line in citations(view, number)
    )
    return [*lines, *_listed("Citations", cited, level=2), *_trace(protocol)]


def _case(view: View, protocol: ProtocolState, side: Side) -> list[str]:
    opening, examiner = protocol.openings.get(side), other(side)
    if opening is None:
        return []
    lines = [f"## {SIGNS[side]}", "", *_faulty("This opening", opening.faults, opening.free_text)]
    for name, each in protocol.arguments.items():
        if each.side == side:
            lines += _argument(name, each)
    turn = view.turns.get(CROSSED_IN[examiner])
    text = turn.text if turn is not None else ""
    lines += _faulty(f"{NAMES[examiner]}’s cross-examination of it", protocol.crossed.get(examiner, ()), text)
    answered = protocol.answered.get(side)
    return lines if answered is None else [*lines, *_faulty(ANSWERS, answered.faults, answered.free_text)]


def _argument(name: str, each: ArgumentState) -> list[str]:
    heading = [name]
    if each.trace is not UNSET:
        heading += [_standing(each.trace), _total(each.trace)]
    lines = [
        f"### {' · '.join(heading)}",
        "",
        f"**{escaped(each.claim)}**",
        "",
        f"> {escaped(each.reasoning)}",
        ">",
        f"> Evidence: {escaped(each.evidence)}",
        "",
    ]
    if each.cross is not UNSET:
        asks = f" And asks: *{escaped(each.cross.follow_up)}*" if each.cross.follow_up else ""
        how = f"{SIGNS[each.cross.by]} {RESPONSES[each.cross.response]}"
        lines += [f"**{how}:** {escaped(each.cross.reasoning)}{asks}", ""]
    if each.answer is not UNSET:
        lines += [f"**{SIGNS[each.side]} answers:** {escaped(each.answer)}", ""]
    if each.trace is not UNSET:
        scores = " · ".join(f"{dimension} {score:g}" for dimension, score in each.trace.scores.items())
        missing = f"no standing: {each.trace.missing.reason}" if each.trace.missing is not UNSET else ""
        words = " ".join(filter(None, [_sentence(each.trace.reason), missing, scores]))
        lines += [f"Judge: {words}", ""] if words else []
    if each.fallacies:
        lines += [
            f"- {found.fallacy.replace('_', ' ')}: “{escaped(found.quote)}” {escaped(found.reason)}".rstrip()
            for found in each.fallacies.values()
        ]
        lines.append("")
    return lines


def _closing(side: Side, each: ClosingStated) -> list[str]:
    lines = [f"### {SIGNS[side]} · {each.words} words", "", *_faulty("This closing", each.faults, each.free_text)]
    lines += [f"> {escaped(each.final_position)}", ""]
    if each.shift is not UNSET:
        lines += [f"**Position {each.shift}:** {escaped(each.shift_reason or '')}".rstrip(), ""]
    lines += _listed("Concedes", map(escaped, each.concessions), level=4)
    if each.standing_arguments:
        held = "were not rebutted" if each.shift is UNSET else "hold as stated"
        lines += [f"States that these {held}: {escaped(', '.join(each.standing_arguments))}", ""]
    return lines


def _trace(protocol: ProtocolState) -> list[str]:
    """A table with a row for each argument, and both totals."""
    traced = {name: each.trace for name, each in protocol.arguments.items() if each.trace is not UNSET}
    if not traced:
        return []
    names = list(dict.fromkeys(name for each in traced.values() for name in each.scores))
    lines = [
        "## Trace",
        "",
        f"| argument | standing | {''.join(f'{name} | ' for name in names)}total |",
        f"|---|---|{'---:|' * len(names)}---:|",
    ]
    for name, each in traced.items():
        scores = "".join(f"{each.scores[part]:g} | " if part in each.scores else "– | " for part in names)
        total = "–" if isinstance(each.total, Missing) else f"{each.total:.2f}"
        lines.append(f"| {name} | {_standing(each)} | {scores}{total} |")
    lines.append("")
    given = protocol.assessment
    if given is UNSET:
        return lines
    if given.missing is not UNSET:
        return [*lines, f"No overall assessment: {escaped(given.missing.reason)}", ""]
    totals = [
        f"{NAMES[side]} {'–' if isinstance(total, Missing) else format(total, '.2f')}"
        for side, total in (("pro", given.pro_total), ("con", given.con_total))
    ]
    return [*lines, f"Totals: {', '.join(totals)}", ""]


def _standing(each: ArgumentTraced) -> str:
    return "no standing" if each.standing is UNSET else STANDINGS[each.standing]


def _total(each: ArgumentTraced) -> str:
    if isinstance(each.total, Missing):
        return f"no score: {escaped(each.total.missing.reason)}"
    return f"{each.total:g} of 10"


def _faulty(what: str, faults: Iterable[str], text: str) -> list[str]:
    """The faults of a statement, and its text."""
    found = list(faults)
    if not found:
        return []
    quoted = [f"> {escaped(line)}" if line.strip() else ">" for line in text.splitlines()]
    return [
        f"*{what} did not keep its form: {escaped('; '.join(found))}.*",
        "",
        *quoted,
        *([""] if quoted else []),
    ]


def _listed(title: str, items: Iterable[str], level: int = 3) -> list[str]:
    found = [f"- {each}" for each in items]
    return [f"{'#' * level} {title}", "", *found, ""] if found else []


def _sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    sentence = escaped(text)
    return sentence if not sentence else f"{sentence[0].upper()}{sentence[1:]}{'' if sentence[-1] in '.?!…”' else '.'}"
