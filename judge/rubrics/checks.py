"""Checks of a rubric: its sums add up, its rules name what exists, and its figures can be reached."""

import keyword
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from events.types.criteria import Criteria, DeliberationRules, PanelRules, ProtocolRules
from events.types.rubric import (
    Anchors,
    Band,
    Chain,
    Component,
    Dimension,
    Excellence,
    Leash,
    Rubric,
    composite_dimensions,
    is_unscaled,
)
from judge.rubrics.rubric import GAP_MAXIMUM

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_BAD_NAME = "a name is lower case letters, digits and _"
CLOSE = 1e-6
LARGEST: Final = 1_000_000
"""The largest figure; its negative is the smallest.  Figures beyond have no meaning and break the arithmetic."""
Fault = tuple[str, str]
"""The dotted path of a field, and its fault."""


def faults(rubric: Rubric) -> Iterator[Fault]:
    """Yield every fault of ``rubric``, in reading order."""
    composite = composite_dimensions(rubric)
    if not composite:
        yield "dimensions", "none of them counts in the composite"
    seen = Counter(name for dimension in rubric.dimensions.values() for name in dimension.components)
    for name, dimension in rubric.dimensions.items():
        at = f"dimensions.{name}"
        if not _is_name(name):
            yield at, _BAD_NAME
        for component in dimension.components:
            if seen[component] > 1:
                yield f"{at}.components.{component}", "the name stands in two dimensions"
        yield from _dimension(at, dimension)
    for name, band in rubric.bands.items():
        if name not in composite:
            yield f"bands.{name}", "no dimension of the composite has this name"
        elif name == "reason":
            yield f"bands.{name}", "a comparison's reason has this name"
        else:
            yield from _band(f"bands.{name}", band, rubric.dimensions[name].maximum)
    yield from _prices(rubric)
    yield from _examples(rubric)
    yield from _optional_parts(rubric)
    yield from _of_components(rubric)
    if rubric.quote_minimum < 1:
        yield "quote_minimum", "must be at least 1"
    yield from _figures("", msgspec.to_builtins(rubric))


def _optional_parts(rubric: Rubric) -> Iterator[Fault]:
    """Check the parts that a rubric may leave out."""
    if rubric.criteria is not None:
        yield from _criteria("criteria", rubric.criteria)
    if rubric.protocol is not None:
        yield from _protocol("protocol", rubric.protocol)
    if rubric.panel is not None:
        yield from _panel("panel", rubric.panel)
    if rubric.deliberation is not None:
        yield from _deliberation("deliberation", rubric.deliberation)


HEAVIEST: Final = 0.4
"""From this weight of a ring on, a component with more points lowers its side's lead: with ``m`` turns of the one side
and one more of the other, a middle turn moves the lead by (1 − w) ÷ (m + 1) − w ÷ m a point, which is 0 at m = 2."""


def _of_components(rubric: Rubric) -> Iterator[Fault]:
    """Check the parts that read components as they are, and that nothing is decided twice."""
    parts = {"ring": rubric.ring, "docking": rubric.docking, "certainty": rubric.certainty}
    for name, part in parts.items():
        if part is not UNSET and not is_unscaled(rubric):
            yield name, "needs base “components”: it reads the points of components as they are"
    if rubric.ring is not UNSET:
        if rubric.ring.weight > HEAVIEST:
            yield "ring.weight", f"must be at most {HEAVIEST:g}: above it more points can lower a side’s lead"
        if not rubric.bands:
            yield "ring", "needs bands: they name the dimensions that are compared"
    else:
        alone = [name for name in ("certainty", "rescore_above") if getattr(rubric, name) is not UNSET]
        yield from ((name, "needs a ring: its comparisons are what scores are held against") for name in alone)
    rivals: dict[str, tuple[str, ...]] = {
        "ring": ("harmonization", "band_reach"),
        "certainty": ("decided_by", "lead_beyond_noise"),
    }
    for name, others in rivals.items():
        if parts[name] is not UNSET:
            given = [each for each in others if getattr(rubric, each) is not UNSET]
            yield from ((each, f"does not go with {name}, which decides the same") for each in given)
    if rubric.certainty is not UNSET and rubric.tie_within:
        yield "tie_within", "must be 0 with certainty, which decides the same"
    if rubric.docking is not UNSET and rubric.gaps.most_per_turn is not UNSET:
        yield "gaps.most_per_turn", "does not go with docking, whose at_most it would be"


