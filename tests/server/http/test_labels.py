"""Labels: titles, tags, hidden, archived and unlisted debates, and who sees them where."""

from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.server.http.test_secrets import HERE, SPECTATOR, TOKEN
from tests.server.site import Site, refused

ROUTES = ("", "/events", "/events.ndjson", "/frames", "/diff", "/export.json", "/export.md", "/export.html")
ROUTES += ("/tables/calls.csv",)


def listed(site: Site, query: str = "", **headers: str) -> list[str]:
    page = site.client.get(f"/api/debates?{query}", headers=headers).json()
    return [row["id"] for row in page["debates"]]


def label(site: Site, debate: str, **labels: Any) -> dict[str, Any]:
    response = site.client.post(f"/api/debates/{debate}/labels", json=labels, headers=TOKEN)
    assert response.status_code == 200, response.text
    return dict(response.json())


@pytest.fixture
def debate(guarded: Site, script: Any) -> str:
    guarded.client.headers.update(TOKEN)
    opened = guarded.open(script(says={"pro": ["Trams carry people."], "con": ["No."]}))
    guarded.client.headers.update(SPECTATOR)
    guarded.ended(opened)
    return opened


def test_a_title_and_tags_stand_in_list_view_and_log(guarded: Site, debate: str) -> None:
    label(guarded, debate, title="  The tram\n question ", tags=["transport", "demo", "demo"])
    label(guarded, debate, archived=False, hidden=True)
    label(guarded, debate, hidden=False)
    view = guarded.get(f"/api/debates/{debate}")

    assert ("The tram question", ["transport", "demo"]) == (view["title"], view["tags"])
    assert {"hidden", "archived", "unlisted"}.isdisjoint(view)
    assert [debate] == listed(guarded, "q=tram question") == listed(guarded, "tag=DEMO") == listed(guarded)
    assert [] == listed(guarded, "tag=dem") == listed(guarded, "q=nothing")
    assert "The tram question" in guarded.client.get(f"/api/debates/{debate}/events.ndjson").text


def test_an_archived_debate_is_listed_on_request_and_found(guarded: Site, debate: str) -> None:
    label(guarded, debate, archived=True)

    assert [] == listed(guarded)
    assert [debate] == listed(guarded, "archived=true")
    assert [debate] == [hit["debate"]["id"] for hit in guarded.get("/api/search?q=trams")["hits"]]


def test_a_hidden_debate_is_listed_for_operators_only(guarded: Site, debate: str) -> None:
    label(guarded, debate, hidden=True)

    assert [] == listed(guarded) == guarded.get("/api/search?q=trams")["hits"]
    refused(guarded.client.get("/api/debates?hidden=true"), 401)
    assert [debate] == listed(guarded, "hidden=true", **TOKEN)
    assert 200 == guarded.client.get(f"/d/{debate}").status_code


@pytest.mark.slow
def test_an_unlisted_debate_answers_for_its_link_only(guarded: Site, debate: str) -> None:
    link = label(guarded, debate, unlisted=True)["link"]
    token = link.partition("link=")[2]
    one = f"/api/debates/{debate}"

    assert [] == listed(guarded) == guarded.get("/api/search?q=trams")["hits"]
    assert [debate] == listed(guarded, "unlisted=true", **TOKEN)
    assert token not in guarded.client.get(f"{one}/events.ndjson", headers=TOKEN).text
    for wrong in ("", "?link=", "?link=wrong", "?link=%00"):
        for path in (f"/d/{debate}", f"/d/{debate}/embed"):
            assert 404 == guarded.client.get(path + wrong).status_code
        for path in (*ROUTES, "/audit/turns/1", "/calls/x"):
            refused(guarded.client.get(one + path + wrong), 404)
        refused(guarded.client.get(f"/api/judge?debate={debate}&{wrong[1:]}"), 404)
        refused(guarded.client.post(f"{one}/votes{wrong}", json={"winner": "pro"}), 404)
        assert 4404 == closed(guarded, f"{debate}{wrong}")
    for path in ROUTES:
        assert 200 == guarded.client.get(f"{one}{path}?link={token}").status_code
    assert 200 == guarded.client.get(one, headers=TOKEN).status_code

    guarded.client.get(link)  # its page sets a cookie, so that the page's requests need no token
    assert 200 == guarded.client.get(one).status_code
    label(guarded, debate, unlisted=True)
    refused(guarded.client.get(one), 404)
    label(guarded, debate, unlisted=False)
    guarded.client.cookies.clear()
    assert 200 == guarded.client.get(one).status_code
    assert [debate] == listed(guarded)


def closed(site: Site, path: str) -> int:
    with site.client.websocket_connect(f"/ws/debates/{path}", headers=HERE | SPECTATOR) as socket:
        return ending(socket)


def ending(socket: Any) -> int:
    """The code with which the server closes a socket."""
    try:
        while True:
            socket.receive_json()
    except WebSocketDisconnect as error:
        return error.code


@pytest.mark.parametrize("labels", [{"unlisted": True}, {"unlisted": False}])
def test_revoking_a_link_ends_open_sockets(guarded: Site, slow: str, labels: dict[str, bool]) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(slow)
    guarded.client.headers.update(SPECTATOR)
    link = label(guarded, debate, unlisted=True)["link"].partition("?")[2]
    url = f"/ws/debates/{debate}?{link}"
    with guarded.client.websocket_connect(url, headers=HERE | SPECTATOR) as socket:
        assert "snapshot" == socket.receive_json()["kind"]
        label(guarded, debate, **labels)
        assert 1011 == ending(socket)
    if labels["unlisted"]:
        assert 4404 == closed(guarded, f"{debate}?{link}")


@pytest.mark.parametrize(
    ("labels", "field"),
    [
        ({"title": "x" * 201}, "title"),
        ({"tags": "law"}, "tags"),
        ({"tags": [""]}, "tags"),
        ({"hidden": "yes"}, "hidden"),
        ({"unlisted": None}, "unlisted"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_label_of_another_form_is_refused(guarded: Site, debate: str, labels: dict[str, Any], field: str) -> None:
    path = f"/api/debates/{debate}/labels"
    refused(guarded.client.post(path, json=labels, headers=TOKEN), 422, field)
    refused(guarded.client.post(path, json={}, headers=TOKEN), 409)
    refused(guarded.client.post(path, json={"hidden": True}), 401)


def test_labels_survive_export_and_import(guarded: Site, site: Site, debate: str) -> None:
    link = label(guarded, debate, title="Trams", tags=["a"], unlisted=True)["link"]
    log = guarded.client.get(f"/api/debates/{debate}/events.ndjson", headers=TOKEN).content
    assert 201 == site.client.post("/api/import", content=log).status_code

    assert ["Trams"] == [row["title"] for row in site.get("/api/debates?unlisted=true")["debates"]]
    assert site.get(f"/api/debates/{debate}")["unlisted"] is True
    assert link.startswith(f"/d/{debate}?link=")
