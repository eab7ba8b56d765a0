"""A spectator that joins at any time, or reconnects any number of times, ends with the fold of the log."""

import random
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.errors import StoreDamaged, UnknownDebate
from events.patch import merge
from events.record import Recorded, as_draft, now
from events.store.memory import MemoryLog
from events.types import DebateConcluded, TurnStarted
from server.debate.commands import Command, Halt, Pause, Resume
from server.errors import BadQuery
from server.feed.channel import TextInFlight
from server.feed.reader import Reader
from tests.laws import spread
from tests.server.debate_events import PAUSED, RESUMED, opened, spoken, started
from tests.server.harness import QUICK, Spectator, harness, is_a, watch

pytestmark = pytest.mark.anyio

ASTRAL = "𝄞 Trams 🚋 carry 𝟚𝟘𝟘 people, because 🛤 they share one track. Ünd Öl ist teuer. " * 3
SPEECH: dict[str, Any] = {"says": {"pro": [ASTRAL], "con": [ASTRAL[::-1]]}, "pace": {"chunk_ms": 1, "chunk_chars": 7}}


def has_ended(spectator: Spectator) -> bool:
    return spectator.view.get("state") == "concluded"


@pytest.mark.slow
@pytest.mark.parametrize("seed", spread(range(8), 3))
async def test_readers_that_reconnect_ten_times_end_with_the_fold_of_the_log(script: Any, seed: int) -> None:
    """Four readers that disconnect after a random message, and return with or without a position, ten times each."""
    chance = random.Random(seed)
    async with harness() as h:
        debate = await h.open(script(**SPEECH), turns=4)
        readers = [Spectator() for _ in range(4)]

        async def spectate(spectator: Spectator) -> None:
            cuts = 0
            while not has_ended(spectator):
                channel = await h.hub.channel(debate)
                left = chance.randrange(1, 12) if cuts < 10 else 10_000

                def enough() -> bool:
                    nonlocal left
                    left -= 1
                    return left <= 0 or has_ended(spectator)

                after = spectator.position or chance.choice((None, 0))
                spectator.turn, spectator.text = (0, 0), ""
                await watch(h.hub, channel, spectator, after, enough)
                cuts += 1

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for spectator in readers:
                    tasks.start_soon(spectate, spectator)
        expected = await h.view(debate)

    assert [expected] * 4 == [spectator.view for spectator in readers]


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), head=st.integers(1, 60), ring=st.integers(1, 40))
@settings(max_examples=25, deadline=None)
def test_any_reader_of_any_ring_ends_with_the_fold_of_the_log(seed: int, head: int, ring: int) -> None:
    """The log grows while readers join and leave; the ring may be too short for them."""
    chance = random.Random(seed)

    async def scene() -> None:
        log = MemoryLog()
        async with harness(log, ring=ring) as h:
            await log.append("d", 0, [opened(200)])

            async def grow() -> None:
                for position in range(1, head):
                    await log.append("d", position, [PAUSED if position % 2 else RESUMED])
                    for _ in range(chance.randrange(3)):
                        await anyio.lowlevel.checkpoint()

            async def spectate() -> None:
                spectator = Spectator()
                while spectator.position < head:
                    channel = await h.hub.channel("d")
                    left = chance.randrange(1, 20)

                    def enough() -> bool:
                        nonlocal left
                        left -= 1
                        return left <= 0 or spectator.position >= head

                    await watch(h.hub, channel, spectator, chance.choice((None, spectator.position)), enough)
                assert await h.view("d") == spectator.view

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(grow)
                for _ in range(3):
                    tasks.start_soon(spectate)

    anyio.run(scene)


async def test_a_joiner_in_mid_turn_gets_the_text_once_and_then_what_comes(script: Any) -> None:
    """Offsets count code points: the text is full of characters beyond the basic plane."""
    async with harness() as h:
        debate = await h.open(script(**SPEECH), turns=1)
        first = Spectator()
        await watch(h.hub, await h.hub.channel(debate), first, None, lambda: len(first.text) > 40)
        joiner, late = Spectator(), Spectator(first.view)
        async with anyio.create_task_group() as tasks:
            channel = await h.hub.channel(debate)
            tasks.start_soon(watch, h.hub, channel, joiner, None, lambda: has_ended(joiner))
            tasks.start_soon(watch, h.hub, channel, late, first.position, lambda: has_ended(late))

    for spectator in (joiner, late):
        assert spectator.spoken[(1, 1)] == ASTRAL[: len(spectator.spoken[(1, 1)])]
        assert len(spectator.spoken[(1, 1)]) > len(first.text)
        assert ASTRAL.strip() == spectator.view["turns"]["1"]["text"]


