"""From measured figures to effects: one family of tests over a run, and a verdict on each figure.

A figure with a value without bias (its null) is tested.  The p values of a run are one family (Benjamini and Hochberg),
and those of abilities another one: a judge that agrees with people must not make its biases easier to find.
``verdict_of`` is the rule.  How much one answer of the judge differs from another is only a remark.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final, Literal

import msgspec
from msgspec import Struct

from events.text.figures import rounded
from events.types.lab import SIGNIFICANT, Battery, Effect, LabVerdict
from judge.lab.statistics import ALPHA, ClusterEstimate, false_discovery

UNSEEN: Final = 0.1
"""Share of items that may be affected without being seen, where no item of the sample is."""
Better = Literal["nearer", "higher", "lower"]
"""Which value of a figure is the better one: that nearer to the null, or the higher or lower one."""


class MeasuredFigure(Struct, frozen=True, kw_only=True):
    """One figure of a battery before the family of its run is known, with the values that it is made of."""

    battery: Battery
    name: str
    unit: str
    null: float = 0.0
    found: ClusterEstimate | None
    """None if there are too few answers."""
    values: tuple[float, ...] = ()
    """One value an item: their mean is the figure, or, for a deviation, their variance."""
    items: tuple[str, ...] = ()
    """Empty for a figure that cannot be compared item by item with another judge's."""
    clusters: tuple[Hashable, ...] = ()
    failed: int = 0
    is_tested: bool = True
    """Whether a distance from the null is a bias."""
    is_ability: bool = False
    """Whether the null is a value that a good judge exceeds, such as a coin's, and no value without bias."""
    tolerance: float = 0.0
    """How far from the null the value without bias may lie: it is known to that."""
    floor: float | None = None
    """How much one answer of the judge differs from another, in the same unit; None without the battery ``retest``."""
    better: Better = "nearer"
    note: str = ""

    @property
    def p_value(self) -> float | None:
        """The p value of the null; None for a figure that is not tested."""
        if self.found is None or not self.is_tested:
            return None
        return self.found.p(self.nearest)

    @property
    def nearest(self) -> float:
        """The value without bias that is nearest to the figure."""
        value = self.null if self.found is None else self.found.value
        return min(max(value, self.null - self.tolerance), self.null + self.tolerance)


def effects(measured: Sequence[MeasuredFigure]) -> tuple[Effect, ...]:
    """Judge the figures of one run as one family."""
    q: dict[int, float] = {}
    for is_ability in (False, True):
        family = [(number, each) for number, each in enumerate(measured) if each.is_ability == is_ability]
        tested = {number: p for number, each in family if (p := each.p_value) is not None}
        q |= zip(tested, false_discovery(list(tested.values())), strict=True)
    return tuple(_effect(each, q.get(number)) for number, each in enumerate(measured))


