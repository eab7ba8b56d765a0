"""Votes, beliefs and the moderator's messages over HTTP: permissions, refusals, rates."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from server.http.access import COOKIE as SESSION
from server.http.people.audience import COOKIE, VOTER_PER_MINUTE, pseudonym
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused, serving


def votes(debate: str) -> str:
    return f"/api/debates/{debate}/votes"


def another(site: Site) -> TestClient:
    """Another browser, without the cookies of the first."""
    client = TestClient(site.client.app, base_url=str(site.client.base_url))
    client.portal = site.client.portal
    return client


def audience(site: Site, debate: str) -> Any:
    return site.get(f"/api/debates/{debate}?director=1")["audience"]


# votes


def test_a_second_vote_of_a_browser_replaces_its_first(site: Site, slow: str) -> None:
    debate = site.open(slow)
    first = site.client.post(votes(debate), json={"winner": "pro"})
    again = site.client.post(votes(debate), json={"winner": "con"})

    assert (200, 200) == (first.status_code, again.status_code)
    assert first.json()["position"] < again.json()["position"]
    assert {"pro": 0, "con": 1, "neither": 0, "cast": 1} == audience(site, debate)["votes"]


def test_two_browsers_have_two_votes(site: Site, slow: str) -> None:
    debate = site.open(slow)
    for client in (site.client, another(site)):
        assert client.post(votes(debate), json={"winner": "pro"}).status_code == 200

    assert 2 == audience(site, debate)["votes"]["cast"]


def test_the_voter_id_is_only_in_the_cookie_and_never_in_the_log(site: Site, slow: str) -> None:
    debate = site.open(slow)
    response = site.client.post(votes(debate), json={"winner": "pro"})
    header = response.headers["set-cookie"]
    cookie = site.client.cookies[COOKIE]
    log = site.client.get(f"/api/debates/{debate}/events.ndjson?director=1").text

    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in header.split(";")}
    assert '"type":"audience_voted"' in log
    assert cookie not in log
    assert cookie.split(".")[0].strip('"') not in log
    assert "testclient" not in log
    assert "set-cookie" not in site.client.post(votes(debate), json={"winner": "con"}).headers


def test_a_voter_has_a_different_pseudonym_in_every_debate() -> None:
    names = {pseudonym("v", "d1"), pseudonym("v", "d2"), pseudonym("w", "d1")}

    assert 3 == len(names)
    assert {16} == {len(name) for name in names}
    assert pseudonym("v", "d1") == pseudonym("v", "d1")


@pytest.mark.parametrize("forged", ["mine", '"6162".c2lnbmVk', "", '{"a":1}'])
def test_a_cookie_that_we_did_not_sign_makes_a_new_voter(site: Site, slow: str, forged: str) -> None:
    debate = site.open(slow)
    for _ in range(2):
        client = another(site)
        response = client.post(votes(debate), json={"winner": "pro"}, headers={"cookie": f"{COOKIE}={forged}"})
        assert "set-cookie" in response.headers

    assert 2 == audience(site, debate)["votes"]["cast"]


def test_every_spectator_may_vote_and_only_an_operator_may_send_messages(guarded: Site, slow: str) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(slow)
    guarded.client.headers.update({"authorization": ""})

    assert guarded.client.post(votes(debate), json={"winner": "neither"}).status_code == 200
    refused(guarded.client.post(f"/api/debates/{debate}/say", json={"text": "Costs?"}), 401)
    spoken = guarded.client.post(f"/api/debates/{debate}/say", json={"text": "Costs?"}, headers=TOKEN)
    assert spoken.status_code == 200
    assert SESSION not in guarded.client.cookies


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "winner"),
        ({"winner": "both"}, "winner"),
        ({"winner": None}, "winner"),
        ({"winner": ["pro"]}, "winner"),
        ({"winner": "pro", "turn": 1}, "turn"),
        ({"winner": "pro", "voter": "me"}, "voter"),
        ({"turn": 1}, "belief"),
        ({"belief": 4}, "turn"),
        ({"turn": 0, "belief": 4}, "turn"),
        ({"turn": True, "belief": 4}, "turn"),
        ({"turn": 1.0, "belief": 4}, "turn"),
        ({"turn": 201, "belief": 4}, "turn"),
        ({"turn": 1, "belief": -0.1}, "belief"),
        ({"turn": 1, "belief": 100.1}, "belief"),
        ({"turn": 1, "belief": True}, "belief"),
        ({"turn": 1, "belief": "4"}, "belief"),
    ],
)
def test_a_wrong_field_of_a_ballot_is_named(site: Site, slow: str, body: Any, field: str) -> None:
    debate = site.open(slow)

    refused(site.client.post(votes(debate), json=body), 422, field)


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b"\xff", b'{"turn":1,"belief":NaN}', b'{"turn":1,"belief":1e999}'])
@pytest.mark.parametrize("act", ["votes", "say"])
def test_a_body_that_is_not_a_json_object_is_refused(site: Site, slow: str, body: bytes, act: str) -> None:
    debate = site.open(slow)
    response = site.client.post(f"/api/debates/{debate}/{act}", content=body)

    assert response.status_code in {400, 422}


def test_a_vote_on_an_unknown_debate_is_not_found(site: Site) -> None:
    refused(site.client.post("/api/debates/none/votes", json={"winner": "pro"}), 404)
    refused(site.client.post("/api/debates/none/say", json={"text": "hm"}), 404)


def test_a_belief_is_accepted_for_a_turn_that_was_spoken(site: Site, script: Any, slow: str) -> None:
    debate = site.open(script(), con={"model": slow})
    site.watch(debate, "turn_scored")

    refused(site.client.post(votes(debate), json={"turn": 2, "belief": 70}), 409, None, "turn 2 has not been")
    refused(site.client.post(votes(debate), json={"turn": 9, "belief": 70}), 409, None, "turn 9 has not been")
    assert site.client.post(votes(debate), json={"turn": 1, "belief": 70.04}).status_code == 200
    assert {"1": {"mean": 70.0, "count": 1}} == audience(site, debate)["beliefs"]


def test_after_the_end_votes_and_messages_are_refused(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)

    refused(site.client.post(votes(debate), json={"turn": 1, "belief": 70}), 409, None, "has concluded")
    refused(site.client.post(votes(debate), json={"winner": "pro"}), 409, None, "has concluded")
    refused(site.client.post(f"/api/debates/{debate}/say", json={"text": "hm"}), 409, None, "has concluded")


@pytest.mark.slow
def test_votes_are_accepted_while_nothing_runs_and_shown_after_the_end(site: Site, script: Any) -> None:
    debate = site.open(script(pace={"chunk_ms": 20, "chunk_chars": 12}), turns=2)
    site.watch(debate, "turn_started")
    site.client.post(f"/api/debates/{debate}/halt")
    site.watch(debate, "debate_halted")
    assert site.client.post(votes(debate), json={"winner": "con"}).status_code == 200
    assert site.client.post(f"/api/debates/{debate}/say", json={"text": "Costs?"}).status_code == 200
    live = site.get(f"/api/debates/{debate}")
    site.client.post(f"/api/debates/{debate}/resume")
    site.watch(debate, "debate_concluded")
    view = site.get(f"/api/debates/{debate}")

    assert "audience" not in live
    assert {"pro": 0, "con": 1, "neither": 0, "cast": 1} == view["audience"]["votes"]
    assert ["Costs?"] == [each["text"] for each in view["words"].values()]
    prompts = site.client.get(f"/api/debates/{debate}/calls/speak.2.1").json()["prompt"]
    assert [part for part in prompts if "Costs?" in part["text"]]


def test_spectators_see_that_a_vote_is_withheld(guarded: Site, slow: str) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(slow)
    guarded.client.headers.update({"authorization": ""})
    position = guarded.client.post(votes(debate), json={"winner": "pro"}).json()["position"]
    one = f"/api/debates/{debate}"
    frame = next(f for f in guarded.get(f"{one}/frames")["frames"] if f["position"] == position)
    line = next(each for each in guarded.get(f"{one}/events")["events"] if each["position"] == position)

    assert {"type": "withheld"} == frame["event"] == line["event"]
    assert {"position": position} == frame["patch"]
    assert "audience" not in guarded.get(one)


# rates


def test_too_many_votes_of_one_voter_are_refused_for_a_while(site: Site, slow: str) -> None:
    debate = site.open(slow)
    answers = [site.client.post(votes(debate), json={"winner": "pro"}) for _ in range(VOTER_PER_MINUTE + 1)]

    assert [200] * VOTER_PER_MINUTE == [each.status_code for each in answers[:-1]]
    refused(answers[-1], 429, None, "from you")
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert another(site).post(votes(debate), json={"winner": "pro"}).status_code == 200


def test_too_many_votes_of_one_address_are_refused_for_a_while(script: Any) -> None:
    for site in serving(votes_per_minute=3):
        debate = site.open(script("slow", pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        answers = [another(site).post(votes(debate), json={"winner": "pro"}) for _ in range(4)]

        assert [200, 200, 200, 429] == [each.status_code for each in answers]
        refused(answers[-1], 429, None, "from this address")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60


# messages of the moderator


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": " \n\x07"}, "text"),
        ({"text": "x" * 1001}, "text"),
        ({"text": 4}, "text"),
        ({"text": "x", "by": ""}, "by"),
        ({"text": "x", "by": "y" * 81}, "by"),
        ({"text": "x", "to": "pro"}, "to"),
    ],
)
def test_a_wrong_field_of_a_message_is_named(site: Site, slow: str, body: Any, field: str) -> None:
    debate = site.open(slow)

    refused(site.client.post(f"/api/debates/{debate}/say", json=body), 422, field)


def test_a_message_is_cleaned_and_spectators_see_it(site: Site, slow: str) -> None:
    debate = site.open(slow)
    site.watch(debate, "turn_started")
    position = site.client.post(f"/api/debates/{debate}/say", json={"text": " Costs\x1b[31m?\x00 "}).json()["position"]
    words = site.get(f"/api/debates/{debate}")["words"]

    assert {str(position): {"text": "Costs[31m?", "by": "moderator", "after_turn": 1}} == words
