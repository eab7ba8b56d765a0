"""Leases: an ended lease is taken over by the database's clock, and the old owner is fenced."""

from collections.abc import AsyncIterator

import anyio
import psycopg
import pytest

from events.cluster.leases import Lease, Node
from events.cluster.postgres_leases import PostgresLeases
from events.errors import Fenced, WrongExpectedPosition
from events.record import Draft, new_id
from events.store.memory import MemoryLog
from events.store.postgres.log import PostgresLog
from events.types import DebatePaused
from tests.events.conftest import DATABASE
from tests.events.samples import debate, opened, spoken, started
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def one(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as log:
        yield log


@pytest.fixture
async def two(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as log:
        yield log


def expire(server: Server, name: str) -> None:
    """End the lease by the database's clock."""
    server.do(f"UPDATE moot.debates SET lease_until = clock_timestamp() WHERE debate = '{name}'", DATABASE)


@pytest.mark.slow
async def test_the_node_that_opens_a_debate_owns_it(one: PostgresLog, two: PostgresLog) -> None:
    first, second = PostgresLeases(one, "http://one"), PostgresLeases(two, "http://two")
    await first.renew()
    await one.append("d1", 0, [opened()])

    assert {"d1": 1} == one.epochs
    assert await second.claim(10) == ()
    assert await second.claim_one("d1") is None
    assert await first.claim_one("d1") == Lease("d1", 1)
    assert await second.owner("d1") == "http://one"
    assert await second.owner("d2") is None
    with pytest.raises(Fenced, match=f"this node does not hold it, node {one.node} runs it in epoch 1"):
        await two.append("d1", 1, [started()])
    assert await one.head("d1") == 1


@pytest.mark.slow
async def test_an_ended_lease_is_taken_over_and_the_old_owner_is_fenced(
    one: PostgresLog, two: PostgresLog, postgres: Server
) -> None:
    first, second = PostgresLeases(one), PostgresLeases(two)
    await one.append("d1", 0, [opened()])
    expire(postgres, "d1")

    assert await second.claim(10) == (Lease("d1", 2),)
    await two.append("d1", 1, [started()])

    for expected in (1, 2):
        with pytest.raises(Fenced, match="held it in epoch 1") as caught:
            await one.append("d1", expected, [started(7)])
        assert (1, 2, two.node) == (caught.value.held, caught.value.epoch, caught.value.owner)
    assert await first.renew() == {"d1"}
    assert await first.renew() == frozenset()
    assert await second.renew() == frozenset()
    assert await one.head("d1") == 2

    await second.release("d1")
    with pytest.raises(Fenced, match="epoch 2 without an owner"):
        await one.append("d1", 2, [started(7)])
    await first.release("d1")
    assert await first.claim_one("d1") == Lease("d1", 3)
    await one.append("d1", 2, [started()])


async def test_an_ended_lease_that_no_node_took_is_still_held(one: PostgresLog, postgres: Server) -> None:
    leases = PostgresLeases(one)
    await one.append("d1", 0, [opened()])

    expire(postgres, "d1")
    await one.append("d1", 1, [started()])
    ((prolonged,),) = postgres.do("SELECT lease_until > clock_timestamp() FROM moot.debates", DATABASE)
    expire(postgres, "d1")
    lost = await leases.renew()
    ((renewed,),) = postgres.do("SELECT lease_until > clock_timestamp() FROM moot.debates", DATABASE)

    assert (True, frozenset(), True) == (prolonged, lost, renewed)


async def test_only_the_oldest_open_debates_are_claimed(one: PostgresLog, two: PostgresLog) -> None:
    for name in ("b", "a", "c", "paused"):
        await one.append(name, 0, [opened()])
    await one.append("paused", 1, [DebatePaused(reason="r", by="b")])
    await one.append("concluded", 0, debate())
    await one.close()
    leases = PostgresLeases(two)

    assert await leases.claim(2) == (Lease("b", 2), Lease("a", 2))
    assert await leases.claim(5) == (Lease("c", 2),)
    assert await leases.claim(5) == ()
    assert await leases.claim_one("paused") == Lease("paused", 2)
    assert await leases.claim_one("nobody") is None


async def test_concurrent_claims_get_different_debates(one: PostgresLog, two: PostgresLog, database: str) -> None:
    async with await PostgresLog.open(database) as before:
        for number in range(40):
            await before.append(f"d{number:02}", 0, [opened()])
    taken: list[Lease] = []

    async def claim(log: PostgresLog) -> None:
        leases = PostgresLeases(log)
        while more := await leases.claim(3):
            taken.extend(more)

    async with anyio.create_task_group() as group:
        group.start_soon(claim, one)
        group.start_soon(claim, two)

    assert [f"d{number:02}" for number in range(40)] == sorted(lease.debate for lease in taken)
    assert {2} == {lease.epoch for lease in taken}
    assert len(one.epochs) + len(two.epochs) == 40


async def test_any_node_may_write_a_debate_without_an_owner(one: PostgresLog, two: PostgresLog) -> None:
    await one.append("d1", 0, debate())
    await PostgresLeases(one).release("d1")

    head = len(debate())
    await two.append("d1", head, [started()])
    await one.append("d1", head + 1, [started()])

    assert {} == one.epochs == two.epochs
    assert await PostgresLeases(one).owner("d1") is None


async def test_an_imported_debate_has_no_owner(one: PostgresLog, two: PostgresLog) -> None:
    async with MemoryLog() as elsewhere:
        records = await elsewhere.append("d1", 0, debate(concluded=False))
    await one.adopt(records)

    assert {} == one.epochs
    assert await PostgresLeases(two).claim(1) == (Lease("d1", 2),)


async def test_a_node_that_lost_the_debate_still_gets_the_answer_to_a_repeat(
    one: PostgresLog, two: PostgresLog, postgres: Server
) -> None:
    drafts = [Draft(event=opened(), id=new_id())]
    first = await one.append("d1", 0, drafts)
    expire(postgres, "d1")
    await PostgresLeases(two).claim(1)
    await two.append("d1", 1, [spoken()])

    assert first == await one.append("d1", 0, drafts)


async def test_two_nodes_open_the_same_debate_and_one_wins(one: PostgresLog, two: PostgresLog) -> None:
    outcomes: list[str] = []

    async def write(log: PostgresLog) -> None:
        try:
            await log.append("d1", 0, [opened(log.node)])
            outcomes.append(log.node)
        except WrongExpectedPosition:
            outcomes.append("lost")

    async with anyio.create_task_group() as group:
        group.start_soon(write, one)
        group.start_soon(write, two)

    (winner,) = [name for name in outcomes if name != "lost"]
    assert "lost" in outcomes
    assert opened(winner) == (await one.read("d1"))[0].event
    assert [winner] == [log.node for log in (one, two) if log.epochs]


async def test_closing_ends_all_leases(one: PostgresLog, two: PostgresLog) -> None:
    first, second = PostgresLeases(one, "http://one"), PostgresLeases(two, "http://two")
    await first.renew()
    await second.renew()
    await one.append("d1", 0, [opened()])
    assert await second.nodes() == (Node(one.node, "http://one", 1), Node(two.node, "http://two", 0))

    await one.close()

    assert await second.claim(1) == (Lease("d1", 2),)
    assert await second.nodes() == (Node(two.node, "http://two", 1),)


async def test_a_silent_node_is_not_listed(one: PostgresLog, two: PostgresLog, postgres: Server) -> None:
    await PostgresLeases(one, "http://one").renew()
    second = PostgresLeases(two, "http://two")
    postgres.do("UPDATE moot.nodes SET seen_at = seen_at - interval '11 s'", DATABASE)
    await second.renew()
    assert [node.address for node in await second.nodes()] == ["http://two"]

    postgres.do(f"UPDATE moot.nodes SET seen_at = seen_at - interval '2 min' WHERE node = '{one.node}'", DATABASE)
    await second.renew()

    assert [(two.node,)] == postgres.do("SELECT node FROM moot.nodes", DATABASE)


async def test_renewing_does_not_wait_for_a_row_that_is_being_written(one: PostgresLog, postgres: Server) -> None:
    await one.append("d1", 0, [opened()])
    with psycopg.connect(postgres.url(DATABASE)) as other:
        other.execute("SELECT FROM moot.debates FOR UPDATE")
        with anyio.fail_after(5):
            lost = await PostgresLeases(one).renew()

    assert frozenset() == lost


async def test_a_claim_whose_answer_was_lost_is_repeated(one: PostgresLog, two: PostgresLog) -> None:
    await two.append("d1", 0, [opened()])
    await two.close()
    leases = PostgresLeases(one)
    await leases.claim(1)
    one.epochs.clear()  # as if the connection was lost between the commit and the answer

    assert await leases.claim(1) == (Lease("d1", 3),)
