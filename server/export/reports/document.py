"""A short report as data, and as Markdown and HTML: sentences with quotes, each with the events that imply it."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from typing import Final

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

import web
from judge.guard.quotes import find
from server.export import document as doc
from server.export.document.html import tag, to_html
from server.export.document.markdown import to_markdown
from server.export.reports.sentences import Entry
from server.export.text import one_line

STYLES: Final = "parts/report.css"
ENDS: Final = frozenset(".?!…。！？।")
"""Characters that end a sentence."""
CLOSING: Final = " \n\t”’\"'"
"""White space, and marks that may follow the end of a sentence."""


class ReportSection(Struct, frozen=True, kw_only=True):
    """A heading, and its entries; ``numbered`` if their order counts."""

    title: str
    entries: tuple[Entry, ...]
    numbered: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """A report on one debate."""

    debate: str
    title: str
    motion: str
    language: str
    """BCP 47 tag of quotes and of the motion."""
    facts: Entry
    caveats: Entry
    sections: tuple[ReportSection, ...]
    drawing: str = ""
    """The bar and the curve of the debate as SVG, for HTML alone; empty without a score."""


ADVICE: Final = 3
"""Pieces of advice in a report."""
MIN_LOSS: Final = 1.0
"""Points that a piece of advice needs."""
OPENING: Final = 1
"""The position of the opening, which is shown only where nothing else is cited."""
SHOWN: Final = 8
"""Events that are shown after a sentence; the others are counted."""
LEGEND: Final = (
    "Moot wrote this report from the record alone, and asked no model. The numbers in brackets are the events of the"
    " record from which a sentence follows."
)


def count(number: float, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:g} {one if number == 1 else many or one + 's'}"


def ranked_advice(losses: Iterable[tuple[float, Entry]]) -> Iterator[ReportSection]:
    """The advice for the largest losses; no section without any.

    ``losses`` are points with the sentences for them.  The rule stands in docs/design.md.
    """
    entries = tuple(entry for _, entry in sorted(losses, key=lambda each: -each[0])[:ADVICE])
    if entries:
        is_whole = len(entries) == ADVICE
        title = "Three things to do next time" if is_whole else "What to do next time"
        yield ReportSection(title=title, entries=entries, numbered=is_whole)


def quote_of(text: str, wanted: str) -> doc.QuotedWords:
    """Words of a turn as a quote that says where its sentence was cut; a cited ``[E1]`` stays whole."""
    span = find(wanted, text, 1)
    if span is None:
        return doc.QuotedWords(wanted)
    start, end = span
    if text[end : end + 1] == "]" and "[" in text[start:end].rpartition("]")[2]:
        end += 1
    before, after = text[:start].rstrip(CLOSING), text[end:].lstrip(CLOSING)
    quoted = text[start:end].rstrip(CLOSING)
    return doc.QuotedWords(
        text[start:end],
        begins_late=bool(before) and before[-1] not in ENDS,
        ends_early=bool(after) and after[0] not in ENDS and quoted[-1:] not in ENDS,
    )


def address(report: Report, base: str, position: int) -> str:
    """The address of a moment; ``base`` is that of the server."""
    return f"{base}/d/{report.debate}#e{position}"


def report_document(report: Report, base: str = "", *, links_events: bool = True) -> doc.Document:
    """The report as a document; with a ``base``, turns are links, and so are the events in brackets."""

    def text(entry: Entry) -> doc.Parts:
        parts, seen = list[doc.Part](), set[int]()
        for sentence in entry:
            parts += [" "] if parts else []
            for number, each in enumerate(_stopped(sentence.text)):
                if isinstance(each, doc.CitedTurn):
                    parts.append(turn(each, is_first=not number, is_new=each.position not in seen))
                    seen.add(each.position)
                else:
                    parts.append(each)
            cited = [each for each in sentence.deciding if each > OPENING] or [*sentence.deciding]
            parts += events([position for position in cited if position not in seen])
            seen.update(cited)
        return tuple(parts)

    def turn(each: doc.CitedTurn, *, is_first: bool, is_new: bool) -> doc.Part:
        """A turn with its event, which an entry names once."""
        name = f"{'Turn' if is_first else 'turn'} {each.turn}"
        if base:
            return doc.Link(name, address(report, base, each.position))
        return f"{name} (event {each.position})" if is_new else name

    def events(positions: list[int]) -> Iterator[doc.Part]:
        """The events that the entry has not named yet, in brackets: all, or ``SHOWN`` and how many more there are."""
        shown = positions[:SHOWN] if len(positions) > SHOWN + 1 else positions
        for number, position in enumerate(shown):
            yield ", " if number else " ["
            is_link = base and links_events
            yield doc.Link(str(position), address(report, base, position)) if is_link else str(position)
        if positions:
            yield f" and {rest} more]" if (rest := len(positions) - len(shown)) else "]"

    sections = (
        doc.Section(each.title, (doc.Listing(tuple(map(text, each.entries)), each.numbered),))
        if len(each.entries) > 1 or each.numbered
        else doc.Section(each.title, tuple(doc.Paragraph(text(entry)) for entry in each.entries))
        for each in report.sections
    )
    caveats = (doc.Paragraph(text((each,)), "caveat") for each in report.caveats)
    facts = doc.Listing(tuple(text((each,)) for each in report.facts), kind="facts")
    motion, legend = doc.Paragraph(report.motion, "motion"), doc.Paragraph(LEGEND, "legend")
    return doc.Document(report.title, (motion, *caveats, facts, *sections, legend), report.language)


def _stopped(sentence: doc.Parts) -> doc.Parts:
    """The parts, with a full stop if they end with a quote that has none."""
    last = sentence[-1]
    is_open = isinstance(last, doc.QuotedWords) and not last.ends_early and one_line(last.text)[-1:] not in ENDS
    return (*sentence, ".") if is_open else sentence


def report_json(report: Report, base: str) -> str:
    """The report as JSON: each sentence has its kind and the positions of the events that imply it."""
    del base
    return f"{encode(replace(report, drawing='')).decode()}\n"


def report_markdown(report: Report, base: str = "") -> str:
    """The report as Markdown; with a ``base``, turns are links.  Events are numbers."""
    return to_markdown(report_document(report, base, links_events=False))


def report_html(report: Report, base: str) -> str:
    """The report as one HTML file without scripts, made to print on one page."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(report.title)} · Moot</title>
<style>{styles()}</style>
</head>
<body>
{tag("main", report.drawing + to_html(report_document(report, base)))}
</body>
</html>
"""


def styles() -> str:
    """The styles of the file."""
    return web.text_of(STYLES)


def style_digest() -> str:
    """The styles as the source of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(styles().encode()).digest()).decode()}'"
