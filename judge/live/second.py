"""Second opinions: another look at a claim by a judge that does not know of the first verdict."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from events.state.claims import Claim
from events.types import ClaimCleared, ClaimUpheld, PenaltyReversed, TurnSpoken
from events.types.rubric import Rubric
from judge.guard.neutralise import quoted
from judge.live.ask import Prompt, Prompts, opening, speaker, turn_segment
from judge.live.entries import absorbed, change
from judge.live.event_batch import Answers, EventBatch
from judge.live.samples import majority
from judge.templates import fill, section
from providers.base import Segment


class SecondOpinion(Struct, frozen=True, kw_only=True):
    """Whether the rule is broken (``upheld``) or not: ``{"reason", "verdict"}``."""

    reason: Annotated[str, Meta(max_length=240)] = ""
    verdict: Literal["upheld", "cleared"]


def second_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken], claim: Claim) -> Prompt:
    """The words in their turn and the rule; nothing tells that somebody has flagged or penalised them."""
    turn = next(each for each in spoken if each.turn == claim.turn)
    ask = fill(
        section(prompts["second_opinion"], "ask"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        quote=quoted(claim.quote),
        kind=rubric.claims[claim.kind].asks,
    )
    return (*opening(prompts, motion), turn_segment(prompts, spoken, turn), Segment("user", ask))


def settle(desk: EventBatch, name: str, answers: Answers[SecondOpinion], *, by: str) -> None:
    """Uphold the flag, or clear it and give its points back; without an answer it stays as it is.

    Of several samples more than half must clear it.  A claim that has been settled stays settled.
    """
    claim = desk.debate.claims.get(name)
    if not answers.given or claim is None or claim.state != "flagged":
        return
    verdict = majority([each.verdict for each in answers.values], "upheld")
    position, opinion = next(each for each in answers.given if each[1].verdict == verdict)
    if verdict == "upheld":
        desk.add(ClaimUpheld(claim=name, by=by, reason=opinion.reason), position)
        return
    cleared = desk.add(ClaimCleared(claim=name, by=by, reason=opinion.reason), position)
    rubric = desk.debate.ledger.rubric
    rule = rubric.claims.get(claim.kind) if rubric else None
    balance = desk.debate.ledger.balance(claim.turn, rule.dimension) if rule else None
    if rule is None or balance is None or claim.requested == 0:
        return
    requested = -claim.requested
    applied = change(balance, requested)
    desk.add(
        PenaltyReversed(
            turn=claim.turn,
            dimension=rule.dimension,
            requested=requested,
            applied=applied,
            rule="cleared",
            because_of=cleared,
            claim=name,
            reason=f"{name} was cleared{absorbed(balance, requested, applied)}",
        ),
        cleared,
    )
