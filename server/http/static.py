"""The page's files, as a browser loads them: text is sent compressed and may be revalidated by its ETag."""

import gzip
import mimetypes
import os
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, PathLike, StaticFiles
from starlette.types import Scope

import web
from events.errors import DebateDeleted

TEXT: Final = frozenset({".css", ".html", ".js", ".svg"})
_COMMENT: Final = re.compile(rb"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*$", re.MULTILINE | re.DOTALL)


def without_comments(script: bytes) -> bytes:
    """A script without the comments that are on lines of their own; the other lines keep their numbers."""
    return _COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)


class CompressedFiles(StaticFiles):
    """Static files. Each text file is compressed once, scripts without comments, and kept until the file changes."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._compressed: dict[str, tuple[str, bytes]] = {}

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """The file, compressed with gzip if it is text and the client accepts gzip."""
        request = Headers(scope=scope)
        plain = super().file_response(full_path, stat_result, scope, status_code)
        if Path(full_path).suffix not in TEXT:
            return plain
        plain.headers.add_vary_header("accept-encoding")
        if "gzip" not in request.get("accept-encoding", ""):
            return plain
        version, body = self._gzip(str(full_path), f"{stat_result.st_mtime_ns:x}-{stat_result.st_size:x}")
        media_type, _ = mimetypes.guess_type(full_path)
        response = Response(body, status_code, media_type=media_type)
        response.headers.update(
            {
                "content-encoding": "gzip",
                "etag": f'"{version}-gzip"',
                "last-modified": plain.headers["last-modified"],
                "vary": "accept-encoding",
            }
        )
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, request) else response

    def _gzip(self, path: str, version: str) -> tuple[str, bytes]:
        kept = self._compressed.get(path)
        if kept is None or kept[0] != version:
            text = Path(path).read_bytes()
            sent = without_comments(text) if path.endswith(".js") else text
            kept = self._compressed[path] = (version, gzip.compress(sent, mtime=0))
        return kept


FILES: Final = CompressedFiles(web.FOLDER)


async def page_response(request: Request, name: str) -> Response:
    """A page of the folder ``web``. The browser asks again each time, so that it never runs an old page."""
    response = await FILES.get_response(name, request.scope)
    response.headers["cache-control"] = "no-cache"
    return response


def gone_page(request: Request, error: DebateDeleted) -> Response:
    """The page of a deleted debate: when it was deleted, and why."""
    words = {"Nothing is here · Moot": "Deleted · Moot", "<h1>Nothing is here": "<h1>This debate was deleted"}
    told = {"This address leads to no page of Moot.": f"{escape(str(error))}."}
    return made_page(request, "parts/pages/missing.html", words | told, 410)


def made_page(request: Request, name: str, by: Mapping[str, str], status: int = 200) -> Response:
    """A page of the folder ``web`` with texts replaced, which it holds exactly once.  It is sent whole each time."""
    text = web.text_of(name)
    for old, new in by.items():
        assert text.count(old) == 1, f"{name} holds {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    headers = {"cache-control": "no-cache", "vary": "accept-encoding"}
    body = text.encode()
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["content-encoding"] = gzip.compress(body, 6, mtime=0), "gzip"
    return Response(body, status, headers, media_type="text/html; charset=utf-8")
