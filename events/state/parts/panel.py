"""The panel: the scores of each rater, their agreement, the deliberation, and the conclusion."""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types import (
    AgreementMeasured,
    ArtifactJudged,
    Coefficient,
    DebateOpened,
    DecisionRecorded,
    DeliberationHeld,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    Rater,
    RaterCalibrated,
    Standing,
    TrackRecord,
)


class RaterState(Struct, frozen=True, kw_only=True, gc=False):
    """A rater's seat and its results."""

    seat: Rater
    scored: PanelistScored | UnsetType = UNSET
    position: int | UnsetType = UNSET
    totals: dict[str, float] = {}
    """The rater's weighted score of each item that it scored on every dimension."""
    calibrations: dict[str, RaterCalibrated] = {}
    """By case, in format ``calibration``."""
    record: TrackRecord = TrackRecord()
    """The record in ``calibrations``."""
    share: float | UnsetType = UNSET
    """The part of that record that is right, 0–1; absent without one."""


class ItemSpread(Struct, frozen=True, kw_only=True, gc=False):
    """The spread of the raters' totals of one item.  ``variance`` (n − 1) needs two totals."""

    low: float
    high: float
    variance: float | UnsetType = UNSET


class PanelState(Struct, frozen=True, kw_only=True, gc=False):
    """The whole panel.  ``opinions`` are by round (``"0"`` is independent), then by rater."""

    topic_type: str = ""
    raters: dict[str, RaterState] = {}
    items: dict[str, ItemSpread] = {}
    thresholds: dict[str, float] = {}
    """The rubric's thresholds for agreement and disputes."""
    agreement: AgreementMeasured | UnsetType = UNSET
    deciding: Coefficient | UnsetType = UNSET
    """The coefficient of ``agreement`` that decides."""
    opinions: dict[str, dict[str, OpinionGiven]] = {}
    rounds: dict[str, DeliberationHeld] = {}
    moved: dict[str, int] = {}
    """Changes of verdict by kind: ``evidence``, ``reason`` and ``conformity``."""
    changes: int = 0
    """All of them."""
    conclusion: PanelConcluded | UnsetType = UNSET
    says: str | UnsetType = UNSET
    """The conclusion, or the verdict on an artifact, in one sentence."""
    standings: dict[str, str] = {}
    """What the raters say of each item, in words, where they gave standings: ``3 of 4 refuted``."""
    verdict: ArtifactJudged | UnsetType = UNSET
    dissent: dict[str, str] | UnsetType = UNSET
    """Judges that hold another verdict than the one on the artifact, each with the round of the opinion it holds."""
    decision: DecisionRecorded | UnsetType = UNSET
    positions: dict[str, int] = {}
    """Positions of agreement, conclusion, verdict and decision, and of each round (``round:1``)."""


MOVED_BY_WORDS: Final = {"evidence": "by evidence", "reason": "by a reason", "conformity": "by conformity"}
"""The kinds of a change of verdict."""
STANDING_WORDS: Final[dict[Standing, str]] = {
    "UPHELD": "upheld",
    "PARTIALLY_UPHELD": "upheld in part",
    "REFUTED": "refuted",
    "UNCERTAIN": "uncertain",
}
PANEL_NAMES_NONE: Final = "The panel names no winner"
INITIAL = PanelState()
MOVED_BY: Final = frozenset(
    {
        DebateOpened,
        PanelistScored,
        AgreementMeasured,
        OpinionGiven,
        DeliberationHeld,
        PanelConcluded,
        ArtifactJudged,
        DecisionRecorded,
        RaterCalibrated,
    }
)
THRESHOLDS: Final = ("low", "moderate", "high", "kappa_leaning", "disputed_variance", "decisive_variance", "least_gap")
TWO: Final = 2


def item_kind(items: Iterable[str]) -> Literal["turn", "argument"]:
    """What the items of a panel are: arguments have ids, turns have numbers."""
    return "turn" if any(item.isdecimal() for item in items) else "argument"
