"""The table of fairness as data, and the one that was measured of the shipped rubrics.  It loads no array code."""

from importlib import resources
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from events.text.figures import rounded

SHIPPED_TABLE: Final = "shipped.json"


class FairnessFigure(NamedTuple):
    """A measured value and its standard error; NaN where a rubric has no such figure."""

    value: float
    error: float


class FairnessRow(Struct, frozen=True, kw_only=True):
    """One row for all rubrics."""

    key: str
    says: str
    unit: Literal["%", "points"] = "%"
    aim: tuple[float, float] | None = None
    """For each number of turns; None for a row without an aim."""
    better: Literal["more", "less"] = "less"
    """Whether the aim bounds the figure from below, or its size from above."""
    figures: dict[str, tuple[FairnessFigure, ...]] = {}
    """By rubric, for each number of turns; without the rubrics that have no such figure."""

    def holds(self, figure: FairnessFigure, at: int) -> bool:
        """Whether a figure, at the number of turns with this index, reaches its aim; true without an aim."""
        if self.aim is None:
            return True
        return figure.value >= self.aim[at] if self.better == "more" else abs(figure.value) <= self.aim[at]

    @property
    def bound(self) -> str:
        """The aim in words, without the unit: ``≥ 84 / 85``; empty without one."""
        values = " / ".join(dict.fromkeys(f"{each:g}" for each in self.aim or ()))
        return f"{'≥' if self.better == 'more' else '≤'} {values}" if values else ""

    @property
    def sign(self) -> str:
        """The sign of the unit, for points none."""
        return " %" if self.unit == "%" else ""

    def shown(self, figure: FairnessFigure) -> str:
        """The value of a figure without its unit."""
        return rounded(figure.value, 1 if self.unit == "%" else 2).replace("-", "−")


class Fairness(Struct, frozen=True, kw_only=True):
    """The table.  ``debates`` were held for each figure."""

    debates: int
    seed: int
    turns: tuple[int, ...]
    rubrics: tuple[str, ...]
    rows: tuple[FairnessRow, ...]


def shipped_table() -> Fairness:
    """The table of the shipped rubrics, as ``tests.measuring.fairness --write`` measured it."""
    content = resources.files("judge.fairness").joinpath(SHIPPED_TABLE).read_bytes()
    return msgspec.json.decode(content, type=Fairness)
