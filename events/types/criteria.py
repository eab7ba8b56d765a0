"""The parts of a rubric for arguments, panels and deliberation.

The figures are in ``judge/rubrics/v1.json``, the rules in ``docs/design.md``.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Share = Annotated[float, Meta(ge=0, le=1)]
Standing = Literal["UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"]
Fallacy = Literal[
    "straw_man",
    "appeal_to_authority",
    "slippery_slope",
    "false_dilemma",
    "anecdotal_evidence",
    "circular_reasoning",
    "ad_hominem",
]
STANDINGS: tuple[Standing, ...] = ("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN")


class Criterion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One dimension on which an argument is scored.  ``asks`` is its text in the judge's prompt."""

    weight: Share
    asks: str
    anchors: dict[str, str] | UnsetType = UNSET
    """What earns the lowest and the highest score."""


class Criteria(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The dimensions by name, and the scale that they share.  The weights sum to 1."""

    dimensions: dict[str, Criterion]
    low: int = 1
    high: int = 10


class ProtocolRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requirements of the rounds.  Minimums count characters."""

    arguments: Annotated[int, Meta(ge=1, le=9)] = 3
    claim_minimum: int = 10
    reasoning_minimum: int = 20
    evidence_minimum: int = 5
    answer_words: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    """The most words of an answer to a question from cross-examination; without it there is no round of answers."""
    closing_words: int = 200
    closing_shift: bool | UnsetType = UNSET
    """Whether a closing says how the side's position shifted, and why."""
    whole_sentences: bool | UnsetType = UNSET
    """Whether an answer or a closing that is too long ends with a whole sentence, or with an ellipsis."""
    both_orders: bool | UnsetType = UNSET
    """Whether the judge reads the debate twice, once with each side first, and half of the raters each side first."""
    temperature: Annotated[float, Meta(ge=0, le=2)] | UnsetType = UNSET
    """The temperature of cross-examinations, answers and closings; without it, that of openings."""
    even_within: float = 1.0
    """Below this gap of totals the sides are evenly matched."""
    clear_above: float = 3.0
    """Above this gap of totals the lead is clear."""
    fallacies: dict[Fallacy, str] = {}
    """Each fallacy with its definition in the judge's prompt."""


class TopicType(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of motion: the words and phrases that identify it, and the weight of each domain of expertise."""

    keywords: tuple[str, ...] = ()
    weights: dict[str, Share]


class PanelRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How raters are weighted, how their agreement is rated, and when the panel names no winner."""

    topics: dict[str, TopicType]
    """``default`` is the type of a motion that no keyword identifies."""
    domain_share: Share = 0.7
    accuracy_share: Share = 0.3
    prior_right: float = 2.0
    prior_of: float = 4.0
    """Accuracy is (right + prior_right) ÷ (n + prior_of)."""
    high: float = 0.80
    moderate: float = 0.67
    low: float = 0.50
    """Bands of alpha.  From ``moderate`` on the panel concludes, from ``low`` on it concludes with caution."""
    kappa_leaning: float = 0.40
    """With alpha below ``low``: from this kappa on the panel leans to a side."""
    disputed_variance: float = 3.0
    """From this variance (n − 1) of the raw weighted score on, an argument is disputed."""
    decisive_variance: float = 9.0
    """From this variance on, a disputed argument alone prevents a winner."""
    least_gap: Share = 0.05
    """Below this |pro − con| ÷ (pro + con) the panel names no winner."""
    least_items: int = 5
    """Minimum number of items with two ratings or more for which agreement is stated."""
    bootstrap: Annotated[int, Meta(ge=100, le=20_000)] = 2000
    minmax_at: int = 3
    """Up to this number of arguments for each side, scores are calibrated by min-max instead of z-scores."""
    decides: Literal["raw", "calibrated"] | UnsetType = UNSET
    """The scores that disputes, gap and agreement are measured on; ``raw`` if it is unset."""
    reliable_raters: Annotated[int, Meta(ge=2)] | UnsetType = UNSET
    """With fewer raters the panel is for reference only: it alone names no winner."""
    reliable_items: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    """With fewer arguments, or turns, the panel is for reference only."""
    cautious_survives: bool | UnsetType = UNSET
    """With alpha from ``low`` to ``moderate``, a winner is named only if it leads also without any one rater."""
    rests_on: Literal["arguments"] | UnsetType = UNSET
    """``arguments``: the outcome rests on how far the raters agree on arguments, with one calibrated weighted score of
    each by each rater, and sides that are too close have an outcome of their own.  Unset: on arguments × criteria."""
    strictness_from: float | UnsetType = UNSET
    """Points between the offsets of two raters from which the explanation names a difference in strictness."""


ARTIFACT = Criteria(
    dimensions={
        "soundness": Criterion(weight=0.25, asks="is it right, and does it hold together"),
        "completeness": Criterion(weight=0.25, asks="is everything there that its purpose needs"),
        "clarity": Criterion(weight=0.25, asks="can it be understood in one way only"),
        "risk": Criterion(weight=0.25, asks="are its risks small, or named and dealt with"),
    },
    low=1,
    high=3,
)
"""What an artifact is scored on; more is better in each of them."""


class DeliberationRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When judges that disagree read each other, and for how long."""

    rounds: Annotated[int, Meta(ge=0, le=9)] = 3
    converged: Share = 0.8
    verdict_share: Share = 0.6
    dimension_share: Share = 0.4
    gap_share: Share = 0.75
    """Share of the scale from which two scores of one dimension disagree: 1.5 of the 2 points between 1 and 3."""
    least_judges: Annotated[int, Meta(ge=2)] = 2
    timeout_s: float = 120.0
    """Model time of all rounds together: of each the time of its slowest judge.  Unused with ``judge_s``."""
    artifact: Criteria = ARTIFACT
    judge_s: float | UnsetType = UNSET
    """The most model time of one judge in one round, with its failed calls; it replaces ``timeout_s``."""
    carries: bool | UnsetType = UNSET
    """Whether an opinion that was not given again stands, and a finding until its judge withdraws it."""
    reasons: bool | UnsetType = UNSET
    """Whether a judge names what moved it, and a better reason about the same words counts as a reason."""
    groups: bool | UnsetType = UNSET
    """Whether the judge groups near-duplicates among the findings and conditions, after the last round."""
