"""The narrative verdict over the whole arc, and the explanation where it differs from the scorecard.

Source: seed 003, level 4.  What it cites must exist; an answer that cites what does not is asked again.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from events.state.debate import Debate
from events.state.spine import Premise
from events.types import Arc, Arcs, ConflictResolved, NarrativeVerdictReached, Pattern, Side, TurnSpoken, Winner, other
from judge.guard.neutralise import quoted
from judge.live.ask import Prompt, Prompts, opening, speaker, turn_segment
from judge.live.entries import refuse
from judge.live.event_batch import Answers, EventBatch
from judge.live.moderation import heard
from judge.live.rules import say
from judge.live.samples import why_missing
from judge.live.shortening import IN_FULL, shortened
from judge.templates import fill, section
from providers.base import Segment

_TURN: Final = re.compile(r"turn ([0-9]{1,4})", re.IGNORECASE)
_NAMED: Final = re.compile(r"\b[CP]\d{1,4}\.\d{1,3}\b")
Text = Annotated[str, Meta(max_length=240)]
Cites = Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(max_length=8)]


class ArcAnswer(Struct, frozen=True, kw_only=True):
    """One speaker's arc."""

    evolution: Text
    fractures: Text
    held: Text


class NarrativeAnswer(Struct, frozen=True, kw_only=True):
    """The whole: ``{"A": {"evolution", "fractures", "held"}, "B", "pattern", "explanation", "winner", "cites"}``.

    ``A`` is whoever spoke first: the judge knows no sides, and the rule gives them back.
    """

    A: ArcAnswer
    B: ArcAnswer
    pattern: Pattern
    explanation: Annotated[str, Meta(max_length=500)]
    winner: Literal["A", "B", "neither"]
    cites: Cites


class ConflictAnswer(Struct, frozen=True, kw_only=True):
    """Why two verdicts differ: ``{"text", "cites"}``."""

    text: Annotated[str, Meta(max_length=600)]
    cites: Cites


def narrative_prompt(prompts: Prompts, motion: str, debate: Debate, *, in_full: int = IN_FULL) -> Prompt:
    """Ask for the verdict over the whole debate, the last ``in_full`` turns of which are shown whole."""
    frame, spoken = prompts["narrative"], debate.transcript.spoken()
    labels = {turn.side: speaker(spoken, turn) for turn in spoken}
    premises = (
        f"{name} ({labels[each.side]}, {_fate(each)}):\n{quoted(each.text)}"
        for name, each in debate.spine.premises.items()
    )
    claims = (
        f"{name} ({labels[debate.transcript.turns[each.turn].side]}, {each.kind.replace('_', ' ')}, {each.state}):\n"
        f"{quoted(each.quote)}"
        for name, each in debate.claims.items()
    )
    ask = fill(
        section(frame, "ask"),
        premises="\n".join(premises) or section(frame, "none"),
        claims="\n".join(claims) or section(frame, "none"),
    )
    prompt = (*opening(prompts, motion), *_arc(prompts, spoken, in_full), Segment("user", ask))
    return heard(prompt, prompts, debate.words.values())


def _fate(premise: Premise) -> str:
    changes = (f"{change.what} in turn {change.turn}" for change in premise.changes)
    return ", ".join((f"stated in turn {premise.turn}", *changes))


def conflict_prompt(prompts: Prompts, motion: str, debate: Debate, *, in_full: int = IN_FULL) -> Prompt:
    """Ask how the scorecard and the narrative can differ; both must have been reached."""
    card, narrative = debate.verdicts.scorecard, debate.verdicts.narrative
    assert card is not None
    assert narrative is not None
    spoken = debate.transcript.spoken()
    first = _first(debate)
    means = {side: getattr(card.mean, side) for side in ("pro", "con")}
    numbers = ", ".join(
        f"Speaker {label} {say(mean) if isinstance(mean := means[side], float) else 'without a score'} of 100"
        for label, side in (("A", first), ("B", other(first)))
    )
    ask = fill(
        section(prompts["conflict"], "ask"),
        scorecard=f"{_label(card.winner, first)} ({numbers})",
        narrative=f"{_label(narrative.winner or 'neither', first)}, because:\n{quoted(narrative.explanation)}",
    )
    prompt = (*opening(prompts, motion), *_arc(prompts, spoken, in_full), Segment("user", ask))
    return heard(prompt, prompts, debate.words.values())


