"""The register of suspect claims, the premises of each side, and attempts to instruct the judge."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import DerivedEvent, Event, Side, Span

ClaimKind = Literal[
    "hollow_specificity",
    "no_mechanism",
    "fabricated_citation",
    "inverted_fact",
    "reversed_causality",
    "overclaim",
    "unverifiable",
]
"""The kinds that the judge names."""
EvidenceKind = Literal["misquotation", "wrong_passage", "invented_passage", "contradicted_by_evidence"]
"""The kinds that the evidence of a debate decides."""
FlagKind = Literal[ClaimKind, EvidenceKind]


class QuotedPassage(Struct, frozen=True, kw_only=True):
    """Words of a passage of the evidence."""

    passage: str
    quote: str
    span: Span


class ClaimFlagged(DerivedEvent, frozen=True, kw_only=True, tag="claim_flagged"):
    """A suspect claim entered the register as ``C{turn}.{n}``."""

    claim: str
    turn: int
    quote: str
    span: Span
    kind: FlagKind
    reason: str
    by: str
    evidence: QuotedPassage | UnsetType = UNSET
    """The words of the evidence that stand against the claim, if the evidence decides the kind."""
    given: float | UnsetType = UNSET
    """Points that it counts by itself, where all findings of a turn are weighed together."""


class ClaimAppealed(Event, frozen=True, kw_only=True, tag="claim_appealed"):
    """A second opinion on a flag was requested."""

    claim: str
    by: str


class ClaimUpheld(DerivedEvent, frozen=True, kw_only=True, tag="claim_upheld"):
    """The second opinion agrees with the flag."""

    claim: str
    by: str
    reason: str


class ClaimCleared(DerivedEvent, frozen=True, kw_only=True, tag="claim_cleared"):
    """The second opinion disagrees with the flag: the points of the claim are given back."""

    claim: str
    by: str
    reason: str


class PremiseStated(DerivedEvent, frozen=True, kw_only=True, tag="premise_stated"):
    """A side stated a premise of its case, ``P{turn}.{n}``."""

    premise: str
    side: Side
    turn: int
    text: str
    quote: str
    span: Span


class PremiseRevised(DerivedEvent, frozen=True, kw_only=True, tag="premise_revised"):
    """The side now holds a premise in another form."""

    premise: str
    turn: int
    text: str
    quote: str = ""


class PremiseDropped(DerivedEvent, frozen=True, kw_only=True, tag="premise_dropped"):
    """A side dropped a premise silently, as the judge says."""

    premise: str
    turn: int
    reason: str = ""


class OpponentAnswered(DerivedEvent, frozen=True, kw_only=True, tag="opponent_answered"):
    """What a turn answers, as the judge says: ids of the opponent's premises and claims; none if it answers none."""

    turn: int
    answered: tuple[str, ...] = ()


class PremiseWithdrawn(DerivedEvent, frozen=True, kw_only=True, tag="premise_withdrawn"):
    """A side gave a premise up openly: a concession, which costs nothing."""

    premise: str
    turn: int
    quote: str
    span: Span


class ContradictionFound(DerivedEvent, frozen=True, kw_only=True, tag="contradiction_found"):
    """A side contradicts its own earlier statements."""

    side: Side
    turns: tuple[int, ...]
    premises: tuple[str, ...]
    reason: str


class InjectionDetected(DerivedEvent, frozen=True, kw_only=True, tag="injection_detected"):
    """A turn tries to instruct the judge."""

    turn: int
    pattern: str
    quote: str
    span: Span
