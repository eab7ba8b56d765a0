"""The database restarts, pauses or is cut off under load: no event is lost, none is written twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import psycopg
import pytest
from anyio import to_thread

from events.errors import StoreUnavailable
from events.record import Draft, Recorded, new_id
from events.store.log import EventLog, follow
from events.store.postgres.log import PostgresLog
from events.types import TurnStarted
from events.verify import verify_log
from tests.events.conftest import DATABASE
from tests.events.samples import opened, started
from tests.events.store.postgres_server import Proxy, Server, proxied

pytestmark = pytest.mark.anyio
DEBATES = 24


class Load:
    """Writers of debates; each event holds the position that its writer expects."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.acknowledged = dict.fromkeys([f"d{number}" for number in range(DEBATES)], 0)
        self.stopping = False
        self.failures: list[StoreUnavailable] = []

    async def write(self, debate: str) -> None:
        position = await self.log.head(debate)
        while not self.stopping:
            count = 1 + position % 3
            try:
                await self.log.append(debate, position, [started(position + n) for n in range(1, count + 1)])
            except StoreUnavailable as error:
                self.failures.append(error)
                return
            position += count
            self.acknowledged[debate] = position

    async def beyond(self, more: int) -> None:
        """Wait until so many more events are acknowledged in each debate."""
        aims = {debate: position + more for debate, position in self.acknowledged.items()}
        while any(self.acknowledged[debate] < aim for debate, aim in aims.items()):  # noqa: ASYNC110 - others write
            await anyio.sleep(0.01)

    async def check(self) -> None:
        """Check that each acknowledged event is there once, at its position."""
        for debate, position in self.acknowledged.items():
            records = await self.log.read(debate)

            assert position == len(records)
            assert list(range(1, position + 1)) == [turn_of(record) for record in records]
            assert (await verify_log(self.log, debate)).ok


def turn_of(record: Recorded) -> int:
    assert isinstance(record.event, TurnStarted)
    return record.event.turn


@asynccontextmanager
async def loaded(log: EventLog) -> AsyncIterator[Load]:
    """A load within the context; its events are checked at the end."""
    load = Load(log)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for debate in load.acknowledged:
                group.start_soon(load.write, debate)
            await load.beyond(3)
            yield load
            load.stopping = True
    await load.check()


