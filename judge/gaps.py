"""Retroactive docking: an earlier turn pays for a flaw that a later one exposes.  Source: seed 003, level 3."""

from collections.abc import Sequence
from statistics import median
from typing import Annotated, Final

from msgspec import Meta, Struct

from events.projections.debate import Debate
from events.rubric import Rubric
from events.types import LogicGapAdjusted, Passage, Span, TurnSpoken
from judge.ask import Prompt, Prompts, speaker, turn_prompt
from judge.desk import Answers, Desk
from judge.entries import absorbed, change, refuse
from judge.quotes import find
from judge.samples import grouped, overlaps, stands
from judge.templates import fill, section

HISTORY: Final = 3
"""Earlier turns that the judge reads when it looks for flaws of theirs."""
Quote = Annotated[str, Meta(max_length=200)]


class Gap(Struct, frozen=True, kw_only=True):
    """One flaw: where it is, and what exposes it."""

    turn: Annotated[int, Meta(ge=1, le=200)]
    fails: Quote
    exposed_by: Quote
    reason: Quote
    points: Annotated[int, Meta(ge=1, le=8)]


class GapsAnswer(Struct, frozen=True, kw_only=True):
    """All that one turn exposes."""

    gaps: Annotated[list[Gap], Meta(max_length=3)]


def gaps_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask what the last of ``spoken`` exposes."""
    turn = spoken[-1]
    ask = fill(
        section(prompts["gaps"], "ask"), turn=str(turn.turn), speaker=speaker(spoken, turn),
        least=f"{rubric.gaps.least:g}", most=f"{rubric.gaps.most:g}",
    )
    return turn_prompt(prompts, motion, spoken, ask, history=HISTORY)


class _Found(Struct, frozen=True):
    gap: Gap
    fails: Span
    exposed_by: Span


def dock(desk: Desk, number: int, answers: Answers[GapsAnswer]) -> None:
    """Dock what more than half of the samples name, with both quotes found where they are said to be."""
    by_turn: dict[int, list[tuple[int, Span, _Found]]] = {}
    for sample, (position, answer) in enumerate(answers.given):
        for gap in answer.gaps:
            found = _checked(desk.debate, number, gap)
            if isinstance(found, str):
                refuse(desk, number, "gaps", gap.fails, found, position)
            else:
                by_turn.setdefault(gap.turn, []).append((sample, found.fails, found))
    for turn, findings in sorted(by_turn.items()):
        for group in grouped(findings):
            if stands(len({sample for sample, _, _ in group}), len(answers.given)):
                _dock(desk, turn, number, [found for _, _, found in group], answers.cause)


def _checked(debate: Debate, number: int, gap: Gap) -> _Found | str:
    """The gap with the places of its quotes, or what is wrong with it."""
    rubric = debate.ledger.rubric
    if gap.turn >= number or gap.turn not in debate.transcript.turns or rubric is None:
        return f"turn {gap.turn} does not stand before turn {number}"
    if debate.ledger.balance(gap.turn, rubric.gaps.dimension) is None:
        return f"turn {gap.turn} has no score"
    fails = find(gap.fails, debate.transcript.turns[gap.turn].text, rubric.quote_minimum)
    if fails is None:
        return f"the words that fail are not in turn {gap.turn}"
    exposed_by = find(gap.exposed_by, debate.transcript.turns[number].text, rubric.quote_minimum)
    if exposed_by is None:
        return f"the words that expose it are not in turn {number}"
    return _Found(gap, fails, exposed_by)


def _dock(desk: Desk, turn: int, number: int, found: list[_Found], cause: int | None) -> None:
    rubric, texts = desk.debate.ledger.rubric, desk.debate.transcript.turns
    first = found[0]
    if any(
        entry.kind == "gap" and entry.evidence[0].span and overlaps(entry.evidence[0].span, first.fails)
        for entry in desk.debate.ledger.cards[turn].entries
    ):
        refuse(desk, number, "gaps", first.gap.fails, f"turn {turn} is docked for these words already", cause)
        return
    assert rubric is not None
    balance = desk.debate.ledger.balance(turn, rubric.gaps.dimension)
    assert balance is not None, "checked before"
    points = float(min(max(median([each.gap.points for each in found]), rubric.gaps.least), rubric.gaps.most))
    applied = change(balance, -points)
    desk.add(
        LogicGapAdjusted(
            turn=turn, dimension=rubric.gaps.dimension, requested=-points, applied=applied, rule="logic_gap",
            because_of=texts[number].spoken, reason=first.gap.reason + absorbed(balance, -points, applied),
            fails=_passage(turn, texts[turn].text, first.fails),
            exposed_by=_passage(number, texts[number].text, first.exposed_by),
        ),
        cause,
    )


def _passage(turn: int, text: str, span: Span) -> Passage:
    return Passage(turn=turn, quote=text[span[0] : span[1]], span=span)


