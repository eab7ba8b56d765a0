"""Buses: subscribers get messages in order; messages that cannot be sent are dropped without harm."""

import asyncio
import os
import random
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cluster.bus import Bus, BusState, SingleNodeBus
from events.cluster.nats_bus import NatsBus, subject_of
from events.cluster.open import open_bus
from events.cluster.postgres_bus import MAX_WAITING, PIECE, PostgresBus, read_pieces, write_pieces
from events.errors import BadStore
from events.store.memory import MemoryLog
from events.store.postgres.log import PostgresLog
from tests.events.samples import opened
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio
NATS = Path(sys.executable).with_name("nats-server")
DEPLOY = Path(__file__).parents[3] / "deploy"


class Nats:
    """A NATS server on loopback, with further arguments and variables of its environment."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self._arguments, self._environment = arguments, environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [str(NATS), "-a", "127.0.0.1", "-p", str(self.port), *self._arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self._environment,
        )
        while not self._answers():
            assert self._process.poll() is None

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        with socket.socket() as trying:
            return trying.connect_ex(("127.0.0.1", self.port)) == 0


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(20):
        while not condition():  # noqa: ASYNC110 - another process, or another node
            await anyio.sleep(0.01)


@pytest.fixture
def nats() -> Iterator[Nats]:
    if not NATS.exists():
        pytest.skip("nats-server is not installed")
    server = Nats()
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["postgres", "nats"])
async def buses(request: pytest.FixtureRequest, anyio_backend: str) -> AsyncIterator[tuple[Bus, Bus]]:
    """Two nodes on one bus."""
    if request.param == "nats":
        url = request.getfixturevalue("nats").url
        pair = open_bus(url, MemoryLog()), open_bus(url, MemoryLog())
        await until(lambda: all(bus.state.up for bus in pair))
        yield pair
        for bus in pair:
            await bus.close()
        return
    url = request.getfixturevalue("database")
    async with await PostgresLog.open(url) as sender, await PostgresLog.open(url) as receiver:
        pair = open_bus("", sender), open_bus("", receiver)
        yield pair
        for bus in pair:
            await bus.close()


async def until_connected(sender: Bus, receiver: Bus, debate: str, received: list[bytes]) -> None:
    """Wait until messages arrive, then forget those that arrived."""
    count = 0
    while not received:
        sender.publish(debate, b"ping")
        count += 1
        await anyio.sleep(0.01)
    sender.publish(debate, b"begin")
    await until(lambda: b"begin" in received)
    received.clear()


@pytest.mark.slow
async def test_subscribers_get_messages_whole_and_in_order(buses: tuple[Bus, Bus]) -> None:
    sender, receiver = buses
    received: list[bytes] = []
    other: list[bytes] = []
    rng = random.Random(7)
    messages = [rng.randbytes(rng.choice([0, 1, 100, 3000, 30_000])) for _ in range(60)]

    with (
        receiver.subscribe("d1", received.append),
        receiver.subscribe("d.2", other.append),
        sender.subscribe("d1", other.append),
    ):
        await until_connected(sender, receiver, "d1", received)
        for message in messages:
            sender.publish("d1", message)
        sender.publish("d3", b"no subscriber")
        await until(lambda: len(received) == len(messages))

    assert messages == received
    assert [] == other  # no message of another debate, and none of its own
    assert BusState(up=True, dropped=sender.state.dropped) == sender.state


@pytest.mark.slow
async def test_after_unsubscribing_no_message_arrives(buses: tuple[Bus, Bus]) -> None:
    sender, receiver = buses
    first: list[bytes] = []
    second: list[bytes] = []
    with receiver.subscribe("d1", second.append):
        with receiver.subscribe("d1", first.append):
            await until_connected(sender, receiver, "d1", second)
            first.clear()
        sender.publish("d1", b"later")
        await until(lambda: bool(second))

    assert ([b"later"], []) == (second, first)


@pytest.mark.slow
async def test_messages_of_an_id_with_dots_arrive(buses: tuple[Bus, Bus]) -> None:
    sender, receiver = buses
    received: list[bytes] = []
    with receiver.subscribe("..a.b~c_-", received.append):
        await until_connected(sender, receiver, "..a.b~c_-", received)


@pytest.mark.slow
async def test_only_messages_sent_while_nats_is_away_are_lost(nats: Nats) -> None:
    sender, receiver = NatsBus(nats.url), NatsBus(nats.url)
    received: list[bytes] = []
    with receiver.subscribe("d1", received.append):
        await until_connected(sender, receiver, "d1", received)
        nats.stop()
        await until(lambda: not sender.state.up and not receiver.state.up)
        dropped = sender.state.dropped
        sender.publish("d1", b"no receiver")
        assert dropped + 1 == sender.state.dropped

        nats.start()
        await until(lambda: sender.state.up and receiver.state.up)
        await until_connected(sender, receiver, "d1", received)
    await sender.close()
    await receiver.close()


async def test_publishing_to_an_absent_nats_raises_nothing() -> None:
    bus = NatsBus("nats://127.0.0.1:1")
    with bus.subscribe("d1", lambda message: None):
        bus.publish("d1", b"no receiver")
        await anyio.sleep(0.05)  # its attempts fail

        assert BusState(up=False, dropped=1) == bus.state
    await bus.close()


async def test_the_bus_of_the_compose_file_wants_its_password() -> None:
    nats = Nats("-c", str(DEPLOY / "nats.conf"), NATS_PASSWORD="n4tspassword")
    nats.start()
    known = NatsBus(nats.url.replace("//", "//moot:n4tspassword@"))
    others = [NatsBus(nats.url), NatsBus(nats.url.replace("//", "//moot:guessed@"))]
    received: list[bytes] = []
    try:
        await until(lambda: known.state.up)
        with others[0].subscribe("d1", received.append):
            known.publish("d1", b"for nodes only")
            await anyio.sleep(0.05)

        assert [False, False] == [bus.state.up for bus in others]
        assert [] == received
    finally:
        for bus in (known, *others):
            await bus.close()
        nats.stop()


async def test_a_message_that_nats_does_not_take_is_dropped_alone(nats: Nats) -> None:
    sender, receiver = NatsBus(nats.url), NatsBus(nats.url)
    received: list[bytes] = []
    with receiver.subscribe("d1", received.append):
        await until_connected(sender, receiver, "d1", received)
        dropped = sender.state.dropped
        sender.publish("d1", bytes(2 << 20))
        sender.publish("d1", b"small")
        await until(lambda: bool(received))
        assert ([b"small"], dropped + 1) == (received, sender.state.dropped)
    await sender.close()
    await receiver.close()


@pytest.mark.slow
async def test_a_lost_database_costs_messages_and_no_events(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log, await PostgresLog.open(database) as other:
        sender, receiver = PostgresBus(log), PostgresBus(other)
        received: list[bytes] = []
        with receiver.subscribe("d1", received.append):
            await until_connected(sender, receiver, "d1", received)
            await asyncio.to_thread(postgres.stop)
            sender.publish("d1", b"no receiver")
            await until(lambda: sender.state.dropped == 1 and not sender.state.up)
            await asyncio.to_thread(postgres.start)
            await until_connected(sender, receiver, "d1", received)
        await log.append("d1", 0, [opened()])
        assert await other.head("d1") == 1
        await sender.close()
        await receiver.close()


async def test_waiting_messages_are_bounded(database: str) -> None:
    async with await PostgresLog.open(database) as log:
        bus = PostgresBus(log)
        for _ in range(30):
            bus.publish("d1", bytes(MAX_WAITING // 10))
        assert bus.state.dropped >= 20
        await bus.close()
        bus.publish("d1", b"too late")

        assert bus.state.dropped >= 21


messages = st.lists(st.tuples(st.text(st.characters(codec="utf-8"), max_size=20), st.binary(max_size=300)), max_size=20)


@pytest.mark.slow
@given(messages)
def test_pieces_are_put_together_to_the_same_batch(batch: list[tuple[str, bytes]]) -> None:
    assert batch == read_pieces([piece.partition("|")[2] for piece in write_pieces("node", 1, batch)])


def test_a_piece_is_shorter_than_8000_bytes() -> None:
    pieces = write_pieces("0123456789abcdef", 1 << 60, [("d1", random.Random(1).randbytes(200_000))])

    assert len(pieces) > 200_000 // PIECE
    assert max(len(piece) for piece in pieces) < 8000


@pytest.mark.parametrize("pieces", [[], ["x"], ["AAAA"], ["é"], ["eJwDAAAAAAE="]])
def test_pieces_that_are_no_batch_are_ignored(pieces: list[str]) -> None:
    assert [] == read_pieces(pieces)


async def test_pieces_out_of_order_are_skipped(database: str) -> None:
    async with await PostgresLog.open(database) as log:
        bus = PostgresBus(log)
        received: list[bytes] = []
        large = random.Random(2).randbytes(20_000)
        first, *rest = write_pieces("elsewhere", 1, [("d1", large)])
        with bus.subscribe("d1", received.append):
            for payload in ("", "|", "a b c d|e", *rest, first, *rest[1:], first, *rest):
                bus._receive(payload)

        assert [large] == received
        await bus.close()


def test_a_debate_has_a_subject_of_its_own() -> None:
    assert ("moot.0197", "moot.a=b") == (subject_of("0197"), subject_of("a.b"))


async def test_the_bus_of_a_single_node_sends_nothing() -> None:
    bus = open_bus("", MemoryLog())
    assert isinstance(bus, SingleNodeBus)
    received: list[bytes] = []
    with bus.subscribe("d1", received.append):
        bus.publish("d1", b"hello")
    await bus.close()

    assert ([], BusState(up=True, dropped=0)) == (received, bus.state)


def test_an_address_of_no_bus_is_refused_without_its_password() -> None:
    with pytest.raises(BadStore, match="is no bus: write nats://HOST:PORT") as caught:
        open_bus("kafka://moot:s3cret@h", MemoryLog())

    assert "s3cret" not in str(caught.value)
