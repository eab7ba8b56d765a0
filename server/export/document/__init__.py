"""What people read, as values: a document is made once, and rendered as Markdown, as HTML and on a terminal.

Texts are plain: each rendering escapes them.  A *sentence* is a text, or several parts that follow one another.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec import Struct


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


class Marked(Struct, frozen=True):
    """A text of a kind.

    ``emphasis`` and ``code`` are those of Markdown.  Another kind is a class of HTML and a style of the terminal; one
    that begins with ``data-`` is an attribute, by which a script finds the text.
    """

    text: str
    kind: str = "emphasis"


class Link(Struct, frozen=True):
    """A text that leads to an address.  A terminal shows the text alone."""

    text: str
    href: str
    is_download: bool = False


class Drawing(Struct, frozen=True):
    """An SVG; other renderings show its words."""

    svg: str
    words: str = ""


class Meter(Struct, frozen=True):
    """How much of a number is reached."""

    name: str
    done: int
    of: int


Part = str | QuotedWords | CitedTurn | Strong | Marked | Link | Drawing | Meter
Parts = tuple[Part, ...]
Sentence = str | Parts


class Paragraph(Struct, frozen=True):
    """A sentence or several.  ``kind``: see ``Marked``; ``motion`` and ``lead`` stand out, ``caveat`` is set apart."""

    text: Sentence
    kind: str = ""


class Lines(Struct, frozen=True):
    """Sentences, each on a line of its own."""

    lines: tuple[Sentence, ...]


class Item(Struct, frozen=True):
    """An item of a list, with a list below it."""

    text: Sentence
    below: tuple[Sentence, ...] = ()
    kind: str = ""


class Listing(Struct, frozen=True):
    """A list."""

    items: tuple[Sentence | Item, ...]
    numbered: bool = False
    kind: str = ""


class Facts(Struct, frozen=True):
    """Names, each with its value."""

    pairs: tuple[tuple[str, Sentence], ...]
    kind: str = "facts"


class Column(Struct, frozen=True):
    """A column of a table.  ``kind``: ``n`` holds figures; ``plot`` holds drawings, which only HTML shows."""

    title: Sentence
    kind: str = ""


class Row(Struct, frozen=True):
    """A row with a class, or with a name by which a script finds it: an attribute and its value."""

    cells: tuple[Sentence, ...]
    kind: str = ""
    name: tuple[str, str] | None = None


class Table(Struct, frozen=True):
    """A table.  The first cell of a row names the row."""

    columns: tuple[str | Column, ...]
    rows: tuple[Row | tuple[Sentence, ...], ...]
    caption: Sentence = ""
    kind: str = ""
    region: str = ""
    """The name of the region in which HTML scrolls a wide table; empty for a table that is not wide."""


class Quoted(Struct, frozen=True):
    """A text that someone said, with its lines."""

    text: str


class Verbatim(Struct, frozen=True):
    """A text with all its spaces."""

    text: str


class Figure(Struct, frozen=True):
    """A drawing with a caption."""

    drawing: Drawing
    caption: str


class Section(Struct, frozen=True):
    """Blocks below a heading.  ``name`` is the anchor of the heading."""

    title: Sentence
    blocks: "tuple[Block, ...]"
    level: int = 2
    name: str = ""


class Details(Struct, frozen=True):
    """Blocks that HTML shows when a reader opens the summary."""

    summary: Sentence
    blocks: "tuple[Block, ...]"
    kind: str = ""


Block = Paragraph | Lines | Listing | Facts | Table | Quoted | Verbatim | Figure | Section | Details


class Document(Struct, frozen=True):
    """Blocks below a title."""

    title: Sentence
    blocks: tuple[Block, ...]
    language: str = "en"
    """BCP 47 tag of quotes and of the motion."""


def cells_of(table: Table) -> tuple[list[Column], list[tuple[Sentence, ...]]]:
    """The columns and the cells of a table for a rendering without drawings; each row has a cell for each column."""
    columns = [each if isinstance(each, Column) else Column(each) for each in table.columns]
    kept = [number for number, each in enumerate(columns) if each.kind != "plot"]
    rows = [row.cells if isinstance(row, Row) else row for row in table.rows]
    cells = [tuple(row[number] if number < len(row) else "" for number in kept) for row in rows]
    return [columns[number] for number in kept], cells


def plain_of(part: CitedTurn | Drawing | Meter | Link) -> str:
    """The words of a part that most renderings show as plain text."""
    match part:
        case CitedTurn():
            return f"turn {part.turn} (event {part.position})"
        case Drawing():
            return part.words
        case Meter():
            return f"{part.done:,} / {part.of:,}"
        case Link():
            return part.text
    assert_never(part)


def parts_of(text: Sentence) -> Parts:
    """The parts of a sentence."""
    return (text,) if isinstance(text, str) else text


def listed(title: str, items: Iterable[Sentence | Item], level: int = 3) -> tuple[Section, ...]:
    """A list below a heading; nothing without items."""
    found = tuple(items)
    return (Section(title, (Listing(found),), level),) if found else ()
