"""The figures of a lab run as SVG: a row of the forest plot for each effect, its axis, and the calibration curve.

They have classes and no colours: ``web/lab/lab.css`` gives those, in the page and in the report.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from msgspec import Struct

from events.types import CalibrationBin, Effect, LabVerdict

WIDTH: Final = 320
ROW: Final = 28
AXIS: Final = 30
MARGIN: Final = 8
"""Space at both ends of an axis, in units of the drawing."""
STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
MAX_TICKS: Final = 6
NARROWEST: Final = {"share": 0.2, "points": 4.0}
"""The least width of an axis by unit: small differences must not fill the figure."""
SQUARE: Final = 260
SMALL: Final = 0.01
"""Shares below it have a decimal: 0.4 % is not 0 %."""
FEW: Final = 10
"""Clusters below which their number stands beside a figure: its interval is wide for that reason."""


class Axis(Struct, frozen=True):
    """The range of values of one unit."""

    low: float
    high: float
    step: float

    def x(self, value: float) -> float:
        """The place of a value, kept within the axis."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    def holds(self, value: float) -> bool:
        """Whether a value lies within the axis."""
        return self.low <= value <= self.high


def axis_of(effects: Sequence[Effect]) -> Axis:
    """The axis for effects of one unit: every interval and every value without bias."""
    values = [each.null for each in effects if each.verdict != "measured"]
    values += [value for each in effects for value in (each.low, each.high, each.estimate) if value is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    least = NARROWEST.get(effects[0].unit if effects else "", 1.0)
    if high - low < least:
        middle = (high + low) / 2
        low, high = middle - least / 2, middle + least / 2
    step = next((each for each in STEPS if (high - low) / each <= MAX_TICKS), 100.0)
    return Axis(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step)


def shown(value: float | None, unit: str, *, signed: bool = False) -> str:
    """A value in words: shares in per cent, points with one decimal."""
    if value is None:
        return "–"
    sign = "+" if signed else ""
    decimals = 1 if unit == "points" else 2
    if unit == "share":
        text = f"{value * 100:{sign}.{1 if 0 < abs(value) < SMALL else 0}f} %"
    else:
        text = f"{value:{sign}.{decimals}f}"
    return text.replace("-", "−")


def axis_svg(axis: Axis, unit: str) -> str:
    """The axis above the rows of one unit."""
    ticks = round((axis.high - axis.low) / axis.step)
    marks = []
    for number in range(ticks + 1):
        value = axis.low + number * axis.step
        at = axis.x(value)
        anchor = "start" if number == 0 else "end" if number == ticks else "middle"
        marks.append(f'<line class="tick" x1="{at}" y1="22" x2="{at}" y2="{AXIS}"/>')
        label = escape(shown(0.0 if abs(value) < axis.step / 2 else value, unit))
        marks.append(f'<text x="{at}" y="16" text-anchor="{anchor}">{label}</text>')
    return f'<svg class="axis" viewBox="0 0 {WIDTH} {AXIS}" aria-hidden="true">{"".join(marks)}</svg>'


def row_svg(effect: Effect, axis: Axis) -> str:
    """One effect: what is too small to matter as a band, the value without bias as a line, interval and estimate."""
    middle, parts = ROW / 2, []
    if effect.verdict != "measured":
        if effect.margin:
            left, right = axis.x(effect.null - effect.margin), axis.x(effect.null + effect.margin)
            parts.append(f'<rect class="margin" x="{left}" y="2" width="{right - left:.1f}" height="{ROW - 4}"/>')
        at = axis.x(effect.null)
        parts.append(f'<line class="null" x1="{at}" y1="0" x2="{at}" y2="{ROW}"/>')
    if effect.low is not None and effect.high is not None:
        left, right = axis.x(effect.low), axis.x(effect.high)
        parts.append(f'<line class="interval" x1="{left}" y1="{middle}" x2="{right}" y2="{middle}"/>')
        parts += [f'<line class="interval end" x1="{at}" y1="9" x2="{at}" y2="19"/>' for at in (left, right)]
    if effect.estimate is not None:
        parts.append(_mark(effect, axis.x(effect.estimate), middle))
    label = escape(in_figures(effect), quote=True)
    kind = slug(effect.verdict)
    return f'<svg class="row {kind}" viewBox="0 0 {WIDTH} {ROW}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def slug(verdict: LabVerdict) -> str:
    """A verdict as the name of a class."""
    return verdict.replace(",", "").replace(" ", "-")


def _mark(effect: Effect, x: float, y: float) -> str:
    """A diamond for a bias, a circle for anything else; only what was found or measured is filled."""
    if effect.verdict.startswith("biased"):
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -7), (7, 0), (0, 7), (-7, 0)))
        return f'<polygon class="estimate" points="{points}"/>'
    return f'<circle class="estimate" cx="{x}" cy="{y}" r="5"/>'


def in_figures(effect: Effect) -> str:
    """An effect's estimate and interval in words."""
    if effect.estimate is None:
        return "no answer to measure it with"
    said = shown(effect.estimate, effect.unit)
    return said if effect.low is None else f"{said}, 95 % {interval(effect)}"


def interval(effect: Effect) -> str:
    """The interval in words, with the number of clusters if they are few; empty without one."""
    if effect.low is None:
        return ""
    few = f" ({clusters(effect)})" if effect.clusters < FEW else ""
    return f"{shown(effect.low, effect.unit)} to {shown(effect.high, effect.unit)}{few}"


def clusters(effect: Effect) -> str:
    """The number of clusters in words: "3 topics"."""
    what = "topic" if effect.battery == "people" else "motion"
    return f"{effect.clusters} {what}{'' if effect.clusters == 1 else 's'}"


def curve_svg(curve: Sequence[CalibrationBin]) -> str:
    """How sure the judge said that it was, from 50 to 100 %, and how often people agreed."""
    pad, side = 44, SQUARE

    def x(value: float) -> float:
        return round(pad + (min(max(value, 0.5), 1.0) - 0.5) * 2 * side, 1)

    def y(value: float) -> float:
        return round(12 + (1 - value) * side, 1)

    parts = [f'<line class="null" x1="{x(0.5)}" y1="{y(0.5)}" x2="{x(1)}" y2="{y(1)}"/>']
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<line class="grid" x1="{pad}" y1="{y(value)}" x2="{pad + side}" y2="{y(value)}"/>')
        parts.append(f'<text x="{pad - 6}" y="{y(value) + 4}" text-anchor="end">{value:.0%}</text>')
    parts += [
        f'<text x="{x(value)}" y="{side + 30}" text-anchor="middle">{value:.0%}</text>' for value in (0.5, 0.75, 1.0)
    ]
    for each in curve:
        at = x(each.stated)
        parts.append(f'<line class="interval" x1="{at}" y1="{y(each.low)}" x2="{at}" y2="{y(each.high)}"/>')
        parts.append(f'<circle class="estimate" cx="{at}" cy="{y(each.right)}" r="5"/>')
    parts.append(f'<text x="{pad + side / 2}" y="{side + 48}" text-anchor="middle">how sure it says that it is</text>')
    label = escape(curve_words(curve), quote=True)
    box = f"0 0 {pad + side + 16} {side + 56}"
    return f'<svg class="curve" viewBox="{box}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def curve_words(curve: Sequence[CalibrationBin]) -> str:
    """The curve in words."""
    said = "; ".join(f"said {each.stated:.0%}, right {each.right:.0%} of {each.n}" for each in curve)
    return f"Calibration: {said}"
