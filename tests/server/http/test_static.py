"""The page's files: compressed for clients that accept it, and revalidated by their ETag."""

import gzip
import os
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

import web
from server.http.static import CompressedFiles, without_comments
from tests.server.site import Site

WEB = Path(web.__path__[0])


@pytest.mark.parametrize(
    ("path", "name", "media_type"),
    [
        ("/", "home/index.html", "text/html; charset=utf-8"),
        ("/d/any", "debate/debate.html", "text/html; charset=utf-8"),
        ("/judge", "judge/judge.html", "text/html; charset=utf-8"),
        ("/static/words/words.js", "words/words.js", "text/javascript; charset=utf-8"),
        ("/static/parts/style.css", "parts/style.css", "text/css; charset=utf-8"),
        ("/favicon.ico", "parts/favicon.svg", "image/svg+xml"),
    ],
)
def test_text_is_sent_compressed_to_clients_that_accept_it(site: Site, path: str, name: str, media_type: str) -> None:
    packed = site.client.get(path, headers={"accept-encoding": "gzip"})
    plain = site.client.get(path, headers={"accept-encoding": "identity"})

    assert ("gzip", "accept-encoding") == (packed.headers["content-encoding"], packed.headers["vary"])
    assert "content-encoding" not in plain.headers
    assert "accept-encoding" == plain.headers["vary"].lower()
    source = plain.content if path == "/judge" else (WEB / name).read_bytes()  # made of the template and the record
    assert source == plain.content
    assert (without_comments(source) if name.endswith(".js") else source) == packed.content
    assert {media_type} == {packed.headers["content-type"], plain.headers["content-type"]}
    lengths = {len(gzip.compress(packed.content, level, mtime=0)) for level in (6, 9)}  # made pages, and files
    assert int(packed.headers["content-length"]) in lengths
    is_made = path in {"/d/any", "/judge"}  # sent whole each time, so no client asks for it by a tag
    assert is_made == ("etag" not in packed.headers)
    assert is_made or packed.headers["etag"] != plain.headers["etag"]


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_file_that_has_not_changed_is_not_sent_again(site: Site, encoding: str) -> None:
    first = site.client.get("/static/words/words.js", headers={"accept-encoding": encoding})
    headers = {"accept-encoding": encoding, "if-none-match": first.headers["etag"]}

    again = site.client.get("/static/words/words.js", headers=headers)
    assert (304, b"") == (again.status_code, again.content)
    other = site.client.get("/static/words/words.js", headers={**headers, "if-none-match": '"another"'})
    assert 200 == other.status_code


def test_comments_on_lines_of_their_own_are_not_sent_and_lines_keep_their_numbers() -> None:
    source = b'/**\n * A comment.\n */\nconst a = 1; // stays\n  // goes\nconst b = "/** stays */";\n'

    assert b'\n\n\nconst a = 1; // stays\n\nconst b = "/** stays */";\n' == without_comments(source)


def test_a_file_that_changes_is_compressed_again(tmp_path: Path) -> None:
    file = tmp_path / "a.js"
    client = TestClient(Starlette(routes=[Mount("/", CompressedFiles(tmp_path))]))
    for time, text in enumerate(("one();", "two();")):
        file.write_text(text)
        os.utime(file, (time, time))

        assert text == client.get("/a.js").text
