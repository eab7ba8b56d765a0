"""Sessions of operators: wrong tokens are counted and logged, a session ends, and each act leaves a line."""

import io
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from server.errors import BadHeader
from server.http.access import WRONG_TOKENS_PER_MINUTE, Access
from server.settings import Settings
from tests.server.children import Cli
from tests.server.site import MOTION, Site, refused, serving

TOKEN = "s3cret-0123456789"
BEARER = {"authorization": f"Bearer {TOKEN}"}


def client_at(site: Site, address: str) -> TestClient:
    """A client with this address and no cookies."""
    return TestClient(site.client.app, base_url=site.client.base_url, client=(address, 50_000))


def signed_in(site: Site, address: str = "192.0.2.1") -> TestClient:
    client = client_at(site, address)
    assert client.post("/api/session", json={"token": TOKEN}).status_code == 200
    return client


@pytest.mark.parametrize("way", ["session", "bearer"])
def test_wrong_tokens_are_refused_with_a_time_to_retry_and_logged(guarded: Site, way: str) -> None:
    guessing, other = client_at(guarded, "192.0.2.1"), client_at(guarded, "192.0.2.2")

    def guess(number: int) -> Any:
        if way == "session":
            return guessing.post("/api/session", json={"token": f"guess {number}"})
        return guessing.post("/api/debates", json={}, headers={"authorization": f"Bearer guess-{number}"})

    with capture_logs() as logged:
        for number in range(WRONG_TOKENS_PER_MINUTE):
            refused(guess(number), 403 if way == "session" else 401)
        for number in range(5):
            response = guess(number)
            refused(response, 429, says="too many wrong tokens came from this address in a minute")
            assert int(response.headers["retry-after"]) >= 1
    lines = [line for line in logged if line["event"] == "wrong_token"]

    assert WRONG_TOKENS_PER_MINUTE == len(lines)
    assert {"192.0.2.1"} == {line["address"] for line in lines}
    assert "guess" not in str(logged)
    refused(guessing.post("/api/session", json={"token": TOKEN}), 429)  # no answer tells which guess was right
    assert other.post("/api/session", json={"token": TOKEN}).status_code == 200


def test_a_socket_with_wrong_tokens_is_closed(guarded: Site, slow: str) -> None:
    debate = (
        signed_in(guarded)
        .post("/api/debates", json={"motion": MOTION, **{role: {"model": slow} for role in ("pro", "con", "judge")}})
        .json()["id"]
    )
    client = client_at(guarded, "192.0.2.1")
    wrong = {"authorization": "Bearer wrong", "host": "moot.example"}
    said = []
    for _ in range(WRONG_TOKENS_PER_MINUTE + 1):
        with client.websocket_connect(f"/ws/debates/{debate}?director=1", headers=wrong) as socket:
            said.append(socket.receive_json()["code"])

    assert ["token_missing"] * WRONG_TOKENS_PER_MINUTE + ["too_many"] == said


def test_one_request_counts_one_wrong_token(guarded: Site, slow: str) -> None:
    with capture_logs() as logged:
        client_at(guarded, "192.0.2.1").get("/api/models", headers={"authorization": "Bearer wrong"})
        client_at(guarded, "192.0.2.1").get("/api/debates?director=1", headers={"authorization": "Bearer wrong"})

    assert [1, 1] == [logged.count(line) for line in logged if line["event"] == "wrong_token"]


def test_a_session_keeps_its_rights_while_its_address_is_limited(guarded: Site) -> None:
    client = signed_in(guarded)
    for _ in range(WRONG_TOKENS_PER_MINUTE + 1):
        client.post("/api/session", json={"token": "wrong"})

    assert client.get("/api/session").json() == {"role": "operator", "signed_in": True}


