"""The documentation as simple pages: the Markdown of the folder ``docs``, without pictures and without scripts."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from server.errors import NotFound
from server.export.terms import terms
from server.http.contract import answers
from server.http.requests import json_response
from server.http.static import made_page

if TYPE_CHECKING:
    from markdown_it.token import Token

FOLDER: Final = Path(__file__).parents[2] / "docs"
INDEX: Final = "README"
_PICTURE: Final = re.compile(r"^<picture>.*$", re.MULTILINE)
_LINK: Final = re.compile(r"(\w+)\.md(#[\w-]+)?")


async def docs_page(request: Request) -> Response:
    """GET /docs/ and GET /docs/{name}: the index of the documentation, or one page.  Raises ``NotFound``."""
    name = request.path_params.get("name", INDEX)
    path = FOLDER / f"{name}.md"
    if path not in FOLDER.glob("*.md"):
        raise NotFound(f"there is no page {name[:40]!r} in the docs")
    title, html = await to_thread.run_sync(_rendered, path)
    shown = {"<title>Docs": f"<title>{escape(title)}", "<!-- page -->": html}
    return made_page(request, "parts/pages/docs.html", shown)


@answers(dict[str, dict[str, str]])
async def list_terms(request: Request) -> Response:
    """GET /api/terms: what each term means, as the glossary has it."""
    del request
    return json_response({"terms": await to_thread.run_sync(terms)})


@cache
def _rendered(path: Path) -> tuple[str, str]:
    """The title and the HTML of a page.  HTML in the Markdown is shown as text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few requests need it

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(_PICTURE.sub("", path.read_text(encoding="utf-8")))
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        token.attrs.pop("style", None)  # the policy of the pages refuses it
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", _anchor(following.content))
        _redirect(token.children or ())
    title = next(token.content for token in tokens if token.type == "inline")
    return title, str(reader.renderer.render(tokens, reader.options, {}))


def _anchor(heading: str) -> str:
    """The name under which GitHub reaches a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _redirect(tokens: "Sequence[Token]") -> None:
    """Let links to pages of the docs lead to them here; links to other files of the project lead nowhere."""
    for token in tokens:
        if token.type != "link_open":
            continue
        href = str(token.attrs.pop("href"))
        if found := _LINK.fullmatch(href):
            href = f"/docs/{'' if found[1] == INDEX else found[1]}{found[2] or ''}"
        if re.match(r"https?:|#|/docs/", href):
            token.attrSet("href", href)
