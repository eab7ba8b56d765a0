"""CSV, and tables of Markdown: a line an entry.  The first line names the columns, or there are two."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from msgspec.structs import replace

from server.errors import BadTranscript
from server.transcripts.entries import ReadTranscript
from server.transcripts.forms.records import COLUMNS, TABLE
from server.transcripts.labels import is_name
from server.transcripts.records import read_rows

DELIMITERS: Final = ",;|"
_LONGEST_FIELD: Final = 1 << 20
_MAX_COLUMNS: Final = 200
_GUESSED: Final = "The table does not name its columns: the first is read as speakers, the second as words."


def read_csv(lines: Iterable[str], debate: str = "", motion: str = "") -> ReadTranscript:
    """The entries of a table.  ``debate``: id or number of one of several.  Raises ``BadTranscript``."""
    rows = _rows(lines)
    header = next(rows, [])
    columns = columns_of(header)
    doubts = []
    if "text" not in columns or "speaker" not in columns:
        rest = list(islice(rows, 1))
        if len(header) != 2 or not is_name(header[0].strip()):  # noqa: PLR2004 - speaker and text
            raise BadTranscript("the table needs the columns speaker and text in its first line")
        rows, columns = chain([header], rest, rows), {"speaker": 0, "text": 1}
        doubts = [_GUESSED]
    is_ms = "at" in columns and header[columns["at"]].strip().casefold() == "at_ms"
    named = ({name: row[at].strip() if at < len(row) else "" for name, at in columns.items()} for row in rows)
    form = replace(TABLE, ms=1 if is_ms else 1000, debate=TABLE.debate if "debate" in columns else ())
    return read_rows(form, named, {"motion": motion} if motion else None, debate, doubts, "csv")


def columns_of(header: Sequence[str]) -> dict[str, int]:
    """The places of the known columns."""
    found: dict[str, int] = {}
    for at, name in enumerate(header[:_MAX_COLUMNS]):
        for column, names in COLUMNS.items():
            if name.strip().casefold() in names:
                found.setdefault(column, at)
    return found


def is_table(rows: Sequence[str]) -> bool:
    """Whether lines are a table whose first line names the columns of speakers and words."""
    return len(rows) > 1 and {"speaker", "text"} <= columns_of([cell.strip() for cell in rows[0].split("|")]).keys()


def delimiter_of(line: str) -> str:
    """A tab if a first line has one, else what it has most often; a comma if it has none."""
    return "\t" if "\t" in line else max(DELIMITERS, key=line.count)


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The rows with words, without the rule below the names of a Markdown table."""
    source = iter(lines)
    first = next((line for line in source if line.strip()), "")
    delimiter, is_framed = delimiter_of(first), first.lstrip().startswith("|")
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(chain([first], source), delimiter=delimiter)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadTranscript(f"line {reader.line_num} of the table cannot be read: {error}") from error
        row = row[1 : -1 if row[-1:] and not row[-1].strip() else None] if is_framed else row
        if any(each.strip(" :-\t" if delimiter == "|" else " \t\n") for each in row):
            yield row
