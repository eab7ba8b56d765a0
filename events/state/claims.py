"""The register of suspect claims.  A claim is flagged, then upheld or cleared."""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.types import (
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    FlagKind,
    PenaltyApplied,
    PenaltyReversed,
    QuotedPassage,
    Span,
)

ClaimState = Literal["flagged", "upheld", "cleared"]


class Claim(Struct, frozen=True, kw_only=True, gc=False):
    """A suspect claim.  ``penalty``: points that its turn loses now, 0 or less; ``requested``: points by the rubric."""

    turn: int
    quote: str
    span: Span
    kind: FlagKind
    state: ClaimState
    reason: str
    by: str
    flagged: int
    penalty: float = 0.0
    requested: float = 0.0
    appealed: int = 0
    """Position of the appeal; 0 without one."""
    answer: str = ""
    """Why the claim was upheld or cleared."""
    evidence: QuotedPassage | UnsetType = UNSET
    """The words of the evidence that stand against it."""
    decided_by: str | UnsetType = UNSET
    """``evidence`` if the evidence upheld or cleared it, and no second opinion."""
    given: float | UnsetType = UNSET
    """Points that it counts by itself, where all findings of a turn are weighed together."""


Register = dict[str, Claim]
INITIAL: Register = {}
MOVED_BY: Final = frozenset(
    {
        ClaimFlagged,
        PenaltyApplied,
        PenaltyReversed,
        ClaimAppealed,
        ClaimUpheld,
        ClaimCleared,
    }
)


BY_EVIDENCE: Final = "evidence"
"""In ``by`` of a flag and of its decision: the evidence of the debate."""


def _decided(by: str) -> str | UnsetType:
    return BY_EVIDENCE if by == BY_EVIDENCE else UNSET


def apply(register: Register, record: Recorded) -> Register:
    """The register after ``record``."""
    event = record.event
    if isinstance(event, ClaimFlagged):
        claim = Claim(
            turn=event.turn,
            quote=event.quote,
            span=event.span,
            kind=event.kind,
            state="flagged",
            reason=event.reason,
            by=event.by,
            flagged=record.position,
            evidence=event.evidence,
            given=event.given,
        )
        return {**register, event.claim: claim}
    if isinstance(event, PenaltyApplied | PenaltyReversed):
        if event.claim is UNSET or event.claim not in register:
            return register
        claim = register[event.claim]
        changed = replace(
            claim, penalty=round(claim.penalty + event.applied, 2), requested=claim.requested + event.requested
        )
        return {**register, event.claim: changed}
    if isinstance(event, ClaimAppealed | ClaimUpheld | ClaimCleared) and event.claim in register:
        claim = register[event.claim]
        match event:
            case ClaimAppealed():
                changed = replace(claim, appealed=record.position)
            case ClaimUpheld():
                changed = replace(claim, state="upheld", answer=event.reason, decided_by=_decided(event.by))
            case ClaimCleared():
                changed = replace(claim, state="cleared", answer=event.reason, decided_by=_decided(event.by))
        return {**register, event.claim: changed}
    return register
