"""A document on a terminal: no word is broken, and no line is wider than the terminal but one with a single word.

A table that is too wide is printed as one entry a block.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from server.export import document as doc
from server.export.text import escape_controls, one_line

WIDTH: Final = 80
"""Characters of a line where there is no terminal."""
GAP: Final = 2
"""Spaces between two columns."""
NARROWEST: Final = 24
"""Characters that a column of sentences keeps; a table in which it has fewer is printed as one entry a block."""
TALLEST: Final = 6
"""Lines of a cell; a table with a taller one is printed as one entry a block."""
STYLES: Final = {
    "emphasis": "italic",
    "code": "",
    "motion": "bold",
    "lead": "bold",
    "caveat": "dim",
    "intro": "dim",
    "quiet": "dim",
    "small": "dim",
    "good": "green",
    "bad": "red",
    "doubt": "yellow",
    "pro": "cyan",
    "con": "yellow",
    "change": "magenta",
    "found": "bold reverse",
}
"""By kind; another kind is plain."""
_WORD: Final = re.compile(r"\S+\s*")
_SPOKEN: Final = re.compile(r"(\s*)(\S+)(?=\s)")


class _Console(Console):
    """A console that leaves a closed pipe to its caller."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - rich calls this while it handles the error


def show(*given: doc.Document | doc.Block) -> None:
    """Print to stdout, in colour on a terminal."""
    console = _Console()
    for number, each in enumerate(given):
        for line in (*([Text()] if number else ()), *lines(each, console.width)):
            console.print(line, soft_wrap=True, highlight=False)


def say(text: doc.Sentence, style: str = "") -> None:
    """Print one sentence with a style of rich; its leading spaces stand before every line."""
    console, found = _Console(), _text(text, style)
    indent = len(found.plain) - len(found.plain.lstrip(" "))
    for line in _wrapped(found[indent:], console.width, " " * indent, " " * (indent + 2 * bool(indent))):
        console.print(line, soft_wrap=True, highlight=False)


def tell(text: str) -> None:
    """Print what someone said, with its lines."""
    for line in text.splitlines() or [""]:
        say(line)


class SpokenWords:
    """Prints a text that is being spoken.  A word is printed when it is whole."""

    def __init__(self) -> None:
        self._width, self._used, self._held = Console().width, 0, ""

    def add(self, text: str) -> None:
        """Take the next piece of the text."""
        self._held += text
        while found := _SPOKEN.match(self._held):
            self._put(*found.groups())
            self._held = self._held[found.end() :]

    def end(self) -> None:
        """Print the last word, and end the line."""
        self.add("\n")
        sys.stdout.write("\n")

    def _put(self, space: str, word: str) -> None:
        is_full = self._used + 1 + cell_len(word) > self._width
        before = "\n" * space.count("\n") or (" " if self._used and not is_full else "\n" if self._used else "")
        self._used = cell_len(word) + (self._used + 1 if before == " " else 0)
        sys.stdout.write(f"{before}{word}")
        sys.stdout.flush()


def to_text(document: doc.Document, width: int) -> str:
    """The document without colours; it ends with a line feed."""
    return "".join(f"{line.plain}\n" for line in lines(document, width))


def lines(given: doc.Document | doc.Block, width: int) -> Iterator[Text]:
    """The lines of a document or of one block, for a terminal of ``width`` characters."""
    if not isinstance(given, doc.Document):
        yield from _block(given, width)
        return
    yield from _wrapped(_text(given.title, "bold"), width)
    yield Text()
    yield from _blocks(given.blocks, width)


def _text(sentence: doc.Sentence, style: str = "") -> Text:
    """A sentence on one line."""
    found = Text(style=style)
    for part in doc.parts_of(sentence):
        found.append_text(_part(part))
    return found


def _part(part: doc.Part) -> Text:
    match part:
        case str():
            return Text(escape_controls(part).replace("\n", " "))
        case doc.QuotedWords():
            first, last = ("… " if part.begins_late else ""), (" …" if part.ends_early else "")
            return Text(f"“{first}{one_line(part.text)}{last}”")
        case doc.Strong():
            return Text(one_line(part.text), "bold")
        case doc.Marked():
            return Text(escape_controls(part.text).replace("\n", " "), STYLES.get(part.kind, ""))
        case doc.CitedTurn() | doc.Drawing() | doc.Link() | doc.Meter():
            return Text(one_line(doc.plain_of(part)))
    assert_never(part)


def _wrapped(text: Text, width: int, first: str = "", others: str | None = None) -> Iterator[Text]:
    """The lines of a text, the first one after ``first`` and each other one after ``others``."""
    others = first if others is None else others
    room = width - max(len(first), len(others))
    for number, line in enumerate(text.divide(_breaks(text.plain, room))):
        made = Text.assemble(others if number else first, line)
        made.rstrip()
        yield made


def _breaks(text: str, room: int) -> Iterator[int]:
    """Where a text is divided, so that each line has at most ``room`` cells, or a single word."""
    used = 0
    for found in _WORD.finditer(text):
        if used and used + cell_len(found[0].rstrip()) > room:
            yield found.start()
            used = 0
        used += cell_len(found[0])


