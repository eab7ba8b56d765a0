"""Figures of ``moot bench``, and how two things are measured by turns so that noise affects both alike."""

from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any, Literal

from msgspec import Struct

Measure = Callable[[], Awaitable[float]]


class BenchFigure(Struct, frozen=True, kw_only=True):
    """A measured ``value``, the limit that it is compared with (``yardstick``), and their ratio.

    ``aim`` bounds the ratio, or the value if ``aim_of`` is ``value``: from below if ``better`` is ``more``, otherwise
    from above.
    """

    name: str
    value: float
    yardstick: float
    ratio: float
    aim: float
    aim_of: Literal["ratio", "value"] = "ratio"
    better: Literal["more", "less"] = "more"
    unit: str
    against: str
    """What the yardstick is, in words."""

    @property
    def holds(self) -> bool:
        """Whether the aim is reached."""
        reached = self.ratio if self.aim_of == "ratio" else self.value
        return reached >= self.aim if self.better == "more" else reached <= self.aim


def figure(name: str, value: float, yardstick: float, **aimed: Any) -> BenchFigure:
    """A figure with the fields ``aimed``; the ratio is computed."""
    ratio = round(value / yardstick, 3)
    return BenchFigure(name=name, value=round(value, 3), yardstick=round(yardstick, 3), ratio=ratio, **aimed)


async def interleaved(ours: Measure, limit: Measure, repetitions: int) -> tuple[float, float]:
    """The medians of both, measured by turns after one run of each that does not count."""
    await ours()
    await limit()
    reached, limits = [], []
    for _ in range(repetitions):
        limits.append(await limit())
        reached.append(await ours())
    return median(reached), median(limits)
