"""The documented rights of the roles are enough, and none is superfluous."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import psycopg
import pytest

from events.cluster.bus import BusState
from events.cluster.open import open_bus
from events.cluster.postgres_inbox import PostgresInbox
from events.cluster.postgres_leases import PostgresLeases
from events.errors import DebateDeleted, StoreUnavailable
from events.record import first_break
from events.store.postgres.log import PostgresLog
from events.store.postgres.schema import VERSION, Migrated, migrate
from tests.events.samples import debate, opened, started
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio
DOCS = (Path(__file__).parents[3] / "docs" / "postgres.md").read_text(encoding="utf-8")
ROLES, RIGHTS, LOOKING = re.findall(r"^```sql\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)


def statements(block: str) -> list[str]:
    return [each.strip() for each in block.split(";") if each.strip()]


@pytest.fixture
async def server(postgres: Server, anyio_backend: str) -> AsyncIterator[Server]:
    """The statements of the documentation."""
    for statement in statements(ROLES):
        postgres.do(statement)
    await migrate(postgres.url("moot", "moot_owner"))
    with psycopg.connect(postgres.url("moot", "moot_owner")) as owner:
        owner.execute(RIGHTS)  # type: ignore[call-overload]
    yield postgres
    postgres.do("DROP DATABASE moot WITH (FORCE)")
    for role in ("moot_owner", "moot_node", "moot_reader"):
        postgres.do(f"DROP ROLE {role}")


@pytest.mark.slow
async def test_a_node_has_the_rights_that_it_needs(server: Server) -> None:
    async with await PostgresLog.open(server.url("moot", "moot_node")) as log:
        leases, inbox, bus = PostgresLeases(log, "http://node"), PostgresInbox(log), open_bus("", log)
        await log.append("d1", 0, [opened()])
        await log.append("d1", 1, [started()])
        await leases.renew()
        assert await leases.owner("d1") == "http://node"
        assert len(await leases.nodes()) == 1
        async with anyio.create_task_group() as group:
            group.start_soon(inbox.send, "d1", b"act")
            (act,) = await inbox.take()
            await inbox.answer(act, b"ok")
        bus.publish("d1", b"hello")
        await bus.close()
        assert BusState(up=True, dropped=0) == bus.state
        await leases.release("d1")
        assert len(await leases.claim(5)) == 1
        with anyio.move_on_after(0.1):
            await log.wait_beyond("d1", 2)


@pytest.mark.slow
async def test_a_node_cannot_change_or_remove_an_event(server: Server) -> None:
    async with await PostgresLog.open(server.url("moot", "moot_node")) as log:
        await log.append("d1", 0, debate())
        for statement in (
            "UPDATE moot.events SET payload = ''",
            "DELETE FROM moot.events",
            "TRUNCATE moot.events",
            "DELETE FROM moot.debates",
            "DROP TABLE moot.events",
            "CREATE TABLE moot.more (x int)",
            "INSERT INTO moot.migrations (version) VALUES (99)",
        ):
            with (
                psycopg.connect(server.url("moot", "moot_node")) as connection,
                pytest.raises(psycopg.errors.InsufficientPrivilege),
            ):
                connection.execute(statement)  # type: ignore[call-overload]
        assert first_break(await log.read("d1"), "d1") is None


@pytest.mark.slow
async def test_only_the_owner_deletes(server: Server) -> None:
    async with await PostgresLog.open(server.url("moot", "moot_node")) as log:
        await log.append("d1", 0, debate())
        with pytest.raises(StoreUnavailable, match="run `moot delete` with the role that owns the tables"):
            await log.delete("d1", len(debate()), "")
        assert first_break(await log.read("d1"), "d1") is None
        async with await PostgresLog.open(server.url("moot", "moot_owner")) as owners:
            await owners.delete("d1", len(debate()), "taken back")
        assert ["taken back"] == [each.reason for each in await log.tombstones()]
        with pytest.raises(DebateDeleted):
            await log.append("d1", len(debate()), [started()])


@pytest.mark.slow
async def test_a_reader_reads_and_does_not_write(server: Server) -> None:
    async with await PostgresLog.open(server.url("moot", "moot_node")) as log:
        await log.append("d1", 0, debate())
    async with await PostgresLog.open(server.url("moot", "moot_reader"), read_only=True) as reader:
        assert len(debate()) == await reader.head("d1") == len(await reader.read("d1"))
        assert len((await reader.summaries()).debates) == 1
    async with await PostgresLog.open(server.url("moot", "moot_reader")) as reader:
        with pytest.raises(StoreUnavailable, match=r"the role lacks a right on Moot's tables \(42501\)"):
            await reader.append("d1", len(debate()), [started()])


@pytest.mark.slow
async def test_only_the_owner_migrates(server: Server) -> None:
    assert Migrated(VERSION, VERSION) == await migrate(server.url("moot", "moot_owner"))
    with psycopg.connect(server.url("moot", "moot_owner")) as connection:
        connection.execute("DROP SCHEMA moot CASCADE")

    with pytest.raises(StoreUnavailable, match="42501"):
        await migrate(server.url("moot", "moot_node"))


@pytest.mark.slow
async def test_the_documented_queries_work(server: Server) -> None:
    async with await PostgresLog.open(server.url("moot", "moot_node")) as log:
        await log.append("d1", 0, [opened()])
        debates, nodes, inbox = (server.do(statement, "moot") for statement in statements(LOOKING))

    assert [("d1", 1, 1, log.node)] == [row[:4] for row in debates]
    assert [] == nodes == inbox
