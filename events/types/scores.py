"""Scores, and everything that changes them."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import DerivedEvent, Reason, Span


class ComponentScore(Struct, frozen=True, kw_only=True, gc=False):
    """One component: what the judge gave, what the rules admit, and the words it rests on."""

    raw: float
    admitted: float
    quote: str
    span: Span | None
    verified: bool
    reason: str
    spread: float = 0.0
    """Highest minus lowest over the samples."""
    rules: tuple[str, ...] = ()
    """Rules that lowered it, in words."""


class DimensionScore(Struct, frozen=True, kw_only=True, gc=False):
    """A dimension before the ledger: the judge's sum, and what the rules admit of it."""

    raw: float
    admitted: float
    spread: float = 0.0
    rules: tuple[str, ...] = ()


class TurnScored(DerivedEvent, frozen=True, kw_only=True, tag="turn_scored"):
    """The absolute score of a turn, or the reason why there is none."""

    turn: int
    components: dict[str, ComponentScore] | UnsetType = UNSET
    dimensions: dict[str, DimensionScore] | UnsetType = UNSET
    samples: int | UnsetType = UNSET
    absent: dict[str, Reason] | UnsetType = UNSET
    """Dimensions that have no score although the turn was judged, each with the reason."""
    missing: Reason | UnsetType = UNSET


ComparisonOutcome = Literal["earlier", "later", "draw"]


class TurnsCompared(DerivedEvent, frozen=True, kw_only=True, tag="turns_compared"):
    """Two neighbouring turns, head to head, asked in both orders.

    ``flipped`` are dimensions on which the orders disagreed: they count as drawn.
    """

    earlier: int
    later: int
    outcomes: dict[str, ComparisonOutcome] | UnsetType = UNSET
    flipped: tuple[str, ...] = ()
    reason: str = ""
    missing: Reason | UnsetType = UNSET


class Passage(Struct, frozen=True, kw_only=True):
    """Words of a turn that were found there."""

    turn: int
    quote: str
    span: Span


EntryKind = Literal["score", "band", "penalty", "reversal", "gap"]
"""What an entry of the ledger did to a score."""


class ScoreChange(DerivedEvent, frozen=True, kw_only=True):
    """A later entry on a score.  ``applied`` is what remained of ``requested`` between floor and ceiling.

    ``because_of`` is the position of the event that the entry follows from.
    """

    entry_kind: ClassVar[EntryKind]

    turn: int
    dimension: str
    requested: float
    applied: float
    rule: str
    because_of: int
    reason: str = ""


class ScoreHarmonized(ScoreChange, frozen=True, kw_only=True, tag="score_harmonized"):
    """An admitted value was brought into the band that a comparison allows."""

    entry_kind = "band"


class PenaltyApplied(ScoreChange, frozen=True, kw_only=True, tag="penalty_applied"):
    """Points were taken, for the claim ``claim`` or by another rule."""

    entry_kind = "penalty"

    claim: str | UnsetType = UNSET


class PenaltyReversed(ScoreChange, frozen=True, kw_only=True, tag="penalty_reversed"):
    """A penalty was given back."""

    entry_kind = "reversal"

    claim: str | UnsetType = UNSET


class LogicGapAdjusted(ScoreChange, frozen=True, kw_only=True, tag="logic_gap_adjusted"):
    """A later turn exposed a flaw of an earlier one, which is docked for it."""

    entry_kind = "gap"

    fails: Passage
    exposed_by: Passage


class CheckMissing(DerivedEvent, frozen=True, kw_only=True, tag="check_missing"):
    """The judge gave no usable answer about a turn's claims, gaps or premises: they were not checked."""

    turn: int
    purpose: str
    reason: str


class FindingRefused(DerivedEvent, frozen=True, kw_only=True, tag="finding_refused"):
    """The judge said something that does not hold: a quote that is not there, an id that does not exist."""

    turn: int
    purpose: str
    quote: str
    reason: str
