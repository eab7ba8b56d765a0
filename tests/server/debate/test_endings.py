"""A failing store, a process that ends, a bug, many debates: what a moderator leaves behind and how it goes on."""

from typing import Any

import anyio
import pytest

from events.errors import StoreUnavailable, UnknownEvent
from events.record import Recorded
from events.store.memory import MemoryLog
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    TurnStarted,
)
from providers.registry import Registry
from server.debate import moderators as moderators_module
from server.debate import stream_writer
from server.debate.commands import Pause
from server.debate.moderators import Moderators
from server.errors import TooMany
from tests.server.harness import FailingLog, check_sound, harness, is_a

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.001)
    monkeypatch.setattr(moderators_module, "STORE_WAIT_S", 0.001)


CLOSING = ("answer", "debate_audited", "scorecard", "answer", "answer", "narrative", "debate_concluded")
"""What follows the last judged turn: an audit, and a narrative in two orders."""


@pytest.mark.parametrize("after_commit", [False, True])
async def test_a_store_that_fails_for_a_while_loses_nothing(script: Any, after_commit: bool) -> None:
    """Every append fails three times, also if it was committed and only the response was lost."""
    log = FailingLog(lambda tried: tried > 1 and tried % 4 != 0, after_commit=after_commit)
    async with harness(log) as h:
        debate = await h.open(script(), turns=3, samples=2)

        assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        records = await check_sound(h.log, debate)

    first, later = 3 + 3 * 2 + 1, 3 + 6 * 2 + 2  # spoken, answered twice each, judged (and compared)
    last = later + 2 + 1  # no gaps, but two orders of the comparison with turn 1
    assert 1 + first + later + last + len(CLOSING) == len(records)


async def test_while_the_store_fails_an_act_is_refused_at_once_and_the_debate_goes_on_later(script: Any) -> None:
    is_down = True
    log = FailingLog(lambda tried: tried > 1 and is_down)
    async with harness(log) as h:
        debate = await h.open(script())
        with anyio.fail_after(5):
            await log.reached(4)
            with pytest.raises(StoreUnavailable):
                await h.moderators.act(debate, Pause("", "test"))
        is_down = False

        assert isinstance(await h.ended(debate), DebateConcluded)


async def test_cancelling_while_the_store_fails_ends_at_once(script: Any) -> None:
    log = FailingLog(lambda tried: tried > 1)
    with anyio.fail_after(5):
        async with harness(log) as h:
            await h.open(script())
            await log.reached(3)


async def test_cancelling_in_mid_turn_leaves_a_log_that_another_process_finishes(script: Any) -> None:
    log = MemoryLog()
    async with harness(log) as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}), turns=2)
        await h.until(debate, is_a(TurnStarted))
    script()
    async with harness(log) as h:
        assert await h.moderators.take_up() == 1
        assert isinstance(await h.ended(debate), DebateConcluded)
        records = await check_sound(log, debate)

    assert [r.event.kind for r in records if isinstance(r.event, AttemptAbandoned)] == ["interrupted"]


@pytest.mark.slow
async def test_a_process_may_end_after_any_event(script: Any) -> None:
    """Cut the log at every position: the next moderator ends with every event once."""
    async with harness() as h:
        debate = await h.open(script(), turns=2, samples=2)
        await h.ended(debate)
        whole = await check_sound(h.log, debate)
    for cut in range(1, len(whole)):
        log = MemoryLog()
        await log.adopt(whole[:cut])
        async with harness(log) as h:
            await h.moderators.take_up()
            assert isinstance(await h.ended(debate), DebateConcluded)
            records = await check_sound(log, debate)

        assert whole[:cut] == records[:cut]
        assert (await log.unfinished()) == ()


@pytest.mark.slow
async def test_a_bug_halts_its_debate_and_leaves_the_others(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = Registry.resolve

    def broken(self: Registry, name: str) -> Any:
        if "broken" in name:
            raise ZeroDivisionError
        return resolve(self, name)

    async with harness() as h:
        bad, good = await h.opening(script("broken")), await h.opening(script("good"))
        monkeypatch.setattr(Registry, "resolve", broken)
        first, second = await h.moderators.open(bad), await h.moderators.open(good)

        halted = await h.ended(first)
        assert isinstance(halted, DebateHalted)
        assert halted.reason == "an error inside Moot (ZeroDivisionError); its log has the details"
        assert isinstance(await h.ended(second), DebateConcluded)
        await h.idle()
        await check_sound(h.log, first)
        assert (await h.view(first))["turns"]["1"]["state"] == "failed"


async def test_a_debate_that_cannot_be_read_does_not_keep_the_others_from_going_on(script: Any) -> None:
    class Damaged(MemoryLog):
        bad = ""

        async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
            if debate == self.bad:
                raise UnknownEvent("from the future")
            return await super().read(debate, after, limit)

    log = Damaged()
    async with harness(log) as h:
        opened = await h.opening(script())
    first = (await log.append("first", 0, [opened]))[0].debate
    await log.append("second", 0, [opened])
    log.bad = first
    async with harness(log) as h:
        assert await h.moderators.take_up() == 1
        assert isinstance(await h.ended("second"), DebateConcluded)


async def test_more_debates_than_may_run_are_refused(script: Any) -> None:
    async with harness() as h:
        opened = await h.opening(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        h.moderators = Moderators(h.log, h.registry, h.hub, most=1)
        async with anyio.create_task_group() as tasks:
            await tasks.start(h.moderators.run)
            await h.moderators.open(opened)
            with pytest.raises(TooMany) as refused:
                await h.moderators.open(opened)
            tasks.cancel_scope.cancel()

    assert refused.value.retry_after_s


@pytest.mark.slow
async def test_many_debates_at_once(script: Any) -> None:
    async with harness() as h:
        opened = await h.opening(script(pace={"chunk_ms": 0, "chunk_chars": 40}))
        ids = [await h.moderators.open(opened) for _ in range(30)]
        for debate in ids:
            assert isinstance(await h.ended(debate), DebateConcluded)
        await h.idle()
        for debate in ids[::10]:
            await check_sound(h.log, debate)
