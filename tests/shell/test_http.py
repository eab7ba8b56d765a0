"""Every route, every refusal, through the application with a real service behind it."""

from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from events.errors import BadTransfer
from events.patch import merge
from events.record import Line
from events.transfer import parse_lines
from events.verify import verify_lines
from server.access import MOST_BODY, Access
from server.app import make_app
from server.errors import CannotServe
from server.service import running
from server.settings import Settings

MOTION = "Cities should ban cars"


class Site:
    """A server in this process, spoken to as by a browser on this machine."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def open(self, model: str, **wish: Any) -> str:
        seats = {role: {"model": model} for role in ("pro", "con", "judge")}
        response = self.client.post("/api/debates", json={"motion": MOTION, "turns": 2, **seats, **wish})

        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def watch(self, debate: str, *types: str) -> dict[str, Any]:
        """The first event of one of these types, seen through the socket."""
        here = {"host": "127.0.0.1"}
        with self.client.websocket_connect(f"/ws/debates/{debate}", headers=here) as socket:
            seen = 0
            while True:
                said = socket.receive_json()
                if said["kind"] == "snapshot":
                    seen = said["position"]
                    page = self.client.get(f"/api/debates/{debate}/frames", params={"limit": 1000}).json()
                    for frame in page["frames"]:
                        if frame["position"] <= seen and frame["event"]["type"] in types:
                            return dict(frame["event"])
                elif said["kind"] == "frame" and said["event"]["type"] in types:
                    return dict(said["event"])

    def ended(self, debate: str) -> dict[str, Any]:
        return self.watch(debate, "debate_concluded", "debate_halted")

    def get(self, path: str) -> Any:
        response = self.client.get(path)

        assert response.status_code == 200, response.text
        return response.json()


def serving(**settings: Any) -> Iterator[Site]:
    chosen = Settings(store="memory:", retry_ms=0, tick_ms=0, **settings)
    holder: dict[str, Any] = {}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with running(chosen) as service:
            holder["app"] = make_app(service, Access(chosen))
            holder["service"] = service
            yield

    outer = Starlette(lifespan=lifespan)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (outer if scope["type"] == "lifespan" else holder["app"])(scope, receive, send)

    host = "127.0.0.1" if chosen.is_loopback else "moot.example"
    with TestClient(app, base_url=f"http://{host}", raise_server_exceptions=False) as client:
        site = Site(client)
        site.service = holder["service"]   # type: ignore[attr-defined]
        yield site


@pytest.fixture
def site() -> Iterator[Site]:
    yield from serving()


@pytest.fixture
def guarded() -> Iterator[Site]:
    """Beyond loopback, with a token."""
    yield from serving(host="0.0.0.0", token="s3cret")


@pytest.fixture
def slow(script: Any) -> str:
    """A model that never finishes its first turn."""
    return str(script("slow", pace={"chunk_ms": 60_000, "chunk_chars": 1}))


def refused(response: Any, status: int, field: str | None = None, says: str = "") -> dict[str, Any]:
    """The one shape of an error."""
    assert status == response.status_code, response.text
    assert {"error"} == response.json().keys()
    error = response.json()["error"]
    assert {"code", "message", "field"} == error.keys()
    assert field == error["field"]
    assert says in error["message"]
    assert error["code"]
    assert "\n" not in error["message"]
    assert "Traceback" not in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
    return dict(error)


# debates


def test_a_debate_from_its_opening_to_its_end(site: Site, script: Any) -> None:
    debate = site.open(script())

    assert site.ended(debate)["type"] == "debate_concluded"
    view = site.get(f"/api/debates/{debate}")
    assert (debate, "concluded", MOTION, 2) == (view["id"], view["state"], view["motion"], len(view["turns"]))
    (row,) = site.get("/api/debates")["debates"]
    expected = {"id": debate, "motion": MOTION, "state": "concluded", "format": "exchange", "turns_planned": 2}
    assert expected.items() <= row.items()
    assert row["turns_spoken"] == 2
    assert {"opened_at", "exhibition"} <= row.keys()


def test_the_view_at_any_position_is_the_frames_up_to_it(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    view: Any = {}
    for frame in site.get(f"/api/debates/{debate}/frames")["frames"]:
        view = merge(view, frame["patch"])

        assert view == site.get(f"/api/debates/{debate}?at={frame['position']}")
    assert view == site.get(f"/api/debates/{debate}")


@pytest.mark.parametrize("what", ["events", "frames"])
def test_pages_join_without_gap_or_repeat(site: Site, script: Any, what: str) -> None:
    debate = site.open(script())
    site.ended(debate)
    head = site.get(f"/api/debates/{debate}")["position"]
    positions: list[int] = []
    following = 0
    while following is not None:
        page = site.get(f"/api/debates/{debate}/{what}?after={following}&limit=5")
        positions += [each["position"] for each in page[what]]
        following = page["next"]

    assert list(range(1, head + 1)) == positions


def test_the_list_has_pages_and_a_search(site: Site, script: Any) -> None:
    ids = [site.open(script(), motion=f"Motion {n} über Straßen", turns=1) for n in range(5)]
    first = site.get("/api/debates?limit=3")
    second = site.get(f"/api/debates?limit=3&after={first['next']}")

    assert ids[::-1] == [row["id"] for row in first["debates"] + second["debates"]]
    assert second["next"] is None
    assert [ids[3]] == [row["id"] for row in site.get("/api/debates?q=motion 3")["debates"]]


def test_while_live_the_director_s_fields_are_withheld_and_the_chain_holds(site: Site, slow: str, script: Any) -> None:
    debate = site.open(script(), con={"model": slow}, judge={"model": script()})
    while site.get(f"/api/debates/{debate}")["turns"].keys() != {"1", "2"}:
        pass
    events = site.get(f"/api/debates/{debate}/events")["events"]
    answers = [each for each in events if each["event"]["type"] == "model_answered"]

    assert len(answers) == 2
    for each in answers:
        assert {"call", "purpose", "turn", "model", "usage", "latency_ms", "cost_usd"} <= each["event"].keys()
        assert not {"prompt", "segments", "answer", "reasoning"} & each["event"].keys()
        assert "salt" not in each
        assert len(each["payload_digest"]) == 64
    export = site.client.get(f"/api/debates/{debate}/events.ndjson").content
    assert verify_lines(export.splitlines(keepends=True)).ok
    with pytest.raises(BadTransfer, match="withheld"):
        parse_lines(export.splitlines(keepends=True))
    refused(site.client.get(f"/api/debates/{debate}/calls/speak.1.1"), 403)


def test_after_the_end_everything_is_revealed_and_the_export_imports(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    events = site.get(f"/api/debates/{debate}/events")["events"]
    answers = [each["event"] for each in events if each["event"]["type"] == "model_answered"]

    assert all(each["prompt"] and each["answer"] for each in answers)
    export = site.client.get(f"/api/debates/{debate}/events.ndjson").content.splitlines(keepends=True)
    assert [each["digest"] for each in events] == [msgspec.json.decode(line, type=Line).digest for line in export]
    assert len(events) == len(parse_lines(export))
    call = site.get(f"/api/debates/{debate}/calls/{answers[1]['call']}")
    assert call["purpose"] == "score"
    assert {"system", "user"} == {segment["role"] for segment in call["prompt"]}
    assert all(segment["text"] for segment in call["prompt"])
    refused(site.client.get(f"/api/debates/{debate}/calls/none"), 404)


def test_frames_never_carry_prompts_or_raw_answers(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    for frame in site.get(f"/api/debates/{debate}/frames")["frames"]:
        if frame["event"]["type"] in {"model_answered", "model_failed"}:
            assert not {"prompt", "segments", "answer", "reasoning"} & frame["event"].keys()


def test_acts_pause_resume_halt(site: Site, slow: str) -> None:
    debate = site.open(slow)
    for act, state in (("pause", "paused"), ("resume", "open"), ("halt", "halted")):
        response = site.client.post(f"/api/debates/{debate}/{act}", json={"reason": f"because of {act}"})

        assert response.status_code == 200, response.text
        view = site.get(f"/api/debates/{debate}")
        assert (state, f"because of {act}") == (view["state"], view["reason"])
        assert view["position"] >= response.json()["position"]
    refused(site.client.post(f"/api/debates/{debate}/pause"), 409, says="the debate is halted")
    refused(site.client.post("/api/debates/nobody/halt"), 404)
    refused(site.client.post(f"/api/debates/{debate}/resume", content=b"{"), 400, says="not JSON")
    refused(site.client.post(f"/api/debates/{debate}/resume", json={"reason": 7}), 422, "reason")
    refused(site.client.post(f"/api/debates/{debate}/resume", json={"reason": "x" * 501}), 422, "reason")


# refusals


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
        body[name] = body[name] | value if keeps else value   # type: ignore[operator]

    refused(site.client.post("/api/debates", json=body), 422, field)
    assert site.get("/api/debates")["debates"] == []


def test_a_motion_is_needed(site: Site) -> None:
    refused(site.client.post("/api/debates", json={}), 422, "motion")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"motion": NaN}', b"\xff\xfe", b"[1]", b'"x"', b"null", b"[" * 100_000, b'{"motion": "\\ud8"}'],
)
@pytest.mark.parametrize("path", ["/api/debates"])
def test_what_is_no_json_object_is_a_bad_request(site: Site, path: str, body: bytes) -> None:
    refused(site.client.post(path, content=body), 400)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_a_session_wants_json(site: Site, body: bytes) -> None:
    refused(site.client.post("/api/session", content=body), 400)


def test_a_body_too_large_is_refused_whether_announced_or_not(site: Site) -> None:
    refused(site.client.post("/api/debates", content=b"x" * (MOST_BODY + 1)), 413)

    def without_length() -> Iterator[bytes]:
        yield from (b"x" * 65536 for _ in range(MOST_BODY // 65536 + 2))

    refused(site.client.post("/api/debates", content=without_length()), 413)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("?at=0", "at"), ("?at=-1", "at"), ("?at=x", "at"), ("?at=999", "at"), ("?at=" + "9" * 40, "at"),
        ("/events?after=999", "after"), ("/events?after=-1", "after"), ("/events?limit=0", "limit"),
        ("/events?limit=1001", "limit"), ("/frames?after=999", "after"), ("/frames?limit=²", "limit"),
    ],
)
def test_a_wrong_query_is_named(site: Site, slow: str, path: str, field: str) -> None:
    refused(site.client.get(f"/api/debates/{site.open(slow)}{path}"), 400, field)


def test_a_cursor_that_nobody_gave_out_is_refused(site: Site) -> None:
    refused(site.client.get("/api/debates?after=nonsense"), 400)
    refused(site.client.get("/api/debates?limit=201"), 400, "limit")


@pytest.mark.parametrize("path", ["", "?at=1", "/events", "/events.ndjson", "/frames", "/calls/x"])
@pytest.mark.parametrize("debate", ["nobody", "01900000-0000-7000-8000-000000000000", "%F0%9F%9A%8B", "%ff", "a%00b"])
def test_an_unknown_debate_is_not_found(site: Site, debate: str, path: str) -> None:
    refused(site.client.get(f"/api/debates/{debate}{path}"), 404)


def test_nothing_is_at_an_unknown_path_and_methods_are_checked(site: Site) -> None:
    assert refused(site.client.get("/api/nothing"), 404)["message"] == "nothing is at /api/nothing"
    refused(site.client.get("/static/nothing.js"), 404)
    refused(site.client.get("/static/../pyproject.toml"), 404)
    refused(site.client.get("/static/%2e%2e/pyproject.toml"), 404)
    for method, path in (("DELETE", "/api/debates"), ("POST", "/"), ("GET", "/api/session"), ("PUT", "/api/debates/x")):
        response = site.client.request(method, path)
        assert refused(response, 405)["code"] == "method_not_allowed"
        assert response.headers["allow"]


def test_too_many_openings_are_refused_with_when_to_come_back(script: Any) -> None:
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


def test_a_bug_is_told_without_its_insides(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise ZeroDivisionError("the secret inside")

    monkeypatch.setattr(type(site.service.log), "summaries", broken)   # type: ignore[attr-defined]

    assert "secret" not in refused(site.client.get("/api/debates"), 500)["message"]


def test_a_store_that_is_down_is_503(site: Site) -> None:
    site.client.portal.call(site.service.log.close)   # type: ignore[attr-defined, union-attr]

    refused(site.client.get("/readyz"), 503)
    refused(site.client.get("/api/debates/x"), 503)
    assert site.get("/healthz")["ok"]


# who may come


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403), ({"host": "evil.example:8484"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403), ({"host": ""}, 403), ({"host": "[::1"}, 400),
        ({"origin": "https://evil.example"}, 403), ({"origin": "null"}, 403),
        ({"host": "localhost:8484", "origin": "http://localhost:8484"}, 200), ({"host": "[::1]:8484"}, 200),
        ({"host": "LOCALHOST"}, 200), ({"host": "localhost:1", "origin": "http://localhost:2"}, 403),
    ],
)
def test_hosts_and_origins(site: Site, headers: dict[str, str], status: int) -> None:
    response = site.client.get("/api/debates", headers=headers)

    if status == 200:
        assert response.status_code == 200
    else:
        refused(response, status)


def test_a_host_can_be_added() -> None:
    for site in serving(hosts="debates.example, other.example"):
        assert site.client.get("/healthz", headers={"host": "Debates.example:80"}).status_code == 200
        refused(site.client.get("/healthz", headers={"host": "third.example"}), 403)


def test_beyond_loopback_the_server_does_not_start_without_a_token() -> None:
    with pytest.raises(CannotServe, match="MOOT_TOKEN"):
        Access(Settings(host="0.0.0.0"))


def test_acts_want_the_token_and_reading_does_not(guarded: Site, slow: str) -> None:
    body = {"motion": MOTION, **{role: {"model": slow} for role in ("pro", "con", "judge")}}
    post = guarded.client.post
    bearer = {"authorization": "Bearer s3cret"}

    refused(post("/api/debates", json=body), 401)
    for wrong in ("Bearer wrong", "Basic s3cret", "Bearer", "s3cret", "Bearer s3cret2"):
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
    response = guarded.client.post("/api/session", json={"token": "s3cret"})
    cookie = response.headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "s3cret" not in cookie
    guarded.open(slow)


def test_pages_are_served_with_a_strict_policy(site: Site) -> None:
    for path in ("/", "/d/anything", "/static/style.css", "/static/home.js", "/favicon.ico"):
        response = site.client.get(path)
        policy = response.headers["content-security-policy"]

        assert response.status_code == 200, path
        assert "unsafe" not in policy
        for rule in ("default-src 'none'", "script-src 'self'", "base-uri 'none'", "trusted-types 'none'"):
            assert rule in policy
        assert response.headers["x-content-type-options"] == "nosniff"


def test_probes_models_archetypes_metrics(site: Site, slow: str) -> None:
    site.open(slow)

    assert site.get("/healthz")["ok"]
    assert site.get("/readyz")["ok"]
    models = site.get("/api/models")["models"]
    assert all({"name", "provider", "ok", "detail", "hint"} <= each.keys() for each in models)
    assert {"engineer", "philosopher", "strategist", "provocateur"} == {
        each["name"] for each in site.get("/api/archetypes")["archetypes"]
    }
    metrics = site.client.get("/metrics")
    assert "moot_debates_running" in metrics.text
    assert 'moot_requests_total{method="GET",status="200"}' in metrics.text
