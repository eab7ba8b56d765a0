"""The register of suspect claims: what is flagged, what a flag costs, and second opinions that uphold or clear it.

A deterministic scanner proposes the specific claims so that the judge overlooks none; the judge decides.  A claim that
a side repeats is penalised once.  A second opinion comes from a judge that does not know the first verdict.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from events.state.claims import Claim
from events.state.debate import Debate
from events.types import ClaimCleared, ClaimFlagged, ClaimKind, ClaimUpheld, PenaltyReversed, Side, Span, TurnSpoken
from events.types.rubric import Rubric, rule_of
from judge.guard.neutralise import quoted
from judge.guard.quotes import comparable, not_quoted, place
from judge.live.answers import Answers, Quote, Why, is_majority, majority, overlapping
from judge.live.docking import charge_claim, given_points, recount
from judge.live.entries import SERIOUS, absorbed_note, applied_change, misquote, record_notes, refuse_finding
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, opening, speaker, turn_prompt, turn_segment
from judge.templates import fill, section
from judge.text.scanner import scan, tokens
from providers.base import Segment

PURPOSE: Final = "claims"
SHOWN: Final = 8
"""The most candidates that a prompt lists."""


class SuspectClaim(Struct, frozen=True, kw_only=True):
    """One claim that the judge finds suspect."""

    quote: Quote
    reason: Why = ""
    kind: ClaimKind


class ClaimsAnswer(Struct, frozen=True, kw_only=True):
    """The suspect claims of one turn: ``{"claims": [{"quote", "reason", "kind"}]}``."""

    claims: Annotated[list[SuspectClaim], Meta(max_length=4)]


def claim_candidates(text: str) -> str:
    """Return the specific statements that the scanner finds in a turn, as material; empty if it finds none."""
    return "\n".join(quoted(each.quote) for each in scan(text)[:SHOWN])


def claims_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask for suspect claims in the last of ``spoken``."""
    turn, frame = spoken[-1], prompts["claims"]
    ask = fill(
        section(frame, "ask"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        kinds="\n".join(f"- {kind}: {rule.asks}" for kind, rule in rubric.claims.items()),
        candidates=claim_candidates(turn.text) or section(frame, "none"),
    )
    return turn_prompt(prompts, motion, spoken, ask)


class _LocatedClaim(Struct, frozen=True):
    suspicion: SuspectClaim
    position: int
    """Position of the answer."""


def flag_claims(batch: EventBatch, number: int, answers: Answers[ClaimsAnswer]) -> None:
    """Flag the claims that more than half of the samples find suspect, each with its penalty."""
    record_notes(batch, number, PURPOSE, answers)
    found: list[tuple[int, Span, _LocatedClaim]] = []
    for sample, (position, answer) in enumerate(answers.given):
        for suspicion in answer.claims:
            place = _locate(batch.debate, number, suspicion)
            if isinstance(place, str):
                refuse_finding(batch, number, PURPOSE, suspicion.quote, place, position)
            else:
                found.append((sample, place, _LocatedClaim(suspicion, position)))
    for group in overlapping(found):
        votes, samples = len({sample for sample, _, _ in group}), len(answers.given)
        first = group[0][2]
        if is_majority(votes, samples):
            _flag(batch, number, group)
        else:
            why = f"only {votes} of {samples} samples find it suspect"
            refuse_finding(batch, number, PURPOSE, first.suspicion.quote, why, first.position)


def misquoted(debate: Debate, number: int, answer: ClaimsAnswer) -> str:
    """Return the serious claims of an answer whose quotes do not hold, in words; empty if there are none."""
    rubric = debate.ledger.rubric
    faults = [
        f'claims, number {at}: {why}; it was "{each.quote}"'
        for at, each in enumerate(answer.claims, start=1)
        if rubric is not None
        and (rule := rubric.claims.get(each.kind)) is not None
        and rule.points >= SERIOUS
        and isinstance(why := _locate(debate, number, each), str)
    ]
    return misquote(faults)


def _locate(debate: Debate, number: int, suspicion: SuspectClaim) -> Span | str:
    """Return the span of the quote, or why the claim is refused."""
    rubric = debate.ledger.rubric
    if rubric is None or suspicion.kind not in rubric.claims:
        return f"the rubric has no rule for {suspicion.kind}"
    found = place(suspicion.quote, debate.transcript.turns[number].text, rubric.quote_minimum)
    return not_quoted(found) if isinstance(found, str) else found


def _flag(batch: EventBatch, number: int, group: list[tuple[int, Span, _LocatedClaim]]) -> None:
    turn, rubric = batch.debate.transcript.turns[number], batch.debate.ledger.rubric
    assert rubric is not None, "checked before"
    kind = _kind({sample: each.suspicion.kind for sample, _, each in reversed(group)}, rubric)
    span, found = next((span, each) for _, span, each in group if each.suspicion.kind == kind)
    quote = turn.text[span[0] : span[1]]
    if (known := known_claim(batch.debate, turn.side, quote)) is not None:
        refuse_finding(batch, number, PURPOSE, quote, f"already flagged as {known}", found.position)
        return
    claim, rule = next_claim(batch.debate, number), rubric.claims[kind]
    flag = batch.add(
        ClaimFlagged(
            claim=claim,
            turn=number,
            quote=quote,
            span=span,
            kind=kind,
            reason=found.suspicion.reason,
            by="judge",
            given=given_points(rubric, rule.dimension, rule.points),
        ),
        found.position,
    )
    charge_claim(batch, claim, rule.dimension, rule.points, because_of=flag, reason=f"{claim} {rule.asks}")


def _kind(kinds: dict[int, ClaimKind], rubric: Rubric) -> ClaimKind:
    """Return the kind that more than half name; without a majority the cheapest, of equal ones the rubric's first."""
    order = list(rubric.claims)
    named = list(kinds.values())
    return majority(named, min(named, key=lambda kind: (rubric.claims[kind].points, order.index(kind))))


def next_claim(debate: Debate, number: int) -> str:
    """Return the id of the next claim of a turn."""
    return f"C{number}.{sum(each.turn == number for each in debate.claims.values()) + 1}"


def known_claim(debate: Debate, side: Side, quote: str) -> str | None:
    """Return the first flag of the same claim by the same side; None without one."""
    return next(known_claims(debate, side, quote), None)


def known_claims(debate: Debate, side: Side, quote: str) -> Iterator[str]:
    """Yield the flags of the same claim by the same side: the same words, or the same specific figure.

    A flag that was cleared is known by its words only: its figure may occur in another claim that is not sound.
    """
    words, figures = comparable(quote), tokens(quote)
    for claim, entry in debate.claims.items():
        if debate.ledger.sides.get(entry.turn) != side:
            continue
        before = comparable(entry.quote)
        has_figure = entry.state != "cleared" and figures & tokens(entry.quote)
        if words in before or before in words or has_figure:
            yield claim


class SecondOpinion(Struct, frozen=True, kw_only=True):
    """Whether the rule is broken (``upheld``) or not: ``{"reason", "verdict"}``."""

    reason: Why = ""
    verdict: Literal["upheld", "cleared"]


def second_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken], claim: Claim) -> Prompt:
    """Ask about the quote in its turn and the rule; the prompt does not tell that it has been flagged."""
    turn, rule = next(each for each in spoken if each.turn == claim.turn), rule_of(rubric, claim.kind)
    assert rule is not None, "a claim is flagged by a rule"
    ask = fill(
        section(prompts["second_opinion"], "ask"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        quote=quoted(claim.quote),
        kind=rule.asks,
    )
    return (*opening(prompts, motion), turn_segment(prompts, spoken, turn), Segment("user", ask))


def settle(batch: EventBatch, name: str, answers: Answers[SecondOpinion], *, by: str) -> None:
    """Uphold the flag, or clear it and return its points; without an answer the flag stays.

    More than half of the samples must clear it.  A settled claim stays settled.
    """
    claim = batch.debate.claims.get(name)
    if not answers.given or claim is None or claim.state != "flagged":
        return
    verdict = majority([each.verdict for each in answers.values], "upheld")
    position, opinion = next(each for each in answers.given if each[1].verdict == verdict)
    if verdict == "upheld":
        batch.add(ClaimUpheld(claim=name, by=by, reason=opinion.reason), position)
        return
    clear(batch, name, by=by, reason=opinion.reason, cause=position)


def clear(batch: EventBatch, name: str, *, by: str, reason: str, cause: int) -> None:
    """Clear a flag and return the points that it took."""
    claim = batch.debate.claims[name]
    cleared = batch.add(ClaimCleared(claim=name, by=by, reason=reason), cause)
    rubric = batch.debate.ledger.rubric
    rule = rule_of(rubric, claim.kind) if rubric else None
    balance = batch.debate.ledger.balance(claim.turn, rule.dimension) if rule else None
    if rule is None or balance is None:
        return
    if requested := -claim.requested:
        applied = applied_change(balance, requested)
        batch.add(
            PenaltyReversed(
                turn=claim.turn,
                dimension=rule.dimension,
                requested=requested,
                applied=applied,
                rule="cleared",
                because_of=cleared,
                claim=name,
                reason=f"{name} was cleared{absorbed_note(balance, requested, applied)}",
            ),
            cleared,
        )
    recount(batch, claim.turn, cleared, f"{name} was cleared, so the findings of its turn count again")
