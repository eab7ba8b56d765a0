"""HTML and Markdown as paragraphs with their headings.  Nothing in them is run or fetched.

The tags are found here and not by ``html.parser``, which takes time quadratic in a text with many unfinished ones.
"""

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from server.evidence.passages import Block
from server.evidence.text import MAX_TITLE, decoded, line_of

_VOID: Final = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table",
    "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_UNREAD: Final = frozenset({
    "audio", "button", "canvas", "datalist", "iframe", "nav", "noscript", "object", "option", "script",
    "select", "style", "svg", "template", "textarea", "video",
})  # fmt: skip
"""Elements whose content is no text of the document."""
_BOLD: Final = frozenset({"b", "strong", "dt"})
_SPACED: Final = frozenset({"td", "th", "img"})
_RAW: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
"""Elements in which only their own end tag is one."""
_NAME: Final = re.compile(r"[a-zA-Z][^\s/>\x00]*+")
_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+(?:(?P<name>[^\s/>][^\s/>=]*+)"""
    r"""(?:\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<bare>(?!["'])[^\s>]*+)))?+)?+"""
)
"""What stands before an attribute, and the attribute; always a match.  A single quotation mark belongs to a name."""
_CLOSED_BY: Final = {
    "p": _BLOCKS - {"br"},
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr"}),
    "td": frozenset({"td", "th", "tr"}),
    "th": frozenset({"td", "th", "tr"}),
    "option": frozenset({"option"}),
}
"""The elements whose beginning ends an element that has no end tag."""
_BELOW: Final = " › "
"""Between two headings of which the second stands under the first."""
_SEARCHED: Final = 100
"""Open elements among which an end tag looks for its beginning."""
_UNSEEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])")
_DECLARED: Final = re.compile(rb"<meta\b[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,20})", re.IGNORECASE)
_KNOWN: Final = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|iso-?8859-?\d{1,2}|(?:windows-|cp)125\d|koi8-[ru]|shift_jis|euc-(?:jp|kr)|gb2312|gbk"
    r"|gb18030|big5|iso-2022-jp|us-ascii|latin-?1",
    re.IGNORECASE,
)
_AS_BROWSERS: Final = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252"}
"""Browsers read these as Windows-1252."""
_FRONT_MATTER: Final = re.compile(r"\A---\n(?:[^\n]*\n){0,200}?---\n")


class Markup:
    """The blocks and the title of a document; ``title`` is set once all blocks are read."""

    def __init__(self, text: str, *, is_marked: bool = False) -> None:
        """``is_marked``: headings, rows of tables, and bold words at the beginning of a block keep Markdown's marks."""
        self.title = ""
        self._html = text
        self._is_marked = is_marked

    def blocks(self) -> Iterator[Block]:
        """The paragraphs that a reader sees, with the heading that they stand under."""
        reader = _TextCollector(is_marked=self._is_marked)
        _read(self._html, reader)
        yield from reader.blocks()
        self.title = line_of(reader.title)[:MAX_TITLE]


def html_text(content: bytes) -> str:
    """The characters of an HTML file, in the encoding that it declares."""
    found = _DECLARED.search(content[:2048])
    name = found[1].decode().lower() if found is not None else ""
    return decoded(content, _AS_BROWSERS.get(name, name) if _KNOWN.fullmatch(name) else "")


