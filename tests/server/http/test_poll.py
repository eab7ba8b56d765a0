"""The poll over HTTP: one vote a browser, no reader sees a stance before the end, limits by address, the QR code."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import segno
from httpx2 import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from server.http.app import ROUTES
from server.http.people.audience import COOKIE
from tests.laws import spread
from tests.server.http.test_audience import another, votes
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused, serving

SECRETS = ('"stance"', "undecided", '"moved"', '"joined"', '"left"', '"counts"', '"gains"', '"result"')
"""What an answer would hold if it told a stance or a total."""


def poll_of(site: Site, debate: str, client: TestClient | None = None) -> Any:
    return (client or site.client).get(f"/api/debates/{debate}/poll").json()


def voter(site: Site, debate: str) -> TestClient:
    """A browser that has opened the page of the vote."""
    client = another(site)
    assert client.get(f"/api/debates/{debate}/poll").status_code == 200
    return client


def close(site: Site, debate: str, when: str | None = None) -> Any:
    return site.client.post(f"/api/debates/{debate}/poll/close", json={"when": when} if when else {}, headers=TOKEN)


def wait_for(site: Site, debate: str, when: str) -> None:
    """Wait until a vote is open; the second one comes with turns that a script speaks at once."""
    while when not in poll_of(site, debate)["poll"]:
        site.client.get(f"/api/debates/{debate}")


@pytest.fixture
def room(guarded: Site) -> Site:
    """A server with a token, whose client is an operator."""
    guarded.client.headers.update(TOKEN)
    return guarded


def opened(site: Site, script: Any, **poll: Any) -> str:
    debate = site.open(script(), poll=poll)
    wait_for(site, debate, "before")
    return debate


# voting


def test_a_browser_has_one_vote_in_each_round_and_may_change_it(site: Site, script: Any) -> None:
    debate = opened(site, script)
    client = voter(site, debate)
    for stance in ("pro", "con", "undecided"):
        assert client.post(votes(debate), json={"when": "before", "stance": stance}).status_code == 200

    assert {"before": "undecided"} == poll_of(site, debate, client)["mine"]
    assert 1 == poll_of(site, debate)["poll"]["before"]["cast"]


def test_two_tabs_of_a_browser_are_one_voter_and_another_browser_is_a_second_one(site: Site, script: Any) -> None:
    debate = opened(site, script)
    first = voter(site, debate)
    tab = another(site)
    tab.cookies.set(COOKIE, first.cookies[COOKIE])
    first.post(votes(debate), json={"when": "before", "stance": "pro"})
    tab.post(votes(debate), json={"when": "before", "stance": "con"})
    voter(site, debate).post(votes(debate), json={"when": "before", "stance": "pro"})

    assert {"before": "con"} == poll_of(site, debate, first)["mine"]
    assert 2 == poll_of(site, debate)["poll"]["before"]["cast"]


@pytest.mark.parametrize("cookie", ["", "forged", '"6162".c2lnbmVk'])
def test_a_vote_without_a_cookie_of_ours_is_refused_and_told_why(site: Site, script: Any, cookie: str) -> None:
    debate = opened(site, script)
    client = another(site)
    headers = {"cookie": f"{COOKIE}={cookie}"} if cookie else {}
    response = client.post(votes(debate), json={"when": "before", "stance": "pro"}, headers=headers)

    assert "allow cookies for this site" in refused(response, 403)["message"]
    assert 0 == poll_of(site, debate)["poll"]["before"]["cast"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"stance": "pro"}, "when"),
        ({"when": "before"}, "stance"),
        ({"when": "now", "stance": "pro"}, "when"),
        ({"when": "before", "stance": "neither"}, "stance"),
        ({"when": "before", "stance": ["pro"]}, "stance"),
        ({"when": "before", "stance": "pro", "voter": "me"}, "voter"),
        ({"when": "before", "stance": "pro", "winner": "pro"}, "winner"),
    ],
)
def test_a_wrong_field_of_a_vote_is_named(site: Site, script: Any, body: Any, field: str) -> None:
    debate = opened(site, script)

    refused(voter(site, debate).post(votes(debate), json=body), 422, field)


def test_a_vote_after_closing_gets_a_plain_answer(site: Site, slow: str) -> None:
    debate = site.open(slow, poll={})
    wait_for(site, debate, "before")
    client = voter(site, debate)
    close(site, debate, "before")
    response = client.post(votes(debate), json={"when": "before", "stance": "pro"})

    assert "the first vote is closed: your vote came too late" == refused(response, 409)["message"]


def test_only_an_operator_closes_a_vote(room: Site, script: Any) -> None:
    debate = opened(room, script)
    spectator = another(room)

    refused(spectator.post(f"/api/debates/{debate}/poll/close", json={}), 401)
    refused(close(room, debate, "after"), 409)
    refused(room.client.post(f"/api/debates/{debate}/poll/close", json={"when": "later"}), 422, "when")
    assert close(room, debate).status_code == 200


def test_a_debate_without_a_poll_has_no_vote_page(site: Site, slow: str) -> None:
    debate = site.open(slow)

    refused(site.client.get(f"/api/debates/{debate}/poll"), 404)
    refused(voter_of_none(site).post(votes(debate), json={"when": "before", "stance": "pro"}), 404)
    assert 404 == site.client.get(f"/vote/{debate}").status_code
    assert 404 == site.client.get("/vote/none").status_code


def test_the_page_of_the_vote_is_revalidated(site: Site, script: Any) -> None:
    debate = opened(site, script)
    page = site.client.get(f"/vote/{debate}")
    again = site.client.get(f"/vote/{debate}", headers={"if-none-match": page.headers["etag"]})

    assert (200, True) == (page.status_code, "vote/vote.js" in page.text)
    assert (304, "") == (again.status_code, again.text)


def voter_of_none(site: Site) -> TestClient:
    return another(site)


# no reader sees a total before the end


def data_of(response: Response) -> str:
    """The answer; of a page only the data in it, as its modules hold the words of the poll."""
    if not response.headers["content-type"].startswith("text/html"):
        return response.text
    data = response.text.partition('id="archive">')[2].partition("</script>")[0]
    return re.sub(r'"terms":\{[^{}]*\}', "", data)  # the glossary explains what a stance is


def texts(client: TestClient, debate: str, *, director: bool) -> Iterator[tuple[str, str]]:
    """What every route with this debate answers to a GET, and what the socket sends, by address."""
    query = "?director=1" if director else ""
    for route in ROUTES:
        if isinstance(route, Route) and "GET" in (route.methods or set()) and "{debate}" in route.path:
            values = {
                "debate": debate,
                "turn": "1",
                "argument": "PRO-1",
                "call": "speak.1.1",
                "table": "votes",
                "form": "csv",
            }
            path = route.path.format(**values)
            if "poll" not in path and "vote" not in path:
                yield path + query, data_of(client.get(path + query))
    yield "the poll", another_of(client).get(f"/api/debates/{debate}/poll").text
    for path in ("/api/debates", "/api/search?q=undecided", "/metrics"):
        yield path, client.get(path).text
    for after in ("?after=0", ""):
        joint = "&" if after and director else "?" if director else ""
        address = f"/ws/debates/{debate}{after}{joint}{'director=1' if director else ''}"
        with client.websocket_connect(address, headers=dict(client.headers)) as socket:
            said = []
            while (message := socket.receive_json())["kind"] != "live":
                said.append(json.dumps(message, separators=(",", ":")))
            yield address, "\n".join(said)


def another_of(client: TestClient) -> TestClient:
    fresh = TestClient(client.app, base_url=str(client.base_url))
    fresh.portal = client.portal
    return fresh


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "director"), spread([(2, True), (2, False), (1, False), (1, True)], 2))
def test_no_route_tells_a_stance_before_the_end(room: Site, script: Any, rounds: int, *, director: bool) -> None:
    debate = opened(room, script)
    for when in ("before", "after")[:rounds]:
        wait_for(room, debate, when)
        for stance in ("pro", "undecided", "con", "pro"):
            cast = voter(room, debate).post(votes(debate), json={"when": when, "stance": stance})
            assert cast.status_code == 200, cast.text
        if rounds == 2 and when == "before":
            close(room, debate, when)
    client = another(room)
    client.headers.update({"host": "moot.example", **(TOKEN if director else {})})
    found = {
        address: [each for each in SECRETS if each in text]
        for address, text in texts(client, debate, director=director)
    }

    assert len(found) > 15
    assert {} == {address: secrets for address, secrets in found.items() if secrets}


@pytest.mark.slow
def test_the_second_vote_and_its_counts_are_sealed_until_the_debate_has_ended(room: Site, script: Any) -> None:
    """The debate is paused after the second vote, so that it has counts and no end."""
    debate = opened(room, script)
    client = voter(room, debate)
    client.post(votes(debate), json={"when": "before", "stance": "undecided"})
    close(room, debate)
    wait_for(room, debate, "after")
    client.post(votes(debate), json={"when": "after", "stance": "con"})
    room.client.post(f"/api/debates/{debate}/pause", json={})
    close(room, debate)
    operator = another(room)
    operator.headers.update({"host": "moot.example", **TOKEN})
    log = operator.get(f"/api/debates/{debate}/events.ndjson?director=1").text
    told = [address for address, text in texts(operator, debate, director=True) if any(s in text for s in SECRETS)]

    assert '"type":"poll_closed"' in log
    assert [] == told


@pytest.mark.slow
def test_at_the_end_everyone_reads_who_moved_and_the_log_has_every_vote(room: Site, script: Any) -> None:
    debate = opened(room, script)
    people = [voter(room, debate) for _ in range(3)]
    for when, stances in (("before", ("pro", "pro", "undecided")), ("after", ("pro", "con", "con"))):
        wait_for(room, debate, when)
        for person, stance in zip(people, stances, strict=True):
            assert person.post(votes(debate), json={"when": when, "stance": stance}).status_code == 200
        close(room, debate, when)
    room.ended(debate)
    spectator = another(room)
    result = spectator.get(f"/api/debates/{debate}").json()["poll"]["result"]
    log = spectator.get(f"/api/debates/{debate}/events.ndjson").text
    frames = spectator.get(f"/api/debates/{debate}/frames?limit=1000").json()["frames"]

    assert "con" == result["twice"]["winner"]
    assert {"pro": 1, "con": 1, "undecided": 0} == result["moved"]["pro"]
    assert result == poll_of(room, debate, spectator)["poll"]["result"]
    assert 6 == log.count('"stance_stated"')
    assert ["debate_concluded"] == [
        each["event"]["type"] for each in frames if "result" in (each["patch"].get("poll") or {})
    ]
    markdown = spectator.get(f"/api/debates/{debate}/export.md").text
    assert "among those who voted twice): Con (Pro −33.3 points, Con +66.7 points)" in markdown
    assert "- Moved: 1 from Pro to Con, 1 from undecided to Con; 1 stayed" in markdown
    assert '"winner":"con"' in spectator.get(f"/api/debates/{debate}/export.json").text
    assert '"joined":{"pro":0' in spectator.get(f"/api/debates/{debate}/export.html").text


# limits


def test_one_address_has_as_many_voters_as_the_poll_allows(site: Site, script: Any) -> None:
    debate = opened(site, script, voters_per_address=5)
    people = [voter(site, debate) for _ in range(6)]
    answers = [each.post(votes(debate), json={"when": "before", "stance": "pro"}) for each in people]
    changed = people[0].post(votes(debate), json={"when": "before", "stance": "con"})

    assert [200] * 5 + [403] == [each.status_code for each in answers]
    assert "5 voters of this address have voted" in answers[-1].json()["error"]["message"]
    assert 200 == changed.status_code


def test_without_a_number_in_the_poll_the_setting_holds(script: Any) -> None:
    for site in serving(voters_per_address=2):
        debate = opened(site, script)
        codes = [
            voter(site, debate).post(votes(debate), json={"when": "before", "stance": "pro"}).status_code
            for _ in range(3)
        ]

        assert [200, 200, 403] == codes


@pytest.mark.slow
def test_a_room_votes_within_a_minute_beyond_the_limit_of_other_votes(script: Any) -> None:
    for site in serving(votes_per_minute=10):
        debate = opened(site, script, voters_per_address=40)
        people = [voter(site, debate) for _ in range(40)]
        bodies = [{"when": "before", "stance": stance} for stance in ("pro", "con", "con")]
        codes = [each.post(votes(debate), json=body).status_code for body in bodies for each in people]

        assert [200] * 80 == codes[:80]
        assert {429} == set(codes[80:])


@pytest.mark.slow
def test_one_voter_is_limited_as_before(site: Site, script: Any) -> None:
    debate = opened(site, script)
    client = voter(site, debate)
    codes = [client.post(votes(debate), json={"when": "before", "stance": "pro"}).status_code for _ in range(31)]

    assert [200] * 30 + [429] == codes


# the link


def test_the_code_has_the_address_under_which_the_page_was_asked_for(site: Site, script: Any) -> None:
    debate = opened(site, script)
    answer = site.client.get(f"/api/debates/{debate}/poll/qr.svg")
    expected = segno.make(f"http://127.0.0.1/vote/{debate}", error="m", micro=False)

    assert "image/svg+xml" == answer.headers["content-type"]
    assert expected.svg_inline(light="#fff", dark="#000", omitsize=True, border=3) in answer.text.replace(
        ' xmlns="http://www.w3.org/2000/svg"', ""
    )


def test_the_vote_of_an_unlisted_debate_needs_its_link(room: Site, script: Any) -> None:
    debate = opened(room, script)
    made = room.client.post(f"/api/debates/{debate}/labels", json={"unlisted": True}).json()["link"]
    query = made.partition("?")[2]
    stranger, guest = another(room), another(room)

    assert 404 == stranger.get(f"/vote/{debate}").status_code
    assert 404 == stranger.get(f"/api/debates/{debate}/poll").status_code
    assert 200 == guest.get(f"/vote/{debate}?{query}").status_code
    assert 200 == guest.get(f"/api/debates/{debate}/poll").status_code
    assert 200 == guest.post(votes(debate), json={"when": "before", "stance": "pro"}).status_code
    assert guest.get(f"/api/debates/{debate}/poll").json()["unlisted"] is True
    code = guest.get(f"/api/debates/{debate}/poll/qr.svg?{query}").text
    assert code != guest.get(f"/api/debates/{debate}/poll/qr.svg").text
