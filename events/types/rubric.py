"""The type of a rubric.  The figures are data in ``judge/rubrics``; each debate carries its whole rubric."""

import hashlib
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.types.criteria import Criteria, DeliberationRules, PanelRules, ProtocolRules
from events.types.register import ClaimKind, EvidenceKind, FlagKind

Points = Annotated[float, Meta(ge=0, le=1000)]
Anchors = dict[str, str] | UnsetType
"""What earns so many points: a number of points in digits, and a sentence.  Version 1 of the rubric has none."""


class Component(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One part of a dimension.  ``asks`` is its text in the judge's prompt."""

    maximum: Annotated[int, Meta(ge=1, le=100)]
    asks: str
    needs_quote: bool = True
    applies_from: int = 1
    """The first turn in which it counts: an opening has no opponent to answer."""
    anchors: Anchors = UNSET


class Chain(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Components that depend on each other: with ``n`` links at 0 points a dimension has at most ``caps[n - 1]``."""

    links: tuple[str, ...]
    caps: tuple[Points, ...]


class Excellence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Above ``above`` points a dimension needs at least ``each_at_least`` points in every component."""

    above: Points
    each_at_least: Points


class Leash(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit on a component: while ``leader`` is below ``under``, ``follower`` is at most ``leader + slack``."""

    leader: str
    under: Points
    follower: str
    slack: Points


class Dimension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the scorecard, 0 to ``maximum`` points."""

    maximum: Annotated[int, Meta(ge=1, le=100)]
    components: dict[str, Component]
    in_composite: bool = True
    chain: Chain | None = None
    excellence: Excellence | None = None
    leash: Leash | None = None


class Band(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The range of a dimension after a comparison: (floor, ceiling) for the winner and for the loser."""

    winner: tuple[Points, Points]
    loser: tuple[Points, Points]


class ClaimRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of one kind of suspect claim.  ``asks`` is its text in the judge's prompt."""

    points: Points
    asks: str
    dimension: str = "logic"
    second_opinion: bool = False
    """Whether the second judge, if there is one, is asked at once."""
    means: str | UnsetType = UNSET
    """The definition of such a claim in the judge's prompt, if there is one."""
    excludes: str | UnsetType = UNSET
    """Claims that look like one and are none."""


class GapRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many points an earlier turn loses for a flaw that a later turn exposes."""

    least: Points = 1
    most: Points = 8
    dimension: str = "logic"
    most_per_turn: Points | UnsetType = UNSET
    """The most that all flaws of one turn take together, if the gravest of them does not take more by itself.  Without
    it each flaw is paid for by itself."""
    anchors: Anchors = UNSET
    closing_audit: bool | UnsetType = UNSET
    """After the last turn, gaps are asked for in every turn of both sides once more."""


Share = Annotated[float, Meta(ge=0, le=1)]


class Ring(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Comparisons in a ring: each turn with its neighbours, and the first with the last.

    A comparison expects a difference of ``per_degree`` of the maximum for each degree (slightly 1, clearly 2), as a
    mean over the orders in which it was asked.  Each of the two turns moves by half of ``weight`` of what lacks.
    """

    per_degree: Annotated[float, Meta(gt=0, le=0.5)]
    weight: Annotated[float, Meta(gt=0, le=1)]


class DockingRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What suspect claims and flaws take from a turn together.

    A sentence pays for its gravest finding, and a turn loses at most ``at_most``, or what its gravest finding costs.
    The points of a finding are multiplied by the mean number of words ÷ the turn's own, from ``longer`` to ``shorter``.
    """

    at_most: Points
    longer: Annotated[float, Meta(gt=0, le=1)]
    shorter: Annotated[float, Meta(ge=1, le=10)]


class Certainty(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How sure a lead is, and from where on it names a side.  Formulas: docs/design.md.

    ``residual``: what the difference of two scores and their comparison are expected to lie apart, in points of 100;
    it counts as much as ``residual_weight`` pairs, and each pair of the debate counts ``pair_weight``.  A turn has
    ``of_residual`` of this squared error, and ``unpaired`` more of it for the share of turns that lacks a comparison
    with the other side.
    """

    residual: Annotated[float, Meta(gt=0, le=100)]
    residual_weight: Annotated[float, Meta(gt=0, le=1000)]
    pair_weight: Annotated[float, Meta(gt=0, le=1)]
    of_residual: Annotated[float, Meta(ge=0, le=10)]
    unpaired: Annotated[float, Meta(ge=0, le=10)]
    floor: Annotated[float, Meta(ge=0, le=10_000)]
    """Squared error of one turn that no residual shows, in squared points."""
    shared: Annotated[float, Meta(ge=0, le=10_000)] = 0.0
    """Variance of the misreadings of a turn that its score and its comparisons share, in squared points."""
    prior_lead: Annotated[float, Meta(gt=0, le=100)]
    """Standard deviation of the leads that are expected before a word is spoken."""
    name_at: Annotated[float, Meta(gt=0.5, lt=1)]


class ConductRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of a dropped premise, a contradiction, or an attempt to instruct the judge."""

    points: Points
    dimension: str = "credibility"


class Example(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A worked example of a score, from another debate.  A quote that is copied from it is no quote."""

    motion: str
    text: str
    component: str
    quote: str
    points: Points
    reason: str


class Rubric(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that turns a judge's answers into numbers."""

    name: str
    version: int
    dimensions: dict[str, Dimension]
    bands: dict[str, Band] = {}
    claims: dict[ClaimKind, ClaimRule] = {}
    evidence: dict[EvidenceKind, ClaimRule] | UnsetType = UNSET
    """What the evidence decides, and its cost.  Unset in the shipped rubrics: a debate that has evidence gets the rules
    of ``judge/rubrics/evidence.json``, unless its own rubric has some."""
    gaps: GapRule = GapRule()
    conduct: dict[Literal["dropped_premise", "contradiction", "injection"], ConductRule] = {}
    full_pressure: Annotated[float, Meta(gt=0, le=100)] = 4.0
    """Penalty points on one turn that put full pressure on its debater's credibility."""
    flags_press: bool | UnsetType = UNSET
    """Whether a turn with a standing penalty is under pressure also where it did not lose its exchange."""
    convergence_from: Annotated[int, Meta(ge=4)] = 10
    """From this number of turns on, the judge assesses how far the sides came together."""
    tie_within: Points = 2.0
    """Difference of mean composites up to which a scorecard has no winner."""
    quote_minimum: int = 8
    """Minimum number of characters of a valid quote, after normalisation."""
    unquoted_share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """Share of its maximum that a component may keep if its quote is not found."""
    harmonization: Literal["bands", "graded"] | UnsetType = UNSET
    """How a comparison moves scores.  ``bands`` (the default): the winner's and the loser's band, for the
    later turn and for turn 1.  ``graded``: a clear win brings both turns into their bands, a slight one puts the winner
    one point ahead."""
    band_reach: Points | UnsetType = UNSET
    """The most by which one clear win moves a value towards its band; without it the value goes into the band."""
    examples: tuple[Example, ...] | UnsetType = UNSET
    supported_share: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    """Share of its required quotes that a dimension needs to have a score."""
    decided_by: dict[Literal["credibility", "stability"], Points] | UnsetType = UNSET
    """What decides a lead within ``tie_within``, in this order, each with the smallest difference that decides."""
    base: Literal["turns", "components"] | UnsetType = UNSET
    """What a side's points are.  ``turns`` (the default): the mean of its turns' composites, in which the components
    that apply in turn 1 are scaled to the maximum.  ``components``: the sum over components of their means over the
    turns in which they apply; nothing is scaled, and no score is kept between 0 and its maximum."""
    ring: Ring | UnsetType = UNSET
    """Comparisons that move scores by what they expect, in place of ``harmonization``."""
    rescore_above: Annotated[float, Meta(gt=0, le=100)] | UnsetType = UNSET
    """Points of 100 between a score and its comparisons above which the turn is scored again; never without it."""
    docking: DockingRule | UnsetType = UNSET
    """What findings take together, in place of ``gaps.most_per_turn``; the last turn is not asked about gaps then."""
    certainty: Certainty | UnsetType = UNSET
    """How sure a lead must be to name a side, in place of ``tie_within`` and what decides within it."""
    witnesses: dict[Literal["credibility", "stability"], Points] | UnsetType = UNSET
    """Differences below which credibility and stability say nothing about a lead; they decide nothing."""
    narrative_orders: Annotated[int, Meta(ge=1, le=2)] | UnsetType = UNSET
    """2: the narrative is asked with the speakers' labels swapped as well, and a flip means neither."""
    lead_beyond_noise: bool | UnsetType = UNSET
    """A lead within which the judge differs from itself, as a lab run on this store has measured it, has no winner."""
    criteria: Criteria | None = None
    """How the protocol's judge and a panel score arguments; a rubric without criteria takes those of version 1."""
    protocol: ProtocolRules | None = None
    panel: PanelRules | None = None
    deliberation: DeliberationRules | None = None


def rule_of(rubric: Rubric, kind: FlagKind) -> ClaimRule | None:
    """The rule of a kind of claim, whether the judge or the evidence decides it; None if the rubric has none."""
    decided = rubric.evidence or {}
    if kind in decided:
        return decided[kind]
    return rubric.claims.get(kind)  # type: ignore[arg-type]  # its keys are some of these


def is_unscaled(rubric: Rubric) -> bool:
    """Whether a side's points are the sum of the means of its components."""
    return rubric.base == "components"


def composite_dimensions(rubric: Rubric) -> tuple[str, ...]:
    """Names of the dimensions that add up to the composite, in the rubric's order."""
    return tuple(name for name, dimension in rubric.dimensions.items() if dimension.in_composite)


def canonical_bytes(rubric: Rubric) -> bytes:
    """The bytes that the digest of a rubric is computed from: JSON with sorted keys."""
    return msgspec.json.encode(rubric, order="sorted")


SHIPPED_DIGESTS: Final = {
    "d3da977c67a7c48884b2a7ee7ce317ac32c6af868131e99a3a87d20ff353baed": "v1",
    "1f31b50713f960d7363d0c393eff39fc92b0b9ad50a71d9c35e22c0822b2a09d": "v2",
    "dafbb4e6f3abd01aebfc06dc6386961e9bc89bfbb1022bba7475eb2023213848": "v2",
    "f5354eb3c3e889a0a3d018e8f0bd74d1880adcbe5c97a4265c6f51f15ed68e4f": "v2-evidence",
    "79c332c5996da42a8427501dbee09c30a81a3b8030d50f2efba08653789035d8": "v2-evidence",
    "2ed5d17f50fd91a6ac3f8891fb1833be7e3f754926736f6f7d8e43f6fc8f4552": "v3",
    "cde33058e76265e8d916f8c4c124e3ad2f85702ab9ed1b5e775777e6f3e9bd38": "v3",
    "c7c3043edbd229d7b95c7219704a5f77d01ed85e9bb5dfc3a6172b48473a6c5c": "v3-evidence",
    "03a9773b488c872c9e7277383ad2297f9b3e9417dda2ff9d9ece1316074f31c1": "v3-evidence",
}
"""The names of the shipped rubrics, without and with the rules of evidence, by the SHA-256 of their canonical bytes."""


def name_of_rubric(rubric: Rubric) -> str:
    """The name that selects a shipped rubric, with or without the rules of evidence; else its own name and version."""
    digest = hashlib.sha256(canonical_bytes(rubric)).hexdigest()
    return SHIPPED_DIGESTS.get(digest, f"{rubric.name} {rubric.version}")