def test_a_session_ends_and_its_cookie_is_refused_from_then_on(guarded: Site) -> None:
    client, another = signed_in(guarded), signed_in(guarded, "192.0.2.9")
    copied = {"cookie": f"moot_session={client.cookies['moot_session']}"}
    assert client_at(guarded, "192.0.2.3").get("/api/session", headers=copied).json()["role"] == "operator"

    response = client.delete("/api/session")

    assert response.status_code == 200
    assert 'moot_session=""' in response.headers["set-cookie"]
    assert "moot_session" not in client.cookies
    refused(client.post("/api/debates", json={"motion": MOTION}), 401)
    assert client_at(guarded, "192.0.2.3").get("/api/session", headers=copied).json()["role"] == "spectator"
    assert another.get("/api/session").json()["role"] == "operator"
    assert client.delete("/api/session").status_code == 200


@pytest.mark.slow
def test_each_act_of_an_operator_leaves_a_line_with_who_what_and_the_result(guarded: Site, slow: str) -> None:
    seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
    with capture_logs() as logged:
        client = signed_in(guarded)
        debate = client.post("/api/debates", json={"motion": MOTION, **seats}).json()["id"]
        client.post("/api/estimate", json={"motion": MOTION, **seats})  # it changes nothing
        client.get(f"/api/debates/{debate}?director=1")
        refused(client.post(f"/api/debates/{debate}/say", json={}), 422, "text")
        program = client_at(guarded, "192.0.2.2")
        assert program.post(f"/api/debates/{debate}/halt", headers=BEARER).status_code == 200
        refused(program.post(f"/api/debates/{debate}/halt"), 401)
        client.delete("/api/session")
    acts = [line for line in logged if line["event"] == "operator_act"]

    session = acts[0]["by"]
    assert session.startswith("session ")
    assert [
        (session, "192.0.2.1", "POST", "/api/session", 200, None),
        (session, "192.0.2.1", "POST", "/api/debates", 201, debate),
        (session, "192.0.2.1", "POST", f"/api/debates/{debate}/say", 422, None),
        ("token", "192.0.2.2", "POST", f"/api/debates/{debate}/halt", 200, None),
        (session, "192.0.2.1", "DELETE", "/api/session", 200, None),
    ] == [
        (each["by"], each["address"], each["method"], each["path"], each["status"], each.get("made")) for each in acts
    ]


def test_several_hosts_in_one_request_are_refused() -> None:
    access = Access(Settings())

    with pytest.raises(BadHeader, match="Host must be one name"):
        access.check_host(Headers(raw=[(b"host", b"localhost"), (b"host", b"evil.example")]))


def test_the_trail_is_read_from_the_lines_of_the_log(guarded: Site, slow: str, logging_to: Any, tmp_path: Path) -> None:
    stream: io.StringIO = logging_to(json_lines=True)
    client, seats = signed_in(guarded), {role: {"model": slow} for role in ("pro", "con", "judge")}
    debate = client.post("/api/debates", json={"motion": MOTION, **seats}).json()["id"]
    client_at(guarded, "192.0.2.7").post("/api/session", json={"token": "wrong"})
    client.post(f"/api/debates/{debate}/halt")
    lines = "\n".join(["Moot starts", '{"cut off', *(f"node1-1  | {each}" for each in stream.getvalue().splitlines())])
    moot = Cli(tmp_path)

    shown = moot("log", stdin=lines.encode()).stdout.decode().splitlines()
    of_one = moot.json("log", "--debate", debate, stdin=lines.encode())

    assert [
        ["POST", "/api/session", "200"],
        ["POST", "/api/debates", "→", debate, "201"],
        ["wrong", "token", "192.0.2.7", "POST", "/api/session"],
        ["POST", f"/api/debates/{debate}/halt", "200"],
    ] == [line.split()[2 if "wrong" in line else 5 :] for line in shown]
    assert all(line.startswith("20") for line in shown)
    assert [201, 200] == [act["status"] for act in of_one]


def test_every_client_is_told_for_how_many_days_debates_are_kept() -> None:
    for days in (0, 30):
        for site in serving(keep_days=days):
            assert days == site.get("/api/session").get("keep_days", 0)
