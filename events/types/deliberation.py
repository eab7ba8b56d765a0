"""Judges who disagree and read each other; and artifacts that are judged without a debate."""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType, field

from events.types.base import DerivedEvent, Missing, Reason

Verdict = Literal["PASS", "FAIL", "CONDITIONAL", "pro", "con", "tie"]
"""The first three are of an artifact, the others of a debate."""


class OpinionGiven(DerivedEvent, frozen=True, kw_only=True, tag="opinion_given"):
    """What a judge says in one round; round 0 is independent of all others.

    ``quote`` is the evidence that it names for its verdict; ``verified``: the words stand in what is judged.
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
    """Where judges differ: on the verdict (``dimension`` empty) or on a dimension.  ``severity`` in [0, 1]."""

    dimension: str
    positions: dict[str, str | float]
    severity: float


class MindChange(Struct, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """A judge changed its verdict: by evidence (a checked quote that it had not named before) or by conformity."""

    rater: str
    before: Verdict
    after: Verdict
    kind: Literal["evidence", "conformity"]
    quote: str


class DeliberationHeld(DerivedEvent, frozen=True, kw_only=True, tag="deliberation_held"):
    """A round of deliberation.  ``before`` and ``after`` are agreement in [0, 1]; missing where too few answered."""

    round: int
    before: float
    after: float | Missing
    disagreements: tuple[Disagreement, ...] = ()
    changes: tuple[MindChange, ...] = ()
    elapsed_ms: int = 0
    """Model time of the round: that of its slowest judge."""
    ended: str = ""
    """Why no further round follows; empty while one may."""


class Artifact(Struct, frozen=True, kw_only=True):
    """A text that is judged.  ``digest`` is SHA-256 of its bytes."""

    name: str
    text: str
    digest: str


class ArtifactJudged(DerivedEvent, frozen=True, kw_only=True, tag="artifact_judged"):
    """The verdict on an artifact: the one with the greatest weight after deliberation, the graver one of equals.

    ``independent`` is the verdict of record: the same, of the opinions before anybody had read another's.
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
