"""The program that reads one document: its standard input is one line, then the file (``server.child``)."""

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from server.child import answer
from server.evidence.passages import MOST_CHARACTERS, cut
from server.evidence.text import Unreadable, blocks_of, decoded
from server.extras import is_installed, needed

NAMES: Final = {"text": "text", "markdown": "Markdown", "html": "HTML", "pdf": "PDF"}
MEMORY_FAULT: Final = "takes more memory to read than a document may take"


class WantedDocument(Struct, frozen=True, kw_only=True):
    """What the program is told beside the file.  ``most``: the characters that its text may have."""

    kind: str
    most: int


def main() -> None:
    """Read the file on standard input."""
    answer(WantedDocument, lambda wanted, content: reading(content, wanted.kind, wanted.most))


def reading(content: bytes, kind: str, most: int) -> dict[str, Any]:
    """The passages of a file, or its fault.  ``most``: its characters may be so many."""
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


def _passages(content: bytes, kind: str, most: int) -> dict[str, Any]:
    from server.evidence.markup import Markup, html_text, markdown_html  # noqa: PLC0415 - only the child needs parsers

    if not content.strip():
        raise Unreadable("is empty")
    source: Any = None
    match kind:
        case "pdf":
            if not is_installed("pdf"):
                raise Unreadable(f"cannot be read: PDF {needed('pdf')}")
            from server.evidence.pdf import Pdf  # noqa: PLC0415 - PDFium is loaded for a PDF only

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
        passages.append(asdict(each))
    if not passages:
        raise Unreadable("has no text")
    return {"title": source.title if source is not None else "", "characters": characters, "passages": passages}


if __name__ == "__main__":
    main()
