"""A document as HTML: the parts of a page, without its frame."""

from collections.abc import Iterable
from html import escape
from typing import Final, assert_never

from server.export import document as doc
from server.export.document.markdown import quote_within_marks

ROLES: Final = {"standing": "status", "error": "alert"}
"""The roles of paragraphs, by kind."""
SPOKEN: Final = frozenset({"motion"})
"""Kinds of paragraphs with words of the debate."""
ELEMENTS: Final = {"emphasis": "em", "code": "code", "small": "small"}
"""The elements of marked texts, by kind; another kind is a class."""


def to_html(document: doc.Document) -> str:
    """The title and the blocks."""
    return _Rendering(document.language).whole(document)


def tag(name: str, inner: str, **attributes: str) -> str:
    """An element.  An attribute with an empty value is left out."""
    given = "".join(f' {key.strip("_")}="{escape(value)}"' for key, value in attributes.items() if value)
    return f"<{name}{given}>{inner}</{name}>"


class _Rendering:
    """The rendering of a document whose words are in one language."""

    def __init__(self, language: str) -> None:
        self._spoken = {"lang": language, "dir": "auto"}

    def whole(self, document: doc.Document) -> str:
        return "\n".join((tag("h1", self._sentence(document.title)), *map(self._block, document.blocks)))

    def _sentence(self, text: doc.Sentence) -> str:
        return "".join(map(self._part, doc.parts_of(text)))

    def _part(self, part: doc.Part) -> str:  # noqa: C901 - a case for each kind of part
        match part:
            case str():
                return escape(part)
            case doc.QuotedWords():
                return tag("q", escape(quote_within_marks(part)), **self._spoken)
            case doc.Strong():
                return tag("b", escape(part.text))
            case doc.Link():
                return tag("a", escape(part.text), href=part.href).replace(
                    "<a ", "<a download " if part.is_download else "<a ", 1
                )
            case doc.Marked() if part.kind.startswith("data-"):
                return f"<span {part.kind}>{escape(part.text)}</span>"
            case doc.Marked() if part.kind in ELEMENTS:
                return tag(ELEMENTS[part.kind], escape(part.text))
            case doc.Marked():
                return tag("span", escape(part.text), class_=part.kind)
            case doc.CitedTurn():
                return escape(doc.plain_of(part))
            case doc.Drawing():
                return part.svg
            case doc.Meter():
                value = {"max": f"{part.of}", "value": f"{min(part.done, part.of)}", "aria-label": part.name}
                return f"{tag('progress', '', **value)} <span>{part.done:,} / {part.of:,}</span>"
        assert_never(part)

    def _blocks(self, blocks: Iterable[doc.Block]) -> str:
        return "\n".join(map(self._block, blocks))

    def _block(self, block: doc.Block) -> str:  # noqa: C901 - a case for each kind of block
        match block:
            case doc.Paragraph():
                spoken = self._spoken if block.kind in SPOKEN else {}
                attributes = {"class": block.kind, "role": ROLES.get(block.kind, ""), **spoken}
                return tag("p", self._sentence(block.text), **attributes)
            case doc.Lines():
                return tag("p", "<br>".join(map(self._sentence, block.lines)))
            case doc.Listing():
                items = "".join(map(self._item, block.items))
                return tag("ol" if block.numbered else "ul", items, class_=block.kind)
            case doc.Facts():
                pairs = ((tag("dt", escape(name)), tag("dd", self._sentence(text))) for name, text in block.pairs)
                return tag("dl", "".join(tag("div", f"{name}{text}") for name, text in pairs), class_=block.kind)
            case doc.Table():
                return self._table(block)
            case doc.Quoted():
                return tag("blockquote", "<br>".join(map(escape, block.text.splitlines())), **self._spoken)
            case doc.Verbatim():
                return tag("pre", escape(block.text))
            case doc.Figure():
                return tag("figure", f"{block.drawing.svg}{tag('figcaption', escape(block.caption))}")
            case doc.Section():
                anchor = f"{block.name}-title" if block.name else ""
                title = tag(f"h{block.level}", self._sentence(block.title), id=anchor)
                return tag("section", f"{title}\n{self._blocks(block.blocks)}", **{"aria-labelledby": anchor})
            case doc.Details():
                summary = tag("summary", tag("span", self._sentence(block.summary)))
                return tag("details", f"{summary}\n{self._blocks(block.blocks)}", class_=block.kind)
        assert_never(block)

    def _item(self, item: doc.Sentence | doc.Item) -> str:
        if not isinstance(item, doc.Item):
            return tag("li", self._sentence(item), dir="auto")
        below = "".join(tag("li", self._sentence(each)) for each in item.below)
        return tag("li", self._sentence(item.text) + (tag("ul", below) if below else ""), class_=item.kind, dir="auto")

    def _table(self, table: doc.Table) -> str:
        columns = [each if isinstance(each, doc.Column) else doc.Column(each) for each in table.columns]
        heads = (tag("th", self._sentence(each.title), scope="col", class_=each.kind.strip("n")) for each in columns)
        rows = "\n".join(
            self._row(columns, each if isinstance(each, doc.Row) else doc.Row(each)) for each in table.rows
        )
        caption = tag("caption", self._sentence(table.caption)) if table.caption else ""
        head = tag("thead", tag("tr", "".join(heads)))
        whole = tag("table", f"{caption}{head}{tag('tbody', rows)}", class_=table.kind)
        if not table.region:
            return whole
        return tag("div", whole, class_="scroll", tabindex="0", role="region", **{"aria-label": table.region})

    def _row(self, columns: list[doc.Column], row: doc.Row) -> str:
        first, *others = map(self._sentence, row.cells)
        cells = (tag("td", cell, class_=column.kind) for column, cell in zip(columns[1:], others, strict=False))
        name = dict([row.name] if row.name else [])
        return tag("tr", "".join((tag("th", first, scope="row"), *cells)), class_=row.kind, **name)
