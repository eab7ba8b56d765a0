"""A short report as data, and as Markdown and HTML: sentences with quotes, each cited by its turn."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Final

from msgspec import Struct

import web
from judge.guard.quotes import find
from server.export.text import escape_controls, escaped, escaped_within, one_line

STYLES: Final = "report.css"
ENDS: Final = frozenset(".?!…。！？।")
"""Characters that end a sentence."""
CLOSING: Final = " \n\t”’\"'"
"""White space, and marks that may follow the end of a sentence."""


class QuotedWords(Struct, frozen=True):
    """Words of a debater or of the judge, in the language of the debate."""

    text: str
    begins_late: bool = False
    """Whether the sentence begins before the quote."""
    ends_early: bool = False
    """Whether the sentence goes on after the quote."""


class CitedTurn(Struct, frozen=True):
    """A turn, with the event that the sentence speaks of."""

    turn: int
    position: int


class Strong(Struct, frozen=True):
    """A text that stands out."""

    text: str


Part = str | QuotedWords | CitedTurn | Strong
Sentence = tuple[Part, ...]


class ReportSection(Struct, frozen=True, kw_only=True):
    """A heading, and its entries; ``numbered`` if their order counts."""

    title: str
    entries: tuple[Sentence, ...]
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
LEAST_LOSS: Final = 1.0
"""Points that a piece of advice needs."""
STATED: Final = " The judge's words on it stand above."


def count(number: float, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:g} {one if number == 1 else many or one + 's'}"


def ranked_advice(losses: Iterable[tuple[float, Sentence]]) -> ReportSection:
    """The advice for the largest losses; it says so if the record has material for fewer than three.

    ``losses`` are points with the sentence for them.  The rule stands in docs/design.md.
    """
    entries = [sentence for _, sentence in sorted(losses, key=lambda each: -each[0])[:ADVICE]]
    if len(entries) == ADVICE:
        return ReportSection(title="Three things to do next time", entries=tuple(entries), numbered=True)
    few = "The record has material for no more than this." if entries else "The record has no material for advice."
    return ReportSection(title="What to do next time", entries=(*entries, (few,)))


def _stopped(sentence: Sentence) -> Iterator[Part]:
    """The parts with a full stop after each quote that ends a sentence and has none."""
    for each, after in zip_longest(sentence, sentence[1:], fillvalue=""):
        yield each
        is_last = not isinstance(after, str) or not after or (after[0] == " " and after[1:2].isupper())
        is_open = isinstance(each, QuotedWords) and not each.ends_early and one_line(each.text)[-1:] not in ENDS
        if is_last and is_open:
            yield "."


_MARK: Final = re.compile('[“”"]')


def quote_of(text: str, wanted: str) -> QuotedWords:
    """Words of a turn as a quote that says where its sentence was cut; a cited ``[E1]`` stays whole."""
    span = find(wanted, text, 1)
    if span is None:
        return QuotedWords(wanted)
    start, end = span
    if text[end : end + 1] == "]" and "[" in text[start:end].rpartition("]")[2]:
        end += 1
    before, after = text[:start].rstrip(CLOSING), text[end:].lstrip(CLOSING)
    quoted = text[start:end].rstrip(CLOSING)
    return QuotedWords(
        text[start:end],
        begins_late=bool(before) and before[-1] not in ENDS,
        ends_early=bool(after) and after[0] not in ENDS and quoted[-1:] not in ENDS,
    )


def _within_marks(each: QuotedWords) -> str:
    """The quote for a place between double marks: its own are single and in pairs, and … stands where it was cut."""
    depth, begun = 0, 0

    def single(found: re.Match[str]) -> str:
        nonlocal depth, begun
        is_before_word = found.string[found.end() : found.end() + 1].isalnum()
        if not depth and (found[0] == "“" or (found[0] == '"' and is_before_word)):
            depth += 1
            return "‘"
        begun, depth = begun + (not depth), max(depth - 1, 0)
        return "’"

    text = _MARK.sub(single, one_line(each.text))
    first, last = ("… " if each.begins_late else ""), (" …" if each.ends_early else "")
    return f"{'‘' * begun}{first}{text}{last}{'’' * depth}"


def _joined(part: Callable[..., str], sentence: Sentence) -> str:
    """The text of a sentence; its first part may need a capital letter."""
    return "".join(part(each, is_first=not number) for number, each in enumerate(_stopped(sentence)))


def address(report: Report, base: str, position: int) -> str:
    """The address of a moment; ``base`` is that of the server."""
    return f"{base}/d/{report.debate}#e{position}"


def report_markdown(report: Report, base: str = "") -> str:
    """The report as Markdown; with a ``base``, citations are links."""

    def part(each: Part, *, is_first: bool) -> str:
        match each:
            case QuotedWords():
                return f"“{escaped_within(_within_marks(each))}”"
            case Strong():
                return f"**{escaped_within(each.text)}**"
            case CitedTurn():
                name = f"{'Turn' if is_first else 'turn'} {each.turn}"
                link = f"[{name}]({address(report, base, each.position)})"
                return link if base else f"{name} (event {each.position})"
            case _:
                return escaped_within(each)

    lines = [f"# {escaped(report.title)}", "", f"**{escaped(report.motion)}**", ""]
    lines += [line for each in report.caveats for line in (f"> {escaped(each)}", "")]
    lines += [f"- {escaped(each)}" for each in report.facts]
    for section in report.sections:
        lines += ["", f"## {escaped(section.title)}", ""]
        for number, entry in enumerate(section.entries, 1):
            mark = f"{number}. " if section.numbered else "- " if len(section.entries) > 1 else ""
            lines.append(mark + _joined(part, entry))
    return escape_controls("\n".join((*lines, "")))


def report_html(report: Report, base: str) -> str:
    """The report as one HTML file without scripts, made to print on one page."""
    spoken = f'lang="{escape(report.language)}" dir="auto"'

    def part(each: Part, *, is_first: bool) -> str:
        match each:
            case QuotedWords():
                return f"<q {spoken}>{escape(_within_marks(each))}</q>"
            case Strong():
                return f"<b>{escape(each.text)}</b>"
            case CitedTurn():
                name = f"{'Turn' if is_first else 'turn'} {each.turn}"
                return f'<a href="{escape(address(report, base, each.position))}">{name}</a>'
            case _:
                return escape(each)

    def listed(name: str, entries: Iterable[Sentence]) -> str:
        items = "".join(f"<li>{_joined(part, each)}</li>" for each in entries)
        return f"<{name}>{items}</{name}>"

    sections = "\n".join(
        f"<section><h2>{escape(each.title)}</h2>{listed('ol' if each.numbered else 'ul', each.entries)}</section>"
        for each in report.sections
    )
    caveats = "".join(f'<p class="caveat">{escape(each)}</p>' for each in report.caveats)
    facts = "".join(f"<li>{escape(each)}</li>" for each in report.facts)
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
<main>
<h1>{escape(report.title)}</h1>
<p class="motion" {spoken}>{escape(one_line(report.motion))}</p>
{caveats}<ul class="facts">{facts}</ul>
{sections}
</main>
</body>
</html>
"""


def styles() -> str:
    """The styles of the file."""
    return (Path(web.__file__).parent / STYLES).read_text(encoding="utf-8")


def style_digest() -> str:
    """The styles as the source of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(styles().encode()).digest()).decode()}'"
