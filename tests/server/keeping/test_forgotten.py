"""Nothing of a deleted debate is left in any place that a server, a store and its folder have, but its tombstone."""

import gc
import sqlite3
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.hooks.deliveries import DEAD, RETRIED, WAITING, Letter, Waiting
from server.speech.kept import kept_with
from server.speech.sound import Sound
from tests.server.debate.test_supplied import TOWN_HALL, entry
from tests.server.http.test_origins import supplied
from tests.server.site import Site, serving

WORD = "Zwiebelfisch"
LEFT = {"tombstones", "debates"}
"""The tables that have the id of a deleted debate: its tombstone, and the row that keeps its number."""
PASSED_OVER = types.ModuleType | type | types.FunctionType | types.BuiltinFunctionType | types.FrameType


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Site]:
    yield from serving(store=f"sqlite:{tmp_path / 'moot.db'}")


def held(root: Any, *texts: str) -> set[str]:
    """The types of the objects under ``root`` that refer to a text that has one of these."""
    seen, waiting, found = {id(root)}, [root], set[str]()
    while waiting:
        each = waiting.pop()
        for below in gc.get_referents(each):
            if isinstance(below, str | bytes):
                text = below if isinstance(below, str) else below.decode(errors="replace")
                if any(wanted in text for wanted in texts):
                    found.add(type(each).__qualname__)
            elif id(below) not in seen and not isinstance(below, PASSED_OVER):
                seen.add(id(below))
                waiting.append(below)
    return found


def rows_with(path: Path, *texts: str) -> set[str]:
    """The tables that have a text."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table
            for table in tables
            for row in store.execute(f"SELECT * FROM {table}")
            if any(
                text.encode() in (each if isinstance(each, bytes) else str(each).encode())
                for text in texts
                for each in row
            )
        }


def test_every_place_forgets_a_deleted_debate(stored: Site, tmp_path: Path) -> None:
    debate = supplied(stored, *TOWN_HALL, entry("pro", f"The {WORD} is a word that nobody else says.", "Ben"))
    other = supplied(stored, *TOWN_HALL)
    state, service = stored.state, stored.service  # type: ignore[attr-defined]
    letter = Letter(hook="a", type="debate.concluded", debate=debate, position=3)
    for name in (debate, other):
        one = msgspec.structs.replace(letter, debate=name)
        notes = (WAITING, name, Waiting(position=3, letters=(one,))), (DEAD, one.key, one), (RETRIED, one.key, one)
        for kind, key, value in notes:
            stored.client.portal.call(service.log.note, kind, key, msgspec.json.encode(value))  # type: ignore[union-attr]
    kept_with(service.settings.store).put(debate, "a", Sound("mp3", WORD.encode()))
    path = f"/api/debates/{debate}"
    for each in ("", "/events.ndjson", "/frames", "/export.json", "/export.md", "/export.html", "/tables/turns.csv",
                 "/report?side=pro", "/evidence", "/diff?from=1&to=3", "/course"):  # fmt: skip
        assert 200 == stored.client.get(path + each).status_code, each
    for each in (
        f"/api/search?q={WORD}",
        "/api/league",
        "/league",
        "/api/debates",
        f"/d/{debate}/preview.png",
        "/feed.atom",
    ):
        assert stored.client.get(each).status_code in {200, 404}, each
    places = {name: getattr(state, name) for name in ("exports", "pages", "previews", "league", "speaker")}
    places |= {"hub": service.hub, "moderators": service.moderators}

    assert {"hub", "exports", "previews"} <= {name for name, each in places.items() if held(each, WORD, debate)}
    assert {"events", "notes", "debates"} <= rows_with(tmp_path / "moot.db", WORD, debate)
    assert {"moot.db-search", "moot.db.speech"} <= {each.name for each in tmp_path.iterdir()}
    assert 200 == stored.client.delete(path, params={"reason": "taken back"}).status_code

    assert {} == {name: found for name, each in places.items() if (found := held(each, WORD, debate))}
    assert rows_with(tmp_path / "moot.db", WORD, debate) == LEFT
    assert rows_with(tmp_path / "moot.db", WORD) == set()
    assert "notes" in rows_with(tmp_path / "moot.db", other)
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert [] == [each.name for each in files if WORD.encode() in each.read_bytes()]
    assert [] == list(tmp_path.glob("moot.db.speech/*"))
    for each in ("/api/debates", "/api/league", f"/api/search?q={WORD}"):
        assert debate not in stored.client.get(each).text
        assert WORD not in stored.client.get(each).text.replace(f"q={WORD}", "")
