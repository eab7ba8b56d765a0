"""The shape of a rubric.  The figures are data (``judge/rubrics``); every debate carries its own whole."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Points = Annotated[float, Meta(ge=0, le=1000)]


class Component(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that a dimension is made of.  ``asks`` is what the judge is told."""

    maximum: Annotated[int, Meta(ge=1, le=100)]
    asks: str
    needs_quote: bool = True
    applies_from: int = 1
    """First turn in which it counts: an opening has no opponent to answer."""


class Chain(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Links that carry each other: ``caps[n - 1]`` is the most a dimension may hold with ``n`` links at 0 points."""

    links: tuple[str, ...]
    caps: tuple[Points, ...]


class Excellence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Above ``above`` a dimension needs every component at ``each_at_least`` points."""

    above: Points
    each_at_least: Points


class Leash(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """While ``leader`` stands under ``under``, ``follower`` may be at most ``leader + slack``."""

    leader: str
    under: Points
    follower: str
    slack: Points


class Dimension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the scorecard, 0 to ``maximum``."""

    maximum: Annotated[int, Meta(ge=1, le=100)]
    components: dict[str, Component]
    in_composite: bool = True
    chain: Chain | None = None
    excellence: Excellence | None = None
    leash: Leash | None = None


class Band(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a dimension may stand after a comparison: [floor, ceiling] for its winner and its loser."""

    winner: tuple[Points, Points]
    loser: tuple[Points, Points]


class Rubric(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that turns a judge's answers into numbers."""

    name: str
    version: int
    dimensions: dict[str, Dimension]
    bands: dict[str, Band] = {}
    tie_within: Points = 2.0
    """Points of mean composite within which a scorecard has no winner."""
    quote_minimum: int = 8
    """Characters that a quote must have to hold, after normalisation."""
    unquoted_share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """Share of a component's maximum that it may keep when its quote does not hold."""


Composite = Literal["composite"]


def composite_dimensions(rubric: Rubric) -> tuple[str, ...]:
    """Names of the dimensions that add up to the composite, in the rubric's order."""
    return tuple(name for name, dimension in rubric.dimensions.items() if dimension.in_composite)


def canonical_bytes(rubric: Rubric) -> bytes:
    """The bytes that a rubric's digest covers: JSON with sorted keys."""
    return msgspec.json.encode(rubric, order="sorted")
