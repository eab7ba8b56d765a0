"""The file that was judged, and where quotes stand in it."""

import re
from bisect import bisect_right
from pathlib import Path
from typing import Final
from urllib.parse import quote as quoted

from judge.guard.quotes import find
from server.export.gate.report import FilePlace, FileQuote

BOM: Final = "\ufeff"
_END: Final = re.compile(r"\r?\n")
_WITHIN: Final = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|`([^`]+)`")
"""Words in quotation marks within a finding."""
MIN_WITHIN: Final = 12
"""Characters of words in a finding that are looked for in the file: shorter ones may stand anywhere."""


def text_of(data: bytes) -> str:
    """The text of a file in UTF-8; empty for another one, which has no lines."""
    try:
        return "" if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return ""


class JudgedFile:
    """A file by its text.  ``text`` is empty if it has no lines, as a DOCX has none."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text.removeprefix(BOM)
        self._starts = [0, *(found.end() for found in _END.finditer(self.text))]

    @property
    def uri(self) -> str:
        """The path relative to the folder of this process, else absolute, as a URI."""
        if self.path == "-":
            return "stdin"
        path = Path(self.path)
        if path.is_absolute():
            try:
                path = path.relative_to(Path.cwd())
            except ValueError:
                return path.as_uri()
        return quoted(path.as_posix())

    def place(self, words: str) -> FilePlace | None:
        """Where words stand; None if they are not found."""
        span = find(words, self.text, 1)
        return None if span is None else self.place_of(*span)

    def place_of(self, start: int, end: int) -> FilePlace:
        """The place of ``text[start:end]``, which is not empty."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, end - 1))
        return FilePlace(
            line=first + 1,
            column=start - self._starts[first] + 1,
            end_line=last + 1,
            end_column=end - self._starts[last] + 1,
        )

    def quote(self, words: str, *, checked: bool) -> FileQuote | None:
        """A quote with its place; None without words."""
        if not words:
            return None
        return FileQuote(text=words, checked=checked, place=self.place(words) if checked else None)

    def quote_within(self, finding: str) -> FileQuote | None:
        """The first words of the file that a finding has in quotation marks."""
        for groups in _WITHIN.findall(finding):
            words = next(filter(None, groups))
            if len(words) >= MIN_WITHIN and (place := self.place(words)) is not None:
                return FileQuote(text=words, checked=True, place=place)
        return None