@cache
def margins() -> Mapping[str, Mapping[str, float]]:
    """The differences that matter, by battery and a figure's name or unit; ``each`` is for those without a name."""
    content = resources.files("judge").joinpath("lab/margins.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, float]])


def margin(battery: str, unit: str, name: str = "") -> float | None:
    """The difference from the null that matters; None where no null is tested."""
    of = margins().get(battery, {})
    return of.get(name, of.get("each", of.get(unit)))


def verdict_of(found: ClusterEstimate, null: float, matters: float, q: float) -> LabVerdict:
    """The rule: a bias is shown by q, the absence of one that matters by equivalence, and both can hold.

    ``matters``: the difference from the null that matters.  Sources: Benjamini and Hochberg (1995) for q; Schuirmann
    (1987), two one-sided tests; Lakens (2017) for the four results of both tests.
    """
    is_biased = q < SIGNIFICANT
    if found.is_within(null, matters) and not _is_unseen(found):
        return "biased, by less than matters" if is_biased else "no bias that matters"
    return "biased" if is_biased else "cannot tell"


def _is_unseen(found: ClusterEstimate) -> bool:
    """Whether no item changed, and so few were asked that more than ``UNSEEN`` of all items could change.

    Points without variation have an interval without width.
    """
    return found.high == found.low and found.n < _unchanged(UNSEEN)


def _unchanged(changed: float) -> int:
    """Items without a change that show, at 5 %, that less than this share of all items changes."""
    return math.ceil(math.log(ALPHA) / math.log1p(-changed))


def _effect(measured: MeasuredFigure, q: float | None) -> Effect:
    found, matters = measured.found, margin(measured.battery, measured.unit, measured.name)
    verdict: LabVerdict = "measured" if found is not None else "not shown" if measured.is_ability else "cannot tell"
    why, enough = "" if found is not None else "There are too few answers for a figure.", None
    if found is not None and q is not None and measured.is_ability:
        matters, verdict = None, _ability(found, measured, q)
    elif found is not None and q is not None:
        if matters is None:
            raise ValueError(f"{measured.battery} {measured.name} is tested, and has no difference that matters")
        verdict = verdict_of(found, measured.null, matters, q)
        if verdict == "cannot tell":
            enough = _enough(found, measured, matters, q)
        why = _remarks(measured, found, matters, verdict, enough)
    return Effect(
        battery=measured.battery,
        name=measured.name,
        unit=measured.unit,
        estimate=None if found is None else found.value,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        null=measured.null,
        n=0 if found is None else found.n,
        clusters=0 if found is None else found.clusters,
        failed=measured.failed,
        p=measured.p_value,
        q=q,
        detectable=None if found is None or not measured.is_tested else found.detectable + measured.tolerance,
        floor=measured.floor,
        verdict=verdict,
        note=f"{measured.note} {why}".strip(),
        low_90=None if found is None else found.low_90,
        high_90=None if found is None else found.high_90,
        margin=None if q is None else matters,
        enough=enough,
    )


def _ability(found: ClusterEstimate, measured: MeasuredFigure, q: float) -> LabVerdict:
    """Whether a figure is beyond its null on the good side, or on the other one."""
    if q >= SIGNIFICANT:
        return "not shown"
    return "better" if (found.value > measured.null) == (measured.better == "higher") else "worse"


def _enough(found: ClusterEstimate, measured: MeasuredFigure, matters: float, q: float) -> int:
    """The items with which the verdict would not be ``cannot tell``."""
    alpha = SIGNIFICANT * found.p(measured.nearest) / q  # as strict as the family of the run makes it
    if found.error:
        return found.enough(matters - measured.tolerance, alpha)
    if found.value != measured.nearest:  # all items changed alike: p is 2 / 2^clusters
        return math.ceil(found.n * math.ceil(1 - math.log2(alpha)) / found.clusters)
    return _unchanged(matters if measured.unit == "share" else UNSEEN)


def _remarks(
    measured: MeasuredFigure, found: ClusterEstimate, matters: float, verdict: LabVerdict, enough: int | None
) -> str:
    """Compare a figure with the difference that matters, and a bias with the noise of one answer."""
    limit = _number(matters, measured.unit)
    match verdict:
        case "biased" if max(found.low - measured.null, measured.null - found.high) > matters:
            said = f"It is larger than what matters, {limit}."
        case "biased":
            said = f"It is not shown whether it is larger than what matters, {limit}."
        case "biased, by less than matters":
            said = f"It is smaller than what matters, {limit}."
        case "cannot tell":
            return f"{limit} would matter: about {enough:,} items would tell."
        case _:
            return f"It excludes a difference that matters, {limit}."
    if measured.floor is None:
        return said
    noise = f"Asked again, the judge differs from itself by {_number(measured.floor, measured.unit)}"
    if abs(found.value - measured.null) <= measured.floor:
        noise += ": one debate does not show this bias, but it adds up over many"
    return f"{said} {noise}."


def _number(value: float, unit: str) -> str:
    return f"{rounded(value * 100, 0)} percentage points" if unit == "share" else f"{rounded(value)} {unit}"
