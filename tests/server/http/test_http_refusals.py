"""Refusals of the routes, access rules, and what a page may load."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers

from server.errors import CannotServe, NotAllowed
from server.http.access import Access, signing_key
from server.http.body import MAX_BODY
from server.settings import Settings
from tests.server.site import MOTION, Site, refused, serving


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"motion": ""}, "motion"), ({"motion": "   \n"}, "motion"), ({"motion": "x" * 50_000}, "motion"),
        ({"motion": 7}, "motion"), ({"motion": None}, "motion"), ({"turns": 0}, "turns"), ({"turns": 10_000}, "turns"),
        ({"turns": "six"}, "turns"), ({"turns": 2.5}, "turns"), ({"max_words": 19}, "max_words"),
        ({"max_words": 1001}, "max_words"), ({"format": "boxing"}, "format"),
        ({"pro": {"model": "nope:x"}}, "pro.model"),
        ({"con": {"model": "scripted:/nowhere.json"}}, "con.model"), ({"judge": {"model": "no-colon"}}, "judge.model"),
        ({"pro": {"model": "scripted:a\u0000b"}}, "pro.model"), ({"pro": {"model": "x" * 5000}}, "pro.model"),
        ({"pro": {"archetype": "wizard"}}, "pro.archetype"), ({"con": {"elasticity": 2}}, "con.elasticity"),
        ({"judge": {"samples": 0}}, "judge.samples"), ({"max_cost_usd": 0}, "max_cost_usd"), ({"seed": -1}, "seed"),
        ({"colour": "red"}, "colour"), ({"pro": {"hat": 1}}, "pro.hat"), ({"pro": 7}, "pro"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(site: Site, script: Any, change: dict[str, Any], field: str) -> None:
    model = script()
    body = {"motion": MOTION, **{role: {"model": model} for role in ("pro", "con", "judge")}}
    for name, value in change.items():
        keeps = isinstance(value, dict) and "model" not in value
        body[name] = body[name] | value if keeps else value  # type: ignore[operator]

    refused(site.client.post("/api/debates", json=body), 422, field)
    assert site.get("/api/debates")["debates"] == []


def test_a_motion_is_needed(site: Site) -> None:
    refused(site.client.post("/api/debates", json={}), 422, "motion")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"motion": NaN}', b"\xff\xfe", b"[1]", b'"x"', b"null", b"[" * 100_000, b'{"motion": "\\ud8"}'],
)
def test_a_debate_needs_a_json_object(site: Site, body: bytes) -> None:
    refused(site.client.post("/api/debates", content=body), 400)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[1]", b"[" * 100_000, b'{"a":' * 100_000])
@pytest.mark.parametrize(
    "path",
    [
        "/api/session",
        "/api/estimate",
        *(f"/api/debates/x/{each}" for each in ("votes", "say", "decision", "whatif", "halt")),
    ],
)
def test_every_route_refuses_a_body_that_is_not_a_json_object(site: Site, path: str, body: bytes) -> None:
    refused(site.client.post(path, content=body), 400)


def test_a_body_too_large_is_refused_whether_announced_or_not(site: Site) -> None:
    refused(site.client.post("/api/debates/x/say", content=b"x" * (MAX_BODY + 1)), 413)

    def without_length() -> Iterator[bytes]:
        yield from (b"x" * 65536 for _ in range(MAX_BODY // 65536 + 2))

    refused(site.client.post("/api/debates/x/say", content=without_length()), 413)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("?at=0", "at"),
        ("?at=-1", "at"),
        ("?at=x", "at"),
        ("?at=999", "at"),
        ("?at=" + "9" * 40, "at"),
        ("/events?after=999", "after"),
        ("/events?after=-1", "after"),
        ("/events?limit=0", "limit"),
        ("/events?limit=1001", "limit"),
        ("/frames?after=999", "after"),
        ("/frames?limit=²", "limit"),
    ],
)
def test_a_wrong_query_is_named(site: Site, slow: str, path: str, field: str) -> None:
    refused(site.client.get(f"/api/debates/{site.open(slow)}{path}"), 400, field)


def test_a_made_up_cursor_is_refused(site: Site) -> None:
    refused(site.client.get("/api/debates?after=nonsense"), 400)
    refused(site.client.get("/api/debates?limit=201"), 400, "limit")


@pytest.mark.parametrize("path", ["", "?at=1", "/events", "/events.ndjson", "/frames", "/calls/x"])
@pytest.mark.parametrize("debate", ["nobody", "01900000-0000-7000-8000-000000000000", "%F0%9F%9A%8B", "%ff", "a%00b"])
def test_an_unknown_debate_is_not_found(site: Site, debate: str, path: str) -> None:
    refused(site.client.get(f"/api/debates/{debate}{path}"), 404)


def test_unknown_paths_and_methods_are_refused(site: Site) -> None:
    assert refused(site.client.get("/api/nothing"), 404)["message"] == "nothing is at /api/nothing"
    refused(site.client.get("/static/nothing.js"), 404)
    refused(site.client.get("/static/../pyproject.toml"), 404)
    refused(site.client.get("/static/%2e%2e/pyproject.toml"), 404)
    for method, path in (
        ("DELETE", "/api/debates"),
        ("POST", "/"),
        ("PUT", "/api/session"),
        ("PUT", "/api/debates/x"),
    ):
        response = site.client.request(method, path)
        assert refused(response, 405)["code"] == "method_not_allowed"
        assert response.headers["allow"]


def test_too_many_openings_are_refused_with_a_time_to_retry(script: Any) -> None:
    for site in serving(opens_per_minute=2):
        model = script()
        site.open(model, turns=1)
        site.open(model, turns=1)
        response = site.client.post("/api/debates", json={"motion": MOTION})

        refused(response, 429)
        assert int(response.headers["retry-after"]) >= 1


def test_too_many_debates_at_once_are_refused(slow: str) -> None:
    for site in serving(max_running=1):
        site.open(slow)
        seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
        response = site.client.post("/api/debates", json={"motion": MOTION, **seats})

        refused(response, 429)
        assert int(response.headers["retry-after"]) >= 1


@pytest.mark.slow
def test_the_answer_to_a_bug_has_no_details(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise ZeroDivisionError("the secret inside")

    monkeypatch.setattr(type(site.service.log), "summaries", broken)  # type: ignore[attr-defined]

    assert "secret" not in refused(site.client.get("/api/debates"), 500)["message"]


def test_a_store_that_is_down_is_503(site: Site) -> None:
    site.client.portal.call(site.service.log.close)  # type: ignore[attr-defined, union-attr]

    refused(site.client.get("/readyz"), 503)
    refused(site.client.get("/api/debates/x"), 503)
    assert site.get("/healthz")["ok"]


# access


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:8484"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"host": "[::1"}, 400),
        ({"host": "localhost:8662, evil"}, 400),
        ({"host": "localhost, evil"}, 400),
        ({"host": "localhost evil"}, 400),
        ({"host": "localhost:"}, 400),
        ({"host": "localhost:port"}, 400),
        ({"host": "user@localhost"}, 400),
        ({"host": "localhost/evil"}, 400),
        ({"host": "localhost#evil"}, 400),
        ({"host": "[::1]evil"}, 400),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "localhost:8484", "origin": "http://localhost:8484"}, 200),
        ({"host": "[::1]:8484"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "localhost:1", "origin": "http://localhost:2"}, 403),
    ],
)
def test_hosts_and_origins(site: Site, headers: dict[str, str], status: int) -> None:
    response = site.client.get("/api/debates", headers=headers)

    if status == 200:
        assert response.status_code == 200
    else:
        refused(response, status)


@pytest.mark.parametrize("host", ["192.0.2.7", "192.0.2.7:8484", "[2001:db8::1]:8484", "localhost:8484", "127.0.0.1"])
def test_a_server_on_every_address_answers_to_addresses_only(host: str) -> None:
    access = Access(Settings(host="0.0.0.0", token="s3cret-0123456789"))

    access.check_host(Headers({"host": host}))
    for name in ("rebound.example", "rebound.example:8484", "", "192.0.2.7.example", "node1"):
        with pytest.raises(NotAllowed, match="MOOT_HOSTS"):
            access.check_host(Headers({"host": name}))


def test_a_host_can_be_added() -> None:
    for site in serving(hosts="debates.example, other.example", token="s3cret-0123456789"):
        assert site.client.get("/healthz", headers={"host": "Debates.example:80"}).status_code == 200
        refused(site.client.get("/healthz", headers={"host": "third.example"}), 403)


def test_beyond_loopback_the_server_does_not_start_without_a_token() -> None:
    with pytest.raises(CannotServe, match="MOOT_TOKEN"):
        Access(Settings(host="0.0.0.0"))


def test_changes_need_the_token_and_reading_does_not(guarded: Site, slow: str) -> None:
    body = {"motion": MOTION, **{role: {"model": slow} for role in ("pro", "con", "judge")}}
    post = guarded.client.post
    bearer = {"authorization": "Bearer s3cret-0123456789"}

    refused(post("/api/debates", json=body), 401)
    for wrong in (
        "Bearer wrong",
        "Basic s3cret-0123456789",
        "Bearer",
        "s3cret-0123456789",
        "Bearer s3cret-01234567892",
    ):
        refused(post("/api/debates", json=body, headers={"authorization": wrong}), 401)
    refused(post("/api/debates", json=body, headers={"cookie": "moot_session=forged"}), 401)
    debate = post("/api/debates", json=body, headers=bearer).json()["id"]
    for act in ("pause", "resume", "halt"):
        refused(post(f"/api/debates/{debate}/{act}"), 401)
        assert post(f"/api/debates/{debate}/{act}", headers=bearer).status_code == 200
    assert guarded.get(f"/api/debates/{debate}")["state"] == "halted"


def test_a_browser_sends_the_token_once_and_has_a_cookie(guarded: Site, slow: str) -> None:
    refused(guarded.client.post("/api/session", json={"token": "wrong"}), 403)
    refused(guarded.client.post("/api/session", json={}), 403)
    response = guarded.client.post("/api/session", json={"token": "s3cret-0123456789"})
    cookie = response.headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "s3cret-0123456789" not in cookie
    guarded.open(slow)


def test_pages_are_served_with_a_strict_policy(site: Site) -> None:
    for path in ("/", "/d/anything", "/static/parts/style.css", "/static/home/home.js", "/favicon.ico"):
        response = site.client.get(path)
        policy = response.headers["content-security-policy"]

        assert response.status_code == (404 if path == "/d/anything" else 200), path
        assert "unsafe" not in policy
        for rule in ("default-src 'none'", "script-src 'self'", "base-uri 'none'", "trusted-types 'none'"):
            assert rule in policy
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (Settings(host="0.0.0.0"), "0.0.0.0 can be reached from other machines: set MOOT_TOKEN to 16 or more"),
        (Settings(host="0.0.0.0", token="abc"), "0.0.0.0 can be reached from other machines: set MOOT_TOKEN to 16"),
        (Settings(host="192.0.2.1", token="x" * 15), "set MOOT_TOKEN to 16 or more random characters"),
        (Settings(hosts="debates.example"), "MOOT_HOSTS lets other machines reach this server through a proxy: set"),
    ],
)
def test_a_token_that_is_easy_to_guess_is_refused_beyond_loopback_in_one_line(settings: Settings, says: str) -> None:
    with pytest.raises(CannotServe, match=re.escape(says)) as refusal:
        Access(settings)

    assert "\n" not in str(refusal.value)
    assert not settings.token or settings.token not in str(refusal.value)


def test_a_short_token_is_enough_on_this_machine_only() -> None:
    assert Access(Settings(token="abc")).needs_token
    assert Access(Settings(host="0.0.0.0", token="x" * 16)).needs_token


def test_a_voters_cookie_does_not_help_to_guess_the_token(guarded: Site, slow: str) -> None:
    bearer = {"authorization": "Bearer s3cret-0123456789"}
    seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
    opened = guarded.client.post("/api/debates", json={"motion": MOTION, "turns": 2, **seats}, headers=bearer)
    voted = guarded.client.post(f"/api/debates/{opened.json()['id']}/votes", json={"winner": "pro"})
    assert voted.status_code == 200, voted.text
    cookie = guarded.client.cookies["moot_voter"]

    with pytest.raises(BadSignature):
        URLSafeSerializer("s3cret-0123456789", salt="moot.voter").loads(cookie)
    assert URLSafeSerializer(signing_key("s3cret-0123456789", "moot.voter"), salt="moot.voter").loads(cookie)
