"""PDF as the text of its pages, by pypdf.  It runs in a child process: ``server.evidence.child``."""

import logging
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

from pypdf import PdfReader
from pypdf.errors import DependencyError

from server.evidence.passages import Block
from server.evidence.text import MOST_TITLE, Unreadable, blocks_of, line_of, tidy

_LOCKED: Final = "is encrypted: save it without a password"


class Pdf:
    """A PDF file.  Raises ``Unreadable``, here and while its pages are read."""

    def __init__(self, content: bytes) -> None:
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        self._reader = PdfReader(BytesIO(content), strict=False)
        if self._reader.is_encrypted:
            self._unlock()
        self.title = self._title()

    def blocks(self) -> Iterator[Block]:
        """The paragraphs, with their pages."""
        has_text = has_pictures = False
        for number, page in enumerate(self._reader.pages, 1):
            for each in blocks_of(tidy(page.extract_text())):
                if each.text.strip():
                    has_text = True
                    yield Block(text=each.text, page=number)
            has_pictures = has_pictures or (not has_text and _has_pictures(page))
        if not has_text and has_pictures:
            raise Unreadable("has no text, only pictures of pages: recognise the text (OCR) first")

    def _unlock(self) -> None:
        """Some files are encrypted with an empty password: every reader opens them."""
        try:
            if not self._reader.decrypt(""):
                raise Unreadable(_LOCKED)
        except DependencyError as error:
            raise Unreadable(_LOCKED) from error

    def _title(self) -> str:
        found = self._reader.metadata
        title = found.title if found is not None else None
        words = line_of(title) if isinstance(title, str) else ""
        return "" if words == "untitled" else words[:MOST_TITLE]  # some programs write it for want of a title


def _has_pictures(page: Any) -> bool:
    return any(True for _ in page.images.keys())  # noqa: SIM118 - no mapping, and its values are decoded pictures
