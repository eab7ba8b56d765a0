"""The forms of a table: CSV, JSON Lines, and Parquet with the extra ``parquet``.  A writer gives bytes as rows come.

Rows are packed first, which any process may do, and then added to the file by one.
"""

import csv
import io
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final, Protocol

import msgspec

from server.errors import BadField
from server.export.tables.table import VERSION, DebateTable, TableRow
from server.process.extras import is_installed, needed
from server.process.version import VERSION as MOOT

INERT: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a text that a spreadsheet takes for a formula."""
PARQUET: Final = "parquet"
GROUP_ROWS: Final = 1 << 17
GROUP_BYTES: Final = 8 << 20
"""A row group of Parquet is written once it has so many rows or bytes."""


class Writer(Protocol):
    """Rows in, bytes of a file out."""

    def pack(self, rows: Iterable[TableRow]) -> Any:
        """The rows as ``add`` takes them: a value that can go from one process to another."""

    def add(self, packed: Any) -> bytes:
        """The bytes that are ready after these rows; may be empty."""

    def end(self) -> bytes:
        """The rest of the file."""


def csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, each ended by a line feed.  None is empty; ``'`` stands before what would be a formula."""
    text = io.StringIO()
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for row in rows:
        cells = [_inert(each) for each in row]
        has_return = any(isinstance(each, str) and "\r" in each for each in cells)  # Python 3.11 does not quote it
        (quoted if has_return else plain).writerow(cells)
    return text.getvalue()


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(INERT) else value


class CsvWriter:
    """CSV in UTF-8 with a head.  What a row lacks is empty."""

    def __init__(self, table: DebateTable) -> None:
        self._head = csv_lines([[each.name for each in table.columns]])

    def pack(self, rows: Iterable[TableRow]) -> bytes:
        """See ``Writer``."""
        return csv_lines(map(msgspec.structs.astuple, rows)).encode()

    def add(self, packed: bytes) -> bytes:
        """See ``Writer``."""
        return self.end() + packed

    def end(self) -> bytes:
        """See ``Writer``."""
        head, self._head = self._head, ""
        return head.encode()


class JsonlWriter:
    """One JSON object a line.  What a row lacks is null."""

    def __init__(self, _: DebateTable) -> None:
        self._encoder = msgspec.json.Encoder()

    def pack(self, rows: Iterable[TableRow]) -> bytes:
        """See ``Writer``."""
        return self._encoder.encode_lines(rows)

    def add(self, packed: bytes) -> bytes:
        """See ``Writer``."""
        return packed

    def end(self) -> bytes:
        """See ``Writer``."""
        return b""


class ParquetWriter:
    """Parquet, compressed with zstd, with the version of the tables in its metadata."""

    def __init__(self, table: DebateTable) -> None:
        self._arrow, self._json = import_module("pyarrow"), import_module("pyarrow.json")
        types = {
            "boolean": self._arrow.bool_(),
            "integer": self._arrow.int64(),
            "number": self._arrow.float64(),
            "text": self._arrow.string(),
            "time": self._arrow.timestamp("us", "UTC"),
        }
        fields = [
            self._arrow.field(each.name, types[each.kind], nullable=each.may_lack, metadata={"unit": each.unit})
            for each in table.columns
        ]
        self._schema = self._arrow.schema(fields, metadata={"tables": VERSION, "moot": MOOT})
        as_text = [
            self._arrow.field(each.name, types["text" if each.kind == "time" else each.kind]) for each in table.columns
        ]
        self._parsed = self._json.ParseOptions(self._arrow.schema(as_text), unexpected_field_behavior="error")
        self._file = _Drained()
        self._writer: Any = None
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def pack(self, rows: Iterable[TableRow]) -> Any:
        """See ``Writer``.  From JSON, because ``pyarrow.array`` imports pandas where it is installed: 80 MB."""
        lines = msgspec.json.Encoder().encode_lines(rows)
        if not lines:
            return self._schema.empty_table()
        block = self._json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        read = self._json.read_json(self._arrow.BufferReader(lines), block, self._parsed)
        return self._arrow.Table.from_arrays(read.cast(self._schema).columns, schema=self._schema)

    def add(self, packed: Any) -> bytes:
        """See ``Writer``."""
        if packed.num_rows:
            self._batches.append(packed)
            self._rows, self._bytes = self._rows + packed.num_rows, self._bytes + packed.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._group()
        return self._file.drain()

    def end(self) -> bytes:
        """See ``Writer``."""
        self._group()
        self._writer.close()
        return self._file.drain()

    def _group(self) -> None:
        """Write a row group of the batches."""
        if self._writer is None:
            parquet = import_module("pyarrow.parquet")
            self._writer = parquet.ParquetWriter(self._file, self._schema, compression="zstd")
        if self._batches:
            group = self._arrow.concat_tables(self._batches)
            self._batches, self._rows, self._bytes = [], 0, 0
            self._writer.write_table(group, row_group_size=group.num_rows)
            del group
            self._arrow.default_memory_pool().release_unused()


class _Drained(io.RawIOBase):
    """A file that gives away what was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        self._size += len(self._parts[-1])
        return len(self._parts[-1])

    def tell(self) -> int:
        return self._size

    def drain(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


FORMS: Final[dict[str, type[CsvWriter] | type[JsonlWriter] | type[ParquetWriter]]] = {
    "csv": CsvWriter,
    "jsonl": JsonlWriter,
    PARQUET: ParquetWriter,
}


def writer_of(form: str, table: DebateTable) -> Writer:
    """A writer of a table.  Raises ``BadField`` without pyarrow for Parquet."""
    if form == PARQUET and not is_installed(PARQUET):
        raise BadField("as", f"a table as Parquet {needed(PARQUET)}; csv and jsonl need nothing")
    return FORMS[form](table)
