"""The narrative verdict over the whole arc, and the explanation where it differs from the scorecard.

Source: seed 003, level 4.  What it cites must exist; an answer that cites what does not is asked again.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct

from events.projections.debate import Debate
from events.types import Arc, Arcs, ConflictResolved, NarrativeVerdictReached, Pattern, Side, TurnSpoken, Winner, other
from judge.ask import Prompt, Prompts, opening, speaker, turn_segment
from judge.desk import Answers, Desk
from judge.neutralise import quoted
from judge.rules import say
from judge.spine import listed
from judge.templates import fill, section
from providers.base import Segment

IN_FULL: Final = 12
"""Turns that are read in full: the last ones.  Earlier ones are given by their first sentences."""
SHORT: Final = 240
"""Characters of a shortened turn."""
_TURN: Final = re.compile(r"turn (\d+)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
Text = Annotated[str, Meta(max_length=600)]
Cites = Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(max_length=8)]


class ArcAnswer(Struct, frozen=True, kw_only=True):
    """One speaker's arc."""

    evolution: Text
    fractures: Text
    held: Text


class NarrativeAnswer(Struct, frozen=True, kw_only=True):
    """The whole.  ``A`` is whoever spoke first."""

    A: ArcAnswer
    B: ArcAnswer
    pattern: Pattern
    explanation: Text
    winner: Literal["A", "B", "neither"]
    cites: Cites


class ConflictAnswer(Struct, frozen=True, kw_only=True):
    """Why two verdicts differ."""

    text: Annotated[str, Meta(max_length=900)]
    cites: Cites


def narrative_prompt(prompts: Prompts, motion: str, debate: Debate) -> Prompt:
    """Ask for the verdict over the whole debate."""
    frame = prompts["narrative"]
    claims = "\n".join(
        f"{name}: {quoted(each.quote).replace(chr(10), ' ')} ({each.kind.replace('_', ' ')}, {each.state})"
        for name, each in debate.claims.items()
    )
    ask = fill(
        section(frame, "ask"), premises=listed(debate.spine.premises) or section(frame, "none"),
        claims=claims or section(frame, "none"),
    )
    return (*opening(prompts, motion), *_arc(prompts, debate.transcript.spoken()), Segment("user", ask))


def conflict_prompt(prompts: Prompts, motion: str, debate: Debate) -> Prompt:
    """Ask how the scorecard and the narrative can differ."""
    card, narrative = debate.verdicts.scorecard, debate.verdicts.narrative
    assert card is not None
    assert narrative is not None
    spoken = debate.transcript.spoken()
    first = spoken[0].side
    means = {side: getattr(card.mean, side) for side in ("pro", "con")}
    numbers = ", ".join(
        f"Speaker {label} {say(mean) if isinstance(mean := means[side], float) else 'without a score'} of 100"
        for label, side in (("A", first), ("B", other(first)))
    )
    ask = fill(
        section(prompts["conflict"], "ask"), scorecard=f"{_label(card.winner, first)} ({numbers})",
        narrative=f"{_label(narrative.winner or 'neither', first)}, because: {quoted(narrative.explanation)}",
    )
    return (*opening(prompts, motion), *_arc(prompts, spoken), Segment("user", ask))


def _label(winner: Winner, first: Side) -> str:
    return "neither wins" if winner == "neither" else f"Speaker {'A' if winner == first else 'B'} wins"


def _arc(prompts: Prompts, spoken: tuple[TurnSpoken, ...]) -> Iterable[Segment]:
    """The turns, the early ones of a long debate shortened and said to be so."""
    for turn in spoken[:-IN_FULL]:
        text = _SENTENCE.split(turn.text)[0][:SHORT]
        frame = section(prompts["narrative"], "omitted")
        yield Segment("user", fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(text)))
    for turn in spoken[-IN_FULL:]:
        yield turn_segment(prompts, spoken, turn)


def check_cites(debate: Debate, cites: Iterable[str]) -> str:
    """Which citations name nothing that exists, in words; empty where all do."""
    unknown = [cite for cite in cites if not _exists(debate, cite.strip())]
    return f"these do not exist: {', '.join(unknown)}" if unknown else ""


def _exists(debate: Debate, cite: str) -> bool:
    turn = _TURN.fullmatch(cite)
    if turn:
        return int(turn[1]) in debate.transcript.turns
    return cite in debate.claims or cite in debate.spine.premises


def narrate(desk: Desk, answers: Answers[NarrativeAnswer]) -> None:
    """Record the narrative verdict, or that there is none."""
    if not answers.given:
        desk.add(NarrativeVerdictReached(missing=answers.failed or UNSET), desk.debate.position)
        return
    answer = answers.values[0]
    first = desk.debate.transcript.spoken()[0].side
    arcs = {first: _as_arc(answer.A), other(first): _as_arc(answer.B)}
    sides: dict[str, Winner] = {"A": first, "B": other(first), "neither": "neither"}
    desk.add(
        NarrativeVerdictReached(
            winner=sides[answer.winner], pattern=answer.pattern, explanation=answer.explanation,
            sides=Arcs(pro=arcs["pro"], con=arcs["con"]), cites=tuple(cite.strip() for cite in answer.cites),
        ),
        answers.cause,
    )


def _as_arc(answer: ArcAnswer) -> Arc:
    return Arc(evolution=answer.evolution, fractures=answer.fractures, held=answer.held)


def resolve(desk: Desk, answers: Answers[ConflictAnswer]) -> None:
    """Record why the verdicts differ, or that nobody could say."""
    if not answers.given:
        desk.add(ConflictResolved(missing=answers.failed or UNSET), desk.debate.position)
        return
    answer = answers.values[0]
    desk.add(ConflictResolved(text=answer.text, cites=tuple(cite.strip() for cite in answer.cites)), answers.cause)
