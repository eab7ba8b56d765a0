"""What stays in memory of a debate that is watched, and of one that has ended: counted, so that no clock decides."""

import asyncio
import gc
import sys
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec
import pytest

from events.record import Draft
from events.state import derived
from events.state.debate import Debate
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
from server.debate.stream_writer import StreamWriter
from server.feed.channel import RING_CHARACTERS
from server.feed.reader import Reader
from tests.server.conftest import CON, PRO
from tests.server.debate_events import PAUSED, RESUMED, opened
from tests.server.harness import Harness, Spectator, harness

pytestmark = pytest.mark.anyio
OBJECTS: Final = 400
"""Objects that may stay of an ended debate, with caches that grow: its head takes one, its fold two thousand."""


async def test_the_frames_of_a_channel_are_bounded_by_their_length() -> None:
    log, why = MemoryLog(), "x" * 2_000
    long = [msgspec.structs.replace(each, reason=why) for each in (PAUSED, RESUMED)]
    async with harness(log) as h:
        await log.append("d", 0, [opened(), *long * 200])
        channel = await h.hub.channel("d")
        assert RING_CHARACTERS - 2 * len(why) <= channel.characters <= RING_CHARACTERS
        assert channel.kept < 401
        assert channel.frames_after(0) is None
        spectator = Spectator()
        async with Reader(h.hub, channel, 0, every_frame=True) as reader:
            async for batch in reader.messages():
                for message in batch:
                    spectator.take(message)
                if "live" in spectator.kinds:
                    break
        assert list(range(1, 402)) == spectator.positions
        await log.append("d", 401, [msgspec.structs.replace(PAUSED, reason="y" * 2 * RING_CHARACTERS)])
        while channel.position < 402:
            await channel.changed().wait()
        assert channel.kept == 1
        assert channel.frames_after(401) is not None


async def _watched_to_the_end(h: Harness, model: str, debates: int) -> None:
    """Hold debates of six turns, each with a spectator who leaves at the end, until no task is left."""

    async def watch(debate: str) -> None:
        channel = await h.hub.channel(debate)
        async with Reader(h.hub, channel, None) as reader:
            async for _ in reader.messages():
                if channel.is_revealed:
                    await h.idle()
                    opening = channel.fold.debate.opened
                    assert opening is not None
                    assert not derived.is_kept(opening), "no prompt is made any more"
                    return

    running = len(asyncio.all_tasks())
    async with anyio.create_task_group() as tasks:
        for _ in range(debates):
            tasks.start_soon(watch, await h.open(model, turns=6))
    with anyio.fail_after(60):
        while h.hub.channels or len(asyncio.all_tasks()) > running:  # noqa: ASYNC110 - there is no event to wait for
            await anyio.sleep(0.01)


@pytest.mark.slow
async def test_nothing_is_kept_of_debates_that_ended_and_that_nobody_watches(script: Any, tmp_path: Path) -> None:
    debates = 5
    async with await SqliteLog.open(tmp_path / "moot.db") as log, harness(log, idle_s=0.2) as h:
        model = script(says={"pro": [PRO] * 3, "con": [CON] * 3})
        for _ in range(2):  # imports and caches
            await _watched_to_the_end(h, model, debates)
        gc.collect()
        before = sys.getallocatedblocks()
        await _watched_to_the_end(h, model, debates)
        gc.collect()
        kept = sys.getallocatedblocks() - before

    assert kept < OBJECTS * debates
    assert (0, ()) == (h.moderators.running, h.moderators.known)


async def _states(model: str) -> tuple[Debate, Debate]:
    """The states of a debate's writer and of its channel after the same events; the channel came later."""
    log = MemoryLog()
    event = opened()
    event = msgspec.structs.replace(event, pro=msgspec.structs.replace(event.pro, model=model))
    async with harness(log) as h:
        await log.append("d", 0, [event])
        writer = StreamWriter("d", log, h.hub.waiting, evolve=h.hub.evolve)
        await writer.load()
        await writer.append(lambda _: [Draft(event=PAUSED)])
        channel = await h.hub.channel("d")
        async with Reader(h.hub, channel, None):
            for change in (RESUMED, PAUSED, RESUMED):
                await writer.append(lambda _, change=change: [Draft(event=change)])
                while channel.position < writer.debate.position:
                    await channel.changed().wait()
        return writer.debate, channel.fold.debate


async def test_an_event_is_folded_once_for_the_writer_and_the_readers() -> None:
    ours, shown = await _states("openai:gpt")

    assert ours is shown


async def test_readers_keep_a_state_of_their_own_where_a_name_is_shortened() -> None:
    ours, shown = await _states("scripted:/home/ann/debate.json")

    assert ours.opened is not None
    assert shown.opened is not None
    assert ("scripted:/home/ann/debate.json", "scripted:debate.json") == (ours.opened.pro.model, shown.opened.pro.model)
    assert ours.status == shown.status