def _figures(at: str, value: Any) -> Iterator[Fault]:
    """Find numbers that are too large, at any depth."""
    match value:
        case dict():
            for name, inner in value.items():
                yield from _figures(f"{at}.{name}" if at else name, inner)
        case list() | tuple():
            for number, inner in enumerate(value):
                yield from _figures(f"{at}.{number}", inner)
        case bool():
            return
        case int() | float() if not -LARGEST <= value <= LARGEST:
            yield at, f"must be at most {LARGEST:,}" if value > 0 else f"must be at least {-LARGEST:,}"


def _prices(rubric: Rubric) -> Iterator[Fault]:
    """Check that claims, gaps and conduct take points from a dimension that exists."""
    priced = [
        *((f"claims.{kind}", rule.dimension) for kind, rule in rubric.claims.items()),
        *((f"evidence.{kind}", rule.dimension) for kind, rule in (rubric.evidence or {}).items()),
        ("gaps", rubric.gaps.dimension),
        *((f"conduct.{name}", cost.dimension) for name, cost in rubric.conduct.items()),
    ]
    for at, dimension in priced:
        if dimension not in rubric.dimensions:
            yield f"{at}.dimension", f"no dimension is named {dimension!r}"
    rules = [
        *((f"claims.{kind}", rule) for kind, rule in rubric.claims.items()),
        *((f"evidence.{kind}", rule) for kind, rule in (rubric.evidence or {}).items()),
    ]
    for at, rule in rules:
        if not rule.asks.strip():
            yield f"{at}.asks", "the judge must be told something"
    least, most = rubric.gaps.least, rubric.gaps.most
    if not 1 <= least <= most <= GAP_MAXIMUM:
        yield "gaps", f"must be 1 <= least <= most <= {GAP_MAXIMUM}"
    yield from _anchors("gaps", rubric.gaps.anchors)


def _examples(rubric: Rubric) -> Iterator[Fault]:
    """A worked example is one of a component that exists, and its quote stands in its text."""
    components = {name: each for dimension in rubric.dimensions.values() for name, each in dimension.components.items()}
    for number, example in enumerate(rubric.examples or ()):
        at = f"examples.{number}"
        component = components.get(example.component)
        if component is None:
            yield f"{at}.component", f"no component is named {example.component!r}"
        elif example.points > component.maximum:
            yield f"{at}.points", f"must be at most {component.maximum}"
        if not example.quote or example.quote not in example.text:
            yield f"{at}.quote", "the quote is not in the example's text"


def _anchors(at: str, anchors: Anchors) -> Iterator[Fault]:
    """Each anchor is a number of points and a sentence.  One that is off its scale is not shown to the judge."""
    for points, text in (anchors or {}).items():
        if not points.isdecimal() or not points.isascii():
            yield f"{at}.anchors.{points}", "must be a whole number of points"
        if not text.strip():
            yield f"{at}.anchors.{points}", "the judge must be told something"


def _criteria(at: str, criteria: Criteria) -> Iterator[Fault]:
    for name, criterion in criteria.dimensions.items():
        if not _is_name(name):
            yield f"{at}.dimensions.{name}", _BAD_NAME
        if not criterion.asks.strip():
            yield f"{at}.dimensions.{name}.asks", "the judge must be told something"
        yield from _anchors(f"{at}.dimensions.{name}", criterion.anchors)
    if not criteria.dimensions:
        yield f"{at}.dimensions", "there must be at least one"
    elif abs(total := math.fsum(each.weight for each in criteria.dimensions.values()) - 1) > CLOSE:
        yield f"{at}.dimensions", f"their weights sum to {total + 1:g}, not to 1"
    if not criteria.low < criteria.high:
        yield at, "low must be under high"


def _protocol(at: str, rules: ProtocolRules) -> Iterator[Fault]:
    for name, characters in (
        ("claim_minimum", rules.claim_minimum),
        ("reasoning_minimum", rules.reasoning_minimum),
        ("evidence_minimum", rules.evidence_minimum),
    ):
        if characters < 0:
            yield f"{at}.{name}", "must be at least 0 characters"
    if rules.closing_words < 1:
        yield f"{at}.closing_words", "must be at least 1"


