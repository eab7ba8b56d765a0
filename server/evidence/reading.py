"""A document read by a child process (``server.evidence.child``), within bounds of time and memory."""

from pathlib import PurePath
from typing import Final

from msgspec import Struct

from server.child import Bounds, ChildEnded, read_in_child
from server.evidence.child import MEMORY_FAULT, WantedDocument
from server.evidence.passages import CutPassage
from server.evidence.text import Unreadable

CHILD: Final = "server.evidence.child"
CPU_S: Final = 60
"""Seconds of computing that a document may take."""
MEMORY: Final = 1 << 30
"""Bytes of address space of the child."""
WALL_S: Final = 2.0 * CPU_S
"""Seconds until a child is ended that does not compute either."""
SLOW: Final = "takes more time to read than a document may take"
TYPES: Final = {"text/markdown": "markdown", "text/html": "html", "application/xhtml+xml": "html"}
ENDS: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
}
MEDIA_TYPES: Final = {
    "text": "text/plain", "markdown": "text/markdown", "html": "text/html", "pdf": "application/pdf"
}  # fmt: skip
"""The media types that are read, by the reader."""
_PDF_MARK: Final = b"%PDF-"
_PDF_MARK_WITHIN: Final = 1024
"""Bytes within which the mark of a PDF file may stand."""


class DocumentReading(Struct, frozen=True, kw_only=True):
    """What a file says: its title, empty if it has none, and its text as passages."""

    title: str = ""
    characters: int = 0
    passages: tuple[CutPassage, ...] = ()
    fault: str = ""
    """Why it cannot be read; the rest is empty then."""


def kind_of(name: str, media_type: str | None, content: bytes) -> str:
    """The reader of a file: ``pdf`` by its mark, ``markdown`` or ``html`` by its type or its name, else ``text``."""
    if _PDF_MARK in content[:_PDF_MARK_WITHIN] or media_type == MEDIA_TYPES["pdf"]:
        return "pdf"
    return TYPES.get(media_type or "") or ENDS.get(PurePath(name.lower()).suffix, "text")


async def read_document(content: bytes, kind: str, most: int) -> DocumentReading:
    """The passages of a file with at most ``most`` characters of text.  Raises ``Unreadable``."""
    told = WantedDocument(kind=kind, most=most)
    bounds = Bounds(cpu_s=CPU_S, wall_s=WALL_S, memory=MEMORY)
    try:
        found = await read_in_child(CHILD, told, content, bounds, DocumentReading)
    except ChildEnded as error:
        raise Unreadable(_ending(error)) from error
    if found.fault:
        raise Unreadable(found.fault)
    return found


def _ending(error: ChildEnded) -> str:
    """Why a child gave no answer."""
    if error.why == "memory":
        return MEMORY_FAULT
    return SLOW if error.why == "time" else f"cannot be read: its reader ended with status {error.status}"
