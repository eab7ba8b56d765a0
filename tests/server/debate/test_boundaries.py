"""Nothing of one debate reaches another: bugs in its fold, its steps, its channel, and the task that catches up."""

import threading
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from structlog.testing import capture_logs

from events.record import Draft, Recorded, as_draft
from events.state import debate as debates
from events.state.debate import Debate
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateHalted,
    Event,
    TurnSpoken,
    TurnStarted,
)
from server.debate import moderators as moderators_module
from server.debate import stream_writer
from server.debate.commands import Halt, Pause, Resume
from server.debate.formats import next_steps
from server.debate.formats.steps import Speak, Step
from server.debate.moderator import Moderator
from server.feed.channel import Channel
from server.feed.hub import Hub
from server.feed.websocket.connections import Connections
from tests.judge.lab.two_items import TWO_ITEMS
from tests.server.debate_events import PAUSED, opened
from tests.server.feed.transport import FakeTransport
from tests.server.harness import PATIENCE_S, check_sound, harness, is_a

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.001)
    monkeypatch.setattr(moderators_module, "STORE_WAIT_S", 0.001)


def told(logged: Sequence[Any], event: str, debate: str) -> list[bool]:
    """For each line with this event about the debate, whether it carries a traceback."""
    return [bool(line.get("exc_info")) for line in logged if (line["event"], line.get("debate")) == (event, debate)]


async def test_a_fold_that_fails_twice_ends_its_debate_alone_and_a_restart_resumes_it(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, bad, evolve = MemoryLog(), "", debates.evolve

    def broken(debate: Debate, record: Recorded) -> Debate:
        if record.debate == bad and isinstance(record.event, TurnSpoken):
            raise AssertionError("a rule of the fold")
        return evolve(debate, record)

    with capture_logs() as logged:
        async with harness(log) as h:
            slow = script("slow", pace={"chunk_ms": 5, "chunk_chars": 40})
            bad, good = await h.open(slow), await h.open(slow)
            with monkeypatch.context() as patch:
                patch.setattr(debates, "evolve", broken)

                assert isinstance(await h.ended(good), DebateConcluded)
                await h.idle()
                assert not any(isinstance(event, DebateHalted) for event in await h.events(bad))
        with monkeypatch.context() as patch:
            patch.setattr(debates, "evolve", broken)
            async with harness(log, can_fold=False) as h:
                assert await h.moderators.take_up() == 0, "it is reported, and the others start"
                assert h.moderators.needs(bad), "its lease is kept: no other node shall try it again and again"
        async with harness(log) as h:
            assert await h.moderators.take_up() == 1

            assert isinstance(await h.ended(bad), DebateConcluded)
            await check_sound(log, bad)

    assert told(logged, "moderator_failed", bad) == [True]
    assert told(logged, "moderator_cannot_halt", bad) == [True]
    assert told(logged, "debate_not_taken_up", bad) == [True]


async def test_a_halt_that_waits_for_the_store_while_the_model_fails_ends_no_other_debate(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SlowToHalt(MemoryLog):
        def __init__(self) -> None:
            super().__init__()
            self.reached, self.goes_on = anyio.Event(), anyio.Event()

        async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
            if any(isinstance(as_draft(each).event, DebateHalted) for each in events):
                self.reached.set()
                await self.goes_on.wait()
            return await super().append(debate, expected, events)

    log, fails, speak, bad = SlowToHalt(), anyio.Event(), Moderator._speak, ""

    async def broken(self: Moderator, step: Speak) -> None:
        if self.id == bad:
            await fails.wait()
            raise ZeroDivisionError
        await speak(self, step)

    monkeypatch.setattr(Moderator, "_speak", broken)
    positions: list[int] = []
    async with harness(log) as h:
        slow = script(pace={"chunk_ms": 5, "chunk_chars": 40})
        good = await h.open(slow)
        bad = await h.open(slow)

        async def halt() -> None:
            positions.append(await h.moderators.act(bad, Halt("enough", "moderator")))

        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(halt)
                await log.reached.wait()
                fails.set()
                for _ in range(50):  # the moderator finds the bug, and wants to halt its debate too
                    await anyio.lowlevel.checkpoint()
                log.goes_on.set()

        assert isinstance(await h.ended(good), DebateConcluded)
        await h.idle()
        halts = [event.reason for event in await h.events(bad) if isinstance(event, DebateHalted)]

    assert halts == ["enough"]
    assert len(positions) == 1


@pytest.mark.slow
async def test_a_lab_that_is_resumed_while_its_steps_are_computed_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread computes that a paused lab has no steps.  Until it is done, the lab counts as running."""
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)
    computes = {"open": threading.Semaphore(0), "paused": threading.Semaphore(0)}
    entered = {"open": threading.Event(), "paused": threading.Event()}

    def held(debate: Debate) -> tuple[Step, ...]:
        state = debate.status.state
        if state in computes and not entered[state].is_set():
            entered[state].set()
            computes[state].acquire()
        return next_steps(debate)

    async with harness() as h:
        h.moderators._next_steps = held
        debate = await h.open("baseline:lexical", format="lab", lab={"batteries": ["position"]})
        with anyio.fail_after(PATIENCE_S):
            await anyio.to_thread.run_sync(entered["open"].wait)
            await h.moderators.act(debate, Pause("tea", "moderator"))
            computes["open"].release()
            await anyio.to_thread.run_sync(entered["paused"].wait)
            await h.moderators.act(debate, Resume("", "moderator"))
            computes["paused"].release()

        assert isinstance(await h.ended(debate), DebateConcluded)


async def test_a_channel_that_fails_is_told_with_its_traceback_and_leaves_the_others(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = Channel.advance

    def broken(self: Channel, record: Recorded) -> None:
        if self.debate == "bad":
            raise ZeroDivisionError
        advance(self, record)

    monkeypatch.setattr(Channel, "advance", broken)
    with capture_logs() as logged:
        async with harness() as h:
            for debate in ("bad", "good"):
                await h.log.append(debate, 0, [opened()])
            with pytest.raises(ZeroDivisionError):
                await h.hub.channel("bad")

            assert (await h.hub.channel("good")).position == 1

    assert told(logged, "task_failed", "bad") == [True]


async def test_a_page_that_cannot_be_made_closes_its_socket_and_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    with capture_logs() as logged:
        async with harness(ring=1) as h:
            connections = Connections(h.hub, slow_reader_s=1000)
            await h.log.append("d", 0, [opened(), *[PAUSED] * 4])
            channel = await h.hub.channel("d")
            monkeypatch.setattr(channel, "snapshot", lambda **_: "x" * 100_000)
            monkeypatch.setattr(Hub, "frames_page", broken)
            spectator = connections.spectator(channel, 4, director=False, deflate=False)
            spectator.after = 1
            monkeypatch.setattr("server.feed.cursor.Cursor.is_snapshot_due", lambda *_: False)
            transport = FakeTransport(spectator)
            spectator.connection_made(transport)
            await anyio.wait_all_tasks_blocked()
            closing = transport.waiting

            assert (1011).to_bytes(2, "big") + b"the page cannot be read; come back with after=1" in closing
            assert (await h.hub.view("d")).position == 5

    assert told(logged, "task_failed", "d") == [True]


async def test_cancellation_passes_the_boundary(script: Any) -> None:
    with capture_logs() as logged, anyio.fail_after(PATIENCE_S):
        async with harness() as h:
            debate = await h.open(script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
            await h.until(debate, is_a(TurnStarted))

    assert told(logged, "task_failed", debate) == []
