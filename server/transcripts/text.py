"""Plain text and Markdown with the names of the speakers: before a colon, in headings, or in lines of their own."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from events.types import SourceKind
from server.debate.formats.exchange.transcripts import MAX_TOTAL
from server.debate.opening.request import MAX_MOTION
from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, LeftOut, ReadTranscript
from server.transcripts.forms.lines import BRACKETED
from server.transcripts.hints import side_of
from server.transcripts.labels import (
    SpeakerLabel,
    heading_of,
    is_name,
    label_of,
    name_key,
    without_ordinal,
    without_stage,
)
from server.transcripts.names import ONCE, SpeakerNames
from server.transcripts.tables import is_table, read_csv

_FACT: Final = re.compile(
    r"(?:\*\*|__)?(motion|topic|resolution|resolved|title|debate|question|source|licen[cs]e|date|authors?|location|place"
    r"|participants|speakers|format|recorded|duration|language|words?|url|link|event|venue|thema|tema|sujet)(?:\*\*|__)?"
    r"\s*[:：](?:\*\*|__)?\s*(.*)",
    re.IGNORECASE,
)
_LISTED_FACT: Final = re.compile(r"[-*] ([a-z][a-z_]{1,40}):\s+(.*)")
"""A fact in a list above the first heading, or below the heading of a speech: its key is in small letters."""
_OF_TURNS: Final = frozenset(("model", "words", "tokens", "time", "side", "round", "speaker", "score"))
"""Such keys without an underscore below the heading of a speech; others may be points that it makes."""
_MOTION_FACTS: Final = (
    "motion", "proposition", "resolution", "resolved", "topic", "question", "thema", "tema", "sujet", "debate", "title",
)  # fmt: skip
"""Lines that name the motion, the surest first."""
_ASIDE: Final = re.compile(r"[*_]?(?:[(\[][^()\[\]\n]{1,120}[)\]]|<[A-Z][^<>=\n]{1,60}>)[*_]?\.?")
_SOUNDS: Final = frozenset(
    ("crosstalk", "cross talk", "inaudible", "applause", "laughter", "music", "noise", "silence")
)
"""What stands in brackets before a colon in place of a name."""
_RULE: Final = re.compile(r"[-*_=~]{3,}")
_TIME: Final = re.compile(BRACKETED)
"""A line that is only a time."""
_ROUND: Final = re.compile(r"(?:round|turn|part)\s\d{1,3}[.:]?", re.IGNORECASE)
"""A line that is a heading without its mark."""
_LONGEST_TITLE: Final = 300
"""Characters of a first line that may be the motion."""
_TOO_LONG: Final = f"the file is too long: a transcript has at most {MAX_TOTAL:,} characters"

LineRole = Literal["colon", "heading", "line"]


class MarkedLine(Struct, frozen=True, kw_only=True):
    """A line that names the speaker of what follows it.  ``level``: that of a heading."""

    role: LineRole
    label: SpeakerLabel
    level: int = 0
    is_sure: bool = True
    """Whether more than the place of the name tells that it is one."""


Marks = dict[int, MarkedLine]
"""By the number of the line."""


def read_text(
    text: str, kind: SourceKind, *, form: str = "", doubts: Sequence[str] = (), is_wrapped: bool = False
) -> ReadTranscript:
    """The entries of a text.  ``is_wrapped``: its lines are broken where a page ends.

    Raises ``BadTranscript`` if it names no speaker.
    """
    if len(text) > MAX_TOTAL + MAX_TOTAL // 4:
        raise BadTranscript(_TOO_LONG)
    lines = list(_with_headings(text.splitlines()))
    facts, first = _facts(lines)
    rows = [line for line in lines if line.lstrip().startswith("|")]
    if is_table(rows):
        found = read_csv(rows, motion=_motion(facts) or _heading(lines))
        return replace(found, kind=kind, doubts=(*doubts, *found.doubts))
    marks, merged = max(_ways(lines, first), key=lambda way: _worth(way[0]))
    if not marks:
        raise BadTranscript(
            "no speaker is named in the file: begin each speech with a name and a colon, as in “Ann: …”"
        )
    collector = EntryCollector()
    begins = min(marks)
    title = _preamble(lines, first, begins, collector)
    _doubt_names(marks, merged, collector)
    _collect(lines, marks, begins, collector, " " if is_wrapped else "\n")
    return collector.transcript(
        kind,
        form=form,
        motion=_motion(facts) or title,
        source=facts.get("source", ""),
        licence=facts.get("licence", facts.get("license", "")),
        doubts=doubts,
    )


def _with_headings(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with the mark of a heading before those that are underlined after an empty line."""
    for before, line, after in zip(("", *lines), lines, (*lines[1:], ""), strict=False):
        is_heading = len(after) > 2 and not after.strip("-=") and not before.strip() and line.strip()  # noqa: PLR2004
        yield f"{'#' if after[0] == '=' else '##'} {line}" if is_heading and heading_of(line) is None else line


