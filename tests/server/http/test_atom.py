"""The feed of listed debates: ``feedparser``, which nobody here wrote, reads it, and the musts of RFC 4287 hold."""

import re
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser

from server.http.atom import ATOM
from tests.server.http.test_labels import label
from tests.server.site import Site, serving

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def check(body: bytes) -> list[ET.Element]:
    """The musts of RFC 4287, sections 4.1.1 and 4.1.2; the entries."""
    root = ET.fromstring(body)
    assert f"{{{ATOM}}}feed" == root.tag
    entries = root.findall(f"{{{ATOM}}}entry")
    for each in (root, *entries):
        for name in ("id", "title", "updated"):
            (found,) = each.findall(f"{{{ATOM}}}{name}")
            assert found.text, name
        assert RFC_3339.fullmatch(each.findtext(f"{{{ATOM}}}updated", ""))
        assert urlsplit(each.findtext(f"{{{ATOM}}}id", "")).scheme
        links = [(link.get("rel"), link.get("type")) for link in each.findall(f"{{{ATOM}}}link")]
        assert len(links) == len(set(links))
        assert "alternate" in dict(links)
        assert all(urlsplit(link.get("href", "")).scheme for link in each.findall(f"{{{ATOM}}}link"))
    assert root.findall(f"{{{ATOM}}}author/{{{ATOM}}}name")  # so entries need none
    assert len({each.findtext(f"{{{ATOM}}}id") for each in entries}) == len(entries)
    return entries


def test_the_feed_has_what_spectators_find_in_the_list(guarded: Site, script: Any, slow: str) -> None:
    empty = guarded.client.get("/debates.atom")
    assert [] == check(empty.content)
    guarded.client.headers["authorization"] = "Bearer s3cret-0123456789"
    ended = guarded.open(script(), motion="Is <b>1 < 2</b> & “so”?")
    view = guarded.ended(ended) and guarded.get(f"/api/debates/{ended}")
    blind = guarded.open(slow, blind=True)
    for each in ({"hidden": True}, {"unlisted": True}, {"archived": True}):
        label(guarded, guarded.open(slow, motion="withheld"), **each)
    label(guarded, ended, title="A\u0007 title", tags=["trams"])
    del guarded.client.headers["authorization"]
    response = guarded.client.get("/debates.atom")
    body = response.content

    assert "application/atom+xml" == response.headers["content-type"].partition(";")[0]
    assert 2 == len(check(body))
    assert b"scripted" not in body
    assert b"withheld" not in body
    parsed = feedparser.parse(body)
    assert not parsed.bozo, parsed.get("bozo_exception")
    assert "atom10" == parsed.version
    newest, oldest = parsed.entries
    assert newest.link == f"http://moot.example/d/{blind}"
    assert newest.summary == "Live · 0 of 2 turns"
    assert (f"urn:uuid:{ended}", "A title") == (oldest.id, oldest.title)
    assert ["trams"] == [tag.term for tag in oldest.tags]
    assert oldest.summary == f"{view['outcome']['headline']} · 2 of 2 turns"
    assert 304 == guarded.client.get("/debates.atom", headers={"if-none-match": response.headers["etag"]}).status_code
    assert '<link rel="alternate" href="/debates.atom" type="application/atom+xml"' in guarded.client.get("/").text


def test_links_have_the_public_address(script: Any) -> None:
    for site in serving(public_url="https://moot.example/base/"):
        debate = site.open(script(), motion="Is <b>1 < 2</b> & “so”?")
        site.ended(debate)
        (entry,) = check(site.client.get("/debates.atom").content)

    assert "Is <b>1 < 2</b> & “so”?" == entry.findtext(f"{{{ATOM}}}title")
    assert [f"https://moot.example/base/d/{debate}"] == [link.get("href") for link in entry.findall(f"{{{ATOM}}}link")]
