"""A document read by a child process (``server.evidence.child``), within bounds of time and memory."""

import os
import signal
import sys
from pathlib import Path, PurePath
from subprocess import DEVNULL
from typing import Final

import anyio
import msgspec
from msgspec import Struct

from server.evidence.child import MEMORY_FAULT, OUT_OF_MEMORY
from server.evidence.passages import CutPassage
from server.evidence.text import Unreadable

CHILD: Final = Path(__file__).with_name("child.py")
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
    bounds = {"most": most, "cpu_s": CPU_S, "memory": MEMORY}
    wanted = msgspec.json.encode({"parent": os.getpid(), "kind": kind, **bounds})
    try:
        with anyio.fail_after(WALL_S):
            ended = await anyio.run_process(
                [sys.executable, "-P", str(CHILD)],
                input=wanted + b"\n" + content,
                check=False,
                stderr=DEVNULL,
                start_new_session=True,  # Ctrl-C must not reach the child: Moot ends it
            )
    except TimeoutError as error:
        raise Unreadable(SLOW) from error
    if ended.returncode:
        raise Unreadable(_ending(ended.returncode))
    found = msgspec.json.decode(ended.stdout, type=DocumentReading)
    if found.fault:
        raise Unreadable(found.fault)
    return found


def _ending(status: int) -> str:
    """Why a child gave no answer; a negative status is a signal."""
    if status == OUT_OF_MEMORY:
        return MEMORY_FAULT
    if status == -signal.SIGXCPU:
        return SLOW
    return f"cannot be read: its reader ended with status {status}"
