"""The HTML file that replays a debate offline: how it is built, and hostile text in it."""

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.transfer import parse_lines
from events.types import ModelAnswered, ModelFailed
from server.export.html import SPECIFIER, files, inert, modules, offline, rewritten
from server.http.exports import file_name
from tests.server.children import Cli
from tests.server.site import Site, refused

SCRIPTS = {name: text for name, text in files().items() if name.endswith(".js")}
HOSTILE = "</script><script>document.title='broken in'</script><!--<script>\u2028 <img src=x onerror=alert(1)>"


class PageParser(HTMLParser):
    """What a browser finds in the file: elements that run or load something, and the archive."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.title = ""
        self._in = ""
        self.feed(page)
        self.archive = msgspec.json.decode(self.texts["archive"])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in = dict(attrs).get("id") or dict(attrs).get("type") or tag

    def handle_data(self, data: str) -> None:
        self.texts[self._in] = self.texts.get(self._in, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_import_is_rewritten(name: str) -> None:
    source, names = rewritten(name, SCRIPTS[name])
    statements = re.findall(r"^(?:import\b|export\b[^;=(]*\bfrom\b)", SCRIPTS[name], re.MULTILINE)
    dynamic = re.findall(r"\bimport\s*\(", SCRIPTS[name])
    relative = re.findall(r"""(["'])\.{1,2}/[^"']*\1""", SCRIPTS[name])

    assert len(statements) + len(dynamic) == len(names) == len(relative)
    assert not SPECIFIER.search(source)
    assert set(names) <= SCRIPTS.keys()


@pytest.mark.parametrize(
    ("specifier", "becomes"),
    [
        ('import { a } from "./a.js";', 'import { a } from "moot/a.js";'),
        ("import * as a from './a.js'", "import * as a from 'moot/a.js'"),
        ('import "./a.js";', 'import "moot/a.js";'),
        ('await import("./a.js")', 'await import("moot/a.js")'),
        ('export { a } from "./a.js";', 'export { a } from "moot/a.js";'),
        ('import { a } from "../b/a.js";', 'import { a } from "moot/b/a.js";'),
        ('const path = "./a.js";', 'const path = "./a.js";'),
    ],
)
def test_kinds_of_specifiers(specifier: str, becomes: str) -> None:
    assert becomes == rewritten("c.js" if "../" not in specifier else "c/d.js", specifier)[0]


def test_only_modules_that_the_page_needs_are_included() -> None:
    known = {"a.js": 'import "./b.js";', "b.js": 'import "./a.js";', "c.js": ""}

    assert {"a.js": 'import "moot/b.js";', "b.js": 'import "moot/a.js";'} == modules(known, "a.js")


@pytest.mark.parametrize("text", [HOSTILE, "</ScRiPt >", "<!--<script>", "\u2028\u2029", "]]>"])
def test_nothing_breaks_out_of_the_archive(text: str) -> None:
    escaped = inert(msgspec.json.encode({"text": text})).decode()

    assert "<" not in escaped
    assert not set("\u2028\u2029") & set(escaped)
    assert {"text": text} == msgspec.json.decode(escaped)


def parsed(archive: bytes, title: str, note: str) -> PageParser:
    return PageParser(inert(archive).join(offline(files(), title=title, note=note, is_whole=True)).decode())


def page(**archive: Any) -> PageParser:
    return parsed(msgspec.json.encode(archive), HOSTILE, HOSTILE)


def test_hostile_text_makes_no_element() -> None:
    hostile, plain = page(text=HOSTILE), parsed(b"{}", "x", "y")

    assert [tag for tag, _ in plain.found] == [tag for tag, _ in hostile.found]
    assert HOSTILE == hostile.archive["text"]
    assert hostile.texts["title"].startswith(HOSTILE)


def test_the_file_requests_nothing() -> None:
    shown = page()
    named = [value or "" for _, each in shown.found for name, value in each.items() if name in {"src", "href"}]
    mapped = msgspec.json.decode(shown.texts["importmap"])["imports"]

    assert all(value.startswith(("data:", "#")) for value in named)
    assert 'import "moot/offline/archive.js"; import "moot/debate/debate.js";' == shown.texts["module"]
    assert all(url.startswith("data:text/javascript;base64,") for url in mapped.values())
    texts = [base64.b64decode(url.partition(",")[2]).decode() for url in mapped.values()]
    assert not [text for text in texts if SPECIFIER.search(text)]
    policy = next(each["content"] for tag, each in shown.found if tag == "meta" and each.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src data: 'sha256-")
    assert "unsafe" not in policy


def golden(path: str = "0.1-juries") -> bytes:
    return (Path(__file__).parents[2] / "events" / "view" / "golden" / f"{path}.ndjson").read_bytes()


@pytest.mark.slow
def test_the_command_writes_a_whole_debate(moot: Cli, tmp_path: Path) -> None:
    log = tmp_path / "d.ndjson"
    log.write_bytes(golden())
    debate = moot("import", str(log)).stdout.decode().strip()
    done = moot("export", debate, "--as", "html", "-o", str(tmp_path / "d.html"))
    shown = PageParser((tmp_path / "d.html").read_text())
    records = parse_lines(golden().splitlines(keepends=True))

    assert "MB, of which the model calls" in done.stderr.decode()
    assert [each.position for each in records] == [frame["position"] for frame in shown.archive["frames"]]
    assert moot.json("show", debate) == shown.archive["view"]
    assert moot.json("audit", debate) == list(shown.archive["audits"].values())
    calls = [each.event for each in records if isinstance(each.event, ModelAnswered | ModelFailed)]
    answers = {each.call: each.answer for each in calls}
    assert answers == {name: call["answer"] for name, call in shown.archive["asked"]["calls"].items()}

    less = PageParser(moot("export", debate, "--as", "html", "--without-calls").stdout.decode())

    assert "asked" not in less.archive
    assert "left out" in less.texts["copy-note"]


@pytest.mark.slow
def test_the_routes_and_the_command_give_the_same_file(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    view = site.get(f"/api/debates/{debate}")
    html = site.client.get(f"/api/debates/{debate}/export.html")

    assert view == site.get(f"/api/debates/{debate}/export.json")
    assert site.client.get(f"/api/debates/{debate}/export.md").text.startswith(f"# {view['motion']}\n")
    assert view == PageParser(html.text).archive["view"]
    name = file_name(view["motion"], debate, "html")
    assert f'attachment; filename="{name}"' == html.headers["content-disposition"]
    assert "asked" not in PageParser(site.client.get(f"/api/debates/{debate}/export.html?calls=0").text).archive
    refused(site.client.get(f"/api/debates/{debate}/export.html?calls=2"), 400, "calls")
    for kind in ("html", "json", "md"):
        refused(site.client.get(f"/api/debates/nobody/export.{kind}"), 404)


@pytest.mark.slow
def test_the_file_of_a_live_debate_has_no_secrets(guarded: Site, slow: str) -> None:
    token = {"authorization": "Bearer s3cret-0123456789"}
    seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
    debate = guarded.client.post("/api/debates", json={"motion": "A motion", **seats}, headers=token).json()["id"]
    shown = PageParser(guarded.client.get(f"/api/debates/{debate}/export.html").text)

    assert not shown.archive["revealed"]
    assert "asked" not in shown.archive
    assert "had not ended" in shown.texts["copy-note"]
    refused(guarded.client.get(f"/api/debates/{debate}/export.html?director=1"), 401)
    told = PageParser(guarded.client.get(f"/api/debates/{debate}/export.html?director=1", headers=token).text)
    assert told.archive["revealed"]
    assert "only its director" in told.texts["copy-note"]


def test_only_the_embedded_page_may_be_framed(site: Site) -> None:
    framed = site.client.get("/d/any/embed")
    rules = framed.headers["content-security-policy"].split("; ")

    assert "frame-ancestors *" in rules
    assert '<body class="page embed">' in framed.text
    assert "set-cookie" not in framed.headers
    for path in ("/", "/d/any", "/api/debates", "/static/debate/debate.js"):
        assert "frame-ancestors *" not in site.client.get(path).headers["content-security-policy"]
    assert "<script>alert" not in site.client.get("/d/%3Cscript%3Ealert(1)/embed").text


@pytest.mark.parametrize(
    ("motion", "name"),
    [
        ("Cities should ban private cars", "moot-cities-should-ban-private-cars-01a20007-4187.html"),
        ("Où est le “café”? ../../etc; rm -rf", "moot-ou-est-le-cafe-etc-rm-rf-01a20007-4187.html"),
        ("要不要禁止私家车", "moot-01a20007-4187.html"),
        ('"\r\nSet-Cookie: a=b', "moot-set-cookie-a-b-01a20007-4187.html"),
        ("word " * 40, f"moot{'-word' * 9}-01a20007-4187.html"),
    ],
)
def test_a_file_is_named_after_its_motion(motion: str, name: str) -> None:
    assert name == file_name(motion, "01a20007-4187-7dd3-985d-950d870c3b30", "html")


def test_an_id_that_is_no_uuid_names_a_file_too() -> None:
    assert "moot-nobodyx.md" == file_name("", 'nobody"; x', "md")
