"""A protocol to read: the briefing, every argument with what was said of it, the closings, the trace."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import UNSET

from events.state.parts.panel import PanelState
from events.state.parts.rounds import ArgumentState, ProtocolState
from events.text.figures import rounded
from events.types import SIDES, ArgumentTraced, Briefing, ClosingStated, FallacyFound, Missing, Side, other
from events.view.view import View
from server.export.debate.exchange import citations
from server.export.document import (
    Block,
    Column,
    Item,
    Listing,
    Marked,
    Paragraph,
    Quoted,
    Section,
    Strong,
    Table,
    listed,
)
from server.export.text import one_line
from server.export.wording import NAMES, RESPONSES, SIGNS, STANDINGS

ANSWERS = "This round of answers"
CROSSED_IN = {"pro": "3", "con": "4"}
"""The turn in which a side cross-examines."""


def briefing_section(briefing: Briefing, claims: Mapping[str, str]) -> Section:
    """The decision briefing.  ``claims``: what each argument claims, by id."""
    blocks: list[Block] = [Paragraph(_sentence(briefing.meaning), "lead")]
    if isinstance(briefing.gap, Missing):
        blocks.append(Paragraph(f"No gap: {briefing.gap.missing.reason}."))
    if briefing.key_insight:
        blocks.append(Paragraph(briefing.key_insight))
    if briefing.recommendation:
        blocks.append(Paragraph((Strong("Recommendation:"), f" {briefing.recommendation}")))
    for title, found in (
        ("Rely on", briefing.rely_on),
        ("Treat with care", briefing.with_care),
        ("Do not use", briefing.do_not_use),
        ("Still open", briefing.still_open),
        ("Unresolved", tuple(each for each in briefing.unresolved if each not in briefing.find_out)),
        ("What to find out", briefing.find_out),
        ("Cautions", briefing.cautions),
    ):
        blocks += listed(title, (_listed(each, claims, briefing) if each in claims else each for each in found))
    return Section("Decision briefing", tuple(blocks))


def _listed(name: str, claims: Mapping[str, str], briefing: Briefing) -> Item:
    """An argument with what it claims, the standings of judge and panel, and the limits within which it holds."""
    standings, limits = (briefing.standings or {}).get(name), (briefing.limits or {}).get(name)
    beside = f" ({standings})" if standings else ""
    return Item(f"{name}: {claims[name]}{beside}", (f"Limits: {limits}",) if limits else ())


def protocol_blocks(view: View, scores: Mapping[str, Iterable[Block]]) -> Iterator[Block]:
    """Everything that a protocol adds to a debate.  ``scores``: what those of each argument are made of, by its id."""
    protocol = view.protocol
    if not isinstance(protocol, ProtocolState):
        return
    if protocol.briefing is not UNSET:
        yield briefing_section(protocol.briefing, {name: each.claim for name, each in protocol.arguments.items()})
    for side in SIDES:
        if side in protocol.openings:
            yield Section(SIGNS[side], tuple(_case(view, protocol, side, scores)))
    if protocol.closings:
        closings = (_closing(side, protocol.closings[side]) for side in SIDES if side in protocol.closings)
        yield Section("Closings", tuple(closings))
    cited = (
        f"{SIGNS[turn.side]}, statement {number}: {line}"
        for number, turn in view.turns.items()
        for line in citations(view, number)
    )
    yield from listed("Citations", cited, level=2)
    yield from _trace(protocol, view.panel.standings if isinstance(view.panel, PanelState) else {})


def _case(view: View, protocol: ProtocolState, side: Side, scores: Mapping[str, Iterable[Block]]) -> Iterator[Block]:
    opening, examiner = protocol.openings[side], other(side)
    yield from _faulty("This opening", opening.faults, opening.free_text)
    for name, each in protocol.arguments.items():
        if each.side == side:
            heading = " · ".join(argument_heading(name, each))
            yield Section(heading, (*argument_blocks(each), *scores.get(name, ())), 3)
    turn = view.turns.get(CROSSED_IN[examiner])
    text = turn.text if turn is not None else ""
    yield from _faulty(f"{NAMES[examiner]}’s cross-examination of it", protocol.crossed.get(examiner, ()), text)
    if (answered := protocol.answered.get(side)) is not None:
        yield from _faulty(ANSWERS, answered.faults, answered.free_text)


def argument_heading(name: str, each: ArgumentState) -> tuple[str, ...]:
    """The id of an argument, then its standing and its total once the judge has assessed it."""
    return (name, *((_standing(each.trace), _total(each.trace)) if each.trace is not UNSET else ()))


def argument_blocks(each: ArgumentState) -> Iterator[Block]:
    """An argument, what was said of it, and the judge's words."""
    yield Paragraph(each.claim, "lead")
    yield Quoted(f"{one_line(each.reasoning)}\n\nEvidence: {one_line(each.evidence)}")
    if each.cross is not UNSET:
        asks = (" And asks: ", Marked(each.cross.follow_up)) if each.cross.follow_up else ()
        how = f"{SIGNS[each.cross.by]} {RESPONSES[each.cross.response]}:"
        yield Paragraph((Strong(how), f" {each.cross.reasoning}", *asks))
    yield from _fallacies(found for found in each.fallacies.values() if found.by)
    if each.answer is not UNSET:
        yield Paragraph((Strong(f"{SIGNS[each.side]} answers:"), f" {each.answer}"))
    if each.trace is not UNSET:
        scores = " · ".join(f"{dimension} {score:g}" for dimension, score in each.trace.scores.items())
        missing = f"no standing: {each.trace.missing.reason}" if each.trace.missing is not UNSET else ""
        if words := " ".join(filter(None, [_sentence(each.trace.reason), missing, scores])):
            yield Paragraph(f"Judge: {words}")
    yield from _fallacies(found for found in each.fallacies.values() if not found.by)