def _block(block: doc.Block, width: int) -> Iterator[Text]:  # noqa: C901, PLR0912 - a case for each kind of block
    match block:
        case doc.Paragraph():
            yield from _wrapped(_text(block.text, STYLES.get(block.kind, "")), width)
        case doc.Lines():
            for each in block.lines:
                yield from _wrapped(_text(each), width, "", "  ")
        case doc.Listing():
            for number, item in enumerate(block.items, 1):
                mark = f"{number}. " if block.numbered else "- "
                given = item if isinstance(item, doc.Item) else doc.Item(item)
                yield from _wrapped(_text(given.text), width, mark, " " * len(mark))
                for each in given.below:
                    yield from _wrapped(_text(each), width, "  - ", "    ")
        case doc.Facts():
            for name, text in block.pairs:
                yield from _wrapped(Text.assemble(f"{one_line(name)}: ", _text(text)), width, "", "  ")
        case doc.Table():
            yield from _table(block, width)
        case doc.Quoted():
            for line in block.text.splitlines():
                yield from _wrapped(Text(one_line(line)), width, "│ ")
        case doc.Verbatim():
            yield from (Text(escape_controls(line)) for line in block.text.splitlines())
        case doc.Figure():
            yield from _wrapped(Text(one_line(block.drawing.words)), width)
            yield from _wrapped(Text(one_line(block.caption), "dim"), width)
        case doc.Section():
            yield from _wrapped(_text(block.title, "bold"), width)
            if isinstance(next(iter(block.blocks), None), doc.Section):
                yield Text()
            yield from _blocks(block.blocks, width)
        case doc.Details():
            yield from _wrapped(_text(block.summary), width)
            yield from _blocks(block.blocks, width)
        case _:
            assert_never(block)


def _blocks(blocks: Iterable[doc.Block], width: int) -> Iterator[Text]:
    """Blocks with an empty line between two of them."""
    is_first = True
    for each in blocks:
        if found := [*_block(each, width)]:
            if not is_first:
                yield Text()
            is_first = False
            yield from found


# tables


def _table(table: doc.Table, width: int) -> Iterator[Text]:
    columns, rows = doc.cells_of(table)
    cells = [[_text(cell) for cell in row] for row in rows]
    titles = [_text(each.title) for each in columns]
    if table.caption:
        yield from _wrapped(_text(table.caption), width)
    if (widths := _widths([titles, *cells], width)) is None:
        yield from _entries(columns, titles, cells, width)
        return
    if any(title.plain for title in titles):
        yield from _row(columns, [Text(title.plain, "dim") for title in titles], widths)
    for row in cells:
        yield from _row(columns, row, widths)


def _widths(rows: list[list[Text]], width: int) -> list[int] | None:
    """The widths of the columns: the widest give way first, at words; None if the table does not fit."""
    columns = [*zip(*rows, strict=True)]
    widths = [max(cell.cell_len for cell in column) for column in columns]
    words = [max((cell_len(word) for cell in each for word in cell.plain.split()), default=0) for each in columns]
    least = [max(word, min(full, NARROWEST)) for word, full in zip(words, widths, strict=True)]
    room = width - GAP * (len(widths) - 1)
    while sum(widths) > room:
        over = [number for number, each in enumerate(widths) if each > least[number]]
        if not over:
            return None
        widths[max(over, key=widths.__getitem__)] -= 1
    is_flat = all(cell.cell_len <= TALLEST * width for row in rows for cell, width in zip(row, widths, strict=True))
    return widths if is_flat else None


def _row(columns: list[doc.Column], cells: list[Text], widths: list[int]) -> Iterator[Text]:
    wrapped = [[*_wrapped(cell, width)] or [Text()] for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, wrapped))):
        line = Text()
        for column, found, width in zip(columns, wrapped, widths, strict=True):
            cell = found[number] if number < len(found) else Text()
            pad = " " * (width - cell.cell_len)
            line.append_text(Text.assemble(pad, cell) if column.kind == "n" else Text.assemble(cell, pad)).append("  ")
        line.rstrip()
        yield line


def _entries(columns: list[doc.Column], titles: list[Text], rows: list[list[Text]], width: int) -> Iterator[Text]:
    """Each row as a block: the first cell, and below it a line for each other cell; figures stand in one line."""
    for number, row in enumerate(rows):
        if number:
            yield Text()
        name = f"{titles[0]} " if columns[0].kind == "n" else ""
        yield from _wrapped(Text.assemble((name, "bold"), (row[0].plain, "bold")), width)
        together = Text()
        for column, title, cell in zip(columns[1:], titles[1:], row[1:], strict=True):
            pair = Text.assemble(f"{title}: " if title.plain else "", cell) if cell.plain else Text()
            if column.kind == "n" and pair.plain:
                together.append_text(Text.assemble(" · " if together.plain else "", pair))
                continue
            if together.plain:
                yield from _wrapped(together, width, "  ", "    ")
                together = Text()
            if pair.plain:
                yield from _wrapped(pair, width, "  ", "    ")
        if together.plain:
            yield from _wrapped(together, width, "  ", "    ")
