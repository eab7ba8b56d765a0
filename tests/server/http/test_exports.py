"""Exports over HTTP: each is made once for a position and for those who may see it."""

import gzip
from typing import Any

import pytest

from server.http import exports
from tests.server.http.test_labels import label
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, from_address, refused

KINDS = ("export.html", "export.html?calls=0", "export.md", "export.json", "events.ndjson", "diff?from=0")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The debates of which an archive was made."""
    found: list[str] = []
    make = exports.archive_of

    async def spy(log: Any, debate: str, **kind: Any) -> Any:
        found.append(debate)
        return await make(log, debate, **kind)

    monkeypatch.setattr(exports, "archive_of", spy)
    return found


@pytest.fixture
def debate(guarded: Site, script: Any) -> str:
    guarded.client.headers.update(TOKEN)
    opened = guarded.open(script(says={"pro": ["Trams carry people."], "con": ["No."]}))
    guarded.client.headers.update(SPECTATOR)
    guarded.ended(opened)
    return opened


@pytest.mark.slow
def test_an_export_is_made_once_for_a_position(guarded: Site, debate: str, made: list[str]) -> None:
    path = f"/api/debates/{debate}/export.html"
    first = guarded.client.get(path)
    assert [first.text] * 3 == [guarded.client.get(path).text for _ in range(3)]
    assert [debate] == made

    label(guarded, debate, title="Trams")

    assert '"title":"Trams"' in guarded.client.get(path).text
    assert [debate] * 2 == made


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_accepts_no_gzip_gets_the_same(guarded: Site, debate: str, kind: str) -> None:
    path = f"/api/debates/{debate}/{kind}"
    plain = guarded.client.get(path, headers={"accept-encoding": "identity"})
    zipped = guarded.client.get(path, headers={"accept-encoding": "gzip"})

    assert plain.content == zipped.content
    assert len(plain.content) == int(plain.headers["content-length"])
    assert int(zipped.headers["content-length"]) < len(gzip.compress(plain.content)) * 1.2
    assert ("gzip", "accept-encoding") == (zipped.headers["content-encoding"], zipped.headers["vary"])
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("kind", KINDS)
def test_a_spectator_gets_no_export_that_was_made_for_the_director(guarded: Site, script: Any, kind: str) -> None:
    guarded.client.headers.update(TOKEN)
    running = guarded.open(script(pace={"answer_ms": 60_000}), turns=4)
    guarded.watch(running, "turn_spoken")
    label(guarded, running, title="Trams")  # the position stays for both
    path = f"/api/debates/{running}/{kind}"
    both = [
        guarded.client.get(f"{path}{'&' if '?' in path else '?'}director=1", headers=TOKEN),
        guarded.client.get(path, headers=SPECTATOR),
    ]

    assert [200, 200] == [each.status_code for each in both]
    if kind in {"export.html", "events.ndjson"}:
        assert "Cities should ban cars" in both[0].text
        assert both[0].text != both[1].text


@pytest.mark.slow
def test_spectators_of_one_address_cause_a_limited_number(guarded: Site, debate: str, made: list[str]) -> None:
    rate = guarded.state.export_rate  # type: ignore[attr-defined]
    rate._most = 2
    path = f"/api/debates/{debate}/export"

    assert [200] * 5 == [guarded.client.get(f"{path}.html").status_code for _ in range(5)]
    assert 200 == guarded.client.get(f"{path}.md").status_code
    answer = guarded.client.get(f"{path}.html?calls=0")
    refused(answer, 429, says="exports were made from this address")
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert 200 == guarded.client.get(f"{path}.html").status_code
    assert 200 == guarded.client.get(f"{path}.html?calls=0", headers=TOKEN).status_code
    assert 200 == from_address(guarded, "10.0.0.9", f"{path}.json").status_code
    assert 2 == len(made)


def test_a_page_of_the_log_ends_where_the_next_one_begins(guarded: Site, debate: str) -> None:
    head = guarded.get(f"/api/debates/{debate}")["position"]
    for kind in ("events", "frames"):
        after, found = 0, []
        while after is not None:
            page = guarded.get(f"/api/debates/{debate}/{kind}?after={after}&limit=7")
            found += [each["position"] for each in page[kind]]
            after = page["next"]
        assert list(range(1, head + 1)) == found
    refused(guarded.client.get(f"/api/debates/{debate}/events?after={head + 1}"), 400, "after")
