"""Every event, one closed tagged union.

Events are past tense and immutable.  A type only ever gains fields with defaults; anything else is a new schema number
and an upcaster (``codec``).  ``private`` names the fields that belong to the director until the debate has concluded;
``ALL_PRIVATE`` stands for the whole event.
"""

from events.acts import (
    DebateConcluded,
    DebateHalted,
    DebatePaused,
    DebateResumed,
)
from events.base import (
    ALL_PRIVATE,
    SIDES,
    Base,
    BothSides,
    Missing,
    Reason,
    Rounds,
    Side,
    Span,
    Usage,
    Winner,
    missing,
    other,
)
from events.opening import (
    Archetype,
    DebateOpened,
    Debater,
    JudgeSeat,
    Response,
    Settings,
    Template,
)
from events.register import (
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimKind,
    ClaimUpheld,
    ContradictionFound,
    InjectionDetected,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
)
from events.scores import (
    Change,
    ComponentScore,
    DimensionScore,
    FindingRefused,
    LogicGapAdjusted,
    Outcome,
    Passage,
    PenaltyApplied,
    PenaltyReversed,
    ScoreHarmonized,
    TurnsCompared,
    TurnScored,
)
from events.temper import (
    DirectiveIssued,
    PressureApplied,
    TraitsShifted,
)
from events.turns import (
    AttemptAbandoned,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from events.verdicts import (
    Arc,
    Arcs,
    ConflictResolved,
    ConvergenceAssessed,
    ConvergenceKind,
    Drift,
    Drifts,
    NarrativeVerdictReached,
    Pattern,
    ScorecardVerdictReached,
)

Event = (
    DebateOpened
    | TurnStarted
    | TurnSpoken
    | TurnFailed
    | AttemptAbandoned
    | ModelAnswered
    | ModelFailed
    | TurnScored
    | TurnsCompared
    | ScoreHarmonized
    | PenaltyApplied
    | PenaltyReversed
    | LogicGapAdjusted
    | FindingRefused
    | ClaimFlagged
    | ClaimAppealed
    | ClaimUpheld
    | ClaimCleared
    | PremiseStated
    | PremiseRevised
    | PremiseDropped
    | ContradictionFound
    | InjectionDetected
    | PressureApplied
    | TraitsShifted
    | DirectiveIssued
    | ScorecardVerdictReached
    | NarrativeVerdictReached
    | ConflictResolved
    | ConvergenceAssessed
    | DebatePaused
    | DebateResumed
    | DebateHalted
    | DebateConcluded
)
"""The closed union: a ``match`` over it ends in ``assert_never``."""

__all__ = [
    "ALL_PRIVATE",
    "SIDES",
    "Arc",
    "Archetype",
    "Arcs",
    "AttemptAbandoned",
    "Base",
    "BothSides",
    "Change",
    "ClaimAppealed",
    "ClaimCleared",
    "ClaimFlagged",
    "ClaimKind",
    "ClaimUpheld",
    "ComponentScore",
    "ConflictResolved",
    "ContradictionFound",
    "ConvergenceAssessed",
    "ConvergenceKind",
    "DebateConcluded",
    "DebateHalted",
    "DebateOpened",
    "DebatePaused",
    "DebateResumed",
    "Debater",
    "DimensionScore",
    "DirectiveIssued",
    "Drift",
    "Drifts",
    "Event",
    "FindingRefused",
    "InjectionDetected",
    "JudgeSeat",
    "LogicGapAdjusted",
    "Missing",
    "ModelAnswered",
    "ModelFailed",
    "NarrativeVerdictReached",
    "Outcome",
    "Passage",
    "Pattern",
    "PenaltyApplied",
    "PenaltyReversed",
    "PremiseDropped",
    "PremiseRevised",
    "PremiseStated",
    "PressureApplied",
    "Reason",
    "Response",
    "Rounds",
    "ScoreHarmonized",
    "ScorecardVerdictReached",
    "Settings",
    "Side",
    "Span",
    "Template",
    "TraitsShifted",
    "TurnFailed",
    "TurnScored",
    "TurnSpoken",
    "TurnStarted",
    "TurnsCompared",
    "Usage",
    "Winner",
    "missing",
    "other",
]
