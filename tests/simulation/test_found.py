"""Faults that the simulation found, each as a test of its own."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import msgspec
import pytest
from msgspec import structs

from events.errors import StoreUnavailable
from events.state.debate import UNNAMED
from events.types import ModelAnswered
from server.feed import frames
from server.settings import Settings
from tests.server.debate_events import PAUSED, RESUMED, abandoned, answered, folds, opened, recorded, started
from tests.simulation.client import CheckingClient, Oracle
from tests.simulation.clock import virtual_clock
from tests.simulation.loop import VirtualLoop, run
from tests.simulation.node import RandomProvider, SimulatedNode
from tests.simulation.schedule import play
from tests.simulation.shared_log import NodeLog, SharedLog
from tests.simulation.transport import ReadPace, SimulatedTransport
from tests.simulation.web_server import serve

MAX_WAITING_BYTES = 256 << 10
LARGE = "x" * 20_000


class Scene:
    """One debate on some nodes, and its clients."""

    def __init__(self, loop: VirtualLoop, nodes: int = 1) -> None:
        self.loop, self.rng = loop, random.Random(1)
        self.shared = SharedLog(loop, 10, virtual_clock(loop, self.rng))
        self.oracle = Oracle(self.shared, "d")
        provider = RandomProvider(self.oracle, self.rng, longest=10, break_rate=0)
        settings = Settings(store="memory:", tick_ms=0, slow_reader_s=2.0)
        self.nodes = [
            SimulatedNode(
                NodeLog(self.shared, f"node{number}", self.rng, lag_s=0), provider, settings, idle_s=50, ping_s=20
            )
            for number in range(nodes)
        ]

    @property
    def log(self) -> NodeLog:
        return self.nodes[0].log

    def client(self) -> "ConnectedClient":
        return ConnectedClient(self.oracle)

    def transport(self, client: "ConnectedClient", pace: ReadPace, **how: Any) -> SimulatedTransport:
        client.transport = SimulatedTransport(
            self.loop, client, pace, **{"high": 1 << 16, "late": True, "rng": self.rng, **how}
        )
        return client.transport

    async def join(
        self, transport: SimulatedTransport, node: int = 0, query: str = "", *, detached: bool = True
    ) -> None:
        await serve(self.nodes[node].app, transport, "d", query, deflate=False, detached=detached)


class ConnectedClient(CheckingClient):
    """A client with its transport."""

    transport: SimulatedTransport

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle, "client", director=False)
        self.is_lost = False
        self.begin(None)

    def receive(self, data: bytes) -> None:
        super().receive(data)
        for answer in self.answers:
            self.transport.send(answer)
        self.answers.clear()

    def lost(self) -> None:
        self.is_lost = True


def run_scene(scene: Callable[[Scene], Awaitable[None]], nodes: int = 1) -> None:
    """Run a scene on its nodes."""
    loop = VirtualLoop(1000)

    async def whole() -> None:
        made = Scene(loop, nodes)
        async with anyio.create_task_group() as tasks:
            for node in made.nodes:
                await tasks.start(node.run, False)
            await made.log.append("d", 0, [opened(200)])
            await scene(made)
            tasks.cancel_scope.cancel()

    run(whole, loop)


@pytest.mark.parametrize("detached", [True, False])
def test_a_burst_overfills_no_buffer_if_the_loop_pauses_late(detached: bool) -> None:
    """uvloop pauses in the next step of the loop, so a reader that is many pages behind does not get all at once."""
    large: ModelAnswered = answered(1, parameters={"stop": LARGE})
    waited: list[int] = []

    async def scene(made: Scene) -> None:
        client, pace = made.client(), ReadPace(0.01, 1 << 20)
        transport = made.transport(client, pace)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(transport, detached=detached))
            await anyio.sleep(1)
            pace.stall(1, made.loop)
            await made.log.append("d", 1, [large] * 60)
            await anyio.sleep(0.5)
            waited.append(transport.most)
            await anyio.sleep(10)
            waited.append(client.position)
            transport.abort()

    run_scene(scene)

    assert 20_000 < waited[0] <= MAX_WAITING_BYTES
    assert waited[1] == 61


def test_a_slow_reader_on_the_ordinary_path_is_closed_with_its_position() -> None:
    closed: list[Any] = []

    async def scene(made: Scene) -> None:
        client, pace = made.client(), ReadPace(0.01, 600)
        transport = made.transport(client, pace, high=2000, late=False)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(transport, detached=False))
            await anyio.sleep(1)
            await made.log.append("d", 1, [PAUSED, RESUMED] * 30)
            await anyio.sleep(0.05)
            pace.stall(5, made.loop)
            await anyio.sleep(30)
        closed.append((client.closed, client.position))

    run_scene(scene)
    [((code, reason), position)] = closed

    assert 1 < position < 61
    assert (code, reason) == (4408, f"too slow; come back with after={position}")


def test_a_client_that_leaves_while_it_is_closed_or_refused_raises_nothing() -> None:
    async def scene(made: Scene) -> None:
        client, pace = made.client(), ReadPace(0.01, 600)
        transport = made.transport(client, pace, high=300, late=False)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(transport, detached=False))
            await anyio.sleep(1)
            pace.stall(60, made.loop)
            await made.log.append("d", 1, [PAUSED, RESUMED] * 30)
            await anyio.sleep(4)  # it is being closed and does not read the close frame
            assert not client.is_lost
            transport.abort()
        refused = made.transport(made.client(), ReadPace(0.01, 600))
        made.log.paused_until = made.loop.now + 1
        made.log.fails_until = made.loop.now + 5
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(refused))
            refused.abort()

    run_scene(scene)


def test_a_client_that_read_further_on_another_node_is_waited_for() -> None:
    """A node that learns of commits late knows fewer events than a spectator that comes from a faster node."""
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        slow = made.nodes[1].log
        async with anyio.create_task_group() as tasks:
            first = made.transport(made.client(), ReadPace(0.01, 1 << 20))
            tasks.start_soon(made.join, first, 1)
            await anyio.sleep(1)
            slow.lag_s = 8.0
            await made.log.append("d", 1, [PAUSED, RESUMED])
            assert made.nodes[1].hub._channels["d"].position == 1
            client = made.client()
            client.view, client.position = made.oracle.view(3, director=False), 3
            client.begin(3)
            tasks.start_soon(made.join, made.transport(client, ReadPace(0.01, 1 << 20)), 1, "after=3")
            await anyio.sleep(20)
            await made.log.append("d", 3, [PAUSED])
            await anyio.sleep(20)
            seen.append((client.closed, client.position, client.is_live))
            first.abort()
            client.transport.abort()

    run_scene(scene, nodes=2)

    assert seen == [(None, 4, True)]


async def _head_fails(made: Scene) -> None:
    made.log.fails_until = made.loop.now + 5


async def _follow_fails(made: Scene) -> None:
    """The head can be read; the events after it cannot."""
    read = made.log.read

    async def failing(*arguments: Any) -> Any:
        made.log.read = read  # type: ignore[method-assign]
        raise StoreUnavailable("the disk failed")

    made.log.read = failing  # type: ignore[method-assign, assignment]


@pytest.mark.parametrize("fails", [_head_fails, _follow_fails])
def test_a_store_that_fails_while_a_client_connects_is_named(
    fails: Callable[[Scene], Awaitable[None]],
) -> None:
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        await fails(made)
        client = made.client()
        await made.join(made.transport(client, ReadPace(0.01, 1 << 20)))
        await anyio.sleep(1)
        seen.append(client.closed)

    run_scene(scene)

    assert seen == [(1011, "the disk failed")]


def test_the_director_of_a_blind_debate_reads_why_an_attempt_was_cut_off() -> None:
    blind = structs.replace(opened(), blind=True)
    *_, last = records = recorded([blind, started(1), abandoned(1)])
    before, after = folds(records)[-2:]

    assert frames.differs_for_director(before, last)
    patch = msgspec.json.decode(frames.frame(before, last, after, revealed=True))["patch"]
    assert patch["turns"]["1"]["failures"][0]["message"] == "cut"
    patch = msgspec.json.decode(frames.frame(before, last, after))["patch"]
    assert patch["turns"]["1"]["failures"][0]["message"] == UNNAMED


def test_a_position_beyond_the_log_is_refused() -> None:
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        client = made.client()
        await made.join(made.transport(client, ReadPace(0.01, 1 << 20)), 0, "after=9")
        await anyio.sleep(1)
        seen.append(client.closed)

    run_scene(scene)

    assert seen == [(1008, "after must be between 0 and the head 1")]


@pytest.mark.slow
def test_a_store_that_fails_while_a_client_catches_up_closes_the_socket() -> None:
    """On the ordinary path, where missing pages are read from the store."""
    report = play(37105)

    assert report.fault == ""
