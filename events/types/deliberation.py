"""Judges that read each other's opinions, and artifacts that are judged without a debate."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType, field

from events.types.base import DerivedEvent, Missing, Reason

Verdict = Literal["PASS", "FAIL", "CONDITIONAL", "pro", "con", "tie"]
"""The first three are verdicts on an artifact, the others on a debate."""


class OpinionGiven(DerivedEvent, frozen=True, kw_only=True, tag="opinion_given"):
    """The opinion of a judge in one round.  In round 0 it has read no other opinion.

    ``quote`` is its evidence for the verdict; ``verified``: the quote stands in the judged text.
    """

    naming: ClassVar[frozenset[str]] = frozenset({"model"})

    rater: str
    model: str
    round: int
    verdict: Verdict | UnsetType = UNSET
    confidence: float | UnsetType = UNSET
    scores: dict[str, float] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    remediation: tuple[str, ...] = ()
    rationale: str = ""
    quote: str = ""
    verified: bool = False
    absent: dict[str, str] = field(default_factory=dict)
    missing: Reason | UnsetType = UNSET


class Disagreement(Struct, frozen=True, kw_only=True):
    """A difference between judges on the verdict (``dimension`` is empty) or a dimension.  ``severity`` in [0, 1]."""

    dimension: str
    positions: dict[str, str | float]
    severity: float


class MindChange(Struct, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """A judge changed its verdict: by evidence (a verified quote that is new) or by conformity."""

    rater: str
    before: Verdict
    after: Verdict
    kind: Literal["evidence", "conformity"]
    quote: str


class DeliberationHeld(DerivedEvent, frozen=True, kw_only=True, tag="deliberation_held"):
    """A round of deliberation.  ``before`` and ``after``: agreement in [0, 1], missing if too few judges answered."""

    round: int
    before: float
    after: float | Missing
    disagreements: tuple[Disagreement, ...] = ()
    changes: tuple[MindChange, ...] = ()
    elapsed_ms: int = 0
    """Model time of the round's slowest judge."""
    ended: str = ""
    """Why no further round follows; empty if one may follow."""


class Artifact(Struct, frozen=True, kw_only=True):
    """A text to be judged.  ``digest`` is SHA-256 of its bytes."""

    name: str
    text: str
    digest: str


class ArtifactJudged(DerivedEvent, frozen=True, kw_only=True, tag="artifact_judged"):
    """The verdict on an artifact: the verdict with the most weight after deliberation; of equals, the more severe one.

    ``independent`` is the verdict of record: the same computed from round 0, before the judges read each other.
    """

    verdict: Verdict | UnsetType = UNSET
    shares: dict[str, float] = field(default_factory=dict)
    """Weight behind each verdict after the last round, summing to 1 over the judges that answered."""
    independent: Verdict | UnsetType = UNSET
    independent_shares: dict[str, float] = field(default_factory=dict)
    agreement: float | UnsetType = UNSET
    """After the last round."""
    independent_agreement: float | UnsetType = UNSET
    converged: bool = False
    findings: tuple[str, ...] = ()
    remediation: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    missing: Reason | UnsetType = UNSET
