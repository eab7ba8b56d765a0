"""What a table is: a class of rows, whose fields are typed columns with a sentence and a unit each."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, NewType, TypeVar, get_args, get_origin, get_type_hints

from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.types import Missing
from events.view import view as views
from events.view.view import Fold, View

VERSION: Final = "tables/1"
"""Of all tables.  Within a version, tables and columns are only added, new columns at the end."""
T = TypeVar("T")
Time = NewType("Time", str)
"""A time as events have it: ISO 8601 in UTC, with microseconds."""
KINDS: Final[dict[Any, str]] = {bool: "boolean", int: "integer", float: "number", str: "text", Time: "time"}


class Says(NamedTuple):
    """The sentence of a column, and the unit of its values."""

    text: str
    unit: str = ""


class TableColumn(NamedTuple):
    """A column.  ``kind`` is one of ``KINDS``."""

    name: str
    kind: str
    text: str
    unit: str
    may_lack: bool
    """Whether rows may have no value: empty in CSV, null elsewhere."""


class TableRow(Struct, frozen=True, kw_only=True, gc=False):
    """A row of a table: its fields are the columns, each ``Annotated`` with ``Says``."""


class Seen(Struct, frozen=True, kw_only=True, eq=False):
    """A debate as one reader sees it."""

    fold: Fold
    view: View
    is_revealed: bool
    """Whether the reader sees what spectators see only once the debate has concluded."""

    @property
    def has_ended(self) -> bool:
        """Whether the debate has concluded."""
        return self.fold.debate.status.conclusion is not None


class DebateTable(NamedTuple):
    """A table.  ``rows`` gets the debate, and a page of its log if the table ``reads_log``; else it is called once."""

    row: type[TableRow]
    rows: Callable[[Seen, Sequence[Recorded]], Iterator[TableRow]]
    reads_log: bool = False

    @property
    def says(self) -> str:
        """What a row is."""
        return (self.row.__doc__ or "").strip()

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns, in order."""
        return _columns(self.row)


@cache
def _columns(row: type[TableRow]) -> tuple[TableColumn, ...]:
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column(name, hints[name]) for name in row.__struct_fields__)


def _column(name: str, hint: Any) -> TableColumn:
    kind, says = get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, None)
    assert isinstance(says, Says), f"the column {name} has its sentence"
    of = [each for each in KINDS if kind in (each, each | None)]
    return TableColumn(name, KINDS[of[0]], says.text, says.unit, may_lack=kind == of[0] | None)


def seen_by(fold: Fold, *, director: bool) -> Seen:
    """The debate as the director or a spectator sees it."""
    has_ended = fold.debate.status.conclusion is not None
    view = views.for_director(fold) if director else fold.view
    return Seen(fold=fold, view=view, is_revealed=director or has_ended)


def known(value: T | Missing | UnsetType) -> T | None:
    """The value; None if it is absent or missing."""
    return None if value is UNSET or isinstance(value, Missing) else value


Debate = Annotated[str, Says("The id of the debate.")]
Turn = Annotated[int, Says("The number of the turn, from 1.")]
Side = Annotated[str, Says("The side that spoke the turn: `pro` or `con`.")]
Dimension = Annotated[str, Says("The dimension of the rubric.")]
Start = Annotated[int | None, Says("Where the quote begins in the text of the turn, from 0.", "code points")]
End = Annotated[
    int | None, Says("Where the quote ends in the text of the turn: the first code point after it.", "code points")
]
Spread = Annotated[float | None, Says("Highest less lowest value over the samples of the judge.", "points")]
Rules = Annotated[str | None, Says("What limited the points, separated by semicolons.")]
