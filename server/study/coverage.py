"""The table of simulated studies, as a document."""

from collections.abc import Sequence
from typing import Final

from events.text.figures import percent
from judge.study.results import CoverageRow
from server.export.document import Column, Document, Paragraph, Table

ABOUT: Final = (
    "“Accuracies” and “differences”: how often the 95 % intervals of all arms, and of the gains of debate, hold the "
    "planted truth; in brackets the arm or gain that is farthest from 95 %. “Null claimed”: how often a difference of 0"
    " was called better or worse, for the comparison where that happened most; in brackets the studies with any such "
    "claim. “Found”: how often a difference that is there was claimed."
)


def coverage_document(rows: Sequence[CoverageRow]) -> Document:
    """A row for each size and planted truth."""
    heads = ("Items", "Studies", "Accuracies", "Differences", "Null claimed", "Found")
    cells = tuple(
        (
            f"{row.clusters} clusters × {row.per_cluster}: {row.world}",
            f"{row.clusters * row.per_cluster:,}",
            f"{row.studies:,}",
            f"{percent(row.accuracies)} ({percent(row.worst_accuracy)})",
            f"{percent(row.differences)} ({percent(row.worst_difference)})",
            "–"
            if row.null_claims is None or row.any_null_claim is None
            else f"{percent(row.null_claims)} ({percent(row.any_null_claim)})",
            "–" if row.found is None else percent(row.found),
        )
        for row in rows
    )
    table = Table(("Study", *(Column(each, "n") for each in heads)), cells)
    return Document("Simulated studies", (table, Paragraph(ABOUT, "small")))
