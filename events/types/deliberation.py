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
    withdrawn: tuple[str, ...] | UnsetType = UNSET
    """Findings and remediation of the judge's earlier rounds that it no longer holds."""
    moved_by: str | UnsetType = UNSET
    """The rater whose reason moved the judge, as it says."""
    moved_words: str | UnsetType = UNSET
    """The words of that rater that moved it, as it says."""


class Disagreement(Struct, frozen=True, kw_only=True):
    """A difference between judges on the verdict (``dimension`` is empty) or a dimension.  ``severity`` in [0, 1]."""

    dimension: str
    positions: dict[str, str | float]
    severity: float


class MindChange(Struct, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """A judge changed its verdict: by evidence (a verified quote that is new), by a reason, or by conformity.

    By a reason: words that it quotes from the position of another judge, as it was shown.
    """

    rater: str
    before: Verdict
    after: Verdict
    kind: Literal["evidence", "reason", "conformity"]
    quote: str
    moved_by: str | UnsetType = UNSET
    """The rater whose reason it was."""
    reason: str | UnsetType = UNSET
    """The words of that reason."""


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
    carried: dict[str, int] | UnsetType = UNSET
    """Raters that gave no opinion in this round, with the round whose opinion stands."""


class Artifact(Struct, frozen=True, kw_only=True):
    """A text to be judged.  ``digest`` is SHA-256 of its bytes."""

    name: str
    text: str
    digest: str
    purpose: str | UnsetType = UNSET
    """What it is judged for: a migration plan that can be rolled back."""


class Point(Struct, frozen=True, kw_only=True):
    """A finding, or a step of remediation, and the raters who named it.

    ``alike``: the same in other words, as the judge grouped them.
    """

    text: str
    by: tuple[str, ...]
    alike: tuple[str, ...] | UnsetType = UNSET


class ArtifactJudged(DerivedEvent, frozen=True, kw_only=True, tag="artifact_judged"):
    """The verdict on an artifact: the verdict with the most weight after deliberation; of equals, the more severe one.

    ``independent`` is the same computed from round 0, before the judges read each other.
    """

    verdict: Verdict | UnsetType = UNSET
    shares: dict[str, float] = field(default_factory=dict)
    """Weight behind each verdict after the last round, summing to 1 over the judges that count."""
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
    unmoved: Verdict | UnsetType = UNSET
    """The verdict without the moves by conformity; absent if there was none."""
    named_findings: tuple[Point, ...] | UnsetType = UNSET
    """``findings``, each with the raters who named it."""
    named_remediation: tuple[Point, ...] | UnsetType = UNSET
    """``remediation``, each with the raters who named it."""