def _label(winner: Winner, first: Side) -> str:
    return "neither wins" if winner == "neither" else f"Speaker {'A' if winner == first else 'B'} wins"


def _arc(prompts: Prompts, spoken: Sequence[TurnSpoken], in_full: int) -> Iterable[Segment]:
    """The turns, the early ones of a long debate shortened and said to be so."""
    whole = spoken[-in_full:] if in_full else ()
    for turn in spoken[: len(spoken) - len(whole)]:
        text = shortened(turn.text)
        frame = section(prompts["narrative"], "omitted")
        yield Segment("user", fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(text)))
    for turn in whole:
        yield turn_segment(prompts, spoken, turn)


def unknown_cites(debate: Debate, cites: Iterable[str]) -> tuple[str, ...]:
    """Citations that are not ``turn N``, ``P1.1`` or ``C3.1`` of this debate."""
    return tuple(dict.fromkeys(cite for cite in cites if not _exists(debate, cite.strip())))


def check_cites(debate: Debate, cites: Iterable[str]) -> str:
    """Which citations name nothing that exists, in words; empty where all do."""
    unknown = unknown_cites(debate, cites)
    return f"these do not exist: {', '.join(unknown)}" if unknown else ""


def check_narrative(debate: Debate, answer: NarrativeAnswer) -> str:
    """What is wrong with a narrative: what it cites or names must exist, and a winner needs a citation."""
    texts = [answer.explanation]
    for each in (answer.A, answer.B):
        texts += [each.evolution, each.fractures, each.held]
    if answer.winner != "neither" and not answer.cites:
        return "it names a winner and cites nothing"
    return check_cites(debate, [*answer.cites, *_NAMED.findall(" ".join(texts))])


def check_conflict(debate: Debate, answer: ConflictAnswer) -> str:
    """What is wrong with the explanation of a conflict."""
    return check_cites(debate, [*answer.cites, *_NAMED.findall(answer.text)])


def _exists(debate: Debate, cite: str) -> bool:
    turn = _TURN.fullmatch(cite)
    if turn:
        return int(turn[1]) in debate.transcript.turns
    return cite in debate.claims or cite in debate.spine.premises


def narrate(desk: EventBatch, answers: Answers[NarrativeAnswer]) -> None:
    """Record the narrative verdict, or that there is none."""
    if not answers.given:
        desk.add(NarrativeVerdictReached(missing=why_missing(answers)), desk.debate.course)
        return
    position, answer = answers.given[0]
    first = _first(desk.debate)
    arcs = {first: _as_arc(answer.A), other(first): _as_arc(answer.B)}
    sides: dict[str, Winner] = {"A": first, "B": other(first), "neither": "neither"}
    cites = _kept(desk, "narrative", answer.cites, position)
    desk.add(
        NarrativeVerdictReached(
            winner=sides[answer.winner],
            pattern=answer.pattern,
            explanation=answer.explanation,
            sides=Arcs(pro=arcs["pro"], con=arcs["con"]),
            cites=cites,
        ),
        position,
    )


def resolve(desk: EventBatch, answers: Answers[ConflictAnswer]) -> None:
    """Record why the verdicts differ, or that nobody could say."""
    if not answers.given:
        desk.add(ConflictResolved(missing=why_missing(answers)), desk.debate.course)
        return
    position, answer = answers.given[0]
    cites = _kept(desk, "conflict", answer.cites, position)
    desk.add(ConflictResolved(text=answer.text, cites=cites), position)


def _kept(desk: EventBatch, purpose: str, cites: Iterable[str], cause: int) -> tuple[str, ...]:
    """The citations that exist; the others, which should have been asked again, are refused."""
    named = tuple(cites)
    unknown = unknown_cites(desk.debate, named)
    for cite in unknown:
        refuse(desk, len(desk.debate.transcript.turns), purpose, cite, "it does not exist", cause)
    return tuple(dict.fromkeys(cite.strip() for cite in named if cite not in unknown))


def _as_arc(answer: ArcAnswer) -> Arc:
    return Arc(evolution=answer.evolution, fractures=answer.fractures, held=answer.held)


def _first(debate: Debate) -> Side:
    """The side of Speaker A."""
    return next((turn.side for turn in debate.transcript.turns.values()), "pro")
