"""From measured figures to effects: one family of tests over a run, and a verdict on each figure.

A figure with a value without bias (its null) is tested.  The p values of a run are one family (Benjamini and Hochberg).

- ``biased``: q < 0.05, and the figure is farther from its null than the floor, where it has one.  The floor only takes
  verdicts away, so a judge without bias is called biased in at most 5 % of runs.
- ``within the floor``: a difference is likely, but not larger than what the judge differs from itself; or none was
  shown, and the whole interval lies within the floor, or within the margin that matters at a sufficient power.
- ``could not have seen it``: none was shown, and the sample is too small to exclude one that matters; or no item
  changed, and there are too few to say that hardly any does.
- ``measured``: the figure has no value without bias, or a large value is good.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final, Literal

import msgspec
from msgspec import Struct

from events.types.lab import Battery, Effect, LabVerdict
from judge.lab.statistics import ALPHA, ClusterEstimate, false_discovery

SIGNIFICANT: Final = 0.05
UNSEEN: Final = 0.1
"""Share of items that may be affected without being seen, where no item of the sample is."""
Better = Literal["nearer", "higher", "lower"]
"""Which value of a figure is the better one: that nearer to the null, or the higher or lower one."""


class MeasuredFigure(Struct, frozen=True, kw_only=True):
    """One figure of a battery before the family of its run is known, with the values that it is made of."""

    battery: Battery
    name: str
    unit: str
    null: float
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
    floor: float | None = None
    better: Better = "nearer"
    note: str = ""

    @property
    def p_value(self) -> float | None:
        """The p value of the null; None for a figure that is not tested."""
        if self.found is None or not self.is_tested:
            return None
        return self.found.p(self.null)


def effects(measured: Sequence[MeasuredFigure]) -> tuple[Effect, ...]:
    """Judge the figures of one run as one family."""
    tested = [(number, p) for number, each in enumerate(measured) if (p := each.p_value) is not None]
    q = dict(zip([number for number, _ in tested], false_discovery([p for _, p in tested]), strict=True))
    return tuple(_effect(each, q.get(number)) for number, each in enumerate(measured))


@cache
def margins() -> Mapping[str, Mapping[str, float]]:
    """The differences that matter, by battery and unit."""
    content = resources.files("judge").joinpath("lab/margins.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, float]])


def margin(battery: str, unit: str) -> float | None:
    """The difference from the null that matters; None where no null is tested."""
    return margins().get(battery, {}).get(unit)


def _effect(measured: MeasuredFigure, q: float | None) -> Effect:
    found = measured.found
    verdict, why = _verdict(measured, q)
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
        detectable=None if found is None or not measured.is_tested else found.detectable,
        floor=measured.floor,
        verdict=verdict,
        note=f"{measured.note} {why}".strip(),
    )


def _verdict(measured: MeasuredFigure, q: float | None) -> tuple[LabVerdict, str]:
    found, floor = measured.found, measured.floor
    if found is None:
        return "could not have seen it", "There are too few answers for a figure."
    if q is None:
        return "measured", ""
    away = abs(found.value - measured.null)
    if q < SIGNIFICANT:
        if floor is None or away > floor:
            return "biased", ""
        return "within the floor", "The difference is probably real, but the judge differs from itself by as much."
    if found.high == found.low and (unseen := 1 - ALPHA ** (1 / found.n)) > UNSEEN:
        why = f"No item changed, but a change in up to {unseen * 100:.0f} % of items could be missing from this sample."
        return "could not have seen it", why
    reach = max(measured.null - found.low, found.high - measured.null)
    if floor is not None and reach <= floor:
        return "within the floor", "The whole interval lies within what the judge differs from itself."
    matters = margin(measured.battery, measured.unit)
    if matters is None or found.detectable > matters:
        least = _number(found.detectable, measured.unit)
        meant = ""
        if matters is not None:
            enough = math.ceil(found.n * (found.detectable / matters) ** 2)
            meant = f" {_number(matters, measured.unit)} would matter: about {enough:,} items would show it."
        return "could not have seen it", f"With this sample only {least} would probably show.{meant}"
    if reach > matters:
        why = f"The interval does not exclude a difference that matters, {_number(matters, measured.unit)}."
        return "could not have seen it", why
    return "within the floor", f"The interval excludes a difference that matters, {_number(matters, measured.unit)}."


def _number(value: float, unit: str) -> str:
    return f"{value * 100:.0f} percentage points" if unit == "share" else f"{value:.1f} {unit}"
