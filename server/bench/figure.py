"""Figures of ``moot bench``, and how two things are measured by turns so that noise affects both alike."""

from collections.abc import Awaitable, Callable
from statistics import median
from typing import Literal

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
    aim_of: Literal["ratio", "value"]
    better: Literal["more", "less"]
    unit: str
    against: str
    """What the yardstick is, in words."""

    @property
    def holds(self) -> bool:
        """Whether the aim is reached."""
        reached = self.ratio if self.aim_of == "ratio" else self.value
        return reached >= self.aim if self.better == "more" else reached <= self.aim


def figure(
    name: str,
    value: float,
    yardstick: float,
    *,
    aim: float,
    unit: str,
    against: str,
    better: Literal["more", "less"] = "more",
    aim_of: Literal["ratio", "value"] = "ratio",
) -> BenchFigure:
    """A figure; the ratio is computed."""
    return BenchFigure(
        name=name,
        value=round(value, 3),
        yardstick=round(yardstick, 3),
        ratio=round(value / yardstick, 3),
        aim=aim,
        aim_of=aim_of,
        better=better,
        unit=unit,
        against=against,
    )


async def interleaved(ours: Measure, limit: Measure, repetitions: int) -> tuple[float, float]:
    """The medians of both, measured by turns after one run of each that does not count."""
    await ours()
    await limit()
    reached, limits = [], []
    for _ in range(repetitions):
        limits.append(await limit())
        reached.append(await ours())
    return median(reached), median(limits)
