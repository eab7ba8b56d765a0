"""The causal spine: premises stated, revised, dropped in silence, contradicted.  Source: seed 003, opening and level 3.

The judge says what became of a premise; a drop counts only if the turn's own words bear it out.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from events.projections.spine import Premise, Spine
from events.types import (
    ContradictionFound,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    TurnSpoken,
)
from judge.ask import Prompt, Prompts, speaker, turn_prompt
from judge.desk import Answers, Desk
from judge.entries import misconduct, refuse
from judge.neutralise import quoted
from judge.quotes import find
from judge.templates import fill, section

Text = Annotated[str, Meta(max_length=200)]
Id = Annotated[str, Meta(max_length=12)]
_WORD: Final = re.compile(r"\w{4,}")
_STEM: Final = 6
"""Letters by which words are told apart: enough that ``premise`` meets ``premises``."""
_GONE: Final = 0.5
"""Share of a premise's content words below which it is no longer there."""


class Stated(Struct, frozen=True, kw_only=True):
    """A new premise."""

    text: Text
    quote: Text


class Revised(Struct, frozen=True, kw_only=True):
    """A known premise in another form."""

    premise: Id
    text: Text


class Dropped(Struct, frozen=True, kw_only=True):
    """A known premise that is gone."""

    premise: Id
    reason: Text


class Contradicted(Struct, frozen=True, kw_only=True):
    """Known premises that the turn contradicts."""

    premises: Annotated[list[Id], Meta(max_length=4)]
    reason: Text


class PremisesAnswer(Struct, frozen=True, kw_only=True):
    """What a turn does to its side's spine."""

    stated: Annotated[list[Stated], Meta(max_length=3)]
    revised: Annotated[list[Revised], Meta(max_length=3)]
    dropped: Annotated[list[Dropped], Meta(max_length=3)]
    contradictions: Annotated[list[Contradicted], Meta(max_length=2)]


def premises_prompt(prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken], spine: Spine) -> Prompt:
    """Ask what the last of ``spoken`` does to its side's premises."""
    turn, frame = spoken[-1], prompts["premises"]
    live = {name: each for name, each in spine.premises.items() if each.side == turn.side and each.state != "dropped"}
    ask = fill(
        section(frame, "ask"), turn=str(turn.turn), speaker=speaker(spoken, turn),
        premises=listed(live) or section(frame, "none"),
    )
    return turn_prompt(prompts, motion, spoken, ask)


def listed(premises: dict[str, Premise]) -> str:
    """Premises by id, a line each, as material."""
    return "\n".join(f"{name}: {quoted(each.text).replace(chr(10), ' ')}" for name, each in premises.items())


def is_absent(premise: Premise, text: str) -> bool:
    """Whether fewer than half of a premise's content words (four letters and more, by stem) stand in ``text``."""
    wanted = _stems(f"{premise.text} {premise.quote}")
    return not wanted or len(wanted & _stems(text)) / len(wanted) < _GONE


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text.casefold()))


def trace(desk: Desk, number: int, answers: Answers[PremisesAnswer]) -> None:
    """Record what the first sample says, as far as it holds.

    Premises are sentences in the judge's own words, which no rule can put side by side: so one sample speaks.
    """
    if not answers.given:
        return
    position, answer = answers.given[0]
    for dropped in answer.dropped:
        _drop(desk, number, dropped, position)
    for contradicted in answer.contradictions:
        _contradict(desk, number, contradicted, position)
    for revised in answer.revised:
        if (fault := _fault(desk, number, revised.premise)) or not revised.text.strip():
            refuse(desk, number, "premises", revised.premise, fault or "it says nothing new", position)
        else:
            desk.add(PremiseRevised(premise=revised.premise, turn=number, text=revised.text), position)
    for stated in answer.stated:
        _state(desk, number, stated, position)


def _state(desk: Desk, number: int, stated: Stated, cause: int) -> None:
    turn, rubric = desk.debate.transcript.turns[number], desk.debate.ledger.rubric
    span = find(stated.quote, turn.text, rubric.quote_minimum if rubric else 8)
    if span is None or not stated.text.strip():
        refuse(desk, number, "premises", stated.quote, "the quote is not in the turn", cause)
        return
    mine = [each for each in desk.debate.spine.premises.values() if each.turn == number]
    if any(each.text.casefold() == stated.text.casefold() for each in desk.debate.spine.premises.values()):
        refuse(desk, number, "premises", stated.quote, "the premise is known already", cause)
        return
    desk.add(
        PremiseStated(
            premise=f"P{number}.{len(mine) + 1}", side=turn.side, turn=number, text=stated.text,
            quote=turn.text[span[0] : span[1]], span=span,
        ),
        cause,
    )


def _fault(desk: Desk, number: int, name: str) -> str:
    """What is wrong with naming a premise; empty where nothing is."""
    premise = desk.debate.spine.premises.get(name)
    if premise is None:
        return f"there is no premise {name!r}"
    if premise.side != desk.debate.transcript.turns[number].side:
        return f"premise {name} is the other side's"
    return f"premise {name} was dropped before" if premise.state == "dropped" else ""


def _drop(desk: Desk, number: int, dropped: Dropped, cause: int) -> None:
    turn = desk.debate.transcript.turns[number]
    fault = _fault(desk, number, dropped.premise)
    if not fault and not is_absent(desk.debate.spine.premises[dropped.premise], turn.text):
        fault = f"the words of {dropped.premise} still stand in turn {number}"
    if fault:
        refuse(desk, number, "premises", dropped.premise, fault, cause)
        return
    at = desk.add(PremiseDropped(premise=dropped.premise, turn=number, reason=dropped.reason), cause)
    rubric = desk.debate.ledger.rubric
    misconduct(
        desk, number, rubric.conduct.get("dropped_premise") if rubric else None, rule="dropped_premise",
        because_of=at, reason=f"{dropped.premise} was dropped in silence",
    )


def _contradict(desk: Desk, number: int, contradicted: Contradicted, cause: int) -> None:
    names = tuple(dict.fromkeys(contradicted.premises))
    faults = [fault for name in names if (fault := _fault(desk, number, name))]
    if faults or not names:
        refuse(desk, number, "premises", ", ".join(names), "; ".join(faults) or "no premise is named", cause)
        return
    turns = {desk.debate.spine.premises[name].turn for name in names} | {number}
    at = desk.add(
        ContradictionFound(
            side=desk.debate.transcript.turns[number].side, turns=tuple(sorted(turns)), premises=names,
            reason=contradicted.reason,
        ),
        cause,
    )
    rubric = desk.debate.ledger.rubric
    misconduct(
        desk, number, rubric.conduct.get("contradiction") if rubric else None, rule="contradiction", because_of=at,
        reason=f"it contradicts {', '.join(names)}",
    )
