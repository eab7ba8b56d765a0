"""Old debates: which of them a rule names, their deletion by several nodes, and by a server once a day."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import anyio
import msgspec
import pytest
import structlog

from events.clock import Clock
from events.errors import DebateDeleted
from events.store.listing import Limits
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.open import opened_log
from events.types import DebateLabelled, Origin
from server.keeping.retention import Retention, delete_from
from server.keeping.rule import Rule, before_age, chosen
from tests.events.samples import debate, opened

pytestmark = pytest.mark.anyio


class Calendar(Clock):
    """A clock that a test sets to a day."""

    day = 1

    def now(self) -> str:
        """Noon of the day."""
        return f"2026-01-{self.day:02}T12:00:00.000000Z"


def made(source: str) -> list[Any]:
    origin = Origin(kind="fork", debate=source, position=1, digest="00")
    return [msgspec.structs.replace(opened(), origin=origin), *debate()[1:]]


async def calendar() -> tuple[MemoryLog, Calendar]:
    """Debates of several days: ``old`` and what was made of it are of different ages."""
    clock = Calendar()
    log = MemoryLog(clock)
    await log.append("old", 0, debate())
    await log.append("open", 0, debate(concluded=False))
    await log.append("tagged", 0, [*debate(), DebateLabelled(by="test", tags=("t",), hidden=True)])
    clock.day = 3
    await log.append("fork", 0, made("old"))
    await log.append("fork of fork", 0, made("fork"))
    clock.day = 9
    await log.append("fork of fork", len(debate()), [DebateLabelled(by="test", title="seen again")])
    await log.append("young", 0, debate())
    return log, clock


async def test_a_rule_names_whole_families_once_the_youngest_is_old() -> None:
    log, _ = await calendar()

    found = await chosen(log, Rule(before="2026-01-05"))
    assert ("tagged",) == found.debates
    assert {"old", "open", "fork"} == found.kept.keys()
    assert found.kept["open"] == "it runs"
    assert found.kept["old"] == "fork of fork, which was made of it, is not old enough"
    found = await chosen(log, Rule(before="2026-01-10"))
    assert (("fork of fork", "tagged", "young"), ("fork",), ("old",)) == found.steps
    assert {"open"} == found.kept.keys()
    assert {"open", "old", "tagged", "fork", "fork of fork"} == set(
        (await chosen(log, Rule(before="2026-01-05"), to_delete=False)).debates
    )
    assert ("tagged",) == (await chosen(log, Rule(limits=Limits(tag="t")))).debates
    assert () == (await chosen(log, Rule(before="2026-01-01", limits=Limits(state="concluded")))).debates


async def test_what_changed_since_it_was_chosen_stays_and_so_does_its_source() -> None:
    log, _ = await calendar()
    found = await chosen(log, Rule(before="2026-01-10"))
    await log.append("fork", len(debate()), [DebateLabelled(by="test", title="changed")])
    left, stayed = await delete_from(log, found, "a rule")

    assert {"fork of fork", "tagged", "young"} == {each.debate for each in left}
    assert ("fork", "old") == stayed
    assert len(debate()) + 1 == await log.head("fork")


def test_an_age_is_hours_days_or_weeks() -> None:
    noon = datetime(2026, 1, 10, 12, tzinfo=UTC)
    assert ["2026-01-09T12:00:00.000000Z", "2025-12-27T12:00:00.000000Z", "2026-01-10T06:00:00.000000Z"] == [
        before_age(each, noon) for each in ("1d", "2w", "6h")
    ]


async def test_two_nodes_delete_each_debate_once_and_caches_are_told(store: str) -> None:
    async def delete(log: EventLog) -> list[str]:
        return list(await Retention(log, 7, now=lambda: "2999-01-01T12:00:00.000000Z").once(told.append))

    told: list[str] = []
    async with opened_log(store) as one:
        for name in "abcdef":
            await one.append(name, 0, debate())
        await one.append("runs", 0, debate(concluded=False))
        gone = await _by_all(delete, one, *([store] if store.startswith("postgres") else []))

        assert sorted("abcdef") == sorted(gone) == sorted(told)
        assert ["older than 7 days"] * 6 == [each.reason for each in await one.tombstones()]
        assert len(debate(concluded=False)) == await one.head("runs")
        with pytest.raises(DebateDeleted):
            await one.append("a", 0, debate())


async def _by_all(delete: Callable[[EventLog], Any], one: EventLog, *others: str) -> list[str]:
    """What this log and those of other nodes delete at the same time."""
    gone: list[str] = []

    async def here(log: EventLog) -> None:
        gone.extend(await delete(log))

    async def there(url: str) -> None:
        async with opened_log(url) as log:
            await here(log)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(here, one)
        for url in others:
            tasks.start_soon(there, url)
    return gone


async def test_a_server_does_it_at_its_start_and_after_every_pause() -> None:
    class Hub:
        forgotten: list[str] = []  # noqa: RUF012 - one test

        def forget(self, name: str) -> None:
            self.forgotten.append(name)

    log, clock = await calendar()
    keeper = Retention(log, 7, now=clock.now, pause_s=0.0)
    with structlog.testing.capture_logs() as lines:
        async with anyio.create_task_group() as tasks:
            await tasks.start(keeper.run, Hub())
            for day, last in ((12, "tagged"), (20, "old")):
                clock.day = day
                while last not in Hub.forgotten:
                    await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert 5 == len(await log.tombstones())
    assert 5 == len(Hub.forgotten)
    assert {"event": "keep_days", "days": 7, "log_level": "info"} == lines[0]
    assert 5 == sum(each["event"] == "debate_deleted" for each in lines)
