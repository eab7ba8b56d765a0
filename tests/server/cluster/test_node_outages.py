"""A node whose store is away: its jobs go on, its commands end, and it claims nothing that others may still renew."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from events.cluster.inbox import ForwardedCommand
from events.cluster.leases import ClusterLoad, Lease, Node
from events.errors import StoreUnavailable
from server.cluster import node as nodes
from server.cluster.node import ClusterNode
from server.debate.commands import Command, Done, Pause, decode_result, encode
from tests.server.harness import PATIENCE_S

pytestmark = pytest.mark.anyio
PAUSE = encode(Pause("tea", "moderator"))


class Store:
    """Leases and inbox of one node, in memory; all of it fails while it is away."""

    node, address = "n1", ""

    def __init__(self) -> None:
        self.is_away, self.failed, self.changed = False, 0, anyio.Event()
        self.sent: list[ForwardedCommand] = []
        self.answers: dict[int, Any] = {}
        self.free: list[str] = []
        self.claimed: list[str] = []

    def change(self, *, is_away: bool = False) -> None:
        self.is_away = is_away
        changed, self.changed = self.changed, anyio.Event()
        changed.set()

    def _check_there(self) -> None:
        if self.is_away:
            self.failed += 1
            raise StoreUnavailable("the database is away")

    # leases

    async def renew(self) -> frozenset[str]:
        self._check_there()
        return frozenset()

    async def load(self) -> ClusterLoad:
        self._check_there()
        return ClusterLoad(len(self.free), len(self.free))

    async def nodes(self) -> tuple[Node, ...]:
        self._check_there()
        return (Node("n1", "http://n1", 0),)

    async def claim(self, most: int) -> tuple[Lease, ...]:
        self._check_there()
        self.claimed += self.free[:most]
        return tuple(Lease(debate, 1) for debate in self.free[:most])

    async def claim_one(self, debate: str) -> Lease | None:
        self._check_there()
        self.claimed.append(debate)
        return Lease(debate, 1)

    async def release(self, debate: str) -> None:
        self._check_there()

    # inbox

    async def take(self) -> tuple[ForwardedCommand, ...]:
        while True:
            self._check_there()
            if self.sent:
                taken, self.sent = tuple(self.sent), []
                return taken
            await self.changed.wait()

    async def answer(self, act: ForwardedCommand, answer: bytes) -> None:
        self._check_there()
        self.answers[act.id] = decode_result(answer)
        self.change()

    def look_again(self) -> None:
        self.change()


class Moderators:
    """In place of those of the process: each command waits until it is released."""

    running = 0

    def __init__(self) -> None:
        self.begun, self.goes_on = anyio.Event(), anyio.Event()

    async def execute(self, debate: str, command: Command) -> int:
        self.begun.set()
        await self.goes_on.wait()
        if debate == "bad":
            raise ZeroDivisionError
        return 7

    async def take_up_one(self, debate: str) -> bool:
        return True

    async def drain(self, within_s: float) -> None:
        pass

    def needs(self, debate: str) -> bool:
        return False


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "STORE_WAIT_S", 0.001)


def node_on(store: Any) -> ClusterNode:
    log = SimpleNamespace(node="n1", lease_s=0.5, epochs={}, listener=SimpleNamespace(listen=lambda *_: None))
    made = ClusterNode(log, "http://n1")  # type: ignore[arg-type]
    made._leases = made._inbox = store
    return made


@asynccontextmanager
async def running(store: Store, moderators: Moderators) -> AsyncIterator[ClusterNode]:
    made = node_on(store)
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            await tasks.start(made.run, moderators)
            yield made
            tasks.cancel_scope.cancel()


async def test_a_node_outlives_an_outage_and_its_commands_under_way_end() -> None:
    store, moderators = Store(), Moderators()
    async with running(store, moderators):
        store.sent = [ForwardedCommand(1, "d", PAUSE, "k1"), ForwardedCommand(2, "bad", PAUSE, "k2")]
        store.change()
        await moderators.begun.wait()
        store.change(is_away=True)
        while store.failed < 20:  # noqa: ASYNC110 - each job fails again and again
            await anyio.sleep(0.001)
        moderators.goes_on.set()
        store.is_away = False
        store.sent = [ForwardedCommand(3, "d", PAUSE, "k3")]
        while store.answers.keys() != {1, 3}:
            await store.changed.wait()

    assert store.answers == {1: Done(7), 3: Done(7)}, "the one with a bug has no answer, and ended nothing else"


async def test_after_an_outage_the_nodes_renew_before_a_command_claims_a_debate() -> None:
    store = Store()
    made, now = node_on(store), asyncio.get_running_loop().time()
    assert await made.acquire("first"), "a command at the terminal claims at once"

    made._moderators = Moderators()  # type: ignore[assignment]
    made._renewed_at = now - 10
    assert not await made.acquire("d"), "its own leases are not renewed yet"

    await made._renew_now()
    assert not await made.acquire("d"), "others may not have renewed theirs yet"

    made._claim_from = now
    assert await made.acquire("d")
    assert store.claimed == ["first", "d"]


async def test_debates_that_seem_free_after_an_outage_are_not_claimed_at_once() -> None:
    class Away(Store):
        async def load(self) -> ClusterLoad:
            made._renewed_at -= 10  # the answer took as long as the outage
            return await super().load()

    store = Away()
    store.free = ["d"]
    made = node_on(store)
    made._moderators = Moderators()  # type: ignore[assignment]

    assert await made.take_up() == 0
    assert store.claimed == []


async def test_a_node_drains_while_the_store_is_away() -> None:
    store = Store()
    async with running(store, Moderators()) as made:
        made._log.epochs["d"] = 1
        store.change(is_away=True)

        await made.drain(5)
