"""Deleting a debate over HTTP: who may do it, what it answers, and what is left of the debate."""

from typing import Any

import msgspec
import pytest
from starlette.websockets import WebSocketDisconnect

from events.verify import verify_lines
from providers.registry import BASELINE
from tests.server.debate.test_supplied import TOWN_HALL, entry
from tests.server.http.test_origins import JUDGE, posted, supplied
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused

WORD = "Zwiebelfisch"
WORDY = (*TOWN_HALL, entry("pro", f"The {WORD} is a word that nobody else says.", "Ben"))


def delete(site: Site, debate: str, **query: Any) -> Any:
    return site.client.delete(f"/api/debates/{debate}", params=query)


@pytest.mark.slow
def test_a_deleted_debate_answers_410_everywhere(site: Site) -> None:
    debate = supplied(site, *WORDY)
    path = f"/api/debates/{debate}"
    paths = ("", "?at=3", "/events", "/events.ndjson", "/frames", "/export.json", "/export.md", "/export.html")
    paths += (
        "/evidence",
        "/audit/turns/1",
        "/report?side=pro",
        "/tables/turns.csv",
        "/diff?from=1&to=3",
        "/calls/c1",
        "/poll",
    )
    whole = site.client.get(f"{path}/events.ndjson").content
    for each in paths:
        site.client.get(path + each)  # what is kept is kept by now
    assert 1 == len(site.get(f"/api/search?q={WORD}")["hits"])

    (left,) = delete(site, debate, reason="The class took it back.").json()["deleted"]

    assert (left["debate"], left["reason"]) == (debate, "The class took it back.")
    for each in paths:
        said = refused(site.client.get(path + each), 410)
        assert said["code"] == "debate_deleted"
        assert "The class took it back." in said["message"]
        assert left["deleted_at"][:10] in said["message"]
    acts = {"pause": {}, "say": {"text": "x"}, "labels": {"title": "x"}, "rejudge": JUDGE}
    for act, fields in (acts | {"fork": {"turn": 1, **JUDGE}, "whatif": {"rubric": "v2"}}).items():
        refused(posted(site, f"{path}/{act}", fields), 410)
    refused(delete(site, debate), 410)
    page = site.client.get(f"/d/{debate}")
    assert page.status_code == 410
    assert "The class took it back." in page.text
    assert site.get("/api/debates")["debates"] == []
    assert site.get(f"/api/search?q={WORD}")["hits"] == []
    refused(site.client.post("/api/import", content=whole), 410)
    lines = site.client.get(f"{path}/tombstone.ndjson").content
    assert verify_lines(lines.splitlines(keepends=True)).ok
    assert left["events"] == len(lines.splitlines()) == len(whole.splitlines())
    digests = [[msgspec.json.decode(line)["digest"] for line in log.splitlines()] for log in (whole, lines)]
    assert digests[0] == digests[1]
    assert WORD.encode() not in lines


def test_spectators_delete_nothing_and_the_reason_is_short(guarded: Site) -> None:
    debate = supplied(guarded, *TOWN_HALL, **TOKEN)
    path = f"/api/debates/{debate}"

    refused(guarded.client.delete(path, headers=SPECTATOR), 401)
    refused(guarded.client.delete(path, params={"reason": "x" * 501}, headers=TOKEN), 422, "reason")
    refused(guarded.client.delete("/api/debates/nobody", headers=TOKEN), 404)
    refused(guarded.client.get(f"{path}/tombstone.ndjson", headers=SPECTATOR), 404)
    assert guarded.client.get(path, headers=SPECTATOR).status_code == 200
    assert guarded.client.delete(path, headers=TOKEN).status_code == 200
    refused(guarded.client.get(path, headers=SPECTATOR), 410)


@pytest.mark.slow
def test_what_was_made_of_it_goes_with_it_or_nothing_goes(site: Site) -> None:
    debate = supplied(site, *WORDY)
    again = posted(site, f"/api/debates/{debate}/rejudge", JUDGE).json()["id"]
    site.ended(again)
    branch = posted(site, f"/api/debates/{again}/fork", {"turn": 1, **JUDGE}).json()["id"]
    site.ended(branch)
    other = supplied(site, *TOWN_HALL)
    said = refused(delete(site, debate), 409)

    assert again in said["message"]
    assert branch in said["message"]
    assert other not in said["message"]
    assert 4 == len(site.get("/api/debates")["debates"])
    assert [branch, again, debate] == [
        each["debate"] for each in delete(site, debate, with_derived=1).json()["deleted"]
    ]
    assert [other] == [row["id"] for row in site.get("/api/debates")["debates"]]


@pytest.mark.slow
def test_a_lab_run_over_a_debate_holds_its_words(site: Site) -> None:
    debate = supplied(site, *TOWN_HALL)
    opened = posted(site, "/api/labs", {"judge": {"model": BASELINE}, "debates": [debate], "batteries": ["position"]})
    assert opened.status_code == 201, opened.text
    lab = opened.json()["id"]
    site.ended(lab)

    assert lab in refused(delete(site, debate), 409)["message"]
    assert [lab, debate] == [each["debate"] for each in delete(site, debate, with_derived=1).json()["deleted"]]


def test_a_debate_that_runs_is_refused(site: Site, slow: str) -> None:
    debate = site.open(slow)
    assert "pause or halt it first" in refused(delete(site, debate), 409)["message"]
    posted(site, f"/api/debates/{debate}/halt", {})

    assert delete(site, debate).status_code == 200


def test_an_open_socket_is_told(site: Site) -> None:
    debate = supplied(site, *TOWN_HALL)
    with site.client.websocket_connect(f"/ws/debates/{debate}", headers={"host": "127.0.0.1"}) as socket:
        assert "snapshot" == socket.receive_json()["kind"]
        delete(site, debate, reason="taken back")
        told, code = [], 0
        while not code:
            try:
                told.append(socket.receive_json())
            except WebSocketDisconnect as closed:
                code = closed.code

    assert (told[-1]["code"], code) == ("debate_deleted", 4404)
    assert "taken back" in told[-1]["message"]
