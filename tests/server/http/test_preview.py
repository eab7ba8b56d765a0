"""The title and description with which the page of a debate is served."""

import re
from html import unescape
from typing import Any

from tests.server.http.test_labels import label
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site

HOSTILE = "</title><script>alert(1)</script> \" ' & \u202e \u0000 مدن 都市"


def members(site: Site, path: str) -> dict[str, str]:
    page = site.client.get(path).text
    found = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', page))
    [title] = re.findall("<title>(.*?)</title>", page)
    return {name: unescape(value) for name, value in {**found, "title": title}.items()}


def test_a_page_is_served_with_its_title_state_and_scores(site: Site, script: Any) -> None:
    debate = site.open(script(), motion="Trams or cars?")
    site.ended(debate)
    found = members(site, f"/d/{debate}")

    assert ("Trams or cars? · Moot", "Trams or cars?") == (found["title"], found["og:title"])
    assert re.match(r"No winner · 2 of 2 turns · Pro \d+\.\d, Con \d+\.\d\. A debate", found["description"])
    assert found["description"] == found["og:description"]
    assert found["og:url"].endswith(f"/d/{debate}")


def test_a_hostile_motion_stays_text_and_a_long_one_is_cut(site: Site, script: Any) -> None:
    debate = site.open(script(), motion=HOSTILE.replace("\u0000", ""), turns=1)
    page = site.client.get(f"/d/{debate}").text
    long = site.open(script(), motion="x" * 2000, turns=1)

    assert "<script>alert" not in page
    assert "مدن 都市" in members(site, f"/d/{debate}")["og:title"]
    assert 160 == len(members(site, f"/d/{long}")["og:title"])


def test_neither_a_blind_nor_an_unlisted_debate_tells_what_it_hides(guarded: Site, script: Any, slow: str) -> None:
    guarded.client.headers.update(TOKEN)
    blind = guarded.open(slow, blind=True)
    unlisted = guarded.open(script(), motion="A secret motion")
    link = label(guarded, unlisted, unlisted=True)["link"]
    guarded.client.headers.update(SPECTATOR)

    assert "scripted" not in guarded.client.get(f"/d/{blind}").text
    assert "secret" not in guarded.client.get(f"/d/{unlisted}").text
    assert "A secret motion · Moot" == members(guarded, link)["title"]
    assert link.partition("=")[2] not in guarded.client.get(link).text
