"""oEmbed: what other sites get of an address, and how they find it."""

import html
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.server.http.test_labels import label
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused

BASE = "http://moot.example"


@pytest.fixture
def debate(guarded: Site, script: Any) -> str:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script(), motion='Is "this" <b>safe</b>?')
    guarded.ended(debate)
    for name in TOKEN:
        del guarded.client.headers[name]
    return debate


def asked(site: Site, url: str, **more: Any) -> Any:
    return site.client.get("/oembed", params={"url": url, **more})


@pytest.mark.slow
def test_a_site_finds_and_gets_the_frame_of_a_debate(guarded: Site, debate: str) -> None:
    page = guarded.client.get(f"/d/{debate}").text
    (link,) = re.findall(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', page)
    response = guarded.client.get(html.unescape(link))
    said = response.json()

    assert (200, "application/json") == (response.status_code, response.headers["content-type"])
    assert ("1.0", "rich", 'Is "this" <b>safe</b>?') == (said["version"], said["type"], said["title"])
    assert (720, 600) == (said["width"], said["height"])
    assert "<b>" not in said["html"]
    (source,) = re.findall(r'<iframe src="([^"]+)" width="720" height="600"', said["html"])
    assert f"{BASE}/d/{debate}/embed" == source
    framed = guarded.client.get(source)
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert 200 == guarded.client.get(said["thumbnail_url"]).status_code


def test_of_a_card_and_within_the_size_that_a_site_allows(guarded: Site, debate: str) -> None:
    said = asked(guarded, f"{BASE}/d/{debate}/turns/1/card?quote=Cars", maxwidth=300, maxheight=100).json()

    assert (300, 100) == (said["width"], said["height"])
    assert "thumbnail_url" not in said
    (source,) = re.findall(r'src="([^"]+)"', said["html"])
    assert f"/d/{debate}/turns/1/card?quote=Cars" == urlsplit(source)._replace(scheme="", netloc="").geturl()
    assert 200 == guarded.client.get(html.unescape(source)).status_code


@pytest.mark.slow
def test_what_has_no_frame(guarded: Site, debate: str) -> None:
    one = f"{BASE}/d/{debate}"
    refused(asked(guarded, one, format="xml"), 501)
    refused(guarded.client.get("/oembed"), 400, "url")
    refused(asked(guarded, one, maxwidth="wide"), 400, "maxwidth")
    for url in (
        f"https://elsewhere.example/d/{debate}",
        f"{BASE}/judge",
        f"{BASE}/d/none",
        f"{one}/turns/9/card",
        f"javascript://moot.example/d/{debate}",
        "http://[",
    ):
        refused(asked(guarded, url), 404)
    link = label(guarded, debate, unlisted=True)["link"]
    refused(asked(guarded, one), 404)
    refused(asked(guarded, f"{BASE}{link}"), 404)
    assert "oembed" not in guarded.client.get(link).text
