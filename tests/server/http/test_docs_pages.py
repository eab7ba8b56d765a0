"""The documentation that a server shows: every page, with links that lead somewhere, and nothing that runs."""

import re
from html import unescape

import pytest

from tests.docs.pages import ROOT
from tests.docs.test_links import anchors
from tests.server.site import Site, refused

PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_shown_and_its_links_lead_somewhere(site: Site, name: str) -> None:
    address = "/docs/" if name == "README" else f"/docs/{name}"
    shown = site.client.get(address)
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")

    assert (200, "text/html; charset=utf-8") == (shown.status_code, shown.headers["content-type"])
    assert f"<title>{text.splitlines()[0].removeprefix('# ')} · Moot</title>" in unescape(shown.text)
    assert anchors(text) <= {*map(unescape, re.findall(r'<h\d id="([^"]+)"', shown.text))}
    assert not re.search(r"<script|style=|<img|<picture|&lt;picture", shown.text)
    for link in re.findall(r'href="(/docs/[^"]*|#[^"]*)"', shown.text):
        path, _, anchor = link.partition("#")
        target = site.client.get(path or address)
        assert 200 == target.status_code, link
        assert not anchor or f'id="{anchor}"' in target.text, link
    assert not [each for each in re.findall(r'href="([^"]+)"', shown.text) if not re.match(r"https?:|#|/", each)]


def test_what_is_no_page_of_the_docs_is_not_shown(site: Site) -> None:
    for name in ("nothing", "make_cli", "..%2FCHANGELOG", "%2E%2E", "README.md"):
        refused(site.client.get(f"/docs/{name}"), 404)


def test_the_page_about_the_judge_leads_to_the_docs(site: Site) -> None:
    assert 'href="/docs/judge"' in site.client.get("/judge").text
