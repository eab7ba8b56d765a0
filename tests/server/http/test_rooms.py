"""A room that watches a debate: its code, the QR code, the view for its wall; and what a played exhibition logs."""

import io
import sys
from typing import Any

import pytest
import segno
import structlog

from server.http.people.rooms import ALPHABET, LETTERS, join_code
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

    assert {"place": "127.0.0.1/", "code": join_code(debate)} == found
    assert (307, f"/d/{debate}") == (to.status_code, to.headers["location"])
    wrong = "".join("2" if letter != "2" else "3" for letter in found["code"])
    assert 404 == site.client.get(f"/{wrong}").status_code
    assert 404 == site.client.get("/nowhere").status_code
    assert 200 == site.client.get(f"/d/{debate}/wall").status_code
    assert 404 == site.client.get("/d/nothing/wall").status_code


def test_codes_have_letters_that_nobody_confuses() -> None:
    codes = {join_code(f"debate-{number}") for number in range(200)}

    assert all(len(each) == LETTERS and set(each) <= set(ALPHABET) for each in codes)
    assert len(codes) > 195


@pytest.mark.parametrize(("poll", "path"), [({}, "/d/"), ({"poll": {}}, "/vote/")])
def test_the_qr_code_leads_to_the_debate_or_to_its_vote(site: Site, script: Any, poll: Any, path: str) -> None:
    debate = site.open(script(), **poll)
    answer = site.client.get(f"/api/debates/{debate}/qr.svg").text.replace(' xmlns="http://www.w3.org/2000/svg"', "")

    assert code_of(f"http://127.0.0.1{path}{debate}") in answer


def test_an_unlisted_debate_has_no_code_and_its_wall_needs_the_link(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    made = guarded.client.post(f"/api/debates/{debate}/labels", json={"unlisted": True}).json()["link"]
    query, stranger = made.partition("?")[2], another(guarded)

    assert "" == guarded.get(f"/api/debates/{debate}/join")["code"]
    assert 404 == guarded.client.get(f"/{join_code(debate)}").status_code
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
