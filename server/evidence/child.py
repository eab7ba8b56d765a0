"""Reads one document in a process of its own, within bounds of time and memory: run by its path.

Its stdin is one JSON line, ``{"parent", "kind", "most", "cpu_s", "memory"}``, and then the file.  It writes
one JSON object: ``{"title", "characters", "passages"}``, or ``{"fault"}``.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
OUT_OF_MEMORY: Final = 3
"""The status of a process that has too little memory to say so."""
MEMORY_FAULT: Final = "takes more memory to read than a document may take"


def main() -> None:
    """Read stdin, write the answer."""
    wanted = json.loads(sys.stdin.buffer.readline())
    _end_with(wanted["parent"])
    limit(wanted["cpu_s"], wanted["memory"])
    sys.path.insert(0, str(Path(__file__).parents[2]))
    try:
        answer = reading(sys.stdin.buffer.read(), wanted["kind"], wanted["most"])
        sys.stdout.buffer.write(json.dumps(answer).encode())
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def limit(cpu_s: int, memory: int) -> None:
    """Bound seconds of computing and bytes of address space; some systems have only the parent's time limit."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    for name, most, hard in (("CPU", cpu_s, cpu_s + 5), ("AS", memory, memory), ("CORE", 0, 0), ("FSIZE", 0, 0)):
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, hard))
        except (OSError, ValueError):  # the system's own bound is lower, or it has none of this kind
            continue


def reading(content: bytes, kind: str, most: int) -> dict[str, Any]:
    """The passages of a file, or its fault.  ``most``: its characters may be so many."""
    from server.evidence.text import Unreadable  # noqa: PLC0415 - after the limits

    try:
        return _passages(content, kind, most)
    except Unreadable as error:
        return {"fault": error.why}
    except MemoryError:
        return {"fault": MEMORY_FAULT}
    except RecursionError:
        return {"fault": "is nested too deeply to be read"}
    except Exception as error:  # noqa: BLE001 - the readers raise anything for a damaged file
        return {"fault": f"is damaged: it cannot be read as {NAMES[kind]} ({type(error).__name__})"}


NAMES: Final = {"text": "text", "markdown": "Markdown", "html": "HTML", "pdf": "PDF"}


def _passages(content: bytes, kind: str, most: int) -> dict[str, Any]:
    from server.evidence.markup import Markup, html_text, markdown_html  # noqa: PLC0415
    from server.evidence.passages import MOST_CHARACTERS, cut  # noqa: PLC0415
    from server.evidence.pdf import Pdf  # noqa: PLC0415
    from server.evidence.text import Unreadable, blocks_of, decoded  # noqa: PLC0415

    if not content.strip():
        raise Unreadable("is empty")
    source: Any = None
    match kind:
        case "pdf":
            source = Pdf(content)
        case "html":
            source = Markup(html_text(content))
        case "markdown":
            source = Markup(markdown_html(decoded(content)))
    characters, passages = 0, []
    for each in cut(source.blocks() if source is not None else blocks_of(decoded(content))):
        characters += len(each.text)
        if characters > most:
            raise Unreadable(f"has too much text: all documents have at most {MOST_CHARACTERS:,} characters together")
        passages.append({"text": each.text, "page": each.page, "heading": each.heading})
    if not passages:
        raise Unreadable("has no text")
    return {"title": source.title if source is not None else "", "characters": characters, "passages": passages}


def _end_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the prctl call
            os._exit(0)


if __name__ == "__main__":
    main()
