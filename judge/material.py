"""The material of a judge's question as values, for a provider that does not read prompts (``providers.base``)."""

from collections.abc import Iterable

from msgspec import UNSET

from events.state.claims import Claim
from events.state.debate import Debate
from events.types import SIDES, Case, DebateOpened, Side, other
from providers.base import Material, RegisterEntry, Speech

GONE = frozenset({"dropped", "withdrawn"})


def turns_material(
    debate: Debate, purpose: str, about: Iterable[int] = (), *, kinds: Iterable[str] = (), swapped: bool = False
) -> Material:
    """Return all turns so far with the premises that stand.  ``swapped``: whoever spoke first is Speaker B."""
    labels = _labels(debate, swapped=swapped)
    premises = tuple(
        RegisterEntry(
            name=name,
            kind="premise",
            speaker=labels[each.side],
            speech=str(each.turn),
            text=each.text,
            quote=each.quote,
        )
        for name, each in debate.spine.premises.items()
        if each.state not in GONE
    )
    return Material(
        purpose=purpose,
        motion=_opened(debate).motion,
        language=_opened(debate).language or "en",
        speeches=_turns(debate, labels),
        about=tuple(map(str, about)),
        register=premises,
        kinds=tuple(kinds),
    )


def claim_material(debate: Debate, purpose: str, name: str, claim: Claim) -> Material:
    """Return one claim with all turns so far."""
    labels = _labels(debate)
    entry = RegisterEntry(
        name=name,
        kind=claim.kind,
        speaker=labels[debate.transcript.turns[claim.turn].side],
        speech=str(claim.turn),
        text=claim.quote,
        quote=claim.quote,
    )
    return Material(
        purpose=purpose,
        motion=_opened(debate).motion,
        language=_opened(debate).language or "en",
        speeches=_turns(debate, labels),
        about=(str(claim.turn),),
        register=(entry,),
        kinds=(claim.kind,),
    )


def arguments_material(debate: Debate, purpose: str) -> Material:
    """Return the arguments of a protocol debate, what was said of them, their authors' answers, and the closings."""
    labels: dict[Side, str] = {"pro": "A", "con": "B"}
    arguments = debate.protocol.arguments
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
        Speech(name=f"reply about {name}", speaker=labels[each.side], text=each.answer, kind="reply", answers=name)
        for name, each in arguments.items()
        if each.answer is not UNSET
    ]
    last = {turn.side: turn for turn in debate.transcript.spoken()}
    speeches += [
        Speech(name=f"closing of {labels[side]}", speaker=labels[side], text=last[side].text, kind="closing")
        for side in SIDES
        if side in debate.protocol.closings and side in last
    ]
    return Material(
        purpose=purpose,
        motion=_opened(debate).motion,
        language=_opened(debate).language or "en",
        speeches=tuple(speeches),
        about=tuple(arguments),
    )


def case_material(case: Case, purpose: str, language: str) -> Material:
    """Return the arguments of a case with a known outcome."""
    speeches = tuple(
        Speech(name=each.id, speaker=label, text=_joined(each.claim, each.reasoning, each.evidence), kind="argument")
        for label, arguments in (("A", case.pro), ("B", case.con))
        for each in arguments
    )
    about = tuple(each.name for each in speeches)
    return Material(purpose=purpose, motion=case.motion, language=language, speeches=speeches, about=about)


def _turns(debate: Debate, labels: dict[Side, str]) -> tuple[Speech, ...]:
    return tuple(
        Speech(name=str(turn.turn), speaker=labels[turn.side], text=turn.text) for turn in debate.transcript.spoken()
    )


def _labels(debate: Debate, *, swapped: bool = False) -> dict[Side, str]:
    spoken = debate.transcript.spoken()
    first: Side = spoken[0].side if spoken else "pro"
    one, two = "BA" if swapped else "AB"
    return {first: one, other(first): two}


def _opened(debate: Debate) -> DebateOpened:
    assert debate.opened is not None, "questions are asked in an open debate"
    return debate.opened


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
