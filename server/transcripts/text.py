"""Plain text and Markdown with the names of the speakers: before a colon, in headings, or in lines of their own."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from server.debate.formats.exchange.transcripts import MAX_TOTAL
from server.debate.opening.request import MAX_MOTION
from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, ReadTranscript
from server.transcripts.hints import side_of
from server.transcripts.labels import SpeakerLabel, heading_of, is_name, label_of, without_ordinal
from server.transcripts.names import SpeakerNames

_FACT: Final = re.compile(
    r"(?:\*\*|__)?(motion|topic|resolution|resolved|title|debate|question|source|licen[cs]e|date|authors?|location|place"
    r"|participants|speakers|format|recorded|duration|language|words?|url|link|event|venue)(?:\*\*|__)?\s*[:：]"
    r"(?:\*\*|__)?\s*(.*)",
    re.IGNORECASE,
)
_MOTION_FACTS: Final = ("motion", "resolution", "resolved", "topic", "question", "debate", "title")
"""Lines that name the motion, the surest first."""
_ASIDE_LINE: Final = re.compile(r"[*_]?[(\[][^()\[\]\n]{1,120}[)\]][*_]?\.?")
_RULE: Final = re.compile(r"[-*_=~]{3,}")
_LONGEST_TITLE: Final = 300
"""Characters of a first line that may be the motion."""
_TOO_LONG: Final = f"the file is too long: a transcript has at most {MAX_TOTAL:,} characters"

LineRole = Literal["colon", "heading", "line"]


class MarkedLine(Struct, frozen=True, kw_only=True):
    """A line that names the speaker of what follows it."""

    role: LineRole
    label: SpeakerLabel


Marks = dict[int, MarkedLine]
"""By the number of the line."""


def read_text(text: str, *, is_markdown: bool) -> ReadTranscript:
    """The entries of a text.  Raises ``BadTranscript`` if it names no speaker."""
    if len(text) > MAX_TOTAL + MAX_TOTAL // 4:
        raise BadTranscript(_TOO_LONG)
    lines = text.splitlines()
    facts, first = _facts(lines)
    marks = max(_ways(lines, first), key=_worth)
    if not marks:
        raise BadTranscript(
            "no speaker is named in the file: begin each speech with a name and a colon, as in “Ann: …”"
        )
    collector = EntryCollector()
    begins = min(marks)
    title = _preamble(lines, first, begins, collector)
    asides = _collect(lines, marks, begins, collector)
    motion = next((facts[name] for name in _MOTION_FACTS if name in facts), title)
    return collector.transcript(
        "markdown" if is_markdown else "text",
        motion=motion,
        source=facts.get("source", ""),
        licence=facts.get("licence", facts.get("license", "")),
        warnings=[f"Lines in brackets are left out: {asides}."] if asides else (),
    )


def _facts(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """What lines at the beginning say of the debate, such as ``Motion: …``, and the number of the first other line."""
    facts: dict[str, str] = {}
    first = 0
    for number, line in enumerate(lines):
        bare = line.strip().lstrip("#>-* ").strip() if not line.lstrip().startswith(("**", "__")) else line.strip()
        if not bare or _RULE.fullmatch(line.strip()):
            continue
        found = _FACT.fullmatch(bare[: MAX_MOTION * 2])
        if found is None:
            if facts or heading_of(line) is None:
                break
            continue
        facts.setdefault(found[1].lower(), found[2].strip("*_ "))
        first = number + 1
    return facts, first


def _ways(lines: Sequence[str], first: int) -> Iterator[Marks]:
    """The ways to find the speakers, the preferred one first."""
    labelled: dict[int, tuple[SpeakerLabel, bool]] = {}
    headings: dict[int, tuple[int, str]] = {}
    is_after_blank = True
    for number, line in enumerate(lines):
        is_blank = not line.strip()
        if number >= first and not is_blank:
            if heading := heading_of(line):
                headings[number] = heading
            elif label := label_of(line):
                labelled[number] = (label, is_after_blank)
        is_after_blank = is_blank
    has_blanks = any(not line.strip() for line in lines[first:])
    colons = {number: each for number, each in labelled.items() if each[0].form == "colon"}
    yield _named(colons, "colon", lambda begins: begins or not has_blanks)
    yield _by_heading(headings)
    alone = {number: each for number, each in labelled.items() if each[0].form == "line"}
    yield _named(alone, "line", lambda _: False)


def _named(found: dict[int, tuple[SpeakerLabel, bool]], role: LineRole, begins: Callable[[bool], bool]) -> Marks:
    names = SpeakerNames(list(found.values()))
    return {
        number: MarkedLine(role=role, label=replace(label, name=names.called(label)))
        for number, (label, after_blank) in found.items()
        if names.accepts(label, begins_paragraph=begins(after_blank))
    }


def _by_heading(headings: dict[int, tuple[int, str]]) -> Marks:
    """The headings of the level that names speakers: the one with most names that come again or tell a side."""
    marks: Marks = {}
    best = (0, 0)
    for level in range(1, 7):
        named = {number: without_ordinal(text) for number, (each, text) in headings.items() if each == level}
        of_level = {number: name for number, name in named.items() if is_name(name)}
        if len(of_level) < 2:  # noqa: PLR2004 - a debate has two sides
            continue
        counts = Counter(text.casefold() for text in of_level.values())
        sure = sum(counts[text.casefold()] > 1 or side_of(text) is not None for text in of_level.values())
        if (sure, len(of_level)) > best:
            best = (sure, len(of_level))
            labels = {
                number: (SpeakerLabel(name=text, rest="", form="line", is_marked=True), True)
                for number, text in of_level.items()
            }
            marks = _named(labels, "heading", lambda _: True)
    return marks


def _worth(marks: Marks) -> tuple[bool, bool]:
    """Ways with two speakers before ways with one, and those before none; ``max`` keeps the first of equals."""
    speakers = {mark.label.name.casefold() for mark in marks.values()}
    return len(speakers) > 1, bool(speakers)


def _preamble(lines: Sequence[str], first: int, begins: int, collector: EntryCollector) -> str:
    """The title in what stands before the first speech.  The rest is collected as words to leave out."""
    title = ""
    rest: list[str] = []
    heading = next((found[1] for line in lines[:begins] if (found := heading_of(line))), "")
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


def _collect(lines: Sequence[str], marks: Marks, begins: int, collector: EntryCollector) -> int:
    """Collect the speeches from line ``begins`` on; returns how many lines in brackets are left out."""
    asides = 0
    label = marks[begins].label
    paragraph: list[str] = []

    def flush() -> None:
        collector.add(label.name, "\n".join(paragraph), at_ms=label.at_ms)
        paragraph.clear()

    for number in range(begins, len(lines)):
        line = lines[number].strip()
        mark = marks.get(number)
        if mark is not None:
            flush()
            label = mark.label
            if label.rest:
                paragraph.append(label.rest)
        elif not line:
            flush()
        elif _ASIDE_LINE.fullmatch(line):
            asides += 1
        elif not _RULE.fullmatch(line) and heading_of(line) is None:
            paragraph.append(line.removeprefix("> ") if line.startswith("> ") else line)
    flush()
    return asides
