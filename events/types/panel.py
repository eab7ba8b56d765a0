"""The panel: its raters, their scores, their agreement, and its conclusion."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from events.types.base import BothSides, DerivedEvent, Event, Missing, Reason, Side, Think, Winner
from events.types.criteria import Share, Standing

Words = Annotated[str, Meta(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")]


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rater looks at.  ``weights`` of the dimensions sum to 1."""

    title: Words
    focus: Words
    scepticism: Words | UnsetType = UNSET
    """What the rater does not accept, as a sentence to it."""
    weights: dict[str, Share]
    domain: Words = "general"
    share: Share | UnsetType = UNSET
    """A persona's weight in the verdict on an artifact."""


class TrackRecord(Struct, frozen=True, kw_only=True):
    """A rater's verdicts on debates with a known outcome: ``right`` of ``of`` were right."""

    right: int = 0
    of: int = 0


class Rater(Struct, frozen=True, kw_only=True):
    """A seat on the panel.  ``weights`` are those of the criteria, for this rater; they sum to 1."""

    name: str
    title: str
    domain: str
    """The domain of expertise whose weight the rater gets."""
    focus: str
    scepticism: str | UnsetType = UNSET
    """What the rater does not accept, as a sentence of its prompt."""
    weights: dict[str, float]
    model: str
    samples: int = 1
    share: float | UnsetType = UNSET
    """The persona's weight in the verdict on an artifact."""
    record: TrackRecord = TrackRecord()
    """The record that the store had when the debate was opened."""
    caveat: str = ""
    think: Think = "default"
    time_s: float | UnsetType = UNSET
    """Seconds that a person has for a question; unset for a model."""


class Coefficient(Struct, frozen=True, kw_only=True):
    """A coefficient with its bootstrap 95 % interval, or why it is undefined.  ``items``: units rated twice or more."""

    value: float | UnsetType = UNSET
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    items: int | UnsetType = UNSET
    band: str | UnsetType = UNSET
    """``high``, ``moderate``, ``low`` or ``unacceptable``."""
    undefined: str | UnsetType = UNSET


PanelOutcome = Literal["concluded", "cautious", "contested", "irreconcilable", "undetermined", "too_close"]
"""Only ``concluded`` and ``cautious`` can name a winner.  ``undetermined``: agreement could not be measured.
``too_close``: the gap is below ``least_gap``; in versions 1 and 2 that is ``irreconcilable``."""


class PanelistScored(DerivedEvent, frozen=True, kw_only=True, tag="panelist_scored"):
    """One rater's independent scores: ``{item: {dimension: n}}``, ``{item: standing}``; items are arguments or turns.

    ``missing``: the rater gave nothing usable.  ``absent``: single scores that are missing, ``{"CON-2": why}`` or
    ``{"CON-2.logic": why}``.
    """

    naming: ClassVar[frozenset[str]] = frozenset({"model"})

    rater: str
    model: str
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    standings: dict[str, Standing] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    spread: dict[str, dict[str, float]] = field(default_factory=dict)
    """Highest minus lowest over the samples, if there are several."""
    samples: int = 1
    missing: Reason | UnsetType = UNSET
    finding: str | UnsetType = UNSET
    """What the rater sees from its part, in its words."""
    first: Side | UnsetType = UNSET
    """The side whose arguments it read first; unset if all raters of the debate read in one order."""


class AgreementMeasured(DerivedEvent, frozen=True, kw_only=True, tag="agreement_measured"):
    """Krippendorff's alpha over item × dimension, and Fleiss' kappa over standings.

    ``arguments`` decides.  Without it ``raw`` (interval) does, or, if ``margins`` is there, the lower of ``calibrated``
    and ``margins``.
    """

    raw: Coefficient
    calibrated: Coefficient
    kappa: Coefficient
    nominal: Coefficient
    ordinal: Coefficient
    ratio: Coefficient
    calibration: Literal["z-score", "min-max"]
    margins: Coefficient | UnsetType = UNSET
    """Alpha of the raters' margins between the sides, over the dimensions."""
    icc_agreement: Coefficient | UnsetType = UNSET
    """ICC(2,k): how reliable the raters' mean is if their strictness counts."""
    icc_consistency: Coefficient | UnsetType = UNSET
    """ICC(3,k): the same without strictness."""
    arguments: Coefficient | UnsetType = UNSET
    """Alpha over arguments, or turns: one calibrated weighted score of each by each rater."""

    @property
    def deciding(self) -> Coefficient:
        """The coefficient that decides; without margins (they are all 0) calibrated scores decide alone."""
        if self.arguments is not UNSET:
            return self.arguments
        if self.margins is UNSET:
            return self.raw
        if self.calibrated.value is UNSET or self.margins.value is UNSET:
            return self.calibrated
        return min(self.calibrated, self.margins, key=_value)


