"""The bar and the curve of a debate as SVG, for a report: who is ahead, and how the lead moved at which event.

Its classes are those of ``web/parts/report.css``.
"""

from collections.abc import Iterator
from html import escape
from typing import Final

from msgspec import UNSET

from events.text.figures import rounded
from events.types import SIDES, Side
from server.export.preview.course import Course, share_of
from server.export.wording import NAMES

WIDTH: Final = 1000
BAR: Final = 64
CAP: Final = 190
HEIGHT: Final = 196
"""Width, height of the bar, width of a cap, and height of the whole, in units of the drawing."""
MIDDLE: Final = BAR + 12 + 50
HATCHING: Final = (
    '<pattern id="doubt" width="18" height="18" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="9" height="18"/></pattern>'
)
"""Darker stripes: no side is named."""
SIGNS: Final[dict[Side, str]] = {"pro": "▲", "con": "▼"}


def course_svg(course: Course, means: dict[Side, float | None]) -> str:
    """The drawing, with the outcome below the bar's name for readers who do not see it; empty without a score.

    ``means`` are the mean composites of the sides, in points of 100.
    """
    steps = [(each.position, share) for each in course.points if (share := share_of(each)) is not None]
    if not steps:
        return ""
    label = course.outcome if course.outcome is not UNSET else "The lead over the debate"
    body = "".join((*_bar(steps[-1][1], course, means), *_curve(steps, course)))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="course" {size} role="img" aria-label="{escape(label)}">{body}</svg>'


def _bar(share: float, course: Course, means: dict[Side, float | None]) -> Iterator[str]:
    """Two caps with the means, and between them Pro's share of the scale, from 0 to 1."""
    left, right = CAP, WIDTH - CAP
    split = left + (right - left) * share
    yield _box("pro", left, 0, split - left, BAR) + _box("con", split, 0, right - split, BAR)
    if course.is_open is True:
        yield HATCHING + _box("doubt", left, 0, right - left, BAR)
    yield _box("pro", 0, 0, left, BAR) + _box("con", right, 0, CAP, BAR)
    if course.name_at is not UNSET:
        for gate in (1 - course.name_at, course.name_at):
            yield f'<path class="gate on" d="M{_units(left + (right - left) * gate)} 0V{BAR}"/>'
    yield _box("split", split - 2, 0, 4, BAR)
    for side in SIDES:
        points = means[side]
        figure = "" if points is None else f" {rounded(points)}"
        name = f"{SIGNS[side]} {NAMES[side]}{figure}" if side == "pro" else f"{figure} {NAMES[side]} {SIGNS[side]}"
        place = 'x="16"' if side == "pro" else f'x="{WIDTH - 16}" text-anchor="end"'
        yield f'<text class="on" {place} y="{BAR // 2 + 9}">{name.strip()}</text>'


def _curve(steps: list[tuple[int, float]], course: Course) -> Iterator[str]:
    """Steps at events, above the line where Pro is ahead; ticks where points were taken off; the numbers of turns."""

    def x(position: int) -> float:
        return WIDTH * position / course.end

    for (position, share), (until, _) in zip(steps, [*steps[1:], (course.end, 0.0)], strict=True):
        height = 98 * (share - 0.5)
        side = "pro" if height > 0 else "con"
        yield _box(side, x(position), MIDDLE - max(height, 0), x(until) - x(position), abs(height))
    yield f'<path class="line" d="M0 {MIDDLE}H{WIDTH}"/>'
    if course.name_at is not UNSET:
        for gate in (1 - course.name_at, course.name_at):
            yield f'<path class="gate" d="M0 {_units(MIDDLE - 98 * (gate - 0.5))}H{WIDTH}"/>'
    last = -WIDTH
    for point in course.points:
        if point.dock is True:
            yield f'<path class="tick" d="M{_units(x(point.position))} {MIDDLE + 38}v12"/>'
        if point.turn is not UNSET and x(point.position) - last > WIDTH // 30:
            last = round(x(point.position))
            yield f'<text class="turn" x="{last}" y="{HEIGHT - 4}">{point.turn}</text>'


def _box(kind: str, x: float, y: float, width: float, height: float) -> str:
    at = " ".join(
        f'{name}="{_units(value)}"'
        for name, value in zip(("x", "y", "width", "height"), (x, y, width, height), strict=True)
    )
    return f'<rect class="{kind}" {at}/>'


def _units(value: float) -> str:
    """A length of the drawing with one decimal."""
    return str(round(value, 1))
