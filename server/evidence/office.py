"""DOCX and ODT as HTML: paragraphs, headings, tables and bold words.  The files are ZIP archives with XML.

Source: ECMA-376 (Office Open XML) and ISO/IEC 26300 (OpenDocument).  Notes, comments, and words that were deleted while
changes were tracked are left out.
"""

import re
from collections.abc import Iterator
from html import escape
from io import BytesIO
from typing import Final
from xml.etree.ElementTree import Element
from zipfile import BadZipFile, ZipFile

from server.evidence.text import Unreadable, decoded
from server.evidence.trees import attribute, local_name, tree_of

MARK: Final = b"PK\x03\x04"
_ODT_MARK: Final = slice(30, 38)
"""Where an ODT file has the word ``mimetype``."""
_PARTS: Final = {"docx": "word/document.xml", "odt": "content.xml"}
"""The file with the text within the archive."""
_MAX_PART: Final = 200_000_000
"""Bytes of the XML, unpacked."""
_TAGS: Final = {
    "p": "p", "h": "p", "tbl": "table", "table": "table", "tr": "tr", "table-row": "tr", "tc": "td", "table-cell": "td",
}  # fmt: skip
"""The elements of HTML for those of both formats, by their local names."""
_SPACES: Final = {"tab": " ", "br": "<br>", "cr": "<br>", "line-break": "<br>", "s": " "}
_UNREAD: Final = frozenset({
    "annotation", "del", "delText", "instrText", "note", "pPr", "sectPr", "sequence-decls", "styles", "tblPr",
    "tracked-changes",
})  # fmt: skip
_HEADING: Final = re.compile(r"(?:heading|berschrift|titre|ttulo)[ _]?([1-6])|(title|titel)", re.IGNORECASE)
"""The names of styles of headings in some languages, as word processors write them without accents."""
_HEAVY: Final = frozenset({"bold", "600", "700", "800", "900"})


def office_kind(content: bytes) -> str:
    """``docx`` or ``odt``, by the first bytes of an archive."""
    return "odt" if content[_ODT_MARK] == b"mimetype" else "docx"


def office_html(content: bytes, kind: str) -> str:
    """The text as HTML.  Raises ``Unreadable``."""
    root = tree_of(decoded(_part(content, kind)))
    bold = {
        attribute(style, "name")
        for style in root.iter()
        if local_name(style) == "style" and any(attribute(each, "font-weight") in _HEAVY for each in style)
    }
    return "".join(_html(root, bold, kind)).replace("</b><b>", "")


def _part(content: bytes, kind: str) -> bytes:
    """The XML with the text."""
    try:
        with ZipFile(BytesIO(content)) as archive, archive.open(_PARTS[kind]) as file:
            data = file.read(_MAX_PART + 1)
    except KeyError as error:
        raise Unreadable("is an archive: unpack it; of archives only DOCX and ODT are read") from error
    except (BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError) as error:
        raise Unreadable("is damaged or encrypted: it cannot be unpacked") from error
    if len(data) > _MAX_PART:
        raise Unreadable("unpacks to more text than a document may have")
    return data


def _html(root: Element, bold: set[str], kind: str) -> Iterator[str]:
    """The elements in their order.  In DOCX only ``w:t`` has words; white space elsewhere is none of them."""
    held: list[tuple[Element, str | None, bool]] = [(root, None, False)]
    while held:
        element, end, is_in_cell = held.pop()
        if end is not None:
            yield end
            continue
        name = local_name(element)
        after = escape(element.tail or "") if kind == "odt" else ""
        if not name or name in _UNREAD or name in _SPACES:
            yield _SPACES.get(name, "") + after
            continue
        found = (_TAGS.get(name), _heading(element, name), _strong(element, name, bold))
        tags = [tag for tag in found if tag and not (is_in_cell and tag[0] in "ph")]
        yield "".join(f"<{tag}>" for tag in tags) + (" " if is_in_cell and name == "p" else "")
        yield escape(element.text or "") if kind == "odt" or name == "t" else ""
        held.append((element, "".join(f"</{tag}>" for tag in reversed(tags)) + after, is_in_cell))
        held += ((each, None, is_in_cell or name in {"tc", "table-cell"}) for each in reversed(element))


def _heading(element: Element, name: str) -> str:
    """The element of HTML if a paragraph is a heading; empty otherwise."""
    if name == "h":
        level = attribute(element, "outline-level")
        return f"h{level if level in tuple('123456') else 1}"
    styles = (each for part in element if local_name(part) == "pPr" for each in part if local_name(each) == "pStyle")
    style = next(styles, None) if name == "p" else None
    found = None if style is None else _HEADING.search(attribute(style, "val"))
    return f"h{found[1] or 1}" if found else ""


def _strong(element: Element, name: str, bold: set[str]) -> str:
    """``b`` if the words of an element are bold; empty otherwise."""
    if name == "span":
        return "b" if attribute(element, "style-name") in bold else ""
    marks = (each for part in element if local_name(part) == "rPr" for each in part if local_name(each) == "b")
    return "b" if name == "r" and any(attribute(each, "val") not in {"0", "false", "off"} for each in marks) else ""
