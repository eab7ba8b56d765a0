"""The difference between two positions: laws over golden logs, the route, the command."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.record import Recorded
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.transfer import parse_lines
from events.view import view as views
from server.export.diff import ViewDiff, difference
from server.feed.folds import Folds
from tests.server.children import Cli
from tests.server.site import Site, refused

GOLDEN = Path(__file__).parents[2] / "events" / "view" / "golden"
LOGS = {path.stem: parse_lines(path.read_bytes().splitlines(keepends=True)) for path in sorted(GOLDEN.glob("*.ndjson"))}


class ReadOnlyLog(MemoryLog):
    """A log of one debate that can only be read."""

    def __init__(self, records: Sequence[Recorded]) -> None:
        super().__init__()
        self._held = records

    async def read(self, debate: str, after: int = 0, limit: int = 500) -> tuple[Recorded, ...]:
        return tuple(self._held[after : after + limit])


def between(log: EventLog, start: int, end: int, *, revealed: bool) -> ViewDiff:
    async def ask() -> ViewDiff:
        return await difference(Folds(log), "any", start, end, revealed=revealed)

    return anyio.run(ask)


def seen(records: Sequence[Recorded], at: int, *, revealed: bool) -> dict[str, Any]:
    """The view at a position as JSON values; empty at 0."""
    fold = views.INITIAL
    for record in records[:at]:
        fold = views.apply(fold, record)
    shown = views.for_director(fold) if revealed else fold.view
    return dict(msgspec.to_builtins(shown)) if at else {}


def applied(view: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """A view after the changes, which leave out the position and the lead: it is the one of ``without_lead``."""
    for change in found["changes"]:
        *way, last = change["keys"]
        place = view
        for key in way:
            place = place.setdefault(key, {})
        if "after" in change:
            place[last] = change["after"]
        else:
            del place[last]
    return without_lead(view | {"position": found["to"]})


def without_lead(view: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name != "lead"}


@pytest.mark.slow
@given(st.sampled_from(sorted(LOGS)), st.booleans(), st.data())
def test_the_changes_lead_from_one_view_to_the_other(name: str, revealed: bool, data: st.DataObject) -> None:
    records = LOGS[name]
    end = data.draw(st.integers(1, len(records)))
    start = data.draw(st.integers(0, end))
    found = msgspec.to_builtins(between(ReadOnlyLog(records), start, end, revealed=revealed))
    before, after = (seen(records, at, revealed=revealed) for at in (start, end))

    assert without_lead(after) == applied(before, found)
    assert all(
        change["because_of"] and all(start < at <= end for at in change["because_of"]) for change in found["changes"]
    )
    assert {str(at) for change in found["changes"] for at in change["because_of"]} == found["events"].keys()
    assert [change["path"] for change in found["changes"]] == [".".join(change["keys"]) for change in found["changes"]]


@pytest.mark.slow
@given(st.sampled_from(sorted(LOGS)), st.data())
def test_a_change_by_one_event_names_only_that_event(name: str, data: st.DataObject) -> None:
    records = LOGS[name]
    at = data.draw(st.integers(1, len(records)))
    found = between(ReadOnlyLog(records), at - 1, at, revealed=True)

    assert all(change.because_of == (at,) for change in found.changes)


def test_a_score_that_was_lowered_names_the_entry_and_its_rule() -> None:
    records = LOGS["0.1-juries"]
    entry = next(each for each in records if each.event.__struct_config__.tag == "penalty_applied")
    turn, dimension = entry.event.turn, entry.event.dimension  # type: ignore[attr-defined]
    path = f"turns.{turn}.scores.{dimension}.effective"
    found = between(ReadOnlyLog(records), entry.position - 1, entry.position, revealed=True)
    change = next(each for each in found.changes if each.path == path)

    assert entry.event.applied == change.after - change.before  # type: ignore[attr-defined]
    assert entry.event.rule == found.events[str(entry.position)].rule  # type: ignore[attr-defined]


def test_a_position_does_not_differ_from_itself() -> None:
    found = between(ReadOnlyLog(LOGS["0.1-juries"]), 40, 40, revealed=True)

    assert ((), {}) == (found.changes, found.events)


def test_a_spectators_difference_hides_directives() -> None:
    records = LOGS["0.1-juries"][:-1]
    hidden = {each.event.text for each in records if each.event.__struct_config__.tag == "directive_issued"}  # type: ignore[attr-defined]
    for_spectators = msgspec.json.encode(between(ReadOnlyLog(records), 0, len(records), revealed=False)).decode()
    for_director = msgspec.json.encode(between(ReadOnlyLog(records), 0, len(records), revealed=True)).decode()

    assert hidden
    assert not [text for text in hidden if msgspec.json.encode(text).decode() in for_spectators]
    assert "directive_issued" not in for_spectators
    assert all(msgspec.json.encode(text).decode() in for_director for text in hidden)


def test_the_route_gives_the_difference(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    head = site.get(f"/api/debates/{debate}")["position"]
    pairs = [(0, head), (1, head), (head // 3, head // 2), (head - 4, head - 1)]
    for start, end in pairs:
        found = site.get(f"/api/debates/{debate}/diff?from={start}&to={end}")
        before = site.get(f"/api/debates/{debate}?at={start}") if start else {}

        assert {"from", "to", "changes", "events", "sentences"} == found.keys()
        assert (start, end) == (found["from"], found["to"])
        assert without_lead(site.get(f"/api/debates/{debate}?at={end}")) == applied(before, found)
    assert site.get(f"/api/debates/{debate}/diff") == site.get(f"/api/debates/{debate}/diff?from=0&to={head}")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=5&to=4", "from"),
        ("from=0&to=9999", "to"),
        ("from=-1&to=2", "from"),
        ("from=a&to=2", "from"),
        ("from=0&to=", "to"),
        ("from=9999", "from"),
    ],
)
def test_invalid_positions_are_refused(site: Site, script: Any, query: str, field: str) -> None:
    debate = site.open(script())
    site.ended(debate)

    refused(site.client.get(f"/api/debates/{debate}/diff?{query}"), 400, field)


def test_the_difference_of_an_unknown_debate_is_not_found(site: Site) -> None:
    refused(site.client.get("/api/debates/nobody/diff?from=0&to=1"), 404)


@pytest.mark.slow
def test_the_command_prints_changes_and_their_causes(held: tuple[Cli, str]) -> None:
    moot, debate = held
    judged = moot.json("show", debate)["turns"]["1"]["judged"]
    found = moot.json("diff", debate, "0", str(judged))
    *moved, hint = moot("diff", debate, str(judged - 1), str(judged)).stdout.decode().splitlines()
    lines = moot("diff", debate, str(judged - 1), str(judged), "--values").stdout.decode().splitlines()

    assert applied({}, found) == without_lead(moot.json("show", debate, "--at", str(judged)))
    assert any(line.startswith("Turn 1 was scored ") for line in moved)
    assert hint.endswith("--values lists them")
    assert moved == lines[: lines.index("turn 1")]
    assert f"- state: spoken → judged because of {judged} turn_scored" in lines
    assert moot("diff", debate, "9", "3").returncode == 2
    assert moot("diff", debate, "0", "999999").returncode == 2
    assert moot("diff", "nobody", "0", "1").returncode == 3
