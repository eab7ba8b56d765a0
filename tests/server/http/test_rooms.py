"""A room that watches a debate: its code, the QR code, the view for its wall; and what a played exhibition logs."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
import segno
import structlog

from events.cluster.bus import Receive, SingleNodeBus, Subscribers
from server.http.people import rooms
from server.http.people.rooms import ALPHABET, LETTERS, Shown, codes_of, letters_of
from server.process import observe
from tests.server.http.test_audience import another
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site


def code_of(address: str) -> str:
    code = segno.make(address, error="m", micro=False)
    return code.svg_inline(light="#fff", dark="#000", omitsize=True, border=3)


def test_a_code_leads_to_the_debate_and_another_one_to_none(site: Site, script: Any) -> None:
    debate = site.open(script())
    found = site.get(f"/api/debates/{debate}/join")
    to = site.client.get(f"/{found['code'].lower()}", follow_redirects=False)

    assert {"place": "127.0.0.1/", "code": letters_of(debate)[:LETTERS]} == found
    assert (307, f"/d/{debate}?room") == (to.status_code, to.headers["location"])
    wrong = "".join("2" if letter != "2" else "3" for letter in found["code"])
    assert 404 == site.client.get(f"/{wrong}").status_code
    assert 404 == site.client.get("/nowhere").status_code
    assert 200 == site.client.get(f"/d/{debate}/wall").status_code
    assert 404 == site.client.get("/d/nothing/wall").status_code


def test_codes_have_letters_that_nobody_confuses() -> None:
    codes = {letters_of(f"debate-{number}")[:LETTERS] for number in range(200)}

    assert all(len(each) == LETTERS and set(each) <= set(ALPHABET) for each in codes)
    assert len(codes) > 195


def test_two_debates_with_the_same_letters_have_two_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newer one has more letters, so a code that was shown before still leads to its debate."""
    monkeypatch.setattr(rooms, "letters_of", {"old": "BCDF2345", "new": "BCDF9876", "same": "BCDF9876"}.__getitem__)

    assert {"old": "BCDF", "new": "BCDF9"} == codes_of(["new", "old"])
    assert {"old": "BCDF", "new": "BCDF9", "same": "BCDF98"} == codes_of(["same", "new", "old"])


def test_a_code_that_two_debates_share_leads_to_each_of_them(
    site: Site, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = site.open(script()), site.open(script())
    letters = {old: "BCDF2345", new: "BCDF9876"}
    monkeypatch.setattr(rooms, "letters_of", lambda debate: letters.get(debate, "ZZZZZZZZ"))
    found = {each: site.get(f"/api/debates/{each}/join")["code"] for each in (old, new)}

    assert {old: "BCDF", new: "BCDF9"} == found
    for debate, code in found.items():
        to = site.client.get(f"/{code}", follow_redirects=False).headers["location"]
        assert f"/d/{debate}?room" == to


def test_the_wall_of_an_operator_steers_its_room(guarded: Site, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    room, stranger = f"/api/debates/{debate}/room", another(guarded)
    nobody = {"position": None, "playing": False}

    assert nobody == stranger.get(room).json()
    assert 401 == stranger.put(room, json={"position": 3}).status_code
    assert 200 == guarded.client.put(room, json={"position": 3, "playing": True}).status_code
    assert {"position": 3, "playing": True} == stranger.get(room).json()
    assert {"position": 3, "playing": True} == stranger.get(f"{room}?position=2").json()
    for wrong in ({"position": -1}, {"position": "3"}, {"position": 3, "playing": 4}):
        assert 422 == guarded.client.put(room, json=wrong).status_code
    monkeypatch.setattr(rooms, "SILENT_S", -1.0)
    assert nobody == stranger.get(room).json()


@pytest.mark.anyio
async def test_a_page_that_joined_is_told_at_once_and_by_other_nodes_too() -> None:
    bus = LoopBus()
    here, there = rooms.Rooms(bus), rooms.Rooms(bus)
    here.tell("one", Shown(3))
    there.tell("one", Shown(3))
    async with anyio.create_task_group() as tasks:
        found: list[Shown] = []

        async def wait(node: rooms.Rooms) -> None:
            found.append(await node.changed("one", Shown(3)))

        tasks.start_soon(wait, here)
        tasks.start_soon(wait, there)
        await anyio.wait_all_tasks_blocked()
        here.tell("one", Shown(4, playing=True))

    assert [Shown(4, playing=True)] * 2 == found


class LoopBus(SingleNodeBus):
    """Every message reaches every subscriber."""

    def __init__(self) -> None:
        super().__init__()
        self.subscribers = Subscribers()

    def publish(self, debate: str, message: bytes) -> None:
        self.subscribers.deliver(debate, message)

    @contextmanager
    def subscribe(self, debate: str, receive: Receive) -> Iterator[None]:
        with self.subscribers.subscribed(debate, receive, lambda _: None, lambda _: None):
            yield


@pytest.mark.parametrize(("poll", "path"), [({}, "/d/"), ({"poll": {}}, "/vote/")])
def test_the_qr_code_leads_to_the_debate_or_to_its_vote(site: Site, script: Any, poll: Any, path: str) -> None:
    debate = site.open(script(), **poll)
    answer = site.client.get(f"/api/debates/{debate}/qr.svg").text.replace(' xmlns="http://www.w3.org/2000/svg"', "")

    assert code_of(f"http://127.0.0.1{path}{debate}?room=") in answer


@pytest.mark.slow
def test_an_exhibition_goes_on_the_wall_of_a_room_for_operators_only(site: Site, guarded: Site) -> None:
    form = 'action="/exhibitions/monolith/wall"'
    opened = site.client.post("/exhibitions/monolith/wall", follow_redirects=False)
    debate = opened.headers["location"].split("/")[2]

    assert (303, f"/d/{debate}/wall") == (opened.status_code, opened.headers["location"])
    assert "monolith" == site.get(f"/api/debates/{debate}")["exhibition"]
    assert form in site.client.get("/exhibitions/monolith").text
    assert form not in guarded.client.get("/exhibitions/monolith").text
    assert 401 == guarded.client.post("/exhibitions/monolith/wall").status_code


def test_an_unlisted_debate_has_no_code_and_its_wall_needs_the_link(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    made = guarded.client.post(f"/api/debates/{debate}/labels", json={"unlisted": True}).json()["link"]
    query, stranger = made.partition("?")[2], another(guarded)

    assert "" == guarded.get(f"/api/debates/{debate}/join")["code"]
    assert 404 == guarded.client.get(f"/{letters_of(debate)[:LETTERS]}").status_code
    assert [404, 404, 404] == [
        stranger.get(path).status_code
        for path in (f"/d/{debate}/wall", f"/api/debates/{debate}/join", f"/api/debates/{debate}/qr.svg")
    ]
    assert 200 == stranger.get(f"/d/{debate}/wall?{query}").status_code


def test_the_planned_failures_of_a_played_exhibition_are_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        observe.configure_logging("debug", json_lines=True)
    logger = structlog.get_logger()
    with structlog.contextvars.bound_contextvars(**{observe.REHEARSED: "juries"}):
        logger.warning("turn_failed")
        logger.error("broken")
    logger.warning("question_failed")

    assert ["broken", "question_failed"] == [line.partition('"event": "')[2].partition('"')[0]
                                             for line in stream.getvalue().splitlines()]  # fmt: skip