def _value(coefficient: Coefficient) -> float:
    return coefficient.value if isinstance(coefficient.value, float) else 0.0


class Dispute(Struct, frozen=True, kw_only=True):
    """An item on which the raters are far apart.  ``decides``: it alone prevents a winner, unless alpha is high."""

    variance: float
    decides: bool
    scores: dict[str, float]
    """The weighted score of each rater, raw or calibrated as ``decides`` of the conclusion says."""
    turns: bool | UnsetType = UNSET
    """Whether without it the same side does not lead, or a side has no item; where the outcome rests on arguments."""


class LeaveOneOut(Struct, frozen=True, kw_only=True):
    """The panel's conclusion if one rater is left out."""

    outcome: PanelOutcome
    winner: Winner
    alpha: float | Missing
    gap: float | Missing
    leaning: Winner | UnsetType = UNSET
    """The side that leads without that rater."""


class ItemStandings(Struct, frozen=True, kw_only=True):
    """The standings that the raters gave an item: how many gave which."""

    counts: dict[Standing, int]
    commonest: Standing | UnsetType = UNSET
    """The standing that more raters gave than any other; unset on a tie."""


class PanelConcluded(DerivedEvent, frozen=True, kw_only=True, tag="panel_concluded"):
    """The panel's conclusion.  ``winner`` is ``neither`` unless the outcome is ``concluded`` or ``cautious``."""

    outcome: PanelOutcome
    winner: Winner
    leaning: Winner
    """The side with the higher weighted score, whatever the outcome."""
    weights: dict[str, float]
    """Of the raters; they sum to 1."""
    topic_type: str
    weighted: BothSides
    """Weighted raw scores, 1–10."""
    calibrated: BothSides
    """Weighted calibrated scores; in points of the same scale if they decide."""
    gap: float | Missing
    """|pro − con| ÷ (pro + con) of the scores that decide."""
    disputed: dict[str, Dispute] = field(default_factory=dict)
    without: dict[str, LeaveOneOut] = field(default_factory=dict)
    """By the rater that is left out."""
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    """What to find out next; where ``act`` is unset, also what to do."""
    decides: Literal["raw", "calibrated"] | UnsetType = UNSET
    """The scores that leaning, gap and disputes rest on; ``raw`` if it is unset."""
    strictness: dict[str, float] | UnsetType = UNSET
    """By rater: points by which its scores lie above those of all raters (lenient) or below them (strict)."""
    reference_only: tuple[str, ...] | UnsetType = UNSET
    """Why the panel alone names no winner: too few raters or arguments."""
    act: tuple[str, ...] | UnsetType = UNSET
    """What to do with this conclusion, and what to read before."""
    standings: dict[str, ItemStandings] | UnsetType = UNSET
    """By item, those to which a rater gave a standing."""


class DecisionRecorded(Event, frozen=True, kw_only=True, tag="decision_recorded"):
    """A person decided where the panel did not."""

    by: str
    decision: str
    reason: str


class RaterCalibrated(Event, frozen=True, kw_only=True, tag="rater_calibrated"):
    """One rater's verdict on a debate with a known outcome, and that outcome."""

    rater: str
    model: str
    case: str
    digest: str
    """SHA-256 of the case.  The same case counts once."""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    """By argument and dimension, as in ``panelist_scored``."""
    mean: BothSides | UnsetType = UNSET
    """The rater's own weighted mean of each side's arguments."""
    said: Winner | UnsetType = UNSET
    truth: Winner
    right: bool | UnsetType = UNSET
    missing: Reason | UnsetType = UNSET
