"""From a file to what is said in it: its encoding, its kind by content and name, and the debate chosen of several."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from server.errors import BadTranscript, TooLarge
from server.transcripts import chats, moot_log, records
from server.transcripts.entries import MAX_DEBATES, HeldDebate, ReadTranscript
from server.transcripts.sides import TranscriptSplit, split_of
from server.transcripts.subtitles import read_subtitles
from server.transcripts.tables import columns_of, delimiter_of, read_csv
from server.transcripts.text import read_text

MAX_BYTES: Final = 50 << 20
_SAMPLE: Final = 65_536
"""Bytes or characters that show what a file is."""
_MIN_UTF_16: Final = 4
"""Bytes of a file from which on its zero bytes tell that it is UTF-16."""
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_DOCUMENTS: Final = (b"%PDF-", b"PK\x03\x04")
_TIMES: Final = re.compile(r"(?m)^[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*\S")
_HEADING: Final = re.compile(r"(?m)^#{1,6} \S|^(?:[-*>] )?\*\*[^*\n]{1,90}\*\*")
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_MAX_CONTROLS: Final = 0.01


class DebateShape(NamedTuple):
    """A shape of which a file may hold several debates."""

    fits: Callable[[Any], bool]
    titled: Callable[[int, Any], HeldDebate]
    read: Callable[[Any], ReadTranscript]


SEVERAL: Final = (
    DebateShape(records.is_nyu, records.titled_nyu, records.read_nyu),
    DebateShape(chats.is_chat, chats.titled_chat, chats.read_chat),
)
UNKNOWN: Final = (
    "the JSON has no shape that is known: turns with speaker and text, messages of a chat, debates with question, "
    "answers and rounds, or a Moot log"
)


def split_file(name: str, data: bytes, debate: str = "") -> TranscriptSplit:
    """How a file is split.  ``debate``: id or number of one of several debates; the first without it.

    Raises ``BadTranscript``, ``TooLarge``.
    """
    return split_of(read_file(name, data, debate))


def read_file(name: str, data: bytes, debate: str = "") -> ReadTranscript:
    """What is said in a file.  Raises ``BadTranscript``, ``TooLarge``."""
    check_size(len(data))
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise BadTranscript("the file is empty")
    _check_encoding(data)
    head = data[:_SAMPLE].lstrip()
    if head[:1] in {b"{", b"["} and (found := _read_json(data, debate, name)) is not None:
        return found
    return _read_lines(name.casefold(), data)


def check_size(length: int) -> None:
    """Raise ``TooLarge`` for a file of more than ``MAX_BYTES``."""
    if length > MAX_BYTES:
        raise TooLarge(f"the file is too large: a transcript has at most {MAX_BYTES >> 20} MiB")


def _check_encoding(data: bytes) -> None:
    """Raise ``BadTranscript`` for what is not UTF-8 text."""
    head = data[:_SAMPLE]
    nulls = max(head[::2].count(0), head[1::2].count(0))
    if head.startswith(_UTF_16) or (len(head) >= _MIN_UTF_16 and nulls * 3 > len(head)):
        raise BadTranscript("the file is UTF-16 text: save it as UTF-8")
    if b"\0" in data:
        raise BadTranscript("the file is not text: it contains NUL bytes")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if _is_binary(head) or head.startswith(_DOCUMENTS):
            raise BadTranscript("the file is not text: PDF, Word and sound files are not read") from error
        why = f"byte {error.start + 1} cannot be read; save it as UTF-8"
        raise BadTranscript(f"the file is not UTF-8 text: {why}") from error
    if _is_binary(head):
        raise BadTranscript("the file is not text: it is full of control characters")


def _is_binary(head: bytes) -> bool:
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)  # noqa: PLR2004 - ASCII
    return controls > len(head) * _MAX_CONTROLS


def _read_lines(name: str, data: bytes) -> ReadTranscript:
    """A file that is not JSON."""
    sample = data[:_SAMPLE].decode(errors="ignore")
    if sample.startswith("WEBVTT") or (name.endswith(".vtt") and _TIMES.search(sample)):
        return read_subtitles(_lines(data), "webvtt")
    if _TIMES.search(sample):
        return read_subtitles(_lines(data), "srt")
    first = sample.lstrip().partition("\n")[0][:4000]
    columns = columns_of([cell.strip(' "\r') for cell in first.split(delimiter_of(first))])
    if name.endswith((".csv", ".tsv")) or {"speaker", "text"} <= columns.keys():
        return read_csv(_lines(data))
    is_markdown = name.endswith((".md", ".markdown")) or (not name.endswith(".txt") and _HEADING.search(sample))
    return read_text(data.decode(), is_markdown=bool(is_markdown))


def _lines(data: bytes) -> Iterator[str]:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def _read_json(data: bytes, debate: str, name: str) -> ReadTranscript | None:
    """JSON or lines of JSON; None if it is neither and the file may be text that begins with a bracket."""
    first, _, rest = data.lstrip().partition(b"\n")
    rest = rest.strip()
    try:
        value = msgspec.json.decode(first)
    except _UNREADABLE:
        value = None
    if isinstance(value, dict) and rest:
        if moot_log.is_logged(value):
            return moot_log.read_log(io.BytesIO(data))
        return _read_values(value, _decoded(data), debate)
    try:
        value = msgspec.json.decode(data) if rest or value is None else value
    except _UNREADABLE as error:
        if name.casefold().endswith((".json", ".jsonl", ".ndjson")) or first[:1] == b"{":
            raise BadTranscript(f"the file is not JSON: {_why(error)}") from error
        return None
    return _read_value(value, debate)


def _why(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _read_value(value: Any, debate: str) -> ReadTranscript:
    """A whole JSON file."""
    if isinstance(value, dict) and isinstance(value.get("turns"), list):
        return records.read_turns(value["turns"], value)
    values = value if isinstance(value, list) else [value]
    return _read_values(values[0] if values else None, values, debate)


def _read_values(first: Any, values: Iterable[Any], debate: str) -> ReadTranscript:
    """A list of values, or lines of JSON: the first one tells what they are."""
    for shape in SEVERAL:
        if shape.fits(first):
            return _chosen(values, debate, shape)
    if chats.is_message(first):
        return chats.read_chat(list(values))
    if records.is_turn(first):
        return records.read_turns(values, first)
    raise BadTranscript(UNKNOWN)


def _decoded(data: bytes) -> Iterator[Any]:
    """The values of lines of JSON.  Raises ``BadTranscript``."""
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line)
        except _UNREADABLE as error:
            raise BadTranscript(f"line {number} is not JSON: {_why(error)}") from error


def _chosen(values: Iterable[Any], debate: str, shape: DebateShape) -> ReadTranscript:
    """The debate with this id or number, and the list of all.  Raises ``BadTranscript`` if there is no such debate."""
    listed: list[HeldDebate] = []
    found: tuple[str, Any] | None = None
    count = 0
    for value in values:
        if not shape.fits(value):
            continue
        count += 1
        title = shape.titled(count, value)
        if len(listed) < MAX_DEBATES:
            listed.append(title)
        if title.id == debate or (found is None and (not debate or debate == str(count))):
            found = (title.id, value)
    if found is None:
        raise BadTranscript(f"there is no debate {debate[:80]!r} in the file, which has {count}")
    chosen, value = found
    return replace(shape.read(value), debates=tuple(listed) if count > 1 else (), chosen=chosen if count > 1 else "")
