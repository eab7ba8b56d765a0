"""Search in what was said, over HTTP."""

from typing import Any

import pytest

from tests.server.site import Site, refused


def test_a_hit_leads_to_its_sentence(site: Site, script: Any) -> None:
    debate = site.open(script(says={"pro": ["Buses are slow. Trams 🚲 carry people! So."], "con": ["No."]}))
    site.ended(debate)
    [hit] = site.get("/api/search?q=trams")["hits"]
    text = site.get(f"/api/debates/{debate}")["turns"][str(hit["turn"])]["text"]
    start = hit["start"]

    assert (debate, "pro", "Trams 🚲 carry people!") == (hit["debate"]["id"], hit["side"], hit["text"])
    assert hit["text"] == text[start : start + len(hit["text"])]
    assert [[0, 5]] == hit["marks"]


@pytest.mark.slow
def test_a_blind_debate_names_no_model_and_a_script_no_folder(site: Site, script: Any, slow: str) -> None:
    silent = {"pro": ["Trams carry people."], "con": [{"text": "", "fault": {"kind": "timeout", "after_ms": 60_000}}]}
    blind = site.open(script(says=silent), blind=True)
    site.watch(blind, "turn_scored")
    named = site.open(script("other", says={"pro": ["Trams carry people."], "con": ["No."]}))
    site.ended(named)
    shown = {hit["debate"]["id"]: hit["debate"] for hit in site.get("/api/search?q=trams")["hits"]}

    assert not {"pro", "con", "judge"} & shown[blind].keys()
    assert "scripted:other.json" == shown[named]["pro"]
    assert ["con"] == [hit["side"] for hit in site.get('/api/search?q="No"')["hits"] if hit["debate"]["id"] == named]


def test_a_query_and_a_page_are_bounded(site: Site) -> None:
    refused(site.client.get("/api/search"), 400, "q")
    refused(site.client.get("/api/search?q=%20"), 400, "q")
    refused(site.client.get("/api/search?q=" + "x" * 201), 400, "q")
    refused(site.client.get("/api/search?q=x&limit=51"), 400, "limit")
    refused(site.client.get("/api/search?q=x&after=y"), 400)
    assert {"hits": [], "next": None} == site.get("/api/search?q=%22%27%5C*")
