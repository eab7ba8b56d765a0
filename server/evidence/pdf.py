"""PDF as the text of its pages, by PDFium.  It runs in a child process: ``server.evidence.child``."""

import re
from collections.abc import Iterator
from typing import Final

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
_NO_TITLE: Final = "untitled"
"""Some programs write it where there is no title."""


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
        """The paragraphs, with their pages.  Text outside a page is left out: no reader sees it."""
        has_text = has_pictures = False
        for number in range(len(self._document)):
            page = self._document[number]
            text = tidy(page.get_textpage().get_text_bounded().replace(_LINE_END_HYPHEN, "-\n"))
            misread = is_misread(text)
            for each in blocks_of(text):
                if each.text.strip():
                    has_text = True
                    yield Block(text=each.text, page=number + 1, is_misread=misread)
            has_pictures = has_pictures or (not has_text and any(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE])))
            page.close()
        if not has_text and has_pictures:
            raise Unreadable("has no text, only pictures of pages: recognise the text (OCR) first")


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