def _fallacies(found: Iterable[FallacyFound]) -> Iterator[Listing]:
    if items := tuple(f"{each.fallacy.replace('_', ' ')}: “{each.quote}” {each.reason}" for each in found):
        yield Listing(items)


def _closing(side: Side, each: ClosingStated) -> Section:
    blocks: list[Block] = [*_faulty("This closing", each.faults, each.free_text), Quoted(one_line(each.final_position))]
    if each.shift is not UNSET:
        blocks.append(Paragraph((Strong(f"Position {each.shift}:"), f" {each.shift_reason or ''}")))
    blocks += listed("Concedes", each.concessions, level=4)
    if each.standing_arguments:
        held = "were not rebutted" if each.shift is UNSET else "hold as stated"
        blocks.append(Paragraph(f"States that these {held}: {', '.join(each.standing_arguments)}"))
    return Section(f"{SIGNS[side]} · {each.words} words", tuple(blocks), 3)


def _trace(protocol: ProtocolState, standings: Mapping[str, str]) -> Iterator[Section]:
    """A table with a row for each argument, and both totals.  ``standings``: those of the panel, in words."""
    traced = {name: each.trace for name, each in protocol.arguments.items() if each.trace is not UNSET}
    if not traced:
        return
    names = list(dict.fromkeys(name for each in traced.values() for name in each.scores))
    rows = (
        (
            name,
            _standing(each),
            *(f"{each.scores[part]:g}" if part in each.scores else "–" for part in names),
            "–" if isinstance(each.total, Missing) else rounded(each.total, 2),
            *((standings.get(name, "–"),) if standings else ()),
        )
        for name, each in traced.items()
    )
    figures = (Column(name, "n") for name in (*names, "total"))
    table = Table(("argument", "standing", *figures, *(("panel",) if standings else ())), tuple(rows))
    yield Section("Trace", (table, *_totals(protocol)))


def _totals(protocol: ProtocolState) -> Iterator[Paragraph]:
    given = protocol.assessment
    if given is UNSET:
        return
    if given.missing is not UNSET:
        yield Paragraph(f"No overall assessment: {given.missing.reason}")
        return
    totals = (
        f"{NAMES[side]} {'–' if isinstance(total, Missing) else rounded(total, 2)}"
        for side, total in (("pro", given.pro_total), ("con", given.con_total))
    )
    yield Paragraph(f"Totals: {', '.join(totals)}")


def _standing(each: ArgumentTraced) -> str:
    return "no standing" if each.standing is UNSET else STANDINGS[each.standing]


def _total(each: ArgumentTraced) -> str:
    if isinstance(each.total, Missing):
        return f"no score: {each.total.missing.reason}"
    return f"{each.total:g} of 10"


def _faulty(what: str, faults: Iterable[str], text: str) -> Iterator[Block]:
    """The faults of a statement, and its text; nothing for a statement without faults."""
    if found := "; ".join(faults):
        yield Paragraph((Marked(f"{what} did not keep its form: {found}."),))
        yield Quoted(text)


def _sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    sentence = one_line(text)
    return sentence if not sentence else f"{sentence[0].upper()}{sentence[1:]}{'' if sentence[-1] in '.?!…”' else '.'}"
