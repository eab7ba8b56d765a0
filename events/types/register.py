"""The Suspect Claims Register, the causal spine, and attempts to instruct the judge."""

from typing import Literal

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


class ClaimFlagged(DerivedEvent, frozen=True, kw_only=True, tag="claim_flagged"):
    """A suspect claim entered the register as ``C{turn}.{n}``."""

    claim: str
    turn: int
    quote: str
    span: Span
    kind: ClaimKind
    reason: str
    by: str


class ClaimAppealed(Event, frozen=True, kw_only=True, tag="claim_appealed"):
    """A second opinion on a flag was asked for."""

    claim: str
    by: str


class ClaimUpheld(DerivedEvent, frozen=True, kw_only=True, tag="claim_upheld"):
    """The second opinion agrees with the flag."""

    claim: str
    by: str
    reason: str


class ClaimCleared(DerivedEvent, frozen=True, kw_only=True, tag="claim_cleared"):
    """The second opinion dissents: the claim is good, and its points come back."""

    claim: str
    by: str
    reason: str


class PremiseStated(DerivedEvent, frozen=True, kw_only=True, tag="premise_stated"):
    """A side put forward something that its case stands on, as ``P{turn}.{n}``."""

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
    """A premise is gone without a word; the judge says so and the words bear it out."""

    premise: str
    turn: int
    reason: str = ""


class ContradictionFound(DerivedEvent, frozen=True, kw_only=True, tag="contradiction_found"):
    """A side contradicts what it had stated."""

    side: Side
    turns: tuple[int, ...]
    premises: tuple[str, ...]
    reason: str


class InjectionDetected(DerivedEvent, frozen=True, kw_only=True, tag="injection_detected"):
    """A turn tries to instruct whoever judges it."""

    turn: int
    pattern: str
    quote: str
    span: Span
