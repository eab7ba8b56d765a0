"""The figures of a lab run as SVG: a row of the forest plot for each effect, its axis, and the calibration curve.

They have classes and no colours: ``web/lab/lab.css`` gives those, in the page and in the report.  ``files`` makes files
of them that hold their own styles.
"""

import math
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from msgspec import Struct

from events.text.figures import rounded
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
MIN_SHOWN: Final = 0.0005
"""Shares from ``MIN_SHOWN`` to ``SMALL`` have a decimal: 0.4 % is not 0 %."""
FEW: Final = 10
"""Clusters below which their number stands next to a figure: its interval is wide for that reason."""


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
    if unit == "share":
        text = f"{rounded(value * 100, 1 if MIN_SHOWN <= abs(value) < SMALL else 0)} %"
    else:
        text = rounded(value, 1 if unit == "points" else 2)
    sign = "+" if signed and not text.startswith("-") else ""
    return f"{sign}{text}".replace("-", "−")


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


# figures as files

NAMES: Final = 330
"""Width of the names of effects at the left of a file, and of their figures at the right."""
PLAIN: Final = """
text { font: 12px Helvetica, Arial, sans-serif; fill: #222; }
.tick, .grid { stroke: #ccc; }
.null { stroke: #666; stroke-dasharray: 3 2; }
.margin { fill: #222; opacity: .1; }
.interval { stroke: #222; stroke-width: 2; }
.estimate { fill: #222; stroke: #222; stroke-width: 2; }
.biased .interval, .biased-by-less-than-matters .interval, .worse .interval { stroke: #a3231b; }
.biased .estimate, .worse .estimate { fill: #a3231b; stroke: #a3231b; }
.biased-by-less-than-matters .estimate { fill: #fff; stroke: #a3231b; }
.no-bias-that-matters .estimate, .cannot-tell .estimate, .not-shown .estimate { fill: #fff; }
.cannot-tell .interval, .not-shown .interval { stroke: #666; stroke-dasharray: 4 3; }
"""


def files(effects: Sequence[Effect], curve: Sequence[CalibrationBin], name: Callable[[Effect], str]) -> dict[str, str]:
    """SVG files by their names: one forest plot for each unit, and the calibration curve.  ``name``: of an effect."""
    made = {}
    for unit in dict.fromkeys(each.unit for each in effects):
        made[f"forest-{unit}.svg"] = _forest_svg(unit, [each for each in effects if each.unit == unit], name)
    if curve:
        made["calibration.svg"] = _alone(_placed(curve_svg(curve), 0, 0, 360, 340), 360, 340)
    return made


def _forest_svg(unit: str, effects: Sequence[Effect], name: Callable[[Effect], str]) -> str:
    axis = axis_of(effects)
    shown_axis = re.sub('text-anchor="(?:start|end)"', 'text-anchor="middle"', axis_svg(axis, unit))
    parts = [_placed(shown_axis, NAMES, 0, WIDTH, AXIS)]
    for number, each in enumerate(effects):
        y = AXIS + number * ROW
        middle = y + ROW / 2 + 4
        parts.append(f'<text x="0" y="{middle}">{escape(name(each))}</text>')
        parts.append(_placed(row_svg(each, axis), NAMES, y, WIDTH, ROW))
        parts.append(f'<text x="{NAMES + WIDTH + 10}" y="{middle}">{escape(in_figures(each))}</text>')
    return _alone("\n".join(parts), 2 * NAMES + WIDTH, AXIS + ROW * len(effects) + MARGIN)


def _placed(svg: str, x: float, y: float, width: float, height: float) -> str:
    return svg.replace("<svg ", f'<svg x="{x}" y="{y}" width="{width}" height="{height}" overflow="visible" ', 1)


def _alone(content: str, width: float, height: float) -> str:
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n<style>{PLAIN}</style>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{content}\n</svg>\n'
    )
