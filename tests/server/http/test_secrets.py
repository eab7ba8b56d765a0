"""The text of a directive reaches no spectator before the end, by any route; after the end it is shown."""

import random
import secrets
from typing import Any

import msgspec
import pytest
from starlette.websockets import WebSocketDisconnect

from events.types import DirectiveIssued, Side
from personalities import pressure
from server.export.tables import TABLES
from tests.laws import spread
from tests.server.site import Site, refused

TOKEN = {"authorization": "Bearer s3cret-0123456789"}
SPECTATOR = {"authorization": ""}
HERE = {"host": "moot.example"}
TURNS = 8
MIN_SECRETS = 2
"""Directives that must be issued before the debate is examined."""


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every directive ends with a unique mark; the marks in order."""
    marks: list[str] = []

    def issued(side: Side, text: str) -> DirectiveIssued:
        marks.append(secrets.token_hex(8))
        return DirectiveIssued(side=side, text=f"{text} {marks[-1]}")

    monkeypatch.setattr(pressure, "DirectiveIssued", issued)
    return marks


def answers(seed: int) -> dict[str, Any]:
    """Random comparisons that the same side wins in both orders."""
    chance, given = random.Random(seed), {}
    for later in range(2, TURNS + 1):
        won = {name: chance.choice(("first", "second")) for name in ("logic", "rhetoric", "tactics")}
        other = {"first": "second", "second": "first"}
        given[f"compare:{later - 1}-{later}"] = won
        given[f"compare:{later}-{later - 1}"] = {name: other[each] for name, each in won.items()}
    return given


def opened(site: Site, script: Any, seed: int) -> str:
    chance = random.Random(seed)
    names = ("engineer", "philosopher", "strategist", "provocateur")
    model = script(answers=answers(seed), pace={"chunk_ms": 4, "chunk_chars": 16})
    seats = {side: {"model": model, "archetype": chance.choice(names), "elasticity": 1} for side in ("pro", "con")}
    site.client.headers.update(TOKEN)
    debate = site.open(model, turns=TURNS, **seats)
    site.client.headers.update(SPECTATOR)
    return debate


def heard(site: Site, debate: str, query: str = "", **headers: str) -> list[str]:
    """Every message of a socket until it is live."""
    messages: list[str] = []
    url = f"/ws/debates/{debate}{query}"
    with site.client.websocket_connect(url, headers={**HERE, **SPECTATOR, **headers}) as socket:
        while not messages or msgspec.json.decode(messages[-1])["kind"] != "live":
            messages.append(socket.receive_text())
    return messages


def everything(site: Site, debate: str, **headers: str) -> dict[str, str]:
    """Everything that a client may read of a debate, by route."""
    one = f"/api/debates/{debate}"
    head = site.get(one)["position"]
    paths = [
        "/api/debates",
        one,
        f"{one}/events?limit=1000",
        f"{one}/events.ndjson",
        f"{one}/frames?limit=1000",
        *(f"{one}?at={at}" for at in range(1, head + 1, 7)),
        *(f"{one}/audit/turns/{turn}" for turn in range(1, 4)),
        *(f"{one}/tables/{table}.csv" for table in TABLES),
    ]
    read = {path: site.client.get(path, headers=headers).text for path in paths}
    return read | {"joined": "".join(heard(site, debate)), "ws": "".join(heard(site, debate, "?after=0"))}


def pause_once_directed(site: Site, debate: str, marked: list[str]) -> list[str]:
    """Watch until directives were issued, then pause; the messages of the socket."""
    messages = []
    with site.client.websocket_connect(f"/ws/debates/{debate}?after=0", headers=HERE | SPECTATOR) as socket:
        while len(marked) < MIN_SECRETS:
            messages.append(socket.receive_text())
        assert site.client.post(f"/api/debates/{debate}/pause", headers=TOKEN).status_code == 200
    return messages


@pytest.mark.slow
@pytest.mark.parametrize("seed", spread(range(4), 1))
def test_no_byte_of_a_directive_reaches_a_spectator_before_the_end(
    guarded: Site, script: Any, marked: list[str], seed: int
) -> None:
    site, debate = guarded, opened(guarded, script, seed)
    watched = pause_once_directed(site, debate, marked)
    live = everything(site, debate)
    for each in site.get(f"/api/debates/{debate}/events?limit=1000")["events"]:
        if each["event"]["type"] == "model_answered":
            refused(site.client.get(f"/api/debates/{debate}/calls/{each['event']['call']}"), 403)

    secret = marked[:]
    assert len(secret) >= MIN_SECRETS
    for path, text in (live | {"watched": "".join(watched)}).items():
        assert not [mark for mark in secret if mark in text], path
    assert site.get(f"/api/debates/{debate}")["directives"] == {}

    # A spectator that watches to the end sees none of it before the last frame.
    with site.client.websocket_connect(f"/ws/debates/{debate}?after=0", headers=HERE | SPECTATOR) as socket:
        assert site.client.post(f"/api/debates/{debate}/resume", headers=TOKEN).status_code == 200
        last = ""
        while '"type":"debate_concluded"' not in last:
            assert not [mark for mark in marked if mark in last]
            last = socket.receive_text()
    assert all(mark in last for mark in marked)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_after_the_end_every_spectator_may_read_it(guarded: Site, script: Any, marked: list[str], seed: int) -> None:
    site, debate = guarded, opened(guarded, script, seed)
    site_ended(site, debate)
    read = everything(site, debate)

    one = f"/api/debates/{debate}"
    for path in (one, f"{one}/events?limit=1000", f"{one}/events.ndjson", f"{one}/frames?limit=1000", "ws", "joined"):
        assert not [mark for mark in marked if mark not in read[path]], path
    view = site.get(one)
    events = site.get(f"{one}/events?limit=1000")["events"]
    issued = {str(each["position"]): each["event"] for each in events if each["event"]["type"] == "directive_issued"}
    assert {at: each["text"] for at, each in issued.items()} == {at: e["text"] for at, e in view["directives"].items()}
    for at in issued:  # it follows from the comparison of the newest turn, or from what this moved
        causes = [events[int(at) - 1]["cause"]]
        while (each := events[causes[-1] - 1])["event"]["type"] in {"traits_shifted", "pressure_applied"}:
            causes.append(each["cause"])
        assert each["event"]["type"] == "turns_compared"
    begun = {each["position"]: each["event"] for each in events if each["event"]["type"] == "turn_started"}
    for start, each in begun.items():  # the next prompt of a side holds its newest directive and no other, once
        last = max((at for at, turn in begun.items() if turn["side"] == each["side"] and at < start), default=0)
        before = [at for at in issued if issued[at]["side"] == each["side"] and last < int(at) < start]
        prompt = " ".join(part["text"] for part in site.get(f"{one}/calls/speak.{each['turn']}.1")["prompt"])
        assert [mark for mark in marked if mark in prompt] == [issued[at]["text"].split()[-1] for at in before[-1:]]
        assert each["directive"] == (int(before[-1]) if before else None)
    assert [each for each in begun.values() if each["directive"]]


def site_ended(site: Site, debate: str) -> None:
    with site.client.websocket_connect(f"/ws/debates/{debate}?after=0", headers=HERE | SPECTATOR) as socket:
        while '"type":"debate_concluded"' not in socket.receive_text():
            pass


@pytest.mark.slow
def test_the_director_sees_it_live_and_other_clients_are_refused(guarded: Site, script: Any, marked: list[str]) -> None:
    site, debate = guarded, opened(guarded, script, 9)
    pause_once_directed(site, debate, marked)
    one = f"/api/debates/{debate}"
    paths = (one, f"{one}/events?limit=1000", f"{one}/events.ndjson?", f"{one}/frames?limit=1000")

    for path in paths:
        asked = f"{path}{'&' if '?' in path else '?'}director=1"
        refused(site.client.get(asked), 401)
        refused(site.client.get(asked, headers={"authorization": "Bearer wrong"}), 401)
        assert marked[0] in site.client.get(asked, headers=TOKEN).text
        assert marked[0] not in site.client.get(path, headers=TOKEN).text
    assert marked[0] in "".join(heard(site, debate, "?director=1", **TOKEN))
    assert marked[0] in "".join(heard(site, debate, "?after=0&director=1", **TOKEN))
    with pytest.raises(WebSocketDisconnect) as closed:
        heard_all(site, debate, "?director=1")
    assert closed.value.code == 4403


def heard_all(site: Site, debate: str, query: str) -> None:
    with site.client.websocket_connect(f"/ws/debates/{debate}{query}", headers=HERE | SPECTATOR) as socket:
        while True:
            socket.receive_text()


@pytest.mark.slow
def test_on_loopback_without_a_token_every_client_is_the_director(site: Site, script: Any, marked: list[str]) -> None:
    model = script(answers=answers(3))
    debate = site.open(model, turns=TURNS, pro={"model": model, "elasticity": 1}, con={"model": model, "elasticity": 1})
    site.ended(debate)

    assert marked
    assert marked[0] in site.client.get(f"/api/debates/{debate}?director=1").text
