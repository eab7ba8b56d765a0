"""Scores, and the events that change them."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import DerivedEvent, Reason, Span


class ComponentScore(Struct, frozen=True, kw_only=True, gc=False):
    """The score of a component: the judge's points, the points that the rules admit, and the quoted evidence."""

    raw: float
    admitted: float
    quote: str
    span: Span | None
    verified: bool
    reason: str
    spread: float = 0.0
    """Highest minus lowest over the samples."""
    rules: tuple[str, ...] = ()
    """The rules that lowered it, in words."""


class DimensionScore(Struct, frozen=True, kw_only=True, gc=False):
    """The score of a dimension before later changes: the judge's sum, and the part that the rules admit."""

    raw: float
    admitted: float
    spread: float = 0.0
    rules: tuple[str, ...] = ()


class TurnScored(DerivedEvent, frozen=True, kw_only=True, tag="turn_scored"):
    """The score of a turn, or the reason why it is missing."""

    turn: int
    components: dict[str, ComponentScore] | UnsetType = UNSET
    dimensions: dict[str, DimensionScore] | UnsetType = UNSET
    samples: int | UnsetType = UNSET
    absent: dict[str, Reason] | UnsetType = UNSET
    """Dimensions that have no score although the turn was judged, each with the reason."""
    missing: Reason | UnsetType = UNSET


ComparisonOutcome = Literal["earlier", "later", "draw"]
Degree = Literal["clear", "slight"]


class TurnsCompared(DerivedEvent, frozen=True, kw_only=True, tag="turns_compared"):
    """A comparison of two neighbouring turns, or of the first with the last, asked in both orders.

    ``flipped`` are the dimensions on which the two answers disagreed: they count as drawn.  ``degrees`` says how clear
    each other outcome is, where the rubric asks for that.
    """

    earlier: int
    later: int
    outcomes: dict[str, ComparisonOutcome] | UnsetType = UNSET
    degrees: dict[str, Degree] | UnsetType = UNSET
    flipped: tuple[str, ...] = ()
    levels: dict[str, tuple[float, ...]] | UnsetType = UNSET
    """By dimension, how much better the later turn is in each order that was asked: 0 drawn, 1 slightly, 2 clearly,
    below 0 if the earlier turn is better.  The order of the debate comes first; a judge asked in one order has one."""
    reason: str = ""
    missing: Reason | UnsetType = UNSET


class ScoreInferred(DerivedEvent, frozen=True, kw_only=True, tag="score_inferred"):
    """Dimensions of a turn that the judge gave no score have the points that the turn's comparisons imply."""

    turn: int
    dimensions: dict[str, float]
    components: dict[str, float]
    """The same share of its maximum for each component of a dimension."""
    because_of: tuple[int, ...]
    """Positions of the comparisons."""
    reason: str


class Passage(Struct, frozen=True, kw_only=True):
    """A quote that was found in a turn."""

    turn: int
    quote: str
    span: Span


EntryKind = Literal["score", "band", "penalty", "reversal", "gap", "cap", "rescore", "inferred"]
"""The kind of an entry in the ledger of scores."""


class ScoreChange(DerivedEvent, frozen=True, kw_only=True):
    """A change of a score after the turn was scored.

    ``applied`` is the part of ``requested`` that fits between 0 and the maximum.  ``because_of`` is the position of the
    event that caused the change.
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
    """A score was moved towards what a comparison says of it."""

    entry_kind = "band"


class ScoreCapped(ScoreChange, frozen=True, kw_only=True, tag="score_capped"):
    """A dimension is limited by its weakest components; it follows the score, or the second reading of it."""

    entry_kind = "cap"


class TurnRescored(DerivedEvent, frozen=True, kw_only=True, tag="turn_rescored"):
    """A turn whose score does not fit its comparisons was scored again: the median of the readings counts.

    Without ``components`` the first score stands.  With them, what limits and comparisons take or give follows at once,
    in this turn and in those that it was compared with: no state between the two is a state of the debate.
    """

    turn: int
    residual: float
    """Points of 100 by which the score lies above what the comparisons say of it; below 0 if it lies below."""
    components: dict[str, ComponentScore] | UnsetType = UNSET
    dimensions: dict[str, DimensionScore] | UnsetType = UNSET
    readings: int = 1
    """Readings of which the median was taken, the first one included."""
    read: tuple[dict[str, float], ...] = ()
    """By reading, the first one included, the points that the judge gave for each dimension."""
    changes: tuple[ScoreCapped | ScoreHarmonized, ...] | UnsetType = UNSET
    """By how much limits and comparisons now differ from what they were for the first score."""
    missing: Reason | UnsetType = UNSET
    """Why there is no further reading."""


class PenaltyApplied(ScoreChange, frozen=True, kw_only=True, tag="penalty_applied"):
    """Points were taken off, for the suspect claim ``claim`` or by another rule."""

    entry_kind = "penalty"

    claim: str | UnsetType = UNSET


class PenaltyReversed(ScoreChange, frozen=True, kw_only=True, tag="penalty_reversed"):
    """A penalty was given back."""

    entry_kind = "reversal"

    claim: str | UnsetType = UNSET


class LogicGapAdjusted(ScoreChange, frozen=True, kw_only=True, tag="logic_gap_adjusted"):
    """An earlier turn lost points for a flaw that a later turn exposed."""

    entry_kind = "gap"

    fails: Passage
    exposed_by: Passage
    given: float | UnsetType = UNSET
    """Points that the flaw counts by itself, before the rules for all findings of the turn; where there are such."""


class DebateAudited(DerivedEvent, frozen=True, kw_only=True, tag="debate_audited"):
    """After the last turn the judge looked for flaws in every turn once more, or gave no usable answer."""

    found: int = 0
    """Number of turns that lost points for what it found."""
    missing: Reason | UnsetType = UNSET


class CheckMissing(DerivedEvent, frozen=True, kw_only=True, tag="check_missing"):
    """The judge gave no usable answer about a turn's claims, gaps or premises: they were not checked."""

    turn: int
    purpose: str
    reason: str


class FindingRefused(DerivedEvent, frozen=True, kw_only=True, tag="finding_refused"):
    """A finding of the judge was refused: its quote is not in the turn, or its id does not exist."""

    turn: int
    """The turn that was judged."""
    purpose: str
    quote: str
    reason: str
    about: int | UnsetType = UNSET
    """The turn that the finding is about, if that is another one: a flaw that ``turn`` was to show in it."""
    given: float | UnsetType = UNSET
    """Points of a flaw that costs nothing now, since others have paid for it; it counts if one of them is cleared."""
    span: Span | UnsetType = UNSET
    """Its words in the turn that it is about, if it has such points."""
