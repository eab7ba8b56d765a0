"""PDF as the text of its pages, by PDFium.  It runs in a child process: ``server.evidence.reading``."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace
from pypdfium2 import PdfDocument, PdfiumError, raw

from events.text.segmentation import MARKS, UNSPACED
from server.evidence.passages import Block
from server.evidence.text import MAX_TITLE, Unreadable, blocks_of, line_of, tidy

LONGEST_WORD: Final = 24
"""Letters of a word; more of them are words that run together, or a word of a language that builds long ones."""
MAX_GLUED: Final = 0.1
"""Share of a page's letters that may stand in longer words.

Measured by page: Debian's policy 4.6.2 (XeLaTeX) read by pypdf, which loses spaces, 0.22 to 0.61; read by PDFium, and
the Filesystem Hierarchy Standard read by either, at most 0.02.  Of 532 translations of the Universal Declaration of
Human Rights two have more than 0.1 (Nuosu, Greenlandic), the next one 0.07 (Malayalam).
"""
MAX_ALONE: Final = 0.3
"""Share of a page's Latin, Greek and Cyrillic letters that may stand alone; at most 0.11 in the same translations."""
_LETTER: Final = rf"[^\W\d_{UNSPACED}]"
_WORD: Final = re.compile(rf"{_LETTER}(?:[{MARKS}]*{_LETTER})*")
_ALPHABETIC: Final = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]")
_LINE_END_HYPHEN: Final = "\x02"
"""What PDFium writes for a hyphen and the end of its line."""
_LOCKED: Final = frozenset((raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY))
_PAGES_COMPARED: Final = 60
"""Pages whose first and last lines are compared."""
_EDGE: Final = 2
"""Lines at the top and at the foot of a page that may be running heads or feet."""
_MIN_REPEATED: Final = 3
"""Pages that a running head stands on."""
_SHARE_REPEATED: Final = 4
"""It stands on at least a quarter of the pages: one side of the book, or some chapters."""
_NUMBER: Final = re.compile(r"^(\d{1,5})\b(?!\.\d)|(?<![\d.])\b(\d{1,5})$")
_SENTENCE_GOES_ON: Final = re.compile(r"[^.!?…:;。！？\s]$")
_NO_TITLE: Final = "untitled"
"""Some programs write it where there is no title."""


class _Running(NamedTuple):
    """What stands at the top or the foot of pages without being text.

    ``lines``: without digits.  ``offset``: a page number less the place of its page in the file, from 0.
    """

    lines: frozenset[str]
    offset: int | None

    def without(self, text: str, number: int) -> str:
        """The text of page ``number``, from 0, without its running heads and feet."""
        lines = text.strip("\n").split("\n")
        for edge in (0, -1):
            for _ in range(_EDGE):
                if lines and (
                    _without_digits(lines[edge]) in self.lines or self.offset in _offsets(lines[edge], number)
                ):
                    del lines[edge]
        return "\n".join(lines)


class Pdf:
    """A PDF file.  Raises ``Unreadable``, here and while its pages are read."""

    def __init__(self, content: bytes) -> None:
        try:
            self._document = PdfDocument(content)  # a file with an empty password is opened: every reader opens it
        except PdfiumError as error:
            if error.err_code in _LOCKED:
                raise Unreadable("is encrypted: save it without a password") from error
            raise
        title = line_of(self._document.get_metadata_value("Title"))
        self.title = "" if title == _NO_TITLE else title[:MAX_TITLE]

    def blocks(self) -> Iterator[Block]:
        """The paragraphs, with their pages.  Text outside a page is left out: no reader sees it.

        Running heads, running feet and page numbers are left out, and a sentence that goes on over the end of a page
        is whole.
        """
        has_text = has_pictures = False
        running = self._running()
        held: Block | None = None
        for number in range(len(self._document)):
            text = running.without(self._text(number), number)
            misread = is_misread(text)
            for each in blocks_of(text):
                if not each.text.strip():
                    continue
                has_text = True
                block = Block(text=each.text, page=number + 1, is_misread=misread)
                if held is not None and _goes_on(held, block):
                    block = replace(held, text=f"{held.text} {block.text}")
                elif held is not None:
                    yield held
                held = block
            page = self._document[number]
            has_pictures = has_pictures or (not has_text and any(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE])))
            page.close()
        if held is not None:
            yield held
        if not has_text and has_pictures:
            raise Unreadable("has no text, only pictures of pages: recognise the text (OCR) first")

    def lines(self) -> str:
        """The text with the lines of the pages, without running heads and feet, for what depends on them."""
        running = self._running()
        return "\n".join(running.without(self._text(number), number) for number in range(len(self._document)))

    def _running(self) -> _Running:
        return _running([self._text(number) for number in range(min(len(self._document), _PAGES_COMPARED))])

    def _text(self, number: int) -> str:
        """The text of a page, from 0."""
        page = self._document[number]
        text = tidy(page.get_textpage().get_text_bounded().replace(_LINE_END_HYPHEN, "-\n"))
        page.close()
        return text


def _running(pages: list[str]) -> _Running:
    """The running heads and feet of some pages."""
    edges = {number: _edges(text) for number, text in enumerate(pages) if text.strip()}
    least = max(_MIN_REPEATED, len(edges) // _SHARE_REPEATED)
    lines = Counter(line for found in edges.values() for line in set(map(_without_digits, found)))
    offsets = Counter(
        offset for number, found in edges.items() for offset in {at for line in found for at in _offsets(line, number)}
    )
    offset, count = max(offsets.items(), key=lambda each: each[1], default=(None, 0))
    is_numbered = count >= max(_MIN_REPEATED, len(edges) // 2)
    repeated = frozenset(line for line, count in lines.items() if count >= least and line)
    return _Running(repeated, offset if is_numbered else None)


def _edges(text: str) -> set[str]:
    """The first and the last lines of a page."""
    lines = text.strip("\n").split("\n")
    return {*lines[:_EDGE], *lines[-_EDGE:]}


def _without_digits(line: str) -> str:
    return " ".join(re.sub(r"\d++", "", line).split())


def _offsets(line: str, number: int) -> set[int]:
    """A number at an edge of a line, less the number of its page, from 0: of page numbers it is always the same."""
    return {int(found[1] or found[2]) - number for found in _NUMBER.finditer(line.strip())}


def _goes_on(held: Block, block: Block) -> bool:
    """Whether a sentence goes on from one page to the next one."""
    return (
        block.page == held.page + 1
        and held.is_misread == block.is_misread
        and _SENTENCE_GOES_ON.search(held.text) is not None
        and block.text[:1].islower()
    )


def is_misread(text: str) -> bool:
    """Whether the words of a page are implausible: too many run together, or stand letter by letter.

    Scripts without spaces between words do not count.
    """
    words = _WORD.findall(text)
    letters = [len(each) for each in words]
    alphabetic = [len(each) for each in words if _ALPHABETIC.match(each)]
    return sum(each for each in letters if each > LONGEST_WORD) > MAX_GLUED * sum(letters) or alphabetic.count(
        1
    ) > MAX_ALONE * sum(alphabetic)
