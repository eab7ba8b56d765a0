"""The work of what is read of a debate, counted in folded events and not in seconds."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

from events.state import debate as debates
from events.transfer import parse_lines
from server.export.audit import auditor_of
from server.whatif import replay
from server.whatif.comparison import what_if
from server.whatif.request import read_request
from tests.server.export.test_diff import GOLDEN, ReadOnlyLog, between
from tests.server.harness import harness

Script = Callable[..., str]
pytestmark = pytest.mark.anyio


@pytest.fixture
def folded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of the events that are folded."""
    found, evolve = list[int](), debates.evolve

    def counted(debate: Any, record: Any) -> Any:
        found.append(record.position)
        return evolve(debate, record)

    monkeypatch.setattr(debates, "evolve", counted)
    return found


async def test_the_first_audit_of_a_debate_that_is_watched_folds_no_event(script: Script, folded: list[int]) -> None:
    async with harness() as h:
        debate = await h.open(script())
        await h.ended(debate)
        await h.hub.view_at(debate, None)
        assert folded

        folded.clear()
        audits = (await auditor_of(h.hub, debate)).audits()
        again = [*folded]

    assert all(each.entries for each in audits)
    assert any(entry.call for each in audits for entry in each.entries)
    assert [] == again


def test_a_difference_folds_each_event_once(folded: list[int]) -> None:
    records = parse_lines((GOLDEN / "0.1-juries_v3.ndjson").read_bytes().splitlines(keepends=True))
    start, end = len(records) // 3, len(records)
    found = between(ReadOnlyLog(records), start, end, revealed=False)

    assert found.changes
    assert [*range(1, end + 1)] == folded


def test_a_further_what_if_does_not_run_the_recorded_rules_again(monkeypatch: pytest.MonkeyPatch) -> None:
    records = parse_lines((GOLDEN / "0.1-juries_v3.ndjson").read_bytes().splitlines(keepends=True))
    afresh = what_if(records, read_request({"rubric": "v2"}))
    asked, steps = list[Any](), replay.next_steps
    monkeypatch.setattr(replay, "_COURSES", OrderedDict())
    monkeypatch.setattr(replay, "next_steps", lambda debate: (asked.append(debate), steps(debate))[1])
    what_if(records, read_request({"rubric": "v1"}))
    first = len(asked)
    asked.clear()

    assert afresh == what_if(records, read_request({"rubric": "v2"}))
    assert len(asked) < 0.75 * first
    assert 1 == len(replay._COURSES)
