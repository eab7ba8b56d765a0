"""A document as Markdown."""

import re
from collections.abc import Iterable
from typing import Final, assert_never

from server.export import document as doc
from server.export.text import escape_controls, escaped, escaped_start, escaped_within, one_line

FENCE: Final = "`" * 6
LEADS: Final = frozenset({"motion", "lead"})
"""Kinds of paragraphs that stand out."""
_MARKS: Final = {"emphasis": "*", "code": "`"}
_MARK: Final = re.compile('[“”"]')


def to_markdown(document: doc.Document) -> str:
    """The whole document; it ends with a line feed."""
    return escape_controls(f"# {sentence(document.title)}\n\n{blocks_markdown(document.blocks)}\n")


def sentence(text: doc.Sentence) -> str:
    """A sentence on one line, in which only its own marks are markup."""
    parts = doc.parts_of(text)
    return escaped_start(_within(text)) if parts and isinstance(parts[0], str) else _within(text)


def _within(text: doc.Sentence) -> str:
    """A sentence for a place within a line."""
    return one_line("".join(map(_part, doc.parts_of(text))))


def quote_within_marks(each: doc.QuotedWords) -> str:
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


def _part(part: doc.Part) -> str:
    match part:
        case str():
            return escaped_within(part)
        case doc.QuotedWords():
            return f"“{escaped_within(quote_within_marks(part))}”"
        case doc.Strong():
            return f"**{escaped_within(part.text)}**"
        case doc.Link():
            return f"[{escaped_within(part.text)}]({part.href})"
        case doc.Marked(kind="code"):
            return f"`{part.text}`"
        case doc.Marked():
            mark = _MARKS.get(part.kind, "")
            return f"{mark}{escaped_within(part.text)}{mark}"
        case doc.CitedTurn() | doc.Drawing() | doc.Meter():
            return escaped_within(doc.plain_of(part))
    assert_never(part)


def blocks_markdown(blocks: Iterable[doc.Block]) -> str:
    """Blocks, with an empty line between two of them."""
    return "\n\n".join(text for each in blocks if (text := _block(each)))


def _block(block: doc.Block) -> str:  # noqa: C901 - a case for each kind of block
    match block:
        case doc.Paragraph(kind=kind) if kind in LEADS:
            return f"**{sentence(block.text)}**"
        case doc.Paragraph(kind="caveat"):
            return f"> {sentence(block.text)}"
        case doc.Paragraph():
            return sentence(block.text)
        case doc.Lines():
            return "  \n".join(map(sentence, block.lines))
        case doc.Listing():
            marks = (f"{number}. " if block.numbered else "- " for number, _ in enumerate(block.items, 1))
            return "\n".join(map(_item, marks, block.items))
        case doc.Facts():
            return "\n".join(f"- {escaped(name)}: {sentence(text)}" for name, text in block.pairs)
        case doc.Table():
            return _table(block)
        case doc.Quoted():
            return "\n".join(f"> {escaped(line)}" if line.strip() else ">" for line in block.text.splitlines())
        case doc.Verbatim():
            return "\n".join((FENCE, block.text.replace(FENCE, "'" * len(FENCE)), FENCE))
        case doc.Figure():
            return f"{escaped(block.drawing.words)}\n\n{escaped(block.caption)}"
        case doc.Section():
            return f"{'#' * block.level} {sentence(block.title)}\n\n{blocks_markdown(block.blocks)}".rstrip()
        case doc.Details():
            return f"{sentence(block.summary)}\n\n{blocks_markdown(block.blocks)}".rstrip()
    assert_never(block)


def _item(mark: str, item: doc.Sentence | doc.Item) -> str:
    if not isinstance(item, doc.Item):
        return f"{mark}{sentence(item)}"
    return "\n".join([f"{mark}{sentence(item.text)}", *(f"  - {sentence(each)}" for each in item.below)])


def _table(table: doc.Table) -> str:
    columns, rows = doc.cells_of(table)
    lines = [
        f"| {' | '.join(_within(each.title) for each in columns)} |",
        f"|{''.join('---:|' if each.kind == 'n' else '---|' for each in columns)}",
        *(f"| {' | '.join(map(_within, cells))} |" for cells in rows),
    ]
    caption = [sentence(table.caption), ""] if table.caption else []
    return "\n".join([*caption, *lines])
