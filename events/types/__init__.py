"""Every event, one closed tagged union.

Events are past tense and immutable.  A type only ever gains fields with defaults; anything else is a new schema number
and an upcaster (``codec``).  ``private`` names the fields that belong to the director until the debate has concluded;
``ALL_PRIVATE`` stands for the whole event.  ``naming`` names those that do so where the debate is blind.
"""

from events.types.acts import (
    DebateConcluded,
    DebateHalted,
    DebatePaused,
    DebateResumed,
    ModeratorSpoke,
)
from events.types.audience import AudienceVoted, BeliefStated
from events.types.base import (
    ALL_PRIVATE,
    SIDES,
    Base,
    BothSides,
    Missing,
    Reason,
    Rounds,
    Side,
    Span,
    Think,
    Usage,
    Winner,
    missing,
    other,
)
from events.types.character import (
    DirectiveIssued,
    PressureApplied,
    TraitsShifted,
)
from events.types.criteria import Fallacy, Standing
from events.types.deliberation import (
    Artifact,
    ArtifactJudged,
    DeliberationHeld,
    Disagreement,
    MindChange,
    OpinionGiven,
    Verdict,
)
from events.types.opening import (
    NOBODY,
    Archetype,
    Case,
    DebateOpened,
    Debater,
    FamilyWarned,
    Format,
    JudgeSeat,
    Response,
    Settings,
    Template,
)
from events.types.panel import (
    AgreementMeasured,
    DecisionRecorded,
    Dispute,
    Measured,
    PanelConcluded,
    PanelistScored,
    PanelOutcome,
    Rater,
    RaterCalibrated,
    TrackRecord,
    Without,
)
from events.types.protocol import (
    Argument,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    Briefing,
    ClosingStated,
    CrossExaminationFaulted,
    FallacyFound,
)
from events.types.protocol import (
    Response as CrossResponse,
)
from events.types.register import (
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
from events.types.scores import (
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
from events.types.turns import (
    AttemptAbandoned,
    ContextSummarised,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from events.types.verdicts import (
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
    | FamilyWarned
    | TurnStarted
    | ContextSummarised
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
    | ArgumentsOpened
    | ArgumentCrossExamined
    | CrossExaminationFaulted
    | ClosingStated
    | FallacyFound
    | ArgumentTraced
    | AssessmentGiven
    | PanelistScored
    | AgreementMeasured
    | OpinionGiven
    | DeliberationHeld
    | PanelConcluded
    | ArtifactJudged
    | RaterCalibrated
    | AudienceVoted
    | BeliefStated
    | ModeratorSpoke
    | DecisionRecorded
    | DebatePaused
    | DebateResumed
    | DebateHalted
    | DebateConcluded
)
"""The closed union: a ``match`` over it ends in ``assert_never``."""

__all__ = [
    "ALL_PRIVATE",
    "NOBODY",
    "SIDES",
    "AgreementMeasured",
    "Arc",
    "Archetype",
    "Arcs",
    "Argument",
    "ArgumentCrossExamined",
    "ArgumentTraced",
    "ArgumentsOpened",
    "Artifact",
    "ArtifactJudged",
    "AssessmentGiven",
    "AttemptAbandoned",
    "AudienceVoted",
    "Base",
    "BeliefStated",
    "BothSides",
    "Briefing",
    "Case",
    "Change",
    "ClaimAppealed",
    "ClaimCleared",
    "ClaimFlagged",
    "ClaimKind",
    "ClaimUpheld",
    "ClosingStated",
    "ComponentScore",
    "ConflictResolved",
    "ContextSummarised",
    "ContradictionFound",
    "ConvergenceAssessed",
    "ConvergenceKind",
    "CrossExaminationFaulted",
    "CrossResponse",
    "DebateConcluded",
    "DebateHalted",
    "DebateOpened",
    "DebatePaused",
    "DebateResumed",
    "Debater",
    "DecisionRecorded",
    "DeliberationHeld",
    "DimensionScore",
    "DirectiveIssued",
    "Disagreement",
    "Dispute",
    "Drift",
    "Drifts",
    "Event",
    "Fallacy",
    "FallacyFound",
    "FamilyWarned",
    "FindingRefused",
    "Format",
    "InjectionDetected",
    "JudgeSeat",
    "LogicGapAdjusted",
    "Measured",
    "MindChange",
    "Missing",
    "ModelAnswered",
    "ModelFailed",
    "ModeratorSpoke",
    "NarrativeVerdictReached",
    "OpinionGiven",
    "Outcome",
    "PanelConcluded",
    "PanelOutcome",
    "PanelistScored",
    "Passage",
    "Pattern",
    "PenaltyApplied",
    "PenaltyReversed",
    "PremiseDropped",
    "PremiseRevised",
    "PremiseStated",
    "PressureApplied",
    "Rater",
    "RaterCalibrated",
    "Reason",
    "Response",
    "Rounds",
    "ScoreHarmonized",
    "ScorecardVerdictReached",
    "Settings",
    "Side",
    "Span",
    "Standing",
    "Template",
    "Think",
    "TrackRecord",
    "TraitsShifted",
    "TurnFailed",
    "TurnScored",
    "TurnSpoken",
    "TurnStarted",
    "TurnsCompared",
    "Usage",
    "Verdict",
    "Winner",
    "Without",
    "missing",
    "other",
]
