"""Broadcast groups over random schedules: a spectator that joins at any time and reads at any speed ends with the
fold of the log.
"""

import asyncio
import random
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from events.errors import DebateDeleted, StoreDamaged, StoreUnavailable
from events.record import Recorded, now
from events.store.memory import MemoryLog
from server.feed.channel import TextInFlight
from server.feed.websocket.connections import Connections
from server.feed.websocket.deflate import WINDOW, Compressor, alone
from server.process import observe
from tests.server.debate_events import PAUSED, RESUMED, TEXT, opened, spoken, started
from tests.server.feed.transport import Decompressor, FakeTransport, each_frame
from tests.server.harness import Harness, Spectator, harness, watch

pytestmark = pytest.mark.anyio


async def steps(number: int = 12) -> None:
    """Let the event loop run."""
    for _ in range(number):
        await anyio.lowlevel.checkpoint()


async def join(
    h: Harness, connections: Connections, *, after: int | None = None, deflate: bool = False, **options: Any
) -> FakeTransport:
    """A spectator joins debate ``d``."""
    channel = await h.hub.channel("d")
    spectator = connections.spectator(channel, after, director=False, deflate=deflate)
    transport = FakeTransport(spectator, **options)
    spectator.connection_made(transport)
    return transport


async def settle(h: Harness, transports: list[FakeTransport]) -> None:
    """All clients read until nothing more comes."""
    head = await h.log.head("d")
    with anyio.fail_after(20):
        while any(transport.waiting or transport.reader.position < head for transport in transports):
            for transport in transports:
                transport.drain()
            await steps()
    await steps(40)
    for transport in transports:
        transport.drain()


class Schedule:
    """A debate that proceeds at random: events, text in flight, spectators that join, read slowly and leave."""

    def __init__(self, h: Harness, connections: Connections, chance: random.Random) -> None:
        self.h, self.connections, self.chance = h, connections, chance
        self.transports: list[FakeTransport] = []
        self.left: list[FakeTransport] = []
        self.head = 1
        self.turn = 0
        self.text = ""

    async def step(self) -> None:
        chance = self.chance
        actions = ("join", "join", "return", "leave", "event", "event", "say", "say", "say", "read", "read", "wait")
        match chance.choice(actions):
            case "join":
                self.transports.append(await self._join(chance.choice((None, None, chance.randint(0, self.head)))))
            case "return" if self.left:
                old = self.left.pop()
                transport = await self._join(old.reader.position)
                transport.reader.view = old.reader.view
                self.transports.append(transport)
            case "leave" if self.transports:
                transport = self.transports.pop(chance.randrange(len(self.transports)))
                transport.drain()
                if transport.reader.position:
                    self.left.append(transport)
                transport.abort()
            case "event":
                await self._event()
            case "say" if self.text:
                words = "".join(chance.choice("abcdé🚋 ") for _ in range(chance.randint(1, 120)))
                self.text += words
                self.h.hub.add_text("d", words)
            case "read":
                for transport in self.transports:
                    transport.drain(chance.choice((0, 1, 100, 1500, None)))
            case _:
                await steps(chance.randint(1, 30))

    async def _join(self, after: int | None) -> FakeTransport:
        late = asyncio.get_running_loop().call_soon if self.chance.random() < 0.5 else None
        high = self.chance.choice((300, 2000, 1 << 16))
        transport = await join(
            self.h, self.connections, after=after, deflate=self.chance.random() < 0.7, high=high, late=late
        )
        transport.reader.view = {"position": after or 0}
        if after:
            transport.reader.view = msgspec.json.decode(
                msgspec.json.encode((await self.h.hub.view_at("d", after)).view)
            )
        return transport

    async def _event(self) -> None:
        if self.text:
            events: Any = [spoken(self.turn, text=self.text)]
            self.h.hub.end_text("d")
            self.text = ""
        elif self.chance.random() < 0.4 and self.turn < 150:
            self.turn += 1
            events = [started(self.turn)]
            self.text = "So"
            side = "pro" if self.turn % 2 else "con"
        else:
            events = [PAUSED, RESUMED] * self.chance.choice((1, 1, 3, 12))
        await self.h.log.append("d", self.head, events)
        self.head += len(events)
        if self.text == "So":
            self.h.hub.start_text("d", TextInFlight(self.turn, side, 1, now()))
            self.h.hub.add_text("d", self.text)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [3, pytest.param(500, marks=[pytest.mark.thorough, pytest.mark.timeout(600)])])