@pytest.mark.slow
async def test_a_crash_of_the_server_loses_nothing_and_doubles_nothing(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log, loaded(log) as load:
        for _ in range(3):
            await to_thread.run_sync(postgres.restart)
            await load.beyond(2)

    assert [] == load.failures


@pytest.mark.slow
async def test_a_paused_server_is_waited_for(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log, loaded(log) as load:
        with postgres.paused():
            before = dict(load.acknowledged)
            await anyio.sleep(1)  # the length of the pause is tested
            assert all(load.acknowledged[debate] <= position + 3 for debate, position in before.items())
        await load.beyond(2)

    assert [] == load.failures


@pytest.mark.slow
async def test_a_server_that_is_paused_for_long_counts_as_lost_and_is_found_again(
    database: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.connection.ANSWER_S", 0.3)
    async with await PostgresLog.open(database) as log, loaded(log) as load:
        with postgres.paused():
            await anyio.sleep(1)  # the length of the pause is tested
        await load.beyond(2)

    assert [] == load.failures


@pytest.fixture
async def proxy(postgres: Server, anyio_backend: str) -> AsyncIterator[Proxy]:
    async with proxied(postgres) as running:
        yield running


@pytest.fixture
def distant(database: str, proxy: Proxy) -> str:
    """The address of the store through the proxy."""
    return f"postgresql://postgres@127.0.0.1:{proxy.port}/{DATABASE}"


@pytest.mark.slow
async def test_broken_connections_are_replaced(distant: str, proxy: Proxy) -> None:
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        for _ in range(15):
            proxy.cut()
            await load.beyond(1)

    assert [] == load.failures


@pytest.mark.slow
async def test_a_commit_whose_answer_was_lost_is_looked_up(distant: str, proxy: Proxy) -> None:
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        for _ in range(10):
            proxy.drops_answers = True
            await proxy.answer_dropped.wait()
            proxy.cut()
            await load.beyond(1)

    assert [] == load.failures
    assert proxy.answers_dropped >= 10


@pytest.mark.slow
async def test_a_silent_network_partition_is_noticed(
    distant: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.connection.ANSWER_S", 0.3)
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        proxy.silent = True
        await anyio.sleep(1)  # the length of the silence is tested
        proxy.silent = False
        await load.beyond(2)
        assert (await log.read("d0"))[0].position == 1

    assert [] == load.failures


@pytest.mark.slow
async def test_a_partition_while_the_writer_connects_is_noticed(
    distant: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packets are lost between the connection and the writer's settings."""
    monkeypatch.setattr("events.store.postgres.connection.ANSWER_S", 0.3)
    async with await PostgresLog.open(distant) as log:
        proxy.dropped = b"plan_cache_mode"
        try:
            with anyio.fail_after(10):
                await log.append("d1", 0, [opened()])
        finally:
            proxy.cut()  # else a log that waits for ever could not be closed

        assert proxy.dropped == b"", "the first connection was lost"


@pytest.mark.slow
async def test_writers_fail_in_bounded_time_and_go_on_afterwards(distant: str, proxy: Proxy) -> None:
    drafts = [Draft(event=started(), id=new_id())]
    async with await PostgresLog.open(distant, patience_s=0.5) as log:
        await log.append("d1", 0, [opened()])
        proxy.refusing = True
        proxy.cut()

        with anyio.fail_after(10):
            with pytest.raises(StoreUnavailable) as caught:
                await log.append("d1", 1, drafts)
            with pytest.raises(StoreUnavailable):
                await log.append("unknown", 3, drafts)
            with pytest.raises(StoreUnavailable):
                await log.read("d1")
        assert "\n" not in str(caught.value)

        proxy.refusing = False
        (record,) = await log.append("d1", 1, drafts)
        assert 2 == record.position == await log.head("d1")


@pytest.mark.slow
async def test_an_append_that_failed_after_a_lost_answer_may_be_repeated(distant: str, proxy: Proxy) -> None:
    """A caller that got no answer repeats the append with the same ids, and gets the answer."""
    drafts = [Draft(event=started(), id=new_id())]
    async with await PostgresLog.open(distant, patience_s=0.3) as log:
        await log.append("d1", 0, [opened()])
        proxy.drops_answers = True
        async with anyio.create_task_group() as group:
            group.start_soon(_refused, log, drafts)
            await proxy.answer_dropped.wait()
            proxy.refusing = True
            proxy.cut()
        proxy.refusing = False

        (record,) = await log.append("d1", 1, drafts)

        assert (2, drafts[0].id) == (record.position, record.id)
        assert await log.head("d1") == 2


async def _refused(log: PostgresLog, drafts: list[Draft]) -> None:
    with pytest.raises(StoreUnavailable):
        await log.append("d1", 1, drafts)


@pytest.mark.slow
async def test_readers_and_followers_survive_a_crash(database: str, postgres: Server) -> None:
    seen: list[int] = []
    async with await PostgresLog.open(database) as log, await PostgresLog.open(database, read_only=True) as reader:

        async def watch() -> None:
            async for record in follow(reader, "d1"):
                seen.append(record.position)
                if record.position == 40:
                    return

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(watch)
                for position in range(40):
                    await log.append("d1", position, [started()])
                    if position in {10, 25}:
                        await to_thread.run_sync(postgres.restart)
                        assert position + 1 == await reader.head("d1")

    assert list(range(1, 41)) == seen


async def test_a_log_closes_while_the_database_is_away(distant: str, proxy: Proxy) -> None:
    log = await PostgresLog.open(distant, patience_s=0.5)
    await log.append("d1", 0, [opened()])
    proxy.refusing = True
    proxy.cut()

    with anyio.fail_after(10):
        await log.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await log.append("d1", 1, [started()])


async def test_commits_are_durable_whatever_the_role_s_defaults(database: str, postgres: Server) -> None:
    postgres.do(f"ALTER DATABASE {DATABASE} SET synchronous_commit = off")
    try:
        async with await PostgresLog.open(database) as log:
            await log.append("d1", 0, [opened()])
            assert log._writer is not None
            assert log._writer._connection is not None
            cursor = await log._writer._connection.execute("SHOW synchronous_commit")
            assert await cursor.fetchone() == ("on",)
    finally:
        postgres.do(f"ALTER DATABASE {DATABASE} RESET synchronous_commit")


@pytest.mark.slow
async def test_a_standby_is_left_for_the_primary(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log:
        await log.append("d1", 0, [opened()])
        postgres.do(f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = on")
        postgres.do("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'moot'")

        async with anyio.create_task_group() as group:
            group.start_soon(log.append, "d1", 1, [started()])
            await anyio.sleep(0.3)  # until an append was refused
            postgres.do(f"ALTER DATABASE {DATABASE} RESET default_transaction_read_only")

        assert await log.head("d1") == 2


@pytest.mark.slow
async def test_a_cancelled_reader_leaves_the_pool_intact(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log:
        await log.append("d1", 0, [opened()])
        with psycopg.connect(postgres.url(DATABASE)) as other:
            other.execute("LOCK moot.debates IN ACCESS EXCLUSIVE MODE")
            for _ in range(20):
                with anyio.move_on_after(0.01) as scope:
                    await log.head("d1")
                assert scope.cancelled_caught

        assert await log.head("d1") == 1


@pytest.mark.slow
async def test_trouble_is_reported_until_a_probe_succeeds_also_without_requests(distant: str, proxy: Proxy) -> None:
    async with await PostgresLog.open(distant, patience_s=0) as log:
        await log.append("d1", 0, [opened()])
        assert log.trouble is None
        proxy.refusing = True
        proxy.cut()
        with pytest.raises(StoreUnavailable) as caught:
            await log.append("d1", 1, [started(1)])
        assert caught.value is log.trouble

        proxy.refusing = False
        with anyio.fail_after(20):
            while log.trouble is not None:  # noqa: ASYNC110 - the writer probes by itself
                await anyio.sleep(0.01)

        (record,) = await log.append("d1", 1, [started(1)])
    assert record.position == 2
