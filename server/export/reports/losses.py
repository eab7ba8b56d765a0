"""The points that a turn lost after it was scored: to a flaw, a suspect claim, or a rule of conduct."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.ledger import ScoreEntry, TurnCard
from events.types import Span
from events.types.rubric import rule_of

_NOTES: Final = re.compile(r"(?: \((?:requested|it continues|[\d.]+ of [\d.]+ applied)[^()]*\))++($)?")
"""What the rules add to the judge's reason; it has group 1 at the end of the reason."""


class Loss(Struct, frozen=True):
    """Points that a turn lost after it was scored, and did not get back."""

    kind: str
    """``gap``, the kind of a suspect claim, or a rule of conduct."""
    turn: int
    position: int
    cause: int | None
    """The event that it follows from."""
    points: float
    dimension: str
    asks: str = ""
    """Of a suspect claim: what it does, in the words of its rule."""
    quote: str = ""
    reason: str = ""
    span: Span | None = None
    shown_in: int = 0
    """Of a gap: the turn whose words show it."""
    shown_by: str = ""
    shown_span: Span | None = None
    counts: bool = True
    """Whether the dimension is part of the composite."""


def losses_of(debate: Debate, cards: Iterable[TurnCard]) -> Iterator[Loss]:
    """The losses of some turns.  A claim that was cleared is none."""
    claims = {each.flagged: each for each in debate.claims.values()}
    for card in cards:
        for entry in card.entries:
            if entry.applied >= 0 or entry.kind not in {"gap", "penalty"}:
                continue
            claim = claims.get(entry.cause or 0)
            if claim is not None and claim.state == "cleared":
                continue
            lost = Loss(
                kind=entry.rule,
                turn=entry.turn,
                position=entry.position,
                cause=entry.cause,
                points=entry.applied,
                dimension=entry.dimension.replace("_", " "),
                counts=entry.dimension in debate.ledger.dimensions,
            )
            if entry.kind == "gap":
                fails, shown = entry.evidence
                yield replace(
                    lost,
                    kind="gap",
                    quote=fails.quote,
                    span=fails.span,
                    shown_in=shown.turn,
                    shown_by=shown.quote,
                    shown_span=shown.span,
                    reason=_without_notes(entry.reason),
                )
            elif claim is not None:
                rule = rule_of(debate.ledger.rubric, claim.kind) if debate.ledger.rubric is not None else None
                yield replace(
                    lost,
                    kind=claim.kind,
                    asks="" if rule is None else rule.asks,
                    quote=claim.quote,
                    reason=claim.answer or claim.reason,
                )
            else:
                quote, reason = _conduct(debate, entry)
                yield replace(lost, quote=quote, reason=reason)


def _conduct(debate: Debate, entry: ScoreEntry) -> tuple[str, str]:
    """The words and the reason of a penalty for conduct."""
    for premise in debate.spine.premises.values():
        for change in premise.changes:
            if change.position == entry.cause:
                return premise.quote, change.text
    for contradiction in debate.spine.contradictions:
        if contradiction.position == entry.cause:
            return "", contradiction.reason
    return next((each.quote for position, each in debate.injections if position == entry.cause), ""), ""


def _without_notes(reason: str) -> str:
    return _NOTES.sub(lambda notes: notes[0] if notes[1] is None else "", reason)