def test_everybody_ends_with_the_log_s_fold(examples: int) -> None:
    @given(seed=st.integers(0, 2**32), ring=st.sampled_from((5, 40, 4096)), page=st.sampled_from((300, 1 << 16)))
    @settings(max_examples=examples, deadline=None)
    def ends_alike(seed: int, ring: int, page: int) -> None:
        anyio.run(scene, seed, ring, page)

    async def scene(seed: int, ring: int, page: int) -> None:
        log = MemoryLog()
        async with harness(log, ring=ring) as h:
            connections = Connections(h.hub, slow_reader_s=1000, page=page)
            await log.append("d", 0, [opened(200)])
            schedule = Schedule(h, connections, random.Random(seed))
            for _ in range(120):
                await schedule.step()
            await settle(h, schedule.transports)
            expected = await h.view("d")
            for transport in schedule.transports:
                assert expected == transport.reader.view
                assert schedule.text.startswith(transport.reader.text) or not schedule.text
                assert not schedule.text or transport.reader.text == schedule.text, "all text in flight has come"
                assert transport.most <= transport.high + page + 20_000
            for transport in schedule.transports:
                transport.abort()
            assert (0, 0) == (connections.sockets, h.hub.spectators)

    ends_alike()


async def test_with_and_without_compression_the_messages_are_the_same() -> None:
    chance = random.Random(7)
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200), started(1)])
        h.hub.start_text("d", TextInFlight(1, "pro", 1, now()))
        pairs: list[tuple[FakeTransport, FakeTransport]] = []
        for _ in range(150):
            if chance.random() < 0.2:
                pairs.append(
                    (await join(h, connections, high=1 << 20), await join(h, connections, deflate=True, high=1 << 20))
                )
            h.hub.add_text("d", " ".join(chance.choice(("trams", "cars", "people", "streets")) for _ in range(5)))
            await steps(chance.randint(0, 30))
        await steps(60)
        for pair in pairs:
            for transport in pair:
                transport.drain()

    assert len(pairs) > 20
    for plain, compressed in pairs:
        assert [text for text in plain.messages if "status" not in text] == [
            text for text in compressed.messages if "status" not in text
        ]
        assert plain.reader.text == compressed.reader.text != ""
        assert compressed.compressed == len(compressed.messages)
        assert plain.compressed == 0


@pytest.mark.slow
async def test_sockets_that_joined_a_window_ago_share_one_compressor() -> None:
    """Newcomers do not make their deltas longer: these stay below a third of their size as sockets join."""
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200), started(1)])
        h.hub.start_text("d", TextInFlight(1, "pro", 1, now()))
        steady = await join(h, connections, deflate=True, high=1 << 20)
        words = TEXT.split()
        sizes = raw = 0
        for number in range(200):
            late = await join(h, connections, deflate=True, high=1 << 20)
            late.drain()
            h.hub.add_text("d", " ".join(words[(number * 7 + k * 3) % len(words)] for k in range(4)) + " ")
            await steps(30)
            size = len(steady.waiting)
            before = len(steady.messages)
            steady.drain()
            if number > 120:
                sizes += size
                raw += sum(len(text) + 2 for text in steady.messages[before:])
            late.drain()
            assert steady.messages[-1] == late.messages[-1]

    assert raw > 3 * sizes


async def test_deltas_are_skipped_for_a_slow_reader_and_events_are_not() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200), started(1)])
        h.hub.start_text("d", TextInFlight(1, "pro", 1, now()))
        slow, swift = await join(h, connections, high=3000), await join(h, connections, high=1 << 20)
        slow.drain()
        skipped = observe.DELTAS_SKIPPED._value.get()
        for _ in range(400):
            h.hub.add_text("d", "Half a sentence. ")
            await steps(6)
        most = slow.most
        await log.append("d", 2, [spoken(1, text="Half a sentence. " * 400)])
        h.hub.end_text("d")
        await log.append("d", 3, [PAUSED, RESUMED] * 100)
        await settle(h, [slow, swift])

    assert most < 4000
    assert observe.DELTAS_SKIPPED._value.get() > skipped
    assert slow.reader.kinds.count("delta") < swift.reader.kinds.count("delta")
    assert list(range(3, 204)) == slow.reader.positions == swift.reader.positions
    assert swift.reader.view == slow.reader.view


async def test_events_appended_together_are_written_together() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200)])
        transport = await join(h, connections, high=1 << 20)
        await steps(30)
        transport.drain()
        writes: list[bytes] = []
        transport.write = writes.append  # type: ignore[method-assign,assignment]
        await log.append("d", 1, [PAUSED, RESUMED] * 8)
        await steps(30)

    [written] = writes
    assert len(list(each_frame(written))) == 16


@pytest.mark.parametrize("deflate", [False, True])
async def test_a_heartbeat_is_the_same_few_bytes_for_all_sockets(deflate: bool) -> None:
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200)])
        transports = [await join(h, connections, deflate=deflate, high=1 << 20) for _ in range(3)]
        await steps(30)
        writes: list[bytes] = []
        for transport in transports:
            transport.drain()
            transport.write = writes.append  # type: ignore[method-assign,assignment]
        (await h.hub.channel("d")).beat()
        await steps(30)

    assert len(writes) == 3
    assert len({id(each) for each in writes}) == 1
    assert len(writes[0]) <= 30


