"""The Suspect Claims Register: what is flagged, and what a flag costs.  Source: seed 003, level 3.

A deterministic scanner proposes the specific claims so that the judge overlooks none; the judge decides.  A claim that
a side repeats is penalised once.
"""

from collections.abc import Sequence
from typing import Annotated, Final, get_args

from msgspec import Meta, Struct

from events.projections.debate import Debate
from events.rubric import Rubric
from events.types import ClaimFlagged, ClaimKind, Side, Span, TurnSpoken
from judge.ask import Prompt, Prompts, speaker, turn_prompt
from judge.desk import Answers, Desk
from judge.entries import penalize, refuse
from judge.neutralise import quoted
from judge.quotes import comparable, find
from judge.samples import grouped, majority, stands
from judge.scanner import scan, tokens
from judge.templates import fill, section

SHOWN: Final = 8
"""Candidates that a prompt lists."""


class Suspicion(Struct, frozen=True, kw_only=True):
    """One claim that the judge finds suspect."""

    quote: Annotated[str, Meta(max_length=200)]
    reason: Annotated[str, Meta(max_length=200)]
    kind: ClaimKind


class ClaimsAnswer(Struct, frozen=True, kw_only=True):
    """All that are suspect in one turn."""

    claims: Annotated[list[Suspicion], Meta(max_length=4)]


def claims_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask for suspect claims in the last of ``spoken``."""
    turn, frame = spoken[-1], prompts["claims"]
    found = [f"“{quoted(each.quote).removeprefix('| ')}”" for each in scan(turn.text)[:SHOWN]]
    ask = fill(
        section(frame, "ask"), turn=str(turn.turn), speaker=speaker(spoken, turn),
        kinds="\n".join(f"- {kind}: {rule.asks}" for kind, rule in rubric.claims.items()),
        candidates=", ".join(found) or section(frame, "none"),
    )
    return turn_prompt(prompts, motion, spoken, ask)


def flag_claims(desk: Desk, number: int, answers: Answers[ClaimsAnswer]) -> None:
    """Enter what more than half of the samples find suspect, each with its penalty."""
    turn = desk.debate.transcript.turns[number]
    found: list[tuple[int, Span, Suspicion]] = []
    for sample, (position, answer) in enumerate(answers.given):
        for suspicion in answer.claims:
            span = find(suspicion.quote, turn.text, _minimum(desk))
            if span is None:
                refuse(desk, number, "claims", suspicion.quote, "the quote is not in the turn", position)
            else:
                found.append((sample, span, suspicion))
    for group in grouped(found):
        if stands(len({sample for sample, _, _ in group}), len(answers.given)):
            _flag(desk, number, group, answers.cause)


def _minimum(desk: Desk) -> int:
    rubric = desk.debate.ledger.rubric
    return rubric.quote_minimum if rubric else 8


def _flag(desk: Desk, number: int, group: list[tuple[int, Span, Suspicion]], cause: int | None) -> None:
    turn, rubric = desk.debate.transcript.turns[number], desk.debate.ledger.rubric
    _, span, suspicion = group[0]
    quote = turn.text[span[0] : span[1]]
    if (known := _known(desk.debate, turn.side, quote)) is not None:
        refuse(desk, number, "claims", quote, f"already flagged as {known}", cause)
        return
    kind = _kind([each.kind for _, _, each in group], rubric)
    claim = f"C{number}.{sum(each.turn == number for each in desk.debate.claims.values()) + 1}"
    flag = desk.add(
        ClaimFlagged(claim=claim, turn=number, quote=quote, span=span, kind=kind, reason=suspicion.reason, by="judge"),
        cause,
    )
    if rubric is not None and (rule := rubric.claims.get(kind)) is not None:
        penalize(
            desk, number, rule.dimension, rule.points, rule=kind, because_of=flag, reason=f"{claim} {rule.asks}",
            claim=claim,
        )


def _kind(kinds: list[ClaimKind], rubric: Rubric | None) -> ClaimKind:
    """The kind that most samples name; without a majority the mildest of them."""
    costs = {kind: rule.points for kind, rule in rubric.claims.items()} if rubric else {}
    order = get_args(ClaimKind)
    return majority(kinds, min(kinds, key=lambda kind: (costs.get(kind, 0), order.index(kind))))


def _known(debate: Debate, side: Side, quote: str) -> str | None:
    """The flag of the same claim by the same side: the same words, or the same specific figure."""
    words, figures = comparable(quote), tokens(quote)
    for claim, entry in debate.claims.items():
        if debate.ledger.sides.get(entry.turn) != side:
            continue
        before = comparable(entry.quote)
        if words in before or before in words or figures & tokens(entry.quote):
            return claim
    return None
