"""The title, description and picture that other sites show of a debate."""

import io
import re
import threading
from html import unescape
from typing import Any

import pytest
from PIL import Image

from server.export.preview import picture as preview
from server.http.exports import PREVIEWS_PER_MINUTE
from tests.server.http.test_labels import label
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused

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
    headline = "Not distinguishable: both sides have the same points"
    assert re.match(headline + r" · 2 of 2 turns · Pro \d+\.\d, Con \d+\.\d\. A debate", found["description"])
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


@pytest.mark.slow
def test_a_page_names_its_picture(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    found = members(site, f"/d/{debate}?position=3")
    answer = site.client.get(found["og:image"])

    assert f"http://127.0.0.1/d/{debate}/preview.png" == found["og:image"]
    assert ("1200", "630") == (found["og:image:width"], found["og:image:height"])
    assert "Not distinguishable: both sides have the same points · 2 of 2 turns" in found["og:image:alt"]
    assert "summary_large_image" == found["twitter:card"]
    assert "image/png" == answer.headers["content-type"]
    assert (1200, 630) == Image.open(io.BytesIO(answer.content)).size


@pytest.mark.slow
def test_a_thread_draws_a_picture_once_and_a_client_that_has_it_gets_no_body(
    site: Site, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    debate = site.open(script())
    site.ended(debate)
    made, threads = preview.draw, list[int]()

    def spy(view: Any, course: Any) -> bytes:
        threads.append(threading.get_ident())
        return made(view, course)

    monkeypatch.setattr(preview, "draw", spy)
    first = site.client.get(f"/d/{debate}/preview.png")
    again = site.client.get(f"/d/{debate}/preview.png", headers={"if-none-match": first.headers["etag"]})
    loop: Any = site.client.portal

    assert (200, "public, max-age=60") == (first.status_code, first.headers["cache-control"])
    assert (304, b"") == (again.status_code, again.content)
    assert 1 == len(threads)
    assert loop.call(threading.get_ident) not in threads
    label(site, debate, title="Another position")
    other = site.client.get(f"/d/{debate}/preview.png", headers={"if-none-match": '"old"'})
    assert (200, 2) == (other.status_code, len(threads))


def test_a_picture_of_a_blind_debate_names_no_model_for_operators_too(
    guarded: Site, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, known = list[str](), preview.words_of
    monkeypatch.setattr(preview, "words_of", lambda text, *fonts: texts.append(text) or known(text, *fonts))
    guarded.client.headers.update(TOKEN)
    blind, open_ = guarded.open(slow, blind=True), guarded.open(slow)

    assert 200 == guarded.client.get(f"/d/{blind}/preview.png?director=1").status_code
    assert texts
    assert "scripted" not in "".join(texts)
    assert 200 == guarded.client.get(f"/d/{open_}/preview.png").status_code
    assert "scripted" in "".join(texts)


@pytest.mark.slow
def test_a_picture_of_an_unlisted_debate_needs_its_link_and_is_not_named(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    link = label(guarded, debate, unlisted=True)["link"]
    guarded.client.headers.update(SPECTATOR)
    path, query = f"/d/{debate}/preview.png", link.partition("?")[2]

    refused(guarded.client.get(path), 404)
    refused(guarded.client.get(f"{path}?link=wrong"), 404)
    answer = guarded.client.get(f"{path}?{query}")
    assert (200, "private, max-age=60") == (answer.status_code, answer.headers["cache-control"])
    assert "preview.png" not in guarded.client.get(f"/d/{debate}").text
    assert "preview.png" not in guarded.client.get(link).text


@pytest.mark.slow
def test_an_unknown_debate_has_no_picture_and_an_address_may_ask_for_so_many_a_minute(site: Site) -> None:
    for _ in range(PREVIEWS_PER_MINUTE):
        refused(site.client.get("/d/nosuch/preview.png"), 404)

    refused(site.client.get("/d/nosuch/preview.png"), 429)
