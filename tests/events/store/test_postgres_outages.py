"""The database restarts, stands still, or the way to it is cut, all under load: nothing is lost, nothing is twice."""

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
    """Debates that are written until they are told to stop; each event says at which position it believes to stand."""

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
        """Until so many events more are acknowledged in every debate."""
        aims = {debate: position + more for debate, position in self.acknowledged.items()}
        while any(self.acknowledged[debate] < aim for debate, aim in aims.items()):  # noqa: ASYNC110 - others write
            await anyio.sleep(0.01)

    async def check(self) -> None:
        """Everything acknowledged is there, once, in its place."""
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
    """A load that runs within, and what it wrote checked at the end."""
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
async def test_a_server_that_stands_still_is_waited_for(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log, loaded(log) as load:
        with postgres.paused():
            before = dict(load.acknowledged)
            await anyio.sleep(1)  # how long it stands still is what is tested
            assert all(load.acknowledged[debate] <= position + 3 for debate, position in before.items())
        await load.beyond(2)

    assert [] == load.failures


@pytest.mark.slow
async def test_one_that_stands_still_for_longer_counts_as_lost_and_is_found_again(
    database: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.connection.ANSWER_S", 0.3)
    async with await PostgresLog.open(database) as log, loaded(log) as load:
        with postgres.paused():
            await anyio.sleep(1)  # how long it stands still is what is tested
        await load.beyond(2)

    assert [] == load.failures


@pytest.fixture
async def proxy(postgres: Server, anyio_backend: str) -> AsyncIterator[Proxy]:
    async with proxied(postgres) as between:
        yield between


@pytest.fixture
def distant(database: str, proxy: Proxy) -> str:
    """The store by way of the proxy."""
    return f"postgresql://postgres@127.0.0.1:{proxy.port}/{DATABASE}"


@pytest.mark.slow
async def test_cut_connections_are_made_anew(distant: str, proxy: Proxy) -> None:
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        for _ in range(15):
            proxy.cut()
            await load.beyond(1)

    assert [] == load.failures


@pytest.mark.slow
async def test_an_answer_that_gets_lost_after_the_commit_is_found_by_looking(distant: str, proxy: Proxy) -> None:
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        for _ in range(10):
            proxy.deaf = True
            await proxy.swallowed.wait()
            proxy.cut()
            await load.beyond(1)

    assert [] == load.failures
    assert proxy.swallows >= 10


@pytest.mark.slow
async def test_a_partition_without_a_word_is_noticed(
    distant: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.connection.ANSWER_S", 0.3)
    async with await PostgresLog.open(distant) as log, loaded(log) as load:
        proxy.silent = True
        await anyio.sleep(1)  # how long nothing comes through is what is tested
        proxy.silent = False
        await load.beyond(2)
        assert (await log.read("d0"))[0].position == 1

    assert [] == load.failures


@pytest.mark.slow
async def test_who_writes_is_told_in_bounded_time_and_goes_on_afterwards(distant: str, proxy: Proxy) -> None:
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


async def test_what_was_refused_after_a_lost_answer_may_be_repeated(distant: str, proxy: Proxy) -> None:
    """The caller gave up without knowing; with the same ids it learns what became of it."""
    drafts = [Draft(event=started(), id=new_id())]
    async with await PostgresLog.open(distant, patience_s=0.3) as log:
        await log.append("d1", 0, [opened()])
        proxy.deaf = True
        async with anyio.create_task_group() as group:
            group.start_soon(_refused, log, drafts)
            await proxy.swallowed.wait()
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
async def test_readers_and_followers_live_through_a_crash(database: str, postgres: Server) -> None:
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


async def test_what_is_acknowledged_is_durable_whatever_the_role_defaults_to(database: str, postgres: Server) -> None:
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
async def test_a_server_that_became_a_standby_is_left_for_the_primary(database: str, postgres: Server) -> None:
    async with await PostgresLog.open(database) as log:
        await log.append("d1", 0, [opened()])
        postgres.do(f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = on")
        postgres.do("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'moot'")

        async with anyio.create_task_group() as group:
            group.start_soon(log.append, "d1", 1, [started()])
            await anyio.sleep(0.3)  # until it has met with the refusal
            postgres.do(f"ALTER DATABASE {DATABASE} RESET default_transaction_read_only")

        assert await log.head("d1") == 2


async def test_a_cancelled_reader_leaves_the_pool_whole(database: str, postgres: Server) -> None:
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
async def test_a_store_that_could_not_be_written_says_so_until_it_can_also_where_nobody_writes(
    distant: str, proxy: Proxy
) -> None:
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
            while log.trouble is not None:  # noqa: ASYNC110 - the writer looks by itself
                await anyio.sleep(0.01)

        (record,) = await log.append("d1", 1, [started(1)])
    assert record.position == 2
