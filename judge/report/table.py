"""A table as data; the page shows it and computes nothing."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

Cell = str | float


class ReportRow(Struct, frozen=True, kw_only=True):
    """``was``: by index, the cells' values in the other table if they differ; ``mark``: ``added`` or ``gone``."""

    key: str
    cells: tuple[Cell, ...]
    leads: bool = False
    """Whether the next rows belong to this one."""
    was: dict[str, Cell] | UnsetType = UNSET
    mark: str | UnsetType = UNSET


class ReportTable(Struct, frozen=True, kw_only=True):
    """``head`` names the columns; the first cell of a row is its heading."""

    id: str
    title: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[ReportRow, ...]
    figures: tuple[int, ...] = ()
    """Columns of numbers, from 0."""


def compared(table: ReportTable, before: ReportTable) -> ReportTable:
    """Return the table with marks where it differs from ``before``; rows are matched by key."""
    old = {row.key: row for row in before.rows}
    rows = tuple(_compared(row, old.get(row.key)) for row in table.rows)
    kept = {row.key for row in table.rows}
    gone = tuple(
        ReportRow(key=row.key, cells=row.cells, leads=row.leads, mark="gone")
        for row in before.rows
        if row.key not in kept
    )
    return replace(table, rows=rows + gone)


def differences(table: ReportTable) -> int:
    """Count the marked cells and rows."""
    return sum(1 if row.mark else len(row.was or {}) for row in table.rows)


def _compared(row: ReportRow, old: ReportRow | None) -> ReportRow:
    if old is None:
        return ReportRow(key=row.key, cells=row.cells, leads=row.leads, mark="added")
    pairs = enumerate(zip(old.cells, row.cells, strict=False))
    was = {str(index): before for index, (before, now) in pairs if before != now}
    return ReportRow(key=row.key, cells=row.cells, leads=row.leads, was=was or UNSET)
