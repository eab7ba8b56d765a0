"""A log from elsewhere is folded and checked whole before a store adopts it."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from events.errors import BadTransfer
from events.store.memory import MemoryLog
from events.transfer import parse_lines
from events.types import DebatePaused, DimensionScore, TurnScored
from server.debate.adoption import check_debate, opening_faults
from tests.server.debate_events import opened, recorded, spoken, started
from tests.server.harness import harness
from tests.server.site import Site, refused

pytestmark = pytest.mark.anyio
TESTS = Path(__file__).parents[2]
LOGS = sorted((*(TESTS / "events/view/golden").glob("*.ndjson"), *(TESTS / "server/debate/logs").glob("*.ndjson")))
SCORES = {name: DimensionScore(raw=10, admitted=10) for name in ("logic", "rhetoric", "tactics")}


def scored(turn: int = 1, **scores: Any) -> TurnScored:
    return TurnScored(turn=turn, components={}, dimensions=scores or SCORES, samples=1)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_log_of_moots_own_is_adopted(path: Path) -> None:
    check_debate(parse_lines(path.read_bytes().splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ([opened(), started(-5)], "position 2: the debate has no turn -5"),
        ([opened(), started(0)], "position 2: the debate has no turn 0"),
        ([opened(), started(10**15)], "position 2: the debate has no turn 1000000000000000"),
        ([opened(), started(1), spoken(1), scored(9)], "position 4: the debate has no turn 9"),
        ([opened(), opened()], "position 2: a debate opens only once"),
        (
            [opened(), started(1), spoken(1), scored(charm=SCORES["logic"])],
            "position 4: the rubric has no dimension 'charm'",
        ),
        ([replace(opened(), turns=10**12)], "position 1: turns is 1000000000000, and it may be from 0 to 200"),
        ([opened(), spoken(1)], "position 2: "),
    ],
)
def test_a_log_that_moot_could_not_have_written_is_refused(events: list[Any], says: str) -> None:
    with pytest.raises(BadTransfer) as refusal:
        check_debate(recorded(events))

    assert says in str(refusal.value)


def test_times_and_ids_are_checked() -> None:
    one, *_ = recorded([opened()])

    with pytest.raises(BadTransfer, match="is no time"):
        check_debate((replace(one, at="2026-99-01T00:00:00.000000Z"),))
    with pytest.raises(BadTransfer, match="is no id"):
        check_debate((replace(one, debate=".."),))


def test_an_opening_within_its_bounds_would_pay_for_no_more_calls_than_a_request_allows() -> None:
    judge = replace(opened().judge, samples=10**5000)
    settings = replace(opened().settings, judge_attempts=10**6, judge_timeout_s=float("nan"))

    assert not [*opening_faults(opened())]
    assert [
        fault.partition(" is ")[0] for fault in opening_faults(replace(opened(), judge=judge, settings=settings))
    ] == [
        "judge.samples",
        "settings.judge_attempts",
        "settings.judge_timeout_s",
    ]


def test_an_opening_beyond_the_bounds_is_not_resumed(site: Site) -> None:
    costly = replace(opened(), judge=replace(opened().judge, samples=10**6))
    records = recorded([costly, DebatePaused(reason="imported", by="import")])
    client: Any = site.client
    client.portal.call(site.service.log.adopt, records)  # type: ignore[attr-defined]

    answer = client.post(f"/api/debates/{records[0].debate}/resume", json={})
    assert "judge.samples is 1000000" in refused(answer, 409)["message"]
    assert site.get(f"/api/debates/{records[0].debate}")["state"] == "paused"


async def test_a_debate_that_cannot_be_folded_stops_no_start(script: Any) -> None:
    log = MemoryLog()
    async with harness(log) as h:
        running = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
    await log.append("unreadable", 0, [opened(), spoken(1)])

    async with harness(log, can_fold=False) as h:
        assert 1 == await h.moderators.take_up()
        assert [running] == [debate.id for debate in h.moderators.known]
