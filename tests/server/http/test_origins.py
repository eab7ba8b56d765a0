"""Rejudging and forking over HTTP: who may do it, what it answers, and a long transcript in a request."""

from typing import Any

import pytest

from providers.registry import BASELINE
from server.http.body import MAX_BODY
from tests.server.debate.test_supplied import TOWN_HALL, body, entry
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.protocol_debates import answers
from tests.server.site import Site, refused

JUDGE = {"judge": {"model": BASELINE}}


def posted(site: Site, path: str, said: Any, **headers: str) -> Any:
    return site.client.post(path, json=said, headers=headers)


def supplied(site: Site, *entries: dict[str, Any], **headers: str) -> str:
    response = posted(site, "/api/debates", body(*entries), **headers)
    assert response.status_code == 201, response.text
    debate = str(response.json()["id"])
    site.ended(debate)
    return debate


@pytest.mark.slow
def test_a_debate_is_judged_again_and_forked(site: Site) -> None:
    debate = supplied(site, *TOWN_HALL)
    again = posted(site, f"/api/debates/{debate}/rejudge", JUDGE).json()["id"]
    site.ended(again)
    branch = posted(site, f"/api/debates/{debate}/fork", {"turn": 1, **JUDGE}).json()["id"]
    site.ended(branch)
    views = [site.get(f"/api/debates/{each}") for each in (debate, again, branch)]

    assert "origin" not in views[0]
    assert [("rejudge", debate), ("fork", debate)] == [
        (view["origin"]["kind"], view["origin"]["debate"]) for view in views[1:]
    ]
    texts = [[turn["text"] for turn in view["turns"].values()] for view in views]
    assert texts[0] == texts[1] == texts[2]
    rows = site.get("/api/debates")["debates"]
    assert {"fork", "rejudge"} == {row["origin"]["kind"] for row in rows if "origin" in row}


def test_spectators_make_no_debate_of_another(guarded: Site) -> None:
    debate = supplied(guarded, *TOWN_HALL, **TOKEN)
    for kind in ("rejudge", "fork"):
        refused(posted(guarded, f"/api/debates/{debate}/{kind}", {"turn": 1, **JUDGE}, **SPECTATOR), 401)


def test_what_is_wrong_is_named(site: Site) -> None:
    debate = supplied(site, *TOWN_HALL)
    refused(posted(site, f"/api/debates/{debate}/fork", {}), 422, "at")
    refused(posted(site, f"/api/debates/{debate}/fork", {"turn": 1, "pro": {"model": BASELINE}}), 422, "con.model")
    refused(posted(site, f"/api/debates/{debate}/rejudge", {}), 422, "judge")
    refused(posted(site, "/api/debates/unknown/rejudge", JUDGE), 404)


@pytest.mark.slow
def test_operators_send_a_transcript_of_more_than_a_megabyte(guarded: Site) -> None:
    text = "The tram is quicker, because it has a lane of its own. " * 180
    entries = [entry("pro" if number % 2 else "con", f"{text} {number}") for number in range(120)]
    said = {"judge": {"model": BASELINE}, "motion": "Trams", "transcript": body(*entries)["transcript"]}

    assert sum(len(each["text"]) for each in entries) > MAX_BODY
    refused(posted(guarded, "/api/estimate", said, **SPECTATOR), 413)
    assert guarded.client.post("/api/estimate", json=said, headers=TOKEN).json()["calls"] > 400


@pytest.mark.slow
def test_a_protocol_is_audited_judged_again_and_compared(site: Site, script: Any) -> None:
    model = script(answers=answers())
    debate = site.open(model, format="protocol", turns=8)
    site.ended(debate)
    audit = site.get(f"/api/debates/{debate}/audit/arguments/con-1")
    again = posted(site, f"/api/debates/{debate}/rejudge", {"judge": {"model": model}}).json()["id"]
    site.ended(again)
    found = site.get(f"/api/compare?a={debate}&b={again}")
    page = site.client.get(f"/compare?a={debate}&b={again}")
    offline = site.client.get(f"/api/debates/{debate}/export.html").text

    assert ("CON-1", 5, "assess.1.1") == (audit["argument"], audit["total"], audit["call"])
    assert 5 == sum(each["product"] for each in audit["points"].values())
    assert 6 == len(found["arguments"]) == found["standings_of"] == found["standings_alike"]
    assert "Argument by argument" in page.text
    assert '"CON-1":{"argument":"CON-1"' in offline
    refused(site.client.get(f"/api/debates/{debate}/audit/arguments/PRO-9"), 404)
    refused(site.client.get("/api/debates/unknown/audit/arguments/PRO-1"), 404)
    refused(posted(site, f"/api/debates/{debate}/fork", {"turn": 3}), 422, "turn")


def test_a_deliberation_is_not_judged_again(site: Site, script: Any) -> None:
    model = script()
    said = {"motion": "Does it pass?", "format": "deliberation", "artifact": {"name": "a.md", "text": "A plan."}}
    made = posted(site, "/api/debates", said | {"panel": [model] * 2, "judge": {"model": model}})
    assert made.status_code == 201, made.text
    debate = made.json()["id"]
    site.ended(debate)

    refused(posted(site, f"/api/debates/{debate}/rejudge", {"judge": {"model": model}}), 409)
