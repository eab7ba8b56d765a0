"""What a parser finds in a file: entries in their order, the motion, and what else the file says of the debate."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from events.types import SourceKind
from server.debate.formats.exchange.supplied import LATEST_MS, MAX_ENTRIES
from server.debate.formats.exchange.transcripts import (
    MAX_LICENCE,
    MAX_SOURCE,
    MAX_SPEAKER,
    MAX_TOTAL,
)
from server.debate.opening.request import MAX_MOTION
from server.debate.speech import clean
from server.errors import BadTranscript

EntrySide = Literal["pro", "con", "context", "out"]
"""Whose words an entry has.  ``context``: a moderator or a question; ``out``: it is left out."""

MAX_DEBATES: Final = 1000
"""Debates of one file that are listed."""

_SPACE: Final = re.compile(r"\s+")
_HIDDEN: Final = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of the text after them."""


class TranscriptEntry(Struct, frozen=True, kw_only=True):
    """What one speaker says until another one speaks.  ``side`` is None if the file does not tell it."""

    speaker: str
    text: str
    side: EntrySide | None = None
    at_ms: int | None = None
    """Milliseconds since the start, if the file has times."""


class HeldDebate(Struct, frozen=True, kw_only=True):
    """One of several debates in a file."""

    id: str
    title: str


class ReadTranscript(Struct, frozen=True, kw_only=True):
    """What a parser finds in a file."""

    kind: SourceKind
    entries: tuple[TranscriptEntry, ...]
    motion: str = ""
    source: str = ""
    licence: str = ""
    form: str = ""
    """The name of the form, where a kind has several: a program, or the text that a document holds."""
    warnings: tuple[str, ...] = ()
    """What a reader of the split should know, such as what is left out."""
    doubts: tuple[str, ...] = ()
    """What is only a guess: it is shown and asked about."""
    debates: tuple[HeldDebate, ...] = ()
    """The debates of a file that has several; the entries are those of the chosen one."""
    chosen: str = ""
    """Id of the chosen one."""


def one_line(text: str, most: int) -> str:
    """The text on one line without control characters, cut to ``most`` characters."""
    found = _HIDDEN.sub("", _SPACE.sub(" ", clean(text[: 4 * most]))).strip()
    return found if len(found) <= most else found[: most - 1] + "…"


LeftOut = Literal[
    "lines in brackets",
    "headings",
    "facts above speeches",
    "service messages",
    "entries without words",
    "tools, thinking and images",
    "notes and stage directions",
]
"""What is dropped and counted."""


class EntryCollector:
    """Collects entries within the bounds.  Words of one speaker that follow one another are one entry.

    Raises ``BadTranscript`` when a bound is passed, so a long file is not read to its end.
    """

    def __init__(self) -> None:
        self._entries: list[TranscriptEntry] = []
        self._parts: list[str] = []
        self._last: tuple[str, EntrySide | None, int | None] | None = None
        self._characters = 0
        self._shortened: set[str] = set()
        """Names that were cut."""
        self._left_out = Counter[str]()
        self._doubts = Counter[str]()

    def add(
        self,
        speaker: str,
        text: str,
        *,
        side: EntrySide | None = None,
        at_ms: int | None = None,
        joined: str = "\n\n",
    ) -> None:
        """Add words; an empty text adds nothing."""
        words = clean(text).strip()
        if not words:
            return
        name = one_line(speaker, MAX_SPEAKER)
        if len(speaker) > MAX_SPEAKER and name.endswith("…"):
            self._shortened.add(name)
        if self._last is not None and self._last[:2] == (name, side):
            self._parts += (joined, words)
        else:
            self._end()
            at = at_ms if at_ms is not None and 0 <= at_ms <= LATEST_MS else None
            self._last, self._parts = (name, side, at), [words]
        self._characters += len(words)
        if self._characters > MAX_TOTAL:
            raise BadTranscript(f"the debate is too long: a transcript has at most {MAX_TOTAL:,} characters")

    def leave_out(self, what: LeftOut, number: int = 1) -> None:
        """Count what is dropped."""
        self._left_out[what] += number

    def doubt(self, why: str) -> None:
        """Note a guess; one that is made several times is counted."""
        self._doubts[why] += 1

    def transcript(
        self, kind: SourceKind, *, form: str = "", motion: str = "", source: str = "", licence: str = "",
        warnings: Iterable[str] = (), doubts: Iterable[str] = (),
    ) -> ReadTranscript:  # fmt: skip
        """The entries, with the facts within their bounds, with ``warnings`` and ``doubts`` of the reader."""
        self._end()
        cut = len(self._shortened)
        shortened = (f"A name has at most {MAX_SPEAKER} characters: {cut} of them are cut.",) if cut else ()
        dropped = ", ".join(f"{what} ({count:,})" for what, count in self._left_out.items() if count)
        counted = (f"{why} ({count:,} times)." if count > 1 else f"{why}." for why, count in self._doubts.items())
        return ReadTranscript(
            kind=kind,
            entries=tuple(self._entries),
            motion=one_line(motion, MAX_MOTION),
            source=one_line(source, MAX_SOURCE),
            licence=one_line(licence, MAX_LICENCE),
            form=form,
            warnings=(*shortened, *warnings, *((f"Left out: {dropped}.",) if dropped else ())),
            doubts=(*doubts, *counted),
        )

    def _end(self) -> None:
        if self._last is None:
            return
        if len(self._entries) == MAX_ENTRIES:
            raise BadTranscript(f"the debate is too long: the speaker changes more than {MAX_ENTRIES:,} times")
        name, side, at_ms = self._last
        self._entries.append(TranscriptEntry(speaker=name, text="".join(self._parts), side=side, at_ms=at_ms))
        self._last = None
