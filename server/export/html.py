"""One HTML file, made of the page's own files and an archive, that replays a debate without a network.

It needs no bundler.  A relative specifier cannot resolve inside a ``data:`` module, so ``"./x.js"`` becomes the bare
``"moot/x.js"`` in every module, and an import map gives the text of each.  The file's policy allows its own inline
parts by their digests, and modules as ``data:``.
"""

import re
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from html import escape
from posixpath import dirname, join, normpath
from typing import Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, UnsetType

import web
from events.view.origin import MarkView
from server.export.archive import Archive
from server.export.preview.card import mark_meta
from server.process.version import VERSION

PAGE: Final = "debate/debate.html"
ARCHIVE: Final = "offline/archive.js"
"""The module that answers in place of a server; it is evaluated before the page's own modules."""
SPECIFIER: Final = re.compile(r"""(\bfrom\s*+|\bimport\s*+\(?+\s*+)(["'])(\.{1,2}/[\w/-]+\.js)\2""")
_LINK: Final = re.compile(r'<link rel="(\w+)" href="/static/([\w./-]+)"[^>]*>\n?')
_SCRIPT: Final = re.compile(r'<script (type="module" )?src="/static/([\w./-]+)"></script>\n?')
_HOME: Final = re.compile(r'(<a\b[^<>]*?) href="/[^"]*"')
COPY_LINK: Final = '<button type="button" id="copy">Copy link</button>'
ON_WALL: Final = '<form method="post" action="{}"><button>Put on the wall of a room</button></form>'


def files() -> dict[str, str]:
    """The text files of the page by name."""
    found = [each for each in web.FOLDER.rglob("*") if each.suffix in {".html", ".css", ".js", ".svg"}]
    return {each.relative_to(web.FOLDER).as_posix(): each.read_text(encoding="utf-8") for each in sorted(found)}


def rewritten(name: str, source: str) -> tuple[str, tuple[str, ...]]:
    """A module with bare specifiers, and the names of the modules that it imports."""
    names: list[str] = []

    def bare(match: re.Match[str]) -> str:
        names.append(normpath(join(dirname(name), match[3])))
        return f"{match[1]}{match[2]}moot/{names[-1]}{match[2]}"

    return SPECIFIER.sub(bare, source), tuple(names)


def modules(known: Mapping[str, str], *entries: str) -> dict[str, str]:
    """The entries and the modules that they import, with bare specifiers.  Raises ``KeyError``."""
    found: dict[str, str] = {}
    wanted = [*entries]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name], names = rewritten(name, known[name])
            wanted += names
    return found


def inert(body: bytes) -> bytes:
    """JSON that cannot end a script element: its ``<`` and line separators are escaped."""
    for sign in ("<", "\u2028", "\u2029"):
        body = body.replace(sign.encode(), f"\\u{ord(sign):04x}".encode())
    return body


def offline(
    known: Mapping[str, str],
    *,
    title: str,
    note: str,
    is_whole: bool,
    mark: MarkView | UnsetType = UNSET,
    wall: str = "",
) -> tuple[bytes, bytes]:
    """The page of a debate as one file, made of ``known``, the page's files: what stands before and after the archive.

    ``note`` tells the reader about the copy; it is shown as a caveat if the copy is not whole.
    ``mark`` stands in the head, for machines.  ``wall``: the path of a server that opens the debate for the wall of a
    room; the page then has a button for it.
    """
    digests: dict[str, list[str]] = {"script": [], "style": []}

    def inline(tag: str, text: str, attributes: str = "") -> str:
        assert f"</{tag}" not in text.lower(), "the text would end its own element"
        digests[tag].append(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'")
        return f"<{tag}{attributes}>{text}</{tag}>\n"

    def link(match: re.Match[str]) -> str:
        kind, name = match[1], match[2]
        if kind == "stylesheet":
            return inline("style", known[name])
        return f'<link rel="icon" href="{_data("image/svg+xml", known[name])}">\n' if kind == "icon" else ""

    def script(match: re.Match[str]) -> str:
        is_module, name = match[1], match[2]
        if not is_module:
            return inline("script", known[name])
        texts = modules(known, ARCHIVE, name)
        urls = {f"moot/{each}": _data("text/javascript", text) for each, text in sorted(texts.items())}
        mapped = inline("script", msgspec.json.encode({"imports": urls}).decode(), ' type="importmap"')
        return mapped + inline("script", f'import "moot/{ARCHIVE}"; import "moot/{name}";', ' type="module"')

    page = _SCRIPT.sub(script, _LINK.sub(link, known[PAGE]))
    page = _HOME.sub(r"\1", page)
    assert "/static/" not in page, "the page names a file in an unknown way"
    shown_note = f'<p class="{"quiet" if is_whole else "caveat"}" id="copy-note">{escape(note)}</p>\n'
    page = _replaced(
        page,
        {
            '<meta charset="utf-8">': f'<meta charset="utf-8">\n{_policy(digests, can_post=bool(wall))}',
            "<title>A debate · Moot</title>": f"<title>{escape(title)} · Moot</title>\n{mark_meta(mark)}",
            '<body class="page">': '<body class="page copy">',
            '<div id="caveats">': f'{shown_note}<div id="caveats">',
            COPY_LINK: COPY_LINK + (ON_WALL.format(escape(wall)) if wall else ""),
            "</body>": '<script type="application/json" id="archive"></script>\n</body>',
        },
    )
    before, end, after = page.rpartition("</script>")
    return before.encode(), f"{end}{after}".encode()


def _policy(digests: Mapping[str, Sequence[str]], *, can_post: bool) -> str:
    rules = (
        "default-src 'none'",
        f"script-src data: {' '.join(digests['script'])}",
        f"style-src {' '.join(digests['style'])}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'self'" if can_post else "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return f'<meta http-equiv="content-security-policy" content="{"; ".join(rules)}">'


def _data(kind: str, text: str) -> str:
    return f"data:{kind};base64,{b64encode(text.encode()).decode()}"


def _replaced(page: str, by: Mapping[str, str]) -> str:
    """Replace each text, which the page holds exactly once."""
    for old, new in by.items():
        assert page.count(old) == 1, f"the page holds {old!r} {page.count(old)} times"
        page = page.replace(old, new)
    return page


async def html_export(archive: Archive, wall: str = "") -> AsyncIterator[bytes]:
    """The HTML file of an archive, in parts.  Threads make them.  ``wall``: see ``offline``."""
    is_whole = archive.state == "concluded"
    page = partial(offline, title=archive.motion, note=_note(archive), is_whole=is_whole, mark=archive.mark, wall=wall)
    before, after = await to_thread.run_sync(lambda: page(files()))
    yield before
    async for part in archive.parts():
        yield await to_thread.run_sync(inert, part)
    yield after


def _note(archive: Archive) -> str:
    taken = f"A copy, taken by Moot {VERSION} at event {archive.position}. It replays here without a server."
    if not archive.revealed:
        return f"{taken} The debate had not ended: directives, prompts and raw answers are not in this file."
    if archive.state != "concluded":
        return f"{taken} The debate had not ended, and this file holds what only its director may read."
    return taken if archive.has_calls else f"{taken} Prompts and raw answers were left out."