def markdown_html(text: str) -> str:
    """Markdown as HTML, by CommonMark with tables; front matter is left out."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only the reader of Markdown needs it

    return str(MarkdownIt("commonmark").enable("table").render(_FRONT_MATTER.sub("", text)))


class _Element(NamedTuple):
    """An open element."""

    name: str
    unread: bool


def _read(text: str, reader: "_TextCollector") -> None:
    """Give the reader each tag, and the text between them.

    What browsers take as a tag or a comment up to the end of the file, because its end is missing, ends at the next
    ``>`` here, and is text if there is none: no words are lost.  Such an end is looked for once, so the time is linear.
    """
    at, close, has_tag_ends, has_comment_ends = 0, -1, True, True
    while (begin := text.find("<", at)) >= 0:
        if close < begin and (close := text.find(">", begin)) < 0:
            break
        if begin > at:
            reader.add_text(html.unescape(text[at:begin]))
        at = close + 1
        is_end = text.startswith("/", begin + 1)
        if named := _NAME.match(text, begin + 1 + is_end):
            name = named[0].lower()
            if is_end:
                reader.end(name)
                continue
            found = _attributes(text, named.end()) if has_tag_ends else None
            has_tag_ends = found is not None
            attributes, at = found or ({}, at)
            reader.begin(name, attributes)
            if name in _RAW and text[at - 2] != "/":
                ended = _RAW[name].search(text, at)
                at = len(text) if ended is None else ended.start()
        elif text.startswith("<!--", begin):
            if has_comment_ends and not text.startswith((">", "->"), begin + 4):
                ends = text.find("-->", begin + 4)
                has_comment_ends, at = ends >= 0, ends + 3 if ends >= 0 else at
        elif not (is_end or text.startswith(("!", "?"), begin + 1)):
            reader.add_text("<")
            at = begin + 1
    reader.add_text(html.unescape(text[at:]))


def _attributes(text: str, at: int) -> tuple[dict[str, str], int] | None:
    """The attributes of a tag and the place after it; None if no ``>`` ends it."""
    found: dict[str, str] = {}
    while (each := _ATTRIBUTE.match(text, at)) and each["name"]:
        found.setdefault(each["name"].lower(), html.unescape(each["double"] or each["single"] or each["bare"] or ""))
        at = each.end()
    assert each is not None
    return (found, each.end() + 1) if each.end() < len(text) else None


class _TextCollector:
    """Collects the text of visible elements.  It keeps its own stack, so depth costs no recursion."""

    def __init__(self, *, is_marked: bool) -> None:
        self._is_marked = is_marked
        self._is_bold = self._is_row = self._has_words = False
        """Of a block with marks: whether bold words are open, it has several cells, it has words."""
        self.title = ""
        self._open: list[_Element] = []
        self._text: list[str] = []
        self._heading = ""
        self._pending: list[str] = []
        """Headings without text under them yet."""
        self._level = 1
        self._in_heading = self._in_title = False
        self._blocks: list[Block] = []

    def blocks(self) -> list[Block]:
        """All blocks; a heading at the end, with no text under it, is a block of its own: no words are lost."""
        self._end_block()
        if self._pending:
            self._blocks.append(Block(text=_BELOW.join(self._pending), heading=self._heading))
            self._pending = []
        return self._blocks

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins; in HTML the slash of ``<br/>`` means nothing."""
        while self._open and tag in _CLOSED_BY.get(self._open[-1].name, ()):
            self._open.pop()
        if tag in _BLOCKS:
            self._end_block()
        elif tag in _SPACED:
            is_cell = self._is_marked and tag != "img" and self._has_words
            self._is_row = self._is_row or is_cell
            self._text.append(" | " if is_cell else " ")
        if self._is_marked and tag in _BOLD and not (self._has_words or self._is_bold):
            self._is_bold = True
            self._text.append("**")
        if tag in _VOID:
            return
        unread = bool(self._open and self._open[-1].unread) or tag in _UNREAD or _is_hidden(attributes)
        self._open.append(_Element(tag, unread=unread))
        self._in_title = tag == "title" and not self.title and not unread
        if tag in _HEADINGS and not unread:
            self._in_heading, self._level = True, int(tag[1])

    def end(self, tag: str) -> None:
        """An element ends, with all that were begun in it."""
        if self._is_bold and tag in _BOLD:
            self._is_bold = False
            self._text.append("**")
        if tag in _BLOCKS:
            self._end_block()
        self._in_title = False
        for back in range(1, min(len(self._open), _SEARCHED) + 1):
            if self._open[-back].name == tag:
                del self._open[-back:]
                return

    def add_text(self, data: str) -> None:
        """Text, or a part of it."""
        if self._in_title:
            self.title += data[:MAX_TITLE]
        elif not (self._open and self._open[-1].unread):
            self._text.append(data)
            self._has_words = self._has_words or not data.isspace()

    def _end_block(self) -> None:
        text, is_heading = line_of("".join(self._text)), self._in_heading
        self._text, self._in_heading, self._has_words = [], False, False
        if not text:
            self._in_heading = is_heading
            return
        if self._is_marked:
            text = f"# {text.strip('* ')}" if is_heading else _marked(text, is_row=self._is_row)
            self._is_bold = self._is_row = False
            self._blocks.append(Block(text=f"{'#' * (self._level - 1)}{text}" if is_heading else text))
            return
        if is_heading:
            self._pending.append(text)
            self.title = self.title or text
            return
        if self._pending:
            self._heading, self._pending = _BELOW.join(self._pending)[:MAX_TITLE], []
        self._blocks.append(Block(text=text, heading=self._heading))


def _marked(text: str, *, is_row: bool) -> str:
    """A block with its bold words next to their marks, and a row of a table in its frame."""
    if text.startswith("**") and (end := text.find("**", 2)) > 0:
        bold, rest = text[2:end].strip(), text[end + 2 :]
        text = f"**{bold}**{rest}" if bold else rest.strip()
    return f"| {text} |" if is_row else text


def _is_hidden(attributes: dict[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _UNSEEN.search(attributes.get("style", "").lower()) is not None
    )
