"""The seat of a person over HTTP: its link, who takes it, the turn, resignation, time-out, takeover, refusals."""

import io
import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.server.site import Site, refused

ANN = {"person": "Ann", "time_s": 600}
MINE = {"x-moot-seat": "a" * 22}
OTHERS = {"x-moot-seat": "b" * 22}
PATIENCE_S = 30


def opened(site: Site, script: Callable[..., str], **request: Any) -> str:
    """A debate of two turns in which Ann speaks for Pro."""
    return site.open(script(), **{"pro": ANN, **request})


def link(site: Site, debate: str, seat: str = "pro") -> str:
    response = site.client.post(f"/api/debates/{debate}/seats/{seat}/link")

    assert response.status_code == 200, response.text
    return str(response.json()["link"])


def api(address: str) -> str:
    return f"/api{address.replace('/seat/', '/seats/')}"


def seated(site: Site, debate: str, seat: str = "pro") -> str:
    """The address of the seat's API, once ``MINE`` has taken the seat."""
    path = api(link(site, debate, seat))
    taken = site.client.post(f"{path}/take", headers=MINE)

    assert taken.status_code == 200, taken.text
    return path


def asked(client: TestClient, path: str) -> dict[str, Any]:
    """What the seat shows once something is asked of it."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        shown: dict[str, Any] = client.get(path, headers=MINE).json()
        if shown.get("request"):
            return shown
        time.sleep(0.01)
    raise AssertionError(shown)


def test_a_person_speaks_and_the_model_answers(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)

    shown = asked(site.client, path)
    sent = site.client.post(
        f"{path}/answer",
        headers=MINE,
        json={"request": shown["request"]["id"], "text": "  Trams carry\x00 two hundred people each.  "},
    )

    assert (shown["name"], shown["seat_state"], shown["request"]["kind"]) == ("Ann", "yours", "speak")
    assert 0 < shown["request"]["left_s"] <= 600
    assert sent.status_code == 200, sent.text
    assert site.ended(debate)["type"] == "debate_concluded"
    spoken = site.watch(debate, "turn_spoken")
    assert (spoken["by"], spoken["text"], spoken["model"]) == ("person", "Trams carry two hundred people each.", "")
    assert spoken["usage"] == {"input_tokens": 0, "output_tokens": 0}


def answer(site: Site, path: str, text: str, **more: Any) -> Any:
    shown = asked(site.client, path)
    body = {"request": shown["request"]["id"], "text": text, **more}
    return site.client.post(f"{path}/answer", headers=MINE, json=body)


def test_two_people_debate(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script, con={"person": "Bea"})
    pro, con = seated(site, debate), seated(site, debate, "con")

    assert answer(site, pro, "Streets are for people who walk.").status_code == 200
    shown = asked(site.client, con)
    assert answer(site, con, "Nurses need cars at night.").status_code == 200

    assert [(turn["side"], turn["speaker"]) for turn in shown["turns"]] == [("pro", "Ann")]
    assert site.ended(debate)["type"] == "debate_concluded"
    view = site.get(f"/api/debates/{debate}")
    assert [view["turns"][turn]["speaker"] for turn in "12"] == ["Ann", "Bea"]
    assert (view["pro"]["speaker"], "model" in view["pro"]) == ("Ann", False)
    assert view["usage"]["cost_usd"] == 0


@pytest.mark.slow
def test_a_person_is_shown_the_passages_of_the_documents_and_cites_them(site: Site, script: Callable[..., str]) -> None:
    text = "Trees cool a street by four degrees."
    debate = opened(site, script, evidence=[{"name": "shade.md", "text": f"# Shade\n\n## Summer\n\n{text}"}])
    path = seated(site, debate)

    shown = asked(site.client, path)
    sent = answer(site, path, f"It is cooler there, for “{text}” [E1].")

    assert [{"id": "E1", "place": "Shade, Shade › Summer", "text": text}] == shown["request"]["passages"]
    assert sent.status_code == 200, sent.text
    site.ended(debate)
    assert "verified" == site.watch(debate, "citation_checked")["finding"]


def test_the_seat_tells_that_the_audience_votes(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script, poll={})
    path = seated(site, debate)

    shown = site.client.get(path, headers=MINE).json()
    closed = site.client.post(f"/api/debates/{debate}/poll/close", json={})

    assert (shown["vote"], shown["request"]) == ("before", None)
    assert closed.status_code == 200, closed.text
    assert asked(site.client, path)["vote"] is None


def test_a_link_is_for_one_browser(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)
    asked(site.client, path)

    stranger = site.client.get(path, headers=OTHERS).json()

    assert site.client.post(f"{path}/take", headers=MINE).status_code == 200, "the same browser may ask again"
    assert (stranger["seat_state"], stranger["turns"], stranger["request"]) == ("taken", [], None)
    for act, body in (("take", {}), ("answer", {"request": "speak:pro/1", "text": "I am Ann"}), ("resign", {})):
        refused(site.client.post(f"{path}/{act}", headers=OTHERS, json=body), 403, says="another browser")
    refused(site.client.put(f"{path}/draft", headers=OTHERS, json={"text": "x"}), 403, says="another browser")
    refused(site.client.post(f"{path}/take"), 403, says="header")


def test_a_revoked_link_ends_in_mid_turn_and_a_new_one_shows_the_draft(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)
    request = asked(site.client, path)["request"]["id"]
    kept = site.client.put(f"{path}/draft", headers=MINE, json={"request": request, "text": "Half a thought"})
    assert kept.status_code == 200

    revoked = site.client.delete(f"/api/debates/{debate}/seats/pro/link")

    assert revoked.status_code == 200
    refused(site.client.get(path, headers=MINE), 404, says="not valid")
    refused(site.client.put(f"{path}/draft", headers=MINE, json={"request": request, "text": "x"}), 404)
    refused(site.client.delete(f"/api/debates/{debate}/seats/pro/link"), 409)
    again = api(link(site, debate))
    refused(site.client.post(f"{again}/answer", headers=MINE, json={"request": request, "text": "x"}), 403, says="take")
    assert site.client.post(f"{again}/take", headers=OTHERS).status_code == 200
    assert site.client.get(again, headers=OTHERS).json()["request"]["draft"] == "Half a thought"


def test_a_draft_is_private(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)
    request = asked(site.client, path)["request"]["id"]

    site.client.put(f"{path}/draft", headers=MINE, json={"request": request, "text": "xylophone in secret"})

    for way in ("", "/events?director=1", "/export.json", "/export.md", "/events.ndjson", "/frames"):
        assert "xylophone" not in site.client.get(f"/api/debates/{debate}{way}").text
    assert site.client.get(path).json()["request"] is None
    assert site.client.get(path, headers=MINE).json()["request"]["draft"] == "xylophone in secret"


@pytest.mark.parametrize(
    ("body", "status", "field", "says"),
    [
        ({"request": "speak:pro/1", "text": " \x00\n "}, 422, "text", "no text"),
        ({"request": "speak:pro/1", "text": "x" * 60_001}, 422, "text", "60,000"),
        ({"request": "speak:pro/1", "text": 7}, 422, "text", "text"),
        ({"request": "speak:pro/9", "text": "early"}, 409, None, "not open"),
        ({"request": "x" * 300, "text": "early"}, 422, "request", "200"),
    ],
)
def test_an_answer_that_is_refused_leaves_the_turn_open(
    site: Site, script: Callable[..., str], body: dict[str, Any], status: int, field: str | None, says: str
) -> None:
    path = seated(site, opened(site, script))
    asked(site.client, path)

    refused(site.client.post(f"{path}/answer", headers=MINE, json=body), status, field, says)

    assert asked(site.client, path)["request"]["id"] == "speak:pro/1"


def test_a_resignation_gives_the_debate_to_the_other_side(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)
    asked(site.client, path)

    assert site.client.post(f"{path}/resign", headers=MINE).status_code == 200

    assert site.ended(debate) == {"type": "debate_concluded", "winner": "con", "by_rule": "resignation"}
    refused(site.client.post(f"{path}/resign", headers=MINE), 409)
    shown = site.client.get(path, headers=MINE).json()
    assert (shown["winner"], shown["has_resigned"]) == ("con", True)


@pytest.mark.slow
def test_a_model_takes_over_from_a_person_who_resigns(site: Site, script: Callable[..., str]) -> None:
    model = script()
    debate = opened(site, script, pro={**ANN, "takeover": model})
    path = seated(site, debate)
    asked(site.client, path)

    assert site.client.post(f"{path}/resign", headers=MINE).status_code == 200

    assert site.ended(debate)["by_rule"] == "scorecard"
    handed = site.watch(debate, "seat_handed_over")
    assert (handed["seat"], handed["reason"]) == ("pro", "resignation")
    spoken = site.watch(debate, "turn_spoken")
    assert "by" not in spoken
    view = site.get(f"/api/debates/{debate}")
    assert view["people"]["pro"]["state"] == "handed_over"
    assert ("speaker" in view["pro"], view["pro"]["archetype"]) == (False, "engineer")
    refused(site.client.post(f"/api/debates/{debate}/seats/pro/link"), 409)


def test_a_blind_debate_hides_the_person(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script, blind=True, con={"person": "Zebedee", "takeover": script()})
    path = seated(site, debate)
    assert answer(site, path, "Streets are for people who walk.").status_code == 200
    con = seated(site, debate, "con")
    asked(site.client, con)

    seen = [site.client.get(f"/api/debates/{debate}{way}").text for way in ("", "/frames", "/events")]

    assert not any("Ann" in text or "Zebedee" in text for text in seen)
    assert '"speaker":""' in site.client.get(con, headers=MINE).text
    assert "Ann" in site.client.get(f"/api/debates/{debate}?director=1").text
    assert site.client.post(f"{con}/resign", headers=MINE).status_code == 200
    assert site.ended(debate)["type"] == "debate_concluded"
    assert site.get(f"/api/debates/{debate}")["turns"]["1"]["speaker"] == "Ann"


def test_a_speech_is_clipped_as_every_speech_is(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script, max_words=20)
    path = seated(site, debate)

    assert answer(site, path, "One sentence of exactly seven plain words. " * 5).status_code == 200

    spoken = site.watch(debate, "turn_spoken")
    assert (spoken["clipped"], spoken["words"]) == (True, 14)


@pytest.mark.parametrize(
    ("side", "field"),
    [
        ({"person": "Ann", "model": "scripted:x"}, "pro"),
        ({"model": "person:Ann"}, "pro"),
        ({"person": ""}, "pro.person"),
        ({"person": "x" * 81}, "pro.person"),
        ({"person": "a\nb"}, "pro.person"),
        ({"person": "Ann", "time_s": 1}, "pro.time_s"),
        ({"person": "Ann", "takeover": "person:Bea"}, "pro.takeover"),
        ({"person": "Ann", "takeover": "scripted:/nowhere.json"}, "pro.takeover"),
        ({"time_s": 60}, "pro.time_s"),
        ({"takeover": "embedded:smollm2"}, "pro.takeover"),
    ],
)
def test_a_seat_that_cannot_be_is_refused(
    site: Site, script: Callable[..., str], side: dict[str, Any], field: str
) -> None:
    model = {"model": script()}
    body = {"motion": "Cities should ban cars", "pro": side, "con": model, "judge": model}

    refused(site.client.post("/api/debates", json=body), 422, field)


def test_a_person_debates_only_where_there_are_sides(site: Site, script: Callable[..., str]) -> None:
    body = {"format": "deliberation", "pro": ANN, "judge": {"model": script()}}
    artifact = {"name": "plan.md", "text": "We move on Monday."}

    refused(site.client.post("/api/debates", json={**body, "artifact": artifact}), 422, "pro.person", "protocol only")


def test_links_are_for_operators_and_seats_of_people(guarded: Site, script: Callable[..., str]) -> None:
    token = {"authorization": "Bearer s3cret-0123456789"}
    model = {"model": script()}
    body = {"motion": "Cities should ban cars", "turns": 2, "pro": ANN, "con": model, "judge": model}
    debate = guarded.client.post("/api/debates", json=body, headers=token).json()["id"]
    address = f"/api/debates/{debate}/seats"

    refused(guarded.client.post(f"{address}/pro/link"), 401)
    refused(guarded.client.delete(f"{address}/pro/link"), 401)
    refused(guarded.client.post(f"{address}/con/link", headers=token), 404, says="no person")
    made = guarded.client.post(f"{address}/pro/link", headers=token)
    path = api(made.json()["link"])
    taken = guarded.client.post(f"{path}/take", headers=MINE)
    assert (made.status_code, taken.status_code) == (200, 200), "the person needs no token of the server"


@pytest.mark.parametrize(
    "token",
    ["x", "..", "a.cHJv.short", "%2e%2e", "unknown.cHJv.0123456789012345678901", "a.____.0123456789012345678901"],
)
def test_a_link_that_names_no_seat_is_unknown(site: Site, token: str) -> None:
    refused(site.client.get(f"/api/seats/{token}"), 404)
    refused(site.client.post(f"/api/seats/{token}/take", headers=MINE), 404)


@pytest.mark.slow
def test_drafts_have_a_rate_limit(site: Site, script: Callable[..., str]) -> None:
    path = seated(site, opened(site, script))
    asked(site.client, path)

    statuses = [
        site.client.put(f"{path}/draft", headers=MINE, json={"request": "speak:pro/1", "text": "x"}).status_code
        for _ in range(130)
    ]

    assert statuses[0] == 200
    assert statuses[-1] == 429
    assert site.client.get(path, headers=MINE).status_code == 200, "reads have a limit of their own"


def test_another_site_cannot_write(site: Site, script: Callable[..., str]) -> None:
    path = seated(site, opened(site, script))

    answered = site.client.post(f"{path}/resign", headers={**MINE, "origin": "https://evil.example"})

    assert answered.status_code == 403


@pytest.mark.slow
def test_other_browsers_do_not_use_up_the_rate_of_the_person(site: Site, script: Callable[..., str]) -> None:
    path = seated(site, opened(site, script))
    asked(site.client, path)

    others = [site.client.post(f"{path}/take", headers=OTHERS).status_code for _ in range(130)]

    assert others[-1] == 429
    body = {"request": "speak:pro/1", "text": "x"}
    assert site.client.put(f"{path}/draft", headers=MINE, json=body).status_code == 200


def test_the_page_of_a_seat_tells_no_other_page_its_address(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    address = link(site, debate)

    answers = [site.client.get(address), site.client.get(api(address))]

    assert [each.status_code for each in answers] == [200, 200]
    assert {each.headers["referrer-policy"] for each in answers} == {"no-referrer"}
    assert {each.headers["cache-control"] for each in answers} == {"no-store"}


def test_an_error_inside_is_logged_without_the_token(
    site: Site, script: Callable[..., str], monkeypatch: pytest.MonkeyPatch, logging_to: Callable[..., io.StringIO]
) -> None:
    path = seated(site, opened(site, script))
    stream = logging_to(json_lines=False)

    def broken(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("server.http.people.seats.holds", broken)
    failed = site.client.get(path, headers=MINE)

    assert failed.status_code == 500
    told = stream.getvalue()
    assert "request_failed" in told
    assert path.rpartition(".")[2] not in told


def test_a_person_writes_on_while_the_debate_is_paused(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)
    asked(site.client, path)
    site.client.post(f"/api/debates/{debate}/pause", json={})

    assert answer(site, path, "Streets are for people who walk.").status_code == 200

    assert site.client.get(path, headers=MINE).json()["state"] == "paused"
    site.client.post(f"/api/debates/{debate}/resume", json={})
    assert site.ended(debate)["type"] == "debate_concluded"


def test_an_estimate_counts_a_persons_turns_and_no_cost(site: Site, script: Callable[..., str]) -> None:
    model = {"model": script()}
    body = {"motion": "Cities should ban cars", "turns": 2, "pro": ANN, "con": model, "judge": model}

    estimate = site.client.post("/api/estimate", json={**body, "max_cost_usd": 1})

    assert estimate.status_code == 200, estimate.text
    assert estimate.json()["cost_usd"] == 0


def test_the_model_that_takes_over_is_warned_about_as_a_debater(site: Site, script: Callable[..., str]) -> None:
    model = {"model": script()}
    body = {
        "motion": "Cities should ban cars",
        "turns": 2,
        "pro": {**ANN, "takeover": "embedded:smollm2"},
        "con": model,
    }
    debate = site.client.post("/api/debates", json={**body, "judge": {"model": "embedded:smollm2"}})

    view = site.get(f"/api/debates/{debate.json()['id']}")

    assert [each["roles"] for each in view["families"]] == [["judge", "pro.takeover"]]
    site.client.post(f"/api/debates/{debate.json()['id']}/halt", json={})
