"""What is said of the debate as a whole."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import BothSides, DerivedEvent, Missing, Reason, Rounds, Winner


class ScorecardVerdictReached(DerivedEvent, frozen=True, kw_only=True, tag="scorecard_verdict_reached"):
    """What the numbers say: the higher mean effective composite over judged turns."""

    winner: Winner
    mean: BothSides
    rounds: Rounds
    margin: float | Missing
    reason: str = ""


Pattern = Literal["coherence_collapse", "asymmetric_depth", "convergence_failure", "recovery_arc", "none"]
ConvergenceKind = Literal[
    "genuine_agreement",
    "definitional_dispute",
    "degree_disagreement",
    "degenerate_convergence",
    "stalled",
    "unresolved",
]


class SideNarrative(Struct, frozen=True, kw_only=True):
    """How one side's argument evolved, where it fractured, what held."""

    evolution: str
    fractures: str
    held: str


class SideNarratives(Struct, frozen=True, kw_only=True):
    """Both arcs."""

    pro: SideNarrative
    con: SideNarrative


class NarrativeVerdictReached(DerivedEvent, frozen=True, kw_only=True, tag="narrative_verdict_reached"):
    """What one reading of the whole arc says; it may differ from the scorecard."""

    winner: Winner | UnsetType = UNSET
    pattern: Pattern | UnsetType = UNSET
    explanation: str = ""
    sides: SideNarratives | UnsetType = UNSET
    cites: tuple[str, ...] = ()
    missing: Reason | UnsetType = UNSET


class ConflictResolved(DerivedEvent, frozen=True, kw_only=True, tag="conflict_resolved"):
    """Why the scorecard and the narrative differ."""

    text: str = ""
    cites: tuple[str, ...] = ()
    missing: Reason | UnsetType = UNSET


class CoreClaimChange(Struct, frozen=True, kw_only=True):
    """A side's core claim in the beginning and at the end."""

    early: str
    late: str


class CoreClaimChanges(Struct, frozen=True, kw_only=True):
    """Both drifts."""

    pro: CoreClaimChange
    con: CoreClaimChange


class ConvergenceAssessed(DerivedEvent, frozen=True, kw_only=True, tag="convergence_assessed"):
    """Where a debate of ten turns or more ended up.  ``similarity`` in [0, 1] compares the sides' late turns."""

    kind: ConvergenceKind | UnsetType = UNSET
    sides: CoreClaimChanges | UnsetType = UNSET
    similarity: float | UnsetType = UNSET
    reason: str = ""
    missing: Reason | UnsetType = UNSET