def _motion(facts: dict[str, str]) -> str:
    return next((facts[name] for name in _MOTION_FACTS if name in facts), "")


def _heading(lines: Sequence[str]) -> str:
    return next((found[1] for line in lines if (found := heading_of(line))), "")


def _facts(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """What lines at the beginning say of the debate, such as ``Motion: …``, and the number of the first other line."""
    facts: dict[str, str] = {}
    first = 0
    for number, line in enumerate(lines):
        bare = line.strip().lstrip("#>-* ").strip() if not line.lstrip().startswith(("**", "__")) else line.strip()
        if not bare or _RULE.fullmatch(line.strip()):
            continue
        found = _FACT.fullmatch(bare[: MAX_MOTION * 2]) or _LISTED_FACT.fullmatch(line[: MAX_MOTION * 2])
        if found is None:
            if facts or heading_of(line) is None:
                break
            continue
        facts.setdefault(found[1].lower(), found[2].strip("*_ "))
        first = number + 1
    return facts, first


def _ways(lines: Sequence[str], first: int) -> Iterator[tuple[Marks, list[tuple[str, str]]]]:
    """The ways to find the speakers, the preferred one first, each with the names that it takes for one person's."""
    labelled: dict[int, tuple[SpeakerLabel, bool]] = {}
    headings: dict[int, tuple[int, str]] = {}
    is_after_blank = True
    for number, line in enumerate(lines):
        is_blank = not line.strip(" \t>") or _TIME.fullmatch(line.strip()) is not None
        if number >= first and not is_blank:
            if heading := heading_of(line):
                headings[number] = heading
            elif label := label_of(line):
                labelled[number] = (label, is_after_blank)
        is_after_blank = is_blank or number in labelled
    has_blanks = any(not line.strip() for line in lines[first:])
    colons = {number: each for number, each in labelled.items() if each[0].form == "colon"}
    yield _named(colons, "colon", lambda begins: begins or not has_blanks)
    yield _by_heading(headings)
    alone = {number: each for number, each in labelled.items() if each[0].form == "line"}
    yield _named(alone, "line", lambda _: False)


def _named(
    found: dict[int, tuple[SpeakerLabel, bool]], role: LineRole, begins: Callable[[bool], bool], level: int = 0
) -> tuple[Marks, list[tuple[str, str]]]:
    names = SpeakerNames([label for label, _ in found.values()])
    marks = {
        number: MarkedLine(
            role=role, label=replace(label, name=names.called(label)), level=level, is_sure=names.is_sure(label)
        )
        for number, (label, after_blank) in found.items()
        if role == "heading" or names.accepts(label, begins_paragraph=begins(after_blank))
    }
    return marks, names.merged


def _by_heading(headings: dict[int, tuple[int, str]]) -> tuple[Marks, list[tuple[str, str]]]:
    """The headings of the level that names speakers: the one with most names that come again or tell a side."""
    best: tuple[tuple[int, int], int, dict[int, str]] = ((0, 0), 0, {})
    for level in range(1, 7):
        named = {number: without_stage(without_ordinal(text)) for number, (at, text) in headings.items() if at == level}
        of_level = {number: name for number, name in named.items() if is_name(name)}
        if len(of_level) < 2:  # noqa: PLR2004 - a debate has two sides
            continue
        counts = Counter(text.casefold() for text in of_level.values())
        sure = sum(counts[text.casefold()] > 1 or side_of(text) is not None for text in of_level.values())
        best = max(best, ((sure, len(of_level)), level, of_level), key=lambda each: each[0])
    _, level, names = best
    labels = {number: (SpeakerLabel(name=name, rest="", form="line"), True) for number, name in names.items()}
    return _named(labels, "heading", lambda _: True, level)


def _worth(marks: Marks) -> tuple[bool, bool, bool]:
    """Headings that tell both sides come first, then ways with two speakers; ``max`` keeps the first of equals."""
    speakers = {name_key(mark.label.name) for mark in marks.values()}
    told = {side_of(mark.label.name) for mark in marks.values() if mark.role == "heading"}
    return {"pro", "con"} <= told, len(speakers) > 1, bool(speakers)


def _preamble(lines: Sequence[str], first: int, begins: int, collector: EntryCollector) -> str:
    """The title in what stands before the first speech.  The rest is collected as words to leave out."""
    title = ""
    rest: list[str] = []
    heading = _heading(lines[:begins])
    for line in lines[first:begins]:
        bare = line.strip()
        if not bare or _RULE.fullmatch(bare) or heading_of(line):
            continue
        if not heading and not title and len(bare) <= _LONGEST_TITLE:
            title = bare.strip("*_ ")
        else:
            rest.append(bare)
    collector.add("", "\n".join(rest), side="out")
    return heading or title


def _doubt_names(marks: Marks, merged: Sequence[tuple[str, str]], collector: EntryCollector) -> None:
    """Note the names of which only their place tells that they are some, where the file has surer ones or many."""
    names = {mark.label.name: mark for mark in marks.values()}
    unsure = [name for name, mark in names.items() if not mark.is_sure]
    if len(names) > 2 or len(unsure) < len(names):  # noqa: PLR2004 - a debate of two speeches has two names
        for name in unsure:
            collector.doubt(ONCE.format(name))
    for one, other in merged:
        collector.doubt(f"“{one}” and “{other}” are taken for one person")


def _collect(lines: Sequence[str], marks: Marks, begins: int, collector: EntryCollector, joined: str) -> None:
    """Collect the speeches from line ``begins`` on."""
    speeches = _Speeches(collector, joined)
    for number in range(begins, len(lines)):
        line = lines[number].strip()
        if mark := marks.get(number):
            speeches.begin(mark)
            line = mark.label.rest
        speeches.add("" if line == ">" else line.removeprefix("> "))
    speeches.begin(None)


class _Speeches:
    """Collects speeches line by line.  What stands after a heading that names nobody is left out."""

    def __init__(self, collector: EntryCollector, joined: str) -> None:
        self._collector, self._joined = collector, joined
        self._mark: MarkedLine | None = None
        self._paragraph: list[str] = []
        self._has_words = False

    def begin(self, mark: MarkedLine | None) -> None:
        """The speech before is over; None: nobody's words follow."""
        self._flush()
        self._mark, self._has_words = mark, False

    def add(self, line: str) -> None:
        """Add a line; an empty one ends a paragraph."""
        if not line or _TIME.fullmatch(line):
            self._flush()
        elif why := self._why_left_out(line):
            self._collector.leave_out(why)
        elif not _RULE.fullmatch(line):
            self._paragraph.append(line)
            self._has_words = True

    def _why_left_out(self, line: str) -> LeftOut | None:
        heading, mark = heading_of(line), self._mark
        if heading is not None:
            if mark is not None and mark.role == "heading" and heading[0] <= mark.level:
                self.begin(None)
            return "headings"
        if _ROUND.fullmatch(line):
            return "headings"
        if _ASIDE.fullmatch(line):
            return "lines in brackets"
        is_below_name = mark is not None and mark.role == "heading" and not self._has_words
        return "facts above speeches" if is_below_name and _is_fact(line) else None

    def _flush(self) -> None:
        label = None if self._mark is None else self._mark.label
        is_out = label is None or name_key(label.name) in _SOUNDS
        self._collector.add(
            "" if label is None else label.name,
            self._joined.join(self._paragraph),
            side="out" if is_out else None,
            at_ms=None if label is None else label.at_ms,
        )
        self._paragraph.clear()


def _is_fact(line: str) -> bool:
    found = _LISTED_FACT.fullmatch(line)
    return found is not None and ("_" in found[1] or found[1] in _OF_TURNS)
