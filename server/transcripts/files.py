"""From a file to what is said in it: its encoding, its kind by content and name, and the debate chosen of several."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from server.errors import BadTranscript, TooLarge
from server.evidence.markup import Markup, html_text
from server.evidence.office import MARK, office_html, office_kind
from server.evidence.reading import is_pdf, pdf_of, readable
from server.evidence.text import Unreadable, decode
from server.transcripts import chats, moot_log, nyu, records
from server.transcripts.elements import read_xml
from server.transcripts.entries import MAX_DEBATES, HeldDebate, ReadTranscript, one_line
from server.transcripts.forms.records import COLUMNS, FORMS, LINES
from server.transcripts.sides import TranscriptSplit, split_of
from server.transcripts.subtitles import read_subtitles
from server.transcripts.tables import columns_of, delimiter_of, read_csv
from server.transcripts.text import read_text

MAX_BYTES: Final = 50 << 20
_SAMPLE: Final = 65_536
"""Characters that show what a file is."""
_OLD_FORMS: Final = {b"{\\rtf": "an RTF file", b"\xd0\xcf\x11\xe0": "a file of an old word processor"}
_TIMES: Final = re.compile(r"(?m)^[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*\S")
_HEADING: Final = re.compile(r"(?m)^#{1,6} \S|^(?:[-*>] )?\*\*[^*\n]{1,90}\*\*")
_HTML: Final = re.compile(
    r"(?:<!--[^>]{0,2000}>\s*)?<(?:!doctype\s+html|html|head|body|div|p|h[1-6]|table|article|main|section|ul|dl)\b[^<]*>",
    re.IGNORECASE,
)
_XML: Final = re.compile(
    r"<\?xml\b|<!DOCTYPE\s+(?!html)|<(?:TEI|publicwhip|akomaNtoso|hansard|tt)\b|<[a-zA-Z][^<>\n]{0,300}\bxmlns"
)
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class DebateShape(NamedTuple):
    """A shape of which a file may hold several debates."""

    fits: Callable[[Any], bool]
    titled: Callable[[int, Any], HeldDebate]
    read: Callable[[Any], ReadTranscript]


def _read_rows(value: Any) -> ReadTranscript:
    """The entries of a value that ``_has_rows``."""
    found = records.turns_of(value) or records.rows_of(value)
    assert found is not None, "the value has rows"
    return records.read_rows(found.form, found.rows, value)


def _has_rows(value: Any) -> bool:
    return isinstance(value, dict) and (records.turns_of(value) or records.rows_of(value)) is not None


def _titled(number: int, value: Any) -> HeldDebate:
    named = records.first_of(value, ("id", "uuid", *COLUMNS["debate"]))
    title = records.first_of(value, (*COLUMNS["motion"], "title", "name"))
    shown = one_line(title, 300) if isinstance(title, str) else ""
    return HeldDebate(id=one_line(str(named), 200) if named else str(number), title=shown or f"debate {number}")


SEVERAL: Final = (
    DebateShape(nyu.is_nyu, nyu.titled_nyu, nyu.read_nyu),
    DebateShape(_has_rows, _titled, _read_rows),
    DebateShape(chats.is_chat, chats.titled_chat, chats.read_chat),
)
UNKNOWN: Final = (
    "the JSON has no form that is known: turns with speaker and text, messages of a chat, debates with question, "
    f"answers and rounds, a Moot log, or a file of {', '.join(dict.fromkeys(each.name for each in FORMS))}"
)


def split_file(name: str, data: bytes, debate: str = "") -> TranscriptSplit:
    """How a file is split.  ``debate``: id or number of one of several debates; the first without it.

    Raises ``BadTranscript``, ``TooLarge``.
    """
    return split_of(read_file(name, data, debate))


def read_file(name: str, data: bytes, debate: str = "") -> ReadTranscript:
    """What is said in a file.  Raises ``BadTranscript``, ``TooLarge``."""
    check_size(len(data))
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        raise BadTranscript("the file is empty")
    if old := next((what for mark, what in _OLD_FORMS.items() if data.startswith(mark)), ""):
        raise BadTranscript(f"{old} is not read: save it as DOCX, ODT or text")
    try:
        if is_pdf(data):
            return read_text(readable(lambda: pdf_of(data).lines(), "pdf"), "pdf", is_wrapped=True)
        if data.startswith(MARK):
            kind = office_kind(data)
            return _read_html(readable(lambda: office_html(data, kind), kind), kind)
        text, guess = decode(data)
        found = _read_text(name.casefold(), data, text.lstrip("\n"), debate)
    except Unreadable as error:
        raise BadTranscript(f"the file {error.why}") from error
    doubt = f"The file is not UTF-8: its encoding is guessed to be {guess}."
    return replace(found, doubts=(doubt, *found.doubts)) if guess else found


def check_size(length: int) -> None:
    """Raise ``TooLarge`` for a file of more than ``MAX_BYTES``."""
    if length > MAX_BYTES:
        raise TooLarge(f"the file is too large: a transcript has at most {MAX_BYTES >> 20} MiB")


def _read_text(name: str, data: bytes, text: str, debate: str) -> ReadTranscript:
    """A file that is text.  ``data``: its bytes, in which HTML may say its encoding."""
    sample = text[:_SAMPLE].lstrip()
    if sample[:1] in {"{", "["} and (found := _read_json(text.encode(), debate, name)) is not None:
        return found
    if name.endswith((".html", ".htm", ".xhtml")) or _HTML.match(sample):
        return _read_html(html_text(data), "html")
    if name.endswith((".xml", ".ttml")) or _XML.match(sample):
        return read_xml(text)
    lines = partial(io.StringIO, text, newline="")
    if sample.startswith("WEBVTT") or (name.endswith(".vtt") and _TIMES.search(sample)):
        return read_subtitles(lines(), "webvtt")
    if _TIMES.search(sample):
        return read_subtitles(lines(), "srt")
    first = sample.partition("\n")[0][:4000]
    columns = columns_of([cell.strip(' "\r') for cell in first.split(delimiter_of(first))])
    if name.endswith((".csv", ".tsv")) or ({"speaker", "text"} <= columns.keys() and not first.startswith("|")):
        return read_csv(lines(), debate)
    is_markdown = name.endswith((".md", ".markdown")) or (not name.endswith(".txt") and _HEADING.search(sample))
    return read_text(text, "markdown" if is_markdown else "text")


def _read_html(text: str, kind: Any) -> ReadTranscript:
    """HTML as text with Markdown's marks."""
    source = Markup(text, is_marked=True)
    lines = "\n\n".join(each.text for each in source.blocks())
    found = read_text(lines, kind)
    return found if found.motion else replace(found, motion=one_line(source.title, 300))


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
        if (found := _read_values(value, _decoded(data), debate)) is None:
            raise BadTranscript(UNKNOWN)
        return found
    try:
        value = msgspec.json.decode(data) if rest or value is None else value
    except _UNREADABLE as error:
        if name.endswith((".json", ".jsonl", ".ndjson")) or first[:1] == b"{":
            raise BadTranscript(f"the file is not JSON: {_why(error)}") from error
        return None
    return _read_value(value, debate)


def _why(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _read_value(value: Any, debate: str) -> ReadTranscript:
    """A whole JSON file."""
    within = (records.at_path(value, form.within) for form in FORMS if form.within)
    if (values := next((each for each in within if isinstance(each, list) and each), None)) is None:
        values = value if isinstance(value, list) else [value]
    if (known := _read_values(values[0] if values else None, values, debate)) is not None:
        return known
    if (found := records.unknown_rows(value)) is None:
        raise BadTranscript(UNKNOWN)
    return records.read_rows(found.form, found.rows, value, debate, (found.doubt,))


def _read_values(first: Any, values: Iterable[Any], debate: str) -> ReadTranscript | None:
    """A list of values, or lines of JSON: the first one tells what they are.  None if they have no known form."""
    for shape in SEVERAL:
        if shape.fits(first):
            return _chosen(values, debate, shape)
    if chats.is_message(first):
        return chats.read_chat(list(values))
    if isinstance(values, list) and (found := records.rows_of(values)) is not None:
        return records.read_rows(found.form, found.rows, values, debate)
    if records.is_turn(first):
        return records.read_rows(LINES, values, None, debate)
    return None


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
