"""What a study found, as values.  None of them needs numpy."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from events.types.study import Arm

LEVEL: Final = 0.95
ALPHA: Final = 0.05
MARGIN: Final = 0.05
"""The margin of equivalence where none is given: a difference of 5 percentage points."""
FEW_CLUSTERS: Final = 12
"""With fewer clusters the intervals were not tried."""
Verdict = Literal["better", "worse", "uncorrected", "open", "unknown"]
"""``uncorrected``: beyond chance as a single comparison, and not as one of several.  ``unknown``: no interval."""
Finding = Literal["yes", "no", "open"]


class StudyFigure(Struct, frozen=True, gc=False):
    """A figure with its intervals, which are clustered; the ends are None where there is one cluster only."""

    value: float
    low: float | None
    high: float | None
    low_90: float | None
    high_90: float | None
    """The ends of the interval of 90 %, by which equivalence is judged."""
    items: int
    clusters: int


class CalibrationBlock(Struct, frozen=True, gc=False):
    """Stated probabilities that are recalibrated to the same one."""

    low: float
    high: float
    """The lowest and the highest probability that was stated."""
    stated: float
    """Their mean."""
    happened: float
    """How often the answer was right: the recalibrated probability."""
    answers: int


class StudyCalibration(Struct, frozen=True, kw_only=True):
    """How true stated probabilities are (CORP).  Brier = miscalibration − discrimination + uncertainty."""

    blocks: tuple[CalibrationBlock, ...]
    brier: StudyFigure
    miscalibration: float
    discrimination: float
    uncertainty: float
    answers: int


class ArmFigures(Struct, frozen=True, kw_only=True):
    """One arm: what the judge got right, and what it took."""

    arm: Arm
    accuracy: StudyFigure | None
    """Over the items of which every planned answer is there; None without any."""
    position: StudyFigure | None
    """How much more often the judge is right where the right answer is A; None if orders were not exchanged."""
    calibration: StudyCalibration | None
    answers: int
    missing: int
    why_missing: Mapping[str, int]
    left_out: int
    """Items that do not count, since an answer of theirs is missing."""
    debates: int
    tokens: int
    cost_usd: float
    unpriced: int
    """Debates with a call of unknown cost."""


class ArmGain(Struct, frozen=True, kw_only=True):
    """How much more often the judge is right in one arm than in another, on the same items."""

    of: Arm
    over: Arm
    difference: StudyFigure | None
    p: float | None
    holm: float | None
    """The p value as one of all comparisons of its family (Holm 1979)."""
    family: int
    verdict: Verdict
    is_equivalent: bool
    """Whether two one-sided tests show the difference within the margin."""


class VoteTokens(Struct, frozen=True, kw_only=True):
    """What a vote at equal tokens took beside the debates that it is compared with, over the same items."""

    samples: int
    """That count."""
    unused: int
    votes: int
    """Votes of all items and orders."""
    tokens: int
    """Of the samples that count."""
    debate_tokens: int
    short: int
    """Votes whose samples ended before the tokens of the debates were reached."""
    over: int
    """Votes whose first sample alone took more tokens than the debates."""


class StudyPair(Struct, frozen=True, kw_only=True):
    """One debater with one judge; both empty for all of them together."""

    debater: str = ""
    judge: str = ""
    arms: tuple[ArmFigures, ...]
    gains: tuple[ArmGain, ...]
    vote: VoteTokens | None
    critique_moves: StudyFigure | None
    """How much more often the judge is right after the critique than before it, in the same debates."""
    critic: StudyFigure | None
    """How often the model that argues is right by itself, with the passage."""
    gap: StudyFigure | None
    """``critic`` less the accuracy of the judge alone."""


class StudyResult(Struct, frozen=True, kw_only=True):
    """All figures of a study."""

    whole: StudyPair
    pairs: tuple[StudyPair, ...]
    """Each debater with each judge, if there are several."""
    margin: float
    items: int
    clusters: int


class StudyAudit(Struct, frozen=True, kw_only=True):
    """Whether a study can find anything, before it is paid for (after Elasky 2026)."""

    items: int
    alone: StudyFigure | None
    critic: StudyFigure | None
    gap: StudyFigure | None
    """How much more often the critic is right than the judge alone."""
    classifies: Finding
    """Whether the critic is right more often than the judge alone."""
    moves_right: StudyFigure | None
    """How far a critique for the right answer moves the judge towards it, in log-odds of its stated probability."""
    moves_wrong: StudyFigure | None
    """How far a critique for the wrong answer moves the judge towards that one."""
    verifies_by: StudyFigure | None
    """The difference of the two."""
    verifies: Finding
    detectable: float | None
    """The smallest difference that the study finds with a probability of 80 %; None if no difference is found so."""
    detectable_of: tuple[int, int]
    """Items and clusters of the study."""
    missing: int


class CoverageRow(Struct, frozen=True, kw_only=True):
    """How the intervals of simulated studies fared at one size."""

    clusters: int
    per_cluster: int
    world: str
    studies: int
    accuracies: float
    """The share of intervals of accuracies that hold the truth."""
    worst_accuracy: float
    """The same for the arm where it is farthest from 95 %."""
    differences: float
    worst_difference: float
    null_claims: float | None
    """How often a difference of 0 was claimed, for the comparison where it happens most; None without such a one."""
    any_null_claim: float | None
    """Studies with at least one such claim."""
    found: float | None
    """How often a difference that is there was claimed with its sign, over all such comparisons."""
