"""Counts and known heads, in each implementation."""

import anyio
import pytest

from events.store.log import EventLog
from events.store.open import opened_log
from events.types import DebateConcluded, DebateHalted
from tests.events.samples import opened

pytestmark = pytest.mark.anyio
HALTED = DebateHalted(reason="enough", by="moot")
OPENED = opened()
CONCLUDED = DebateConcluded(winner="pro", by_rule="scorecard")


async def test_debates_that_have_not_concluded_are_counted_by_state(log: EventLog) -> None:
    for debate, events in {"a": [], "b": [], "c": [HALTED], "d": [CONCLUDED]}.items():
        await log.append(debate, 0, [OPENED, *events])

    assert {"open": 2, "halted": 1} == await log.unconcluded()

    await log.append("a", 1, [CONCLUDED])

    assert {"open": 1, "halted": 1} == await log.unconcluded()


async def test_a_head_is_known_once_this_process_has_written_and_waits(log: EventLog) -> None:
    await log.append("a", 0, [OPENED])
    with anyio.move_on_after(0.05):
        await log.wait_beyond("a", 1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.wait_beyond, "a", 1)
        await anyio.lowlevel.checkpoint()
        await log.append("a", 1, [HALTED])

    assert log.known_head("a") in {2, None}  # None: a database's notifications do not arrive yet
    assert not log.known_head("nobody")


async def test_answered_appends_are_not_queued(log: EventLog) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(log.append, f"d{number}", 0, [OPENED])

    assert (0, 0) == log.queued


@pytest.mark.slow
async def test_silence_is_measured_only_where_other_processes_write(log: EventLog, database: str) -> None:
    assert log.silence_s == 0

    async with opened_log(database) as shared:
        with anyio.move_on_after(0.1):
            await shared.wait_beyond("a", 0)

        assert shared.silence_s > 0