def _panel(at: str, rules: PanelRules) -> Iterator[Fault]:
    if rules.prior_of <= 0:
        yield f"{at}.prior_of", "must be more than 0: an accuracy is divided by it where nothing is known of a rater"
    if rules.prior_right < 0:
        yield f"{at}.prior_right", "must be at least 0"
    if rules.least_items < 1:
        yield f"{at}.least_items", "must be at least 1"
    if rules.strictness_from is not UNSET and rules.strictness_from < 0:
        yield f"{at}.strictness_from", "must be at least 0 points"


def _deliberation(at: str, rules: DeliberationRules) -> Iterator[Fault]:
    yield from _criteria(f"{at}.artifact", rules.artifact)
    if abs(rules.verdict_share + rules.dimension_share - 1) > CLOSE:
        yield f"{at}.verdict_share", "verdict_share and dimension_share must sum to 1"
    if not 0 < rules.timeout_s < math.inf:
        yield f"{at}.timeout_s", "must be more than 0 seconds"
    if rules.judge_s is not UNSET and not 0 < rules.judge_s < math.inf:
        yield f"{at}.judge_s", "must be more than 0 seconds"


def _dimension(at: str, dimension: Dimension) -> Iterator[Fault]:
    for name, component in dimension.components.items():
        yield from _component(f"{at}.components.{name}", name, component)
    total = sum(component.maximum for component in dimension.components.values())
    if total != dimension.maximum:
        yield f"{at}.components", f"their maxima add up to {total}, the dimension's maximum is {dimension.maximum}"
    if all(component.applies_from > 1 for component in dimension.components.values()):
        yield f"{at}.components", "none of them applies in turn 1"
    if dimension.chain is not None:
        yield from _chain(f"{at}.chain", dimension.chain, dimension)
    if dimension.excellence is not None:
        yield from _excellence(f"{at}.excellence", dimension.excellence, dimension)
    if dimension.leash is not None:
        yield from _leash(f"{at}.leash", dimension.leash, dimension)


def _component(at: str, name: str, component: Component) -> Iterator[Fault]:
    if not _is_name(name):
        yield at, _BAD_NAME
    if not component.asks.strip():
        yield f"{at}.asks", "the judge must be told something"
    if component.applies_from < 1:
        yield f"{at}.applies_from", "turns count from 1"
    yield from _anchors(at, component.anchors)


def _chain(at: str, chain: Chain, dimension: Dimension) -> Iterator[Fault]:
    for link in chain.links:
        if link not in dimension.components or chain.links.count(link) > 1:
            yield f"{at}.links", f"{link!r} must be a component of this dimension, once"
    if len(chain.caps) != len(chain.links):
        yield f"{at}.caps", f"there are {len(chain.links)} links, so {len(chain.links)} caps"
    if any(low > high for high, low in zip((dimension.maximum, *chain.caps), chain.caps, strict=False)):
        yield f"{at}.caps", "each at most the one before, the first at most the dimension's maximum"


def _excellence(at: str, excellence: Excellence, dimension: Dimension) -> Iterator[Fault]:
    if excellence.above >= dimension.maximum:
        yield f"{at}.above", "must be under the dimension's maximum"
    if any(excellence.each_at_least > component.maximum for component in dimension.components.values()):
        yield f"{at}.each_at_least", "a component can never have that many"


def _leash(at: str, leash: Leash, dimension: Dimension) -> Iterator[Fault]:
    for role, name in (("leader", leash.leader), ("follower", leash.follower)):
        if name not in dimension.components:
            yield f"{at}.{role}", f"{name!r} is no component of this dimension"
    if leash.leader == leash.follower:
        yield f"{at}.follower", "must be another component than the leader"


def _band(at: str, band: Band, maximum: int) -> Iterator[Fault]:
    for outcome, (floor, ceiling) in (("winner", band.winner), ("loser", band.loser)):
        if not floor <= ceiling <= maximum:
            yield f"{at}.{outcome}", f"must be floor <= ceiling <= {maximum}"


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and not keyword.iskeyword(name)
