"""How a table of ``judge.fairness.figures`` is shown."""

from typing import Final

from judge.fairness.figures import Fairness, FairnessFigure, FairnessRow
from server.export.document import Column, Marked, Part, Parts, Sentence, Table

DEBATES: Final = 6_000
"""Debates for each figure: about a minute of one core for three rubrics."""
QUICK: Final = 1_000


def fairness_table(fairness: Fairness) -> Table:
    """A row for each figure: its aim, and for each rubric the values at each number of turns."""
    rows: list[tuple[Sentence, ...]] = [
        (row.says, row.bound, *(_cell(row, row.figures.get(name, ())) for name in fairness.rubrics))
        for row in fairness.rows
    ]
    turns = " / ".join(str(each) for each in fairness.turns)
    columns: list[str | Column] = ["", *(Column(title, "n") for title in ("aim", *fairness.rubrics))]
    caption = f"At {turns} turns, with the larger standard error; {fairness.debates:,} debates for each figure."
    return Table(tuple(columns), tuple(rows), caption=caption)


def _cell(row: FairnessRow, figures: tuple[FairnessFigure, ...]) -> Parts:
    """The figures; one that misses its aim is marked."""
    if not figures:
        return ("–",)
    parts: list[Part] = []
    for at, each in enumerate(figures):
        text = row.shown(each)
        parts += [" / "] * (at > 0) + [text if row.holds(each, at) else Marked(text, "doubt")]
    error = max(each.error for each in figures)
    return (*parts, f" ± {error:.1g}" if error else "", row.sign)
