"""The Suspect Claims Register: what is flagged, and what a flag costs.  Source: seed 003, level 3.

A deterministic scanner proposes the specific claims so that the judge overlooks none; the judge decides.  A claim that
a side repeats is penalised once.
"""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from events.state.debate import Debate
from events.types import ClaimFlagged, ClaimKind, Side, Span, TurnSpoken
from events.types.rubric import Rubric
from judge.guard.neutralise import quoted
from judge.guard.quotes import comparable, find
from judge.live.ask import Prompt, Prompts, speaker, turn_prompt
from judge.live.entries import penalize, refuse
from judge.live.event_batch import Answers, EventBatch
from judge.live.samples import grouped, majority, stands
from judge.live.scanner import scan, tokens
from judge.templates import fill, section

PURPOSE: Final = "claims"
SHOWN: Final = 8
"""Candidates that a prompt lists."""


class Suspicion(Struct, frozen=True, kw_only=True):
    """One claim that the judge finds suspect."""

    quote: Annotated[str, Meta(max_length=200)]
    reason: Annotated[str, Meta(max_length=200)] = ""
    kind: ClaimKind


class ClaimsAnswer(Struct, frozen=True, kw_only=True):
    """All that are suspect in one turn: ``{"claims": [{"quote", "reason", "kind"}]}``."""

    claims: Annotated[list[Suspicion], Meta(max_length=4)]


def claims_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask for suspect claims in the last of ``spoken``."""
    turn, frame = spoken[-1], prompts["claims"]
    found = [quoted(each.quote) for each in scan(turn.text)[:SHOWN]]
    ask = fill(
        section(frame, "ask"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        kinds="\n".join(f"- {kind}: {rule.asks}" for kind, rule in rubric.claims.items()),
        candidates="\n".join(found) or section(frame, "none"),
    )
    return turn_prompt(prompts, motion, spoken, ask)


class _Found(Struct, frozen=True):
    suspicion: Suspicion
    position: int
    """Of the answer that holds it."""


def flag_claims(desk: EventBatch, number: int, answers: Answers[ClaimsAnswer]) -> None:
    """Enter what more than half of the samples find suspect, each with its penalty."""
    found: list[tuple[int, Span, _Found]] = []
    for sample, (position, answer) in enumerate(answers.given):
        for suspicion in answer.claims:
            place = _place(desk.debate, number, suspicion)
            if isinstance(place, str):
                refuse(desk, number, PURPOSE, suspicion.quote, place, position)
            else:
                found.append((sample, place, _Found(suspicion, position)))
    for group in grouped(found):
        votes, samples = len({sample for sample, _, _ in group}), len(answers.given)
        first = group[0][2]
        if stands(votes, samples):
            _flag(desk, number, group)
        else:
            said = f"only {votes} of {samples} samples find it suspect"
            refuse(desk, number, PURPOSE, first.suspicion.quote, said, first.position)


def _place(debate: Debate, number: int, suspicion: Suspicion) -> Span | str:
    """Where the words stand, or what is wrong with the suspicion."""
    rubric = debate.ledger.rubric
    if rubric is None or suspicion.kind not in rubric.claims:
        return f"the rubric has no rule for {suspicion.kind}"
    span = find(suspicion.quote, debate.transcript.turns[number].text, rubric.quote_minimum)
    return span or "the quote is not in the turn, or too short to tell"


def _flag(desk: EventBatch, number: int, group: list[tuple[int, Span, _Found]]) -> None:
    turn, rubric = desk.debate.transcript.turns[number], desk.debate.ledger.rubric
    assert rubric is not None, "checked before"
    kind = _kind({sample: each.suspicion.kind for sample, _, each in reversed(group)}, rubric)
    span, found = next((span, each) for _, span, each in group if each.suspicion.kind == kind)
    quote = turn.text[span[0] : span[1]]
    if (known := _known(desk.debate, turn.side, quote)) is not None:
        refuse(desk, number, PURPOSE, quote, f"already flagged as {known}", found.position)
        return
    claim = f"C{number}.{sum(each.turn == number for each in desk.debate.claims.values()) + 1}"
    flag = desk.add(
        ClaimFlagged(
            claim=claim, turn=number, quote=quote, span=span, kind=kind, reason=found.suspicion.reason, by="judge"
        ),
        found.position,
    )
    rule = rubric.claims[kind]
    penalize(
        desk,
        number,
        rule.dimension,
        rule.points,
        rule=kind,
        because_of=flag,
        reason=f"{claim} {rule.asks}",
        claim=claim,
    )


def _kind(kinds: dict[int, ClaimKind], rubric: Rubric) -> ClaimKind:
    """The kind that most samples name first; without a majority the mildest, the rubric's first among equals."""
    order = list(rubric.claims)
    named = list(kinds.values())
    return majority(named, min(named, key=lambda kind: (rubric.claims[kind].points, order.index(kind))))


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
