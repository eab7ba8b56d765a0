"""A short report as data, and as Markdown and HTML: sentences with quotes, each cited by its turn."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Final

from msgspec import Struct

import web
from judge.guard.quotes import find
from server.export import document as doc
from server.export.document.html import tag, to_html
from server.export.document.markdown import to_markdown
from server.export.text import one_line

STYLES: Final = "parts/report.css"
ENDS: Final = frozenset(".?!…。！？।")
"""Characters that end a sentence."""
CLOSING: Final = " \n\t”’\"'"
"""White space, and marks that may follow the end of a sentence."""


class ReportSection(Struct, frozen=True, kw_only=True):
    """A heading, and its entries; ``numbered`` if their order counts."""

    title: str
    entries: tuple[doc.Parts, ...]
    numbered: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """A report on one debate."""

    debate: str
    title: str
    motion: str
    language: str
    """BCP 47 tag of quotes and of the motion."""
    facts: tuple[str, ...]
    caveats: tuple[str, ...]
    sections: tuple[ReportSection, ...]


ADVICE: Final = 3
"""Pieces of advice in a report."""
MIN_LOSS: Final = 1.0
"""Points that a piece of advice needs."""
STATED: Final = " The judge's words on it stand above."


def count(number: float, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:g} {one if number == 1 else many or one + 's'}"


def ranked_advice(losses: Iterable[tuple[float, doc.Parts]]) -> ReportSection:
    """The advice for the largest losses; it says so if the record has material for fewer than three.

    ``losses`` are points with the sentence for them.  The rule stands in docs/design.md.
    """
    entries = [sentence for _, sentence in sorted(losses, key=lambda each: -each[0])[:ADVICE]]
    if len(entries) == ADVICE:
        return ReportSection(title="Three things to do next time", entries=tuple(entries), numbered=True)
    few = "The record has material for no more than this." if entries else "The record has no material for advice."
    return ReportSection(title="What to do next time", entries=(*entries, (few,)))


def _stopped(sentence: doc.Parts) -> Iterator[doc.Part]:
    """The parts with a full stop after each quote that ends a sentence and has none."""
    for each, after in zip_longest(sentence, sentence[1:], fillvalue=""):
        yield each
        is_last = not isinstance(after, str) or not after or (after[0] == " " and after[1:2].isupper())
        is_open = isinstance(each, doc.QuotedWords) and not each.ends_early and one_line(each.text)[-1:] not in ENDS
        if is_last and is_open:
            yield "."


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


def report_document(report: Report, base: str = "") -> doc.Document:
    """The report as a document; with a ``base``, citations are links."""

    def part(each: doc.Part, *, is_first: bool) -> doc.Part:
        if not isinstance(each, doc.CitedTurn):
            return each
        name = f"{'Turn' if is_first else 'turn'} {each.turn}"
        return doc.Link(name, address(report, base, each.position)) if base else f"{name} (event {each.position})"

    def text(sentence: doc.Parts) -> doc.Sentence:
        return tuple(part(each, is_first=not number) for number, each in enumerate(_stopped(sentence)))

    sections = (
        doc.Section(each.title, (doc.Listing(tuple(map(text, each.entries)), each.numbered),))
        if len(each.entries) > 1 or each.numbered
        else doc.Section(each.title, tuple(doc.Paragraph(text(entry)) for entry in each.entries))
        for each in report.sections
    )
    caveats = (doc.Paragraph(each, "caveat") for each in report.caveats)
    facts = doc.Listing(report.facts, kind="facts")
    return doc.Document(
        report.title, (doc.Paragraph(report.motion, "motion"), *caveats, facts, *sections), report.language
    )


def report_markdown(report: Report, base: str = "") -> str:
    """The report as Markdown; with a ``base``, citations are links."""
    return to_markdown(report_document(report, base))


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
{tag("main", to_html(report_document(report, base)))}
</body>
</html>
"""


def styles() -> str:
    """The styles of the file."""
    return (Path(web.__file__).parent / STYLES).read_text(encoding="utf-8")


def style_digest() -> str:
    """The styles as the source of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(styles().encode()).digest()).decode()}'"
