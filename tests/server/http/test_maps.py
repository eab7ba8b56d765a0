"""The argument map over HTTP: its forms, and that it is as private as its debate."""

import json
from typing import Any

from tests.server.http.test_labels import label
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused

PREMISE = {"stated": [{"text": "Trams are fast", "quote": "Trams carry people fast and cheaply"}]}
ANSWERS = {"premises:1": PREMISE, "premises:2": {"stated": [], "answered": ["P1.1"]}}
SAYS = {"pro": ["Trams carry people fast and cheaply."], "con": ["They cost too much, and nobody pays."]}


def test_a_map_has_a_page_and_three_forms_and_names_nobody(guarded: Site, script: Any) -> None:
    model = script(says=SAYS, answers=ANSWERS)
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(model, blind=True)
    guarded.client.headers.update(SPECTATOR)
    guarded.ended(debate)
    page = guarded.client.get(f"/d/{debate}/map")
    forms = {form: guarded.client.get(f"/api/debates/{debate}/map.{form}") for form in ("json", "aif", "argdown")}
    found = forms["json"].json()

    assert 200 == page.status_code
    assert f'href="/d/{debate}?said=1.0-35"' in page.text
    assert "Con answers it:" in page.text
    assert [("P1.1", "support"), ("T2", "answer")] == [
        (each["source"], each["relation"]) for each in found["edges"] if "case-" not in each["source"]
    ]
    assert "answered" == found["nodes"]["P1.1"]["answered"]
    assert {"I", "RA", ""} == {each["type"] for each in forms["aif"].json()["nodes"]}
    assert "[P1.1]: Trams are fast {kind: " in forms["argdown"].text
    assert ".aif.json" in forms["aif"].headers["content-disposition"]
    assert model not in page.text + json.dumps(found) + forms["aif"].text + forms["argdown"].text


def test_a_map_is_as_private_as_its_debate(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script(says=SAYS, answers=ANSWERS))
    guarded.ended(debate)
    link = label(guarded, debate, unlisted=True)["link"]
    guarded.client.headers.update(SPECTATOR)

    assert 404 == guarded.client.get(f"/d/{debate}/map").status_code
    refused(guarded.client.get(f"/api/debates/{debate}/map.json"), 404)
    token = link.partition("link=")[2] or link
    assert 200 == guarded.client.get(f"/d/{debate}/map?link={token}").status_code


def test_what_has_no_arguments_has_no_map(site: Site) -> None:
    body = {"judge": {"model": "baseline:lexical"}, "batteries": ["retest"]}
    run = site.client.post("/api/labs", json=body).json()["id"]

    refused(site.client.get(f"/api/debates/{run}/map.json"), 404, says="a debate of format lab has no argument map")
    refused(site.client.get("/api/debates/nowhere/map.json"), 404)
    assert 404 == site.client.get("/d/nowhere/map").status_code
