"""The material of questions to raters as values: turns, arguments, cases with a known outcome, positions of others."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import Case, DebateOpened, Rater, Side, other
from events.types.criteria import Criteria, ProtocolRules
from judge.material import (
    anchors_on,
    material_of,
    moderator_words,
    opened_of,
    speeches_of,
    turns_material,
)
from judge.panel.case import case_criteria
from judge.protocol.answers import shown_answer
from judge.protocol.assess import arguments_in_order, faulty_citations, sides_in_order
from judge.protocol.order import first_sides
from providers.base import Material, Speech, Term


def panel_material(debate: Debate, purpose: str, seat: Rater, about: Iterable[str]) -> Material:
    """Return what a rater reads: the turns or the arguments, its part, and the criteria."""
    opened = opened_of(debate)
    if opened.format == "protocol":
        read = arguments_material(debate, purpose, first_sides(debate, opened).get(seat.name))
    else:
        read = turns_material(debate, purpose)
    return replace(
        read,
        about=tuple(about),
        register=(),
        terms=_criteria_terms(opened.rubric.criteria),
        context="\n".join(part for part in (_part(seat), read.context) if part),
    )


def opinion_material(
    debate: Debate, seat: Rater, asks: Mapping[str, str], shown: str, labels: Mapping[Side, str]
) -> Material:
    """Return what a judge of a deliberation reads; ``asks``: each dimension with its question, ``shown``: positions.

    ``labels`` are those of the sides.
    """
    speeches, artifact = speeches_of(debate, labels), opened_of(debate).artifact
    if artifact is not UNSET:
        speeches = (Speech(name=artifact.name, speaker="", text=artifact.text, kind="text"),)
    return material_of(
        debate,
        "deliberate",
        speeches=speeches,
        terms=tuple(Term(name=name, asks=each) for name, each in asks.items()),
        context="\n\n".join(part for part in (_part(seat), shown) if part),
    )


def points_material(debate: Debate, purpose: str, texts: Mapping[str, str]) -> Material:
    """Return findings and steps of remediation by their ids, as one text."""
    listed = "\n".join(f"{name}: {text}" for name, text in texts.items())
    return material_of(debate, purpose, speeches=(Speech(name="findings", speaker="", text=listed, kind="text"),))


def arguments_material(debate: Debate, purpose: str, first: Side | None = None) -> Material:
    """Return the arguments of a protocol debate, what was said of them, their authors' answers, and the closings.

    ``first``: the side that is read first; without it the arguments stand in the order in which they were recorded.
    """
    labels: dict[Side, str] = {"pro": "A", "con": "B"}
    rules = opened_of(debate).rubric.protocol or ProtocolRules()
    arguments = {name: debate.protocol.arguments[name] for name in arguments_in_order(debate.protocol, first)}
    speeches = [
        Speech(
            name=name,
            speaker=labels[each.side],
            text=_joined(each.claim, each.reasoning, each.evidence),
            kind="argument",
        )
        for name, each in arguments.items()
    ]
    speeches += [
        Speech(
            name=f"answer to {name}",
            speaker=labels[other(each.side)],
            text=_joined(each.cross.reasoning, each.cross.follow_up),
            kind="answer",
            answers=name,
        )
        for name, each in arguments.items()
        if each.cross is not UNSET
    ]
    speeches += [
        Speech(
            name=f"reply about {name}",
            speaker=labels[each.side],
            text=shown_answer(each.answer, rules),
            kind="reply",
            answers=name,
        )
        for name, each in arguments.items()
        if each.answer is not UNSET
    ]
    last = {turn.side: turn for turn in debate.transcript.spoken()}
    speeches += [
        Speech(name=f"closing of {labels[side]}", speaker=labels[side], text=last[side].text, kind="closing")
        for side in sides_in_order(first)
        if side in debate.protocol.closings and side in last
    ]
    opened = opened_of(debate)
    fallacies = opened.rubric.protocol.fallacies if opened.rubric.protocol is not None else {}
    return material_of(
        debate,
        purpose,
        speeches=tuple(speeches),
        about=tuple(arguments),
        terms=(
            *_criteria_terms(opened.rubric.criteria),
            *(Term(name=name, asks=means) for name, means in fallacies.items()),
        ),
        context="\n".join(filter(None, (moderator_words(debate), *faulty_citations(debate)))),
    )


def case_material(case: Case, seat: Rater, opened: DebateOpened) -> Material:
    """Return the arguments of a case with a known outcome."""
    speeches = tuple(
        Speech(name=each.id, speaker=label, text=_joined(each.claim, each.reasoning, each.evidence), kind="argument")
        for label, arguments in (("A", case.pro), ("B", case.con))
        for each in arguments
    )
    about = tuple(each.name for each in speeches)
    return Material(
        purpose="panel",
        motion=case.motion,
        language=opened.language or "en",
        speeches=speeches,
        about=about,
        terms=_criteria_terms(case_criteria(opened)),
        context=_part(seat),
    )


def _criteria_terms(criteria: Criteria | None) -> tuple[Term, ...]:
    if criteria is None:
        return ()
    return tuple(
        Term(name=name, asks=each.asks, anchors=anchors_on(each.anchors, criteria.low, criteria.high))
        for name, each in criteria.dimensions.items()
    )


def _part(seat: Rater) -> str:
    """The part of a rater on its panel, in words."""
    scepticism = f" {seat.scepticism}" if seat.scepticism else ""
    return f"Your part is that of the {seat.title}. Look above all at this: {seat.focus}.{scepticism}"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
