"""The events that only rules write: they follow from a rubric and from what came from outside."""

from typing import Final

from events.types import (
    AgreementMeasured,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    ArtifactJudged,
    AssessmentGiven,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    ClosingStated,
    ConflictResolved,
    ContextSummarised,
    ContradictionFound,
    ConvergenceAssessed,
    CrossExaminationFaulted,
    DebateConcluded,
    DeliberationHeld,
    DirectiveIssued,
    FallacyFound,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    NarrativeVerdictReached,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    PenaltyApplied,
    PenaltyReversed,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PressureApplied,
    ScorecardVerdictReached,
    ScoreHarmonized,
    TraitsShifted,
    TurnsCompared,
    TurnScored,
)

RULED: Final = (
    TurnScored, TurnsCompared, ScoreHarmonized, PenaltyApplied, PenaltyReversed, LogicGapAdjusted, FindingRefused,
    ClaimFlagged, ClaimUpheld, ClaimCleared, PremiseStated, PremiseRevised, PremiseDropped, ContradictionFound,
    InjectionDetected, PressureApplied, TraitsShifted, DirectiveIssued, ContextSummarised, ScorecardVerdictReached,
    NarrativeVerdictReached, ConflictResolved, ConvergenceAssessed, ArgumentsOpened, ArgumentCrossExamined,
    CrossExaminationFaulted, ClosingStated, FallacyFound, ArgumentTraced, AssessmentGiven, PanelistScored,
    AgreementMeasured, OpinionGiven, DeliberationHeld, PanelConcluded, ArtifactJudged, DebateConcluded,
)
"""Turns started, spoken and failed, halts, abandoned attempts and appeals may be either: the steps tell."""
