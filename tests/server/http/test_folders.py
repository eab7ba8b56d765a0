"""The folder of a script reaches no spectator, by any route, before and after the end."""

from pathlib import Path
from typing import Any

import pytest

from events.verify import verify_lines
from tests.server.http.test_secrets import TOKEN, everything
from tests.server.site import Site, refused

PANEL = {"panel": [{"rater": "technical"}, {"rater": "business"}]}


@pytest.mark.slow
@pytest.mark.parametrize("request_", [{"format": "exchange"}, {"format": "protocol"}, PANEL])
def test_no_reader_of_a_debate_learns_where_a_script_lies(
    guarded: Site, script: Any, tmp_path: Path, request_: dict[str, Any]
) -> None:
    model = script()
    guarded.client.headers.update(TOKEN)
    panel = {"panel": [{**each, "model": model} for each in request_["panel"]]} if "panel" in request_ else request_
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    response = guarded.client.post("/api/debates", json={"motion": "Cities should ban cars", **seats, **panel})
    debate = response.json()["id"]
    guarded.client.headers.pop("authorization")
    ended = guarded.ended(debate)
    assert "debate_concluded" == ended["type"]

    read = everything(guarded, debate)
    calls = [
        event["event"]["call"]
        for event in guarded.get(f"/api/debates/{debate}/events?limit=1000")["events"]
        if event["event"]["type"] == "model_answered"
    ]
    one = f"/api/debates/{debate}"
    for path in (f"{one}/export.md", f"{one}/export.html", f"{one}/export.json", f"{one}/calls/{calls[0]}"):
        response = guarded.client.get(path)
        assert response.status_code == 200
        read[path] = response.text + str(response.headers)
    for path, text in read.items():
        where = text.find(str(tmp_path))
        assert where < 0, (path, text[max(0, where - 200) : where + 100])
    assert "scripted:debate.json" == guarded.get(one)["judge"]["model"]

    lines = [line + b"\n" for line in guarded.client.get(f"{one}/events.ndjson").content.splitlines()]
    assert verify_lines(lines).ok
    refused(guarded.client.post("/api/import", content=b"".join(lines), headers=TOKEN), 422, says="does not import")


def test_an_operator_gets_the_log_as_it_is(guarded: Site, script: Any) -> None:
    model = script()
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(model)
    guarded.ended(debate)
    [first, *_] = guarded.get(f"/api/debates/{debate}/events")["events"]

    assert model == first["event"]["pro"]["model"]
    assert model.encode() in guarded.client.get(f"/api/debates/{debate}/events.ndjson").content


def test_an_unreadable_script_is_named_without_its_folder(site: Site, tmp_path: Path) -> None:
    body = {"motion": "Cats", "pro": {"model": f"scripted:{tmp_path}/missing.json"}}

    refused(site.client.post("/api/debates", json=body), 422, "pro.model", "the script missing.json cannot be read")


def test_a_client_learns_its_role(guarded: Site, site: Site) -> None:
    assert {"role": "operator", "signed_in": False} == site.get("/api/session")
    assert {"role": "spectator", "signed_in": False} == guarded.get("/api/session")
    guarded.client.post("/api/session", json={"token": "s3cret-0123456789"})
    assert {"role": "operator", "signed_in": True} == guarded.get("/api/session")
