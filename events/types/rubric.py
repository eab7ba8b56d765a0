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
    rules: dict[FlagKind, ClaimRule] = dict(rubric.claims)  # type: ignore[arg-type]  # its keys are some of these
    rules.update(rubric.evidence or {})  # type: ignore[arg-type]  # likewise
    return rules.get(kind)


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
}
"""The names of the shipped rubrics, without and with the rules of evidence, by the SHA-256 of their canonical bytes."""


def name_of_rubric(rubric: Rubric) -> str:
    """The name that selects a shipped rubric, with or without the rules of evidence; else its own name and version."""
    digest = hashlib.sha256(canonical_bytes(rubric)).hexdigest()
    return SHIPPED_DIGESTS.get(digest, f"{rubric.name} {rubric.version}")
