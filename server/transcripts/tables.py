"""CSV: a line an entry.  The first line names the columns; without names, two columns are speaker and text."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, ReadTranscript
from server.transcripts.hints import side_in
from server.transcripts.labels import is_name

COLUMNS: Final[Mapping[str, frozenset[str]]] = {
    "speaker": frozenset({"speaker", "name", "by", "who", "author", "debater", "participant", "person", "role"}),
    "text": frozenset({"text", "speech", "content", "message", "utterance", "words", "transcript", "body"}),
    "side": frozenset({"side", "team", "stance", "position"}),
    "at": frozenset({"at_ms", "at", "time", "start", "start_time", "timestamp"}),
    "motion": frozenset({"motion", "topic", "resolution", "question"}),
    "source": frozenset({"source"}),
    "licence": frozenset({"licence", "license"}),
}
"""Names of columns that are known, by what they hold."""
DELIMITERS: Final = ",;|"
_CLOCK: Final = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2}(?:\.\d{1,6})?)")
_SECONDS: Final = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_LONGEST_FIELD: Final = 1 << 20
_MAX_COLUMNS: Final = 200


def read_csv(lines: Iterable[str]) -> ReadTranscript:
    """The entries of a table.  Raises ``BadTranscript``."""
    rows = _rows(lines)
    header = next(rows, [])
    columns = columns_of(header)
    if "text" not in columns or "speaker" not in columns:
        rest = list(islice(rows, 1))
        if len(header) != 2 or not is_name(header[0].strip()):  # noqa: PLR2004 - speaker and text
            raise BadTranscript("the table needs the columns speaker and text in its first line")
        rows, columns = chain([header], rest, rows), {"speaker": 0, "text": 1}
    collector = EntryCollector()
    facts: dict[str, str] = {}
    is_ms = "at" in columns and header[columns["at"]].strip().casefold() == "at_ms"
    for row in rows:
        found = {name: row[at].strip() if at < len(row) else "" for name, at in columns.items()}
        for name in ("motion", "source", "licence"):
            if found.get(name):
                facts.setdefault(name, found[name])
        collector.add(
            found["speaker"],
            found["text"],
            side=side_in(found["side"]) if found.get("side") else None,
            at_ms=at_of(found.get("at", ""), is_ms=is_ms),
        )
    return collector.transcript("csv", **facts)


def columns_of(header: Sequence[str]) -> dict[str, int]:
    """The places of the known columns."""
    found: dict[str, int] = {}
    for at, name in enumerate(header[:_MAX_COLUMNS]):
        for column, names in COLUMNS.items():
            if name.strip().casefold() in names:
                found.setdefault(column, at)
    return found


def delimiter_of(line: str) -> str:
    """A tab if a first line has one, else what it has most often; a comma if it has none."""
    return "\t" if "\t" in line else max(DELIMITERS, key=line.count)


def at_of(text: str, *, is_ms: bool) -> int | None:
    """Milliseconds of a number (of seconds, or of milliseconds) or of a clock such as ``1:02:03``."""
    if found := _CLOCK.fullmatch(text):
        return int(int(found[1] or 0) * 3_600_000 + int(found[2]) * 60_000 + float(found[3]) * 1000)
    if _SECONDS.fullmatch(text):
        return int(float(text) * (1 if is_ms else 1000))
    return None


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The rows that are not empty.  Raises ``BadTranscript``."""
    source = iter(lines)
    first = next((line for line in source if line.strip()), "")
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(chain([first], source), delimiter=delimiter_of(first))
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadTranscript(f"line {reader.line_num} of the table cannot be read: {error}") from error
        if any(map(str.strip, row)):
            yield row