@pytest.mark.slow
async def test_a_reader_is_sent_heartbeats_while_nothing_happens_and_none_from_before_it_came() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        h.hub.heartbeat_s = 0.01
        await log.append("d", 0, [opened(), PAUSED])
        first, second = Spectator(), Spectator()
        channel = await h.hub.channel("d")
        await watch(h.hub, channel, first, None, lambda: first.kinds.count("heartbeat") == 3)
        await watch(h.hub, channel, second, None, lambda: "heartbeat" in second.kinds)

    assert ["snapshot", "live", "status", "heartbeat"] == list(dict.fromkeys(first.kinds))
    assert ["snapshot", "live", "status", "heartbeat"] == second.kinds


async def test_sockets_that_join_together_share_one_snapshot() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened(200)])
        made = 0
        channel = await h.hub.channel("d")
        snapshot = channel.snapshot

        def count(**how: Any) -> str:
            nonlocal made
            made += 1
            return snapshot(**how)

        channel.snapshot = count  # type: ignore[method-assign]
        for _ in range(50):
            await join(h, connections, high=1 << 20)

    assert made == 1


class Failing(MemoryLog):
    """A log whose reads fail while ``why`` is set."""

    why: StoreUnavailable | None = None

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        if self.why is not None:
            raise self.why
        return await super().read(debate, after, limit)


async def test_a_store_that_is_away_closes_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that fails is repeated, so that the spectators stay and miss nothing."""
    monkeypatch.setattr("server.feed.hub.STORE_WAIT_S", 0.001)
    log = Failing()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened()])
        transport = await join(h, connections)
        await settle(h, [transport])
        log.why = StoreUnavailable("the database is away")
        with capture_logs() as logged:
            await log.append("d", 1, [PAUSED])
            await anyio.sleep(0.05)  # the length of the outage is tested
        log.why = None
        await settle(h, [transport])

        assert (h.hub.spectators, transport.reader.position) == (1, 2)
    assert [line["event"] for line in logged] == ["store_unavailable"], "it is told once"


async def test_a_deleted_debate_closes_with_4404_and_says_so() -> None:
    async with harness() as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await h.log.append("d", 0, [opened()])
        transport = await join(h, connections)
        transport.drain()
        await anyio.wait_all_tasks_blocked()
        left = await h.log.delete("d", 1, "taken back")
        await anyio.wait_all_tasks_blocked()
        await steps()

        assert h.hub.spectators == 0
        with pytest.raises(DebateDeleted):
            await h.hub.channel("d")
    told = f"the debate was deleted on {left.deleted_at[:10]}".encode()
    assert (4404).to_bytes(2, "big") + told in transport.waiting


async def test_a_damaged_store_closes_with_1011_and_a_position() -> None:
    log = Failing()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000)
        await log.append("d", 0, [opened()])
        transport = await join(h, connections)
        transport.drain()
        await anyio.wait_all_tasks_blocked()
        log.why = StoreDamaged("the disk failed")
        await log.append("d", 1, [PAUSED])
        await anyio.wait_all_tasks_blocked()
        await steps()
        closing = transport.waiting

        assert h.hub.spectators == 0
    assert (1011).to_bytes(2, "big") + b"the store failed; come back with after=1" in closing


@pytest.mark.slow
@given(st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=60), st.integers(0, 59), st.integers(0, 2**32))
@settings(deadline=None)
def test_after_a_window_another_compressor_may_go_on(messages: list[str], joins: int, seed: int) -> None:
    """After a window, it does not matter what a newcomer read before, and from which compressor."""
    shared, fresh, client = Compressor(), Compressor(), Decompressor()
    chance = random.Random(seed)
    before = alone([bytes(chance.choices(range(97, 107), k=chance.randint(1, 9000)))])
    for first, payload, _ in each_frame(before):
        client.message(first, payload)
    sent = 0
    texts = [text * chance.randint(1, 20) for text in messages]
    for number, text in enumerate(texts):
        of_shared, of_fresh = shared.frame(text.encode()), fresh.frame(text.encode())
        if number < joins:
            fresh = Compressor()
            continue
        [(first, payload, _)] = each_frame(of_shared if sent >= WINDOW else of_fresh)
        sent += len(text.encode())

        assert text == client.message(first, payload)


@pytest.mark.slow
async def test_a_reader_with_much_to_read_need_not_answer_a_ping_first() -> None:
    log = MemoryLog()
    async with harness(log) as h:
        connections = Connections(h.hub, slow_reader_s=1000, ping_s=0.2)
        await log.append("d", 0, [opened(200)])
        transport = await join(h, connections, high=100)
        spectator = transport.protocol
        await steps()
        transport.drain()
        spectator.ping()
        await log.append("d", 1, [PAUSED, RESUMED])
        await steps(30)
        assert spectator.is_paused
        await anyio.sleep(0.5)  # twice the time that it has to answer a ping
        transport.drain()
        await settle(h, [transport])

        assert connections.sockets == 1
    assert transport.reader.position == 3
