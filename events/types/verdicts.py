"""Verdicts on the debate as a whole."""

import re
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import BothSides, DerivedEvent, Missing, Reason, Rounds, Winner

_TIE_BREAK: Final = re.compile(r": within [\d.]+ (\w+) decides\b")
"""What the reason of a scorecard's verdict says where a measure decided a tie."""


class MeasuredLead(Struct, frozen=True, kw_only=True, gc=False):
    """The lead of a debate whose rubric says how sure a lead must be to name a side."""

    side: Winner
    """The side with more points."""
    points: float
    certainty: float | UnsetType = UNSET


class ScorecardVerdictReached(DerivedEvent, frozen=True, kw_only=True, tag="scorecard_verdict_reached"):
    """The verdict of the scores: the side with more points, if its lead is large or sure enough for the rubric."""

    winner: Winner
    mean: BothSides
    rounds: Rounds
    margin: float | Missing
    reason: str = ""
    noise: float | UnsetType = UNSET
    """Points within which 95 % of the judge's readings of such a lead lie, where a lab run has measured that."""
    decided_by: str | UnsetType = UNSET
    """The measure that decides a tie of the composites; absent where none does, and in older debates."""
    leaning: Winner | UnsetType = UNSET
    """The side with more points, where the rubric says how sure a verdict must be; ``neither`` if both have as many."""
    certainty: float | UnsetType = UNSET
    """How probable it is that the leaning side was ahead, from 0.5 to 1; absent if it is not known."""
    error: float | UnsetType = UNSET
    """Standard error of the lead, in points."""
    pairs: int | UnsetType = UNSET
    """Comparisons with two scores, on which the error rests."""

    @property
    def lead(self) -> MeasuredLead | UnsetType:
        """The lead with its certainty; absent where the rubric asks for none, or nothing was judged."""
        if self.leaning is UNSET or isinstance(self.margin, Missing):
            return UNSET
        return MeasuredLead(side=self.leaning, points=self.margin, certainty=self.certainty)

    @property
    def tie_broken_by(self) -> str | UnsetType:
        """``decided_by``; of an older debate the measure that its ``reason`` names."""
        if self.decided_by is not UNSET:
            return self.decided_by
        named = _TIE_BREAK.search(self.reason)
        return UNSET if named is None else named[1]


Pattern = Literal[
    "coherence_collapse", "asymmetric_depth", "convergence_failure", "recovery_arc", "rule_effect", "none"
]
Margin = Literal["clear", "narrow", "none"]
Confidence = Literal["high", "medium", "low"]
ConvergenceKind = Literal[
    "genuine_agreement",
    "definitional_dispute",
    "degree_disagreement",
    "degenerate_convergence",
    "stalled",
    "unresolved",
]


class SideNarrative(Struct, frozen=True, kw_only=True):
    """How a side's argument evolved, where it broke, and what held."""

    evolution: str
    fractures: str
    held: str


class SideNarratives(Struct, frozen=True, kw_only=True):
    """The narratives of both sides."""

    pro: SideNarrative
    con: SideNarrative


class NarrativeVerdictReached(DerivedEvent, frozen=True, kw_only=True, tag="narrative_verdict_reached"):
    """The verdict of one reading of the whole debate; it may differ from the scorecard."""

    winner: Winner | UnsetType = UNSET
    pattern: Pattern | UnsetType = UNSET
    explanation: str = ""
    sides: SideNarratives | UnsetType = UNSET
    cites: tuple[str, ...] = ()
    margin: Margin | UnsetType = UNSET
    confidence: Confidence | UnsetType = UNSET
    flipped: bool | UnsetType = UNSET
    """Whether the winner changed when the speakers' labels were swapped; then neither is named."""
    missing: Reason | UnsetType = UNSET


class ConflictResolved(DerivedEvent, frozen=True, kw_only=True, tag="conflict_resolved"):
    """Why the scorecard and the narrative differ."""

    text: str = ""
    cites: tuple[str, ...] = ()
    pattern: Pattern | UnsetType = UNSET
    missing: Reason | UnsetType = UNSET


class CoreClaimChange(Struct, frozen=True, kw_only=True):
    """A side's core claim at the beginning and at the end."""

    early: str
    late: str


class CoreClaimChanges(Struct, frozen=True, kw_only=True):
    """The core claims of both sides."""

    pro: CoreClaimChange
    con: CoreClaimChange


class ConvergenceAssessed(DerivedEvent, frozen=True, kw_only=True, tag="convergence_assessed"):
    """How far the sides of a long debate came together.  ``similarity`` in [0, 1] compares their late turns."""

    kind: ConvergenceKind | UnsetType = UNSET
    sides: CoreClaimChanges | UnsetType = UNSET
    similarity: float | UnsetType = UNSET
    reason: str = ""
    missing: Reason | UnsetType = UNSET