async def test_the_order_is_missed_frames_then_live_then_status(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=1)
        await h.until(debate, is_a(DebateConcluded))
        near = len(await h.events(debate)) - 2
        frames, snapshot = Spectator({"position": near}), Spectator()
        await watch(h.hub, await h.hub.channel(debate), frames, near, lambda: "live" in frames.kinds)
        await watch(h.hub, await h.hub.channel(debate), snapshot, None, lambda: "status" in snapshot.kinds)

    assert frames.kinds == ["frame", "frame", "live"]
    assert snapshot.kinds == ["snapshot", "live", "status"]


async def test_a_snapshot_is_sent_if_the_frames_are_longer() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        await log.append("d", 0, [opened(), *[PAUSED, RESUMED] * 200])
        far, near = Spectator({"position": 1}), Spectator({"position": 399})
        channel = await h.hub.channel("d")
        await watch(h.hub, channel, far, 1, lambda: "live" in far.kinds)
        await watch(h.hub, channel, near, 399, lambda: "live" in near.kinds)
        fold = await h.view("d")

    assert far.kinds == ["snapshot", "live"]
    assert near.kinds == ["frame", "frame", "live"]
    assert fold == far.view


async def test_beyond_the_ring_frames_come_from_the_log() -> None:
    log = MemoryLog()
    async with harness(log, ring=5) as h:
        await log.append("d", 0, [opened(), *[PAUSED, RESUMED] * 300])
        channel = await h.hub.channel("d")
        spectator = Spectator()
        assert channel.frames_after(0) is None
        async with Reader(h.hub, channel, 0, every_frame=True) as reader:
            async for batch in reader.messages():
                for message in batch:
                    spectator.take(message)
                if "live" in spectator.kinds:
                    break
        assert list(range(1, 602)) == spectator.positions
        assert await h.view("d") == spectator.view


async def test_a_reader_ahead_of_the_channel_gets_no_frame_twice() -> None:
    """Pages from the log may reach further than the channel has folded."""
    log = MemoryLog()
    async with harness(log) as h:
        await log.append("d", 0, [opened()])
        channel = await h.hub.channel("d")
        spectator = Spectator()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, h.hub, channel, spectator, 0, lambda: spectator.position == 101)
            for position in range(1, 101):
                await log.append("d", position, [PAUSED if position % 2 else RESUMED])

    assert list(range(spectator.positions[0], 102)) == spectator.positions


async def test_an_unknown_debate_has_no_channel(script: Any) -> None:
    async with harness() as h:
        for _ in range(2):
            with pytest.raises(UnknownDebate):
                await h.hub.channel("unknown")
            with pytest.raises(UnknownDebate):
                await h.hub.view_at("unknown", 1)
            with pytest.raises(UnknownDebate):
                await h.hub.frames_page("unknown", 0, 10)
        assert h.hub.channels == ()


async def test_a_position_beyond_the_head_is_refused() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        await log.append("d", 0, [opened(), PAUSED])
        with pytest.raises(BadQuery, match="beyond the head 2"):
            await h.hub.frames_page("d", 3, 10)
        for at in (0, 3):
            with pytest.raises(BadQuery, match="not between 1 and the head 2"):
                await h.hub.view_at("d", at)
        assert await h.hub.frames_page("d", 2, 10) == ([], None)


async def test_pages_of_frames_join_without_gap_or_repeat() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        await log.append("d", 0, [opened(), *[PAUSED, RESUMED] * 10])
        for limit in (1, 4, 20, 21, 100):
            seen: Any = {}
            following: int | None = 0
            positions = []
            while following is not None:
                page, following = await h.hub.frames_page("d", following, limit)
                for frame in page:
                    message = msgspec.json.decode(frame)
                    positions.append(message["position"])
                    seen = merge(seen, message["patch"])

            assert list(range(1, 22)) == positions
            assert await h.view("d") == seen


@pytest.mark.slow
async def test_the_view_at_a_position_is_the_fold_of_so_many_events(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script())
        await h.ended(debate)
        records = await h.log.read(debate)
        for end in range(1, len(records) + 1):
            log = MemoryLog()
            await log.adopt(records[:end])
            async with harness(log) as other:
                expected = await other.view(debate)

            fold = await h.hub.view_at(debate, end)
            assert expected == msgspec.json.decode(msgspec.json.encode(fold.view))


