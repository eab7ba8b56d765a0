"""A document read within bounds of time and memory: this module is also the program of the child process that reads it.

The program's standard input is one line, then the file (``server.process.child``).
"""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final, TypeVar

from msgspec import Struct

from server.evidence.office import MARK, office_html, office_kind
from server.evidence.passages import MAX_CHARACTERS, Block, cut
from server.evidence.text import Unreadable, blocks_of, decoded
from server.process.child import Bounds, ChildEnded, answer, read_in_child
from server.process.extras import is_installed, needed

T = TypeVar("T")

PROGRAM: Final = "server.evidence.reading"
CPU_S: Final = (10, 60)
"""Seconds of computing that a document may take: the fewest, and the most."""
CPU_S_PER_MB: Final = 10.0
"""Further seconds for each megabyte.  HTML and Markdown take up to three, whatever is in them."""
MEMORY: Final = 1 << 30
"""Bytes of address space of the child."""
WALL_S: Final = 2.0
"""Seconds on the clock for each one of computing: a child that does not compute either is ended."""
NAMES: Final = {"text": "text", "markdown": "Markdown", "html": "HTML", "pdf": "PDF", "docx": "DOCX", "odt": "ODT"}
MEMORY_FAULT: Final = "takes more memory to read than a document may take"
TIME_FAULT: Final = "takes more time to read than a document may take"
TYPES: Final = {"text/markdown": "markdown", "text/html": "html", "application/xhtml+xml": "html"}
ENDS: Final = {
    ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf",
}  # fmt: skip
MEDIA_TYPES: Final = {
    "text": "text/plain", "markdown": "text/markdown", "html": "text/html", "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text",
}  # fmt: skip
"""The media types that are read, by the reader."""
_PDF_MARK: Final = b"%PDF-"
_PDF_MARK_WITHIN: Final = 1024
"""Bytes within which the mark of a PDF file may stand."""


class WantedDocument(Struct, frozen=True, kw_only=True):
    """What the program is told in addition to the file.  ``most``: the characters that its text may have."""

    kind: str
    most: int


class DocumentReading(Struct, frozen=True, kw_only=True):
    """What a file says: its title, empty if it has none, and its text as passages."""

    title: str = ""
    characters: int = 0
    passages: tuple[Block, ...] = ()
    fault: str = ""
    """Why it cannot be read; the rest is empty then."""


def kind_of(name: str, media_type: str | None, content: bytes) -> str:
    """The reader of a file: ``pdf``, ``docx``, ``odt`` by its mark, others by type or name, else ``text``."""
    if is_pdf(content) or media_type == MEDIA_TYPES["pdf"]:
        return "pdf"
    if content.startswith(MARK):
        return office_kind(content)
    return TYPES.get(media_type or "") or ENDS.get(PurePath(name.lower()).suffix, "text")


def cpu_seconds(size: int) -> int:
    """Seconds of computing that a document of ``size`` bytes may take."""
    least, most = CPU_S
    return min(most, least + int(CPU_S_PER_MB * size / 1_000_000))


def is_pdf(content: bytes) -> bool:
    """Whether a file has the mark of PDF."""
    return _PDF_MARK in content[:_PDF_MARK_WITHIN]


async def read_document(content: bytes, kind: str, most: int) -> DocumentReading:
    """The passages of a file with at most ``most`` characters of text.  Raises ``Unreadable``."""
    told = WantedDocument(kind=kind, most=most)
    cpu_s = cpu_seconds(len(content))
    bounds = Bounds(cpu_s=cpu_s, wall_s=WALL_S * cpu_s, memory=MEMORY)
    try:
        found = await read_in_child(PROGRAM, told, content, bounds, DocumentReading)
    except ChildEnded as error:
        ended = f"cannot be read: its reader ended with status {error.status}"
        raise Unreadable({"memory": MEMORY_FAULT, "time": TIME_FAULT}.get(error.why, ended)) from error
    if found.fault:
        raise Unreadable(found.fault)
    return found


# the program


def read_bytes(content: bytes, kind: str, most: int) -> DocumentReading:
    """The passages of a file, or its fault.  ``most``: its characters may be so many."""
    try:
        return readable(lambda: _passages(content, kind, most), kind)
    except Unreadable as error:
        return DocumentReading(fault=error.why)


def readable(read: Callable[[], T], kind: str) -> T:
    """What a reader gives.  Raises ``Unreadable`` for whatever it raises: its file is damaged or too large."""
    try:
        return read()
    except Unreadable:
        raise
    except MemoryError as error:
        raise Unreadable(MEMORY_FAULT) from error
    except RecursionError as error:
        raise Unreadable("is nested too deeply to be read") from error
    except Exception as error:  # the readers raise anything for a damaged file
        raise Unreadable(f"is damaged: it cannot be read as {NAMES[kind]} ({type(error).__name__})") from error


def _passages(content: bytes, kind: str, most: int) -> DocumentReading:
    from server.evidence.markup import Markup, html_text, markdown_html  # noqa: PLC0415 - only the child needs parsers

    if not content.strip():
        raise Unreadable("is empty")
    source: Any = None
    match kind:
        case "pdf":
            source = pdf_of(content)
        case "docx" | "odt":
            source = Markup(office_html(content, kind))
        case "html":
            source = Markup(html_text(content))
        case "markdown":
            source = Markup(markdown_html(decoded(content)))
    characters, passages = 0, []
    for each in cut(source.blocks() if source is not None else blocks_of(decoded(content))):
        characters += len(each.text)
        if characters > most:
            raise Unreadable(f"has too much text: all documents have at most {MAX_CHARACTERS:,} characters together")
        passages.append(each)
    if not passages:
        raise Unreadable("has no text")
    title = source.title if source is not None else ""
    return DocumentReading(title=title, characters=characters, passages=tuple(passages))


def pdf_of(content: bytes) -> Any:
    """A PDF file (``server.evidence.pdf.Pdf``).  Raises ``Unreadable``."""
    if not is_installed("pdf"):
        raise Unreadable(f"cannot be read: PDF {needed('pdf')}")
    from server.evidence.pdf import Pdf  # noqa: PLC0415 - PDFium is loaded for a PDF only

    return Pdf(content)


if __name__ == "__main__":
    answer(WantedDocument, lambda wanted, content: read_bytes(content, wanted.kind, wanted.most))
