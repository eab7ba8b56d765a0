"""The table of fairness as a picture: for each figure a line that begins at 0, with its aim and each shipped rubric."""

from functools import cache
from typing import Final

from msgspec import Struct

from judge.fairness.figures import FairnessRow, shipped_table

SHOWN: Final = {
    "sign": "The side that leads was ahead",
    "rms": "Error of a lead, in points",
    "named_4": "4 points apart: the better side named",
    "wrong_4": "4 points apart: the other side named",
    "named_8": "8 points apart: the better side named",
    "named_0": "Equal: a side named",
    "strength_4": "Strengths 4 points apart: the weaker named",
    "flaws": "Points of lead for speaking first",
    "drift_hard": "The same, with a judge that drifts and components hard for all",
    "words": "Points of lead for twice the words",
    "certainty": "Leads that are right, less the stated certainty",
    "noisy": "The same, with a judge twice as noisy",
    "missing": "A missing score: the other side named",
    "zero": "An answer of zeros: the other side named",
}
"""Rows of the table with an aim, in words that stand alone."""
SPACE: Final = 1.08
"""The end of a line is so many times its largest value away from 0."""


class PictureMark(Struct, frozen=True, kw_only=True):
    """A rubric on a line: its place from 0 to 100, its figures in words, and whether they reach the aim."""

    rubric: str
    at: float
    says: str
    reaches: bool


class PictureLine(Struct, frozen=True, kw_only=True):
    """One figure.  ``aim_at`` is a place from 0 to 100; ``better`` tells on which side of it a figure should lie."""

    says: str
    aim: str
    aim_at: float
    better: str
    marks: tuple[PictureMark, ...]


class FairnessPicture(Struct, frozen=True, kw_only=True):
    """The lines; marks stand at the figure for ``turns[0]`` turns, and words give the figures for all of ``turns``."""

    debates: int
    turns: tuple[int, ...]
    rubrics: tuple[str, ...]
    lines: tuple[PictureLine, ...]


@cache
def fairness_picture() -> FairnessPicture:
    """The picture of the table that was measured of the shipped rubrics."""
    table = shipped_table()
    lines = tuple(_line(row) for row in table.rows if row.key in SHOWN and row.aim is not None)
    return FairnessPicture(debates=table.debates, turns=table.turns, rubrics=table.rubrics, lines=lines)


def _line(row: FairnessRow) -> PictureLine:
    """The line ends at 100 % where the aim is a high share, else a little beyond the largest value."""
    assert row.aim is not None
    values = [abs(figure.value) for figures in row.figures.values() for figure in figures]
    end = 100.0 if row.unit == "%" and row.better == "more" else SPACE * max(*values, *row.aim, 1e-9)
    marks = (
        PictureMark(
            rubric=name,
            at=_place(abs(figures[0].value), end),
            says=" / ".join(map(row.shown, figures)) + row.sign,
            reaches=all(row.holds(each, at) for at, each in enumerate(figures)),
        )
        for name, figures in row.figures.items()
    )
    return PictureLine(
        says=SHOWN[row.key],
        aim=row.bound + row.sign,
        aim_at=_place(row.aim[0], end),
        better=row.better,
        marks=tuple(marks),
    )


def _place(value: float, end: float) -> float:
    return round(100 * min(value / end, 1), 1)