class Lagging(MemoryLog):
    """A log that is read later than it is written, as through a pool of threads."""

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        return await super().read(debate, after, limit)


async def test_a_client_that_acts_and_then_reads_sees_its_act(script: Any) -> None:
    async with harness(Lagging()) as h:
        debate = await h.open(script(pace={"chunk_ms": 60_000}))
        await h.until(debate, is_a(TurnStarted))
        await h.hub.channel(debate)
        acts: list[tuple[Command, str]] = [
            (Pause("", "test"), "paused"),
            (Resume("", "test"), "open"),
            (Halt("", "test"), "halted"),
        ]
        for act, state in acts:
            position = await h.moderators.act(debate, act)
            fold = await h.hub.view_at(debate, None)

            assert state == fold.view.state
            assert fold.view.position >= position


async def test_a_channel_without_readers_is_closed_and_made_again(script: Any) -> None:
    async with harness(idle_s=0.02) as h:
        debate = await h.open(script())
        await h.ended(debate)
        first, second = Spectator(), Spectator()
        await watch(h.hub, await h.hub.channel(debate), first, None, lambda: "live" in first.kinds)
        with anyio.fail_after(5):
            while h.hub.channels:  # noqa: ASYNC110 - there is no event to wait for
                await anyio.sleep(0.005)
        await watch(h.hub, await h.hub.channel(debate), second, None, lambda: "live" in second.kinds)

    assert first.view == second.view


async def test_a_channel_with_readers_is_kept(script: Any) -> None:
    log = MemoryLog()
    async with harness(log, idle_s=0.02) as h:
        await log.append("d", 0, [opened()])
        spectator = Spectator()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, h.hub, await h.hub.channel("d"), spectator, None, lambda: spectator.position == 2)
            await anyio.sleep(0.1)  # five times as long as a channel without readers is kept
            assert 1 == len(h.hub.channels) == h.hub.spectators
            await log.append("d", 1, [PAUSED])

    assert spectator.view["state"] == "paused"


async def test_readers_of_a_channel_whose_log_fails_end_and_may_return() -> None:
    class Failing(MemoryLog):
        fails = False

        async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
            if self.fails:
                raise StoreDamaged("the disk failed")
            return await super().read(debate, after, limit)

    log = Failing()
    async with harness(log) as h:
        await log.append("d", 0, [opened()])
        spectator = Spectator()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, h.hub, await h.hub.channel("d"), spectator, None, lambda: False)
            await anyio.wait_all_tasks_blocked()
            log.fails = True
            await log.append("d", 1, [PAUSED])
        assert h.hub.spectators == 0
        log.fails = False
        await watch(h.hub, await h.hub.channel("d"), spectator, spectator.position, lambda: spectator.position == 2)
        assert await h.view("d") == spectator.view


async def test_one_encoding_serves_every_reader() -> None:
    speech = TextInFlight(1, "pro", 1, now())
    speech.text = ASTRAL

    assert speech.delta_from(3) is speech.delta_from(3)
    assert speech.delta_from(3) != speech.delta_from(4)


async def test_text_of_a_turn_that_is_over_is_not_shown(script: Any) -> None:
    log = MemoryLog()
    async with harness(log) as h:
        await log.append("d", 0, [opened(), started(1)])
        h.hub.start_text("d", TextInFlight(1, "pro", 1, now()))
        h.hub.add_text("d", "Half a")
        channel = await h.hub.channel("d")
        assert '"text":"Half a"' in channel.snapshot()
        await log.append("d", 2, [as_draft(spoken(1))])
        await h.hub.view_at("d", None)
        assert '"speaking":null' in channel.snapshot()


async def test_spectators_are_counted(script: Any) -> None:
    log = MemoryLog()
    async with harness(log, settings=QUICK) as h:
        await log.append("d", 0, [opened()])
        one, two = Spectator(), Spectator()
        channel = await h.hub.channel("d")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, h.hub, channel, one, None, lambda: one.position == 2)
            tasks.start_soon(watch, h.hub, channel, two, None, lambda: two.position == 2)
            await anyio.wait_all_tasks_blocked()
            assert h.hub.spectators == 2
            await log.append("d", 1, [PAUSED])
        assert h.hub.spectators == 0
