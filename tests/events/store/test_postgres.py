"""Properties of PostgreSQL's log alone: several nodes, notifications, and limits of its tables."""

from collections.abc import AsyncIterator

import anyio
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cluster.postgres_leases import PostgresLeases
from events.errors import BadTransfer, Fenced, StoreUnavailable, WrongExpectedPosition
from events.record import Draft, first_break, new_id
from events.store.log import MAX_POSITION, follow
from events.store.memory import MemoryLog
from events.store.postgres.batch import MARK_BYTES, read_changed, write_changed
from events.store.postgres.log import PostgresLog
from events.store.requests import MAX_TOGETHER
from events.store.sqlite.log import SqliteLog
from events.transfer import export, import_debate
from events.verify import verify_log
from tests.events.conftest import DATABASE
from tests.events.samples import debate, opened, spoken, started
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio
NODE = "0123456789abcdef"


@pytest.fixture
async def log(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as opened_log:
        yield opened_log


@pytest.fixture
async def other(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as opened_log:
        yield opened_log


async def waited_for(log: PostgresLog, count: int) -> None:
    """Wait until so many debates have waiting readers, and notifications arrive."""
    while len(log._heads._wakeups.waited_for()) < count or not log.listener.is_live:  # noqa: ASYNC110 - nothing says so
        await anyio.sleep(0.01)


@pytest.mark.slow
async def test_two_nodes_follow_the_same_debates_without_gap_or_repeat(
    log: PostgresLog, other: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 60)  # records arrive by notification, not by look-up
    total, debates = 60, [f"d{number}" for number in range(12)]
    seen: dict[tuple[str, str], list[int]] = {(log.node, name): [] for name in debates}
    seen |= {(other.node, name): [] for name in debates}

    async def watch(node: PostgresLog, name: str) -> None:
        async for record in follow(node, name):
            seen[node.node, name].append(record.position)
            if record.position == total:
                return

    async def write(node: PostgresLog, name: str) -> None:
        for position in range(0, total, 2):
            await node.append(name, position, [started(), started()])

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number, name in enumerate(debates):
                group.start_soon(watch, log, name)
                group.start_soon(watch, other, name)
                group.start_soon(write, (log, other)[number % 2], name)

    assert {each: list(range(1, total + 1)) for each in seen} == seen


@pytest.mark.slow
async def test_a_follower_gets_the_next_event_after_another_node_took_over(
    log: PostgresLog, other: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 60)
    await log.append("d1", 0, [opened()])
    with anyio.move_on_after(0.2):
        await log.wait_beyond("d1", 1)
    await PostgresLeases(log).release("d1")
    await PostgresLeases(other).claim_one("d1")
    await other.append("d1", 1, [started()])

    with anyio.fail_after(5):
        await log.wait_beyond("d1", 1)
        async with anyio.create_task_group() as group:
            group.start_soon(log.wait_beyond, "d1", 2)
            await waited_for(log, 1)
            await other.append("d1", 2, [started()])


async def test_a_missed_notification_is_made_up_by_a_look_up(
    log: PostgresLog, other: PostgresLog, monkeypatch: pytest.MonkeyPatch, postgres: Server
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 0.1)
    monkeypatch.setattr("events.store.postgres.heads.HeadTracker._receive", lambda self, payload: True)
    await log.append("d1", 0, [opened()])
    await PostgresLeases(log).release("d1")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(log.wait_beyond, "d1", 1)
            await waited_for(log, 1)
            await other.append("d1", 1, [started()])


@pytest.mark.slow
async def test_a_listening_connection_that_is_ended_misses_nothing(
    log: PostgresLog, other: PostgresLog, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 60)
    seen: list[int] = []

    async def watch() -> None:
        async for record in follow(other, "d1"):
            seen.append(record.position)
            if record.position == 30:
                return

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            for position in range(30):
                await log.append("d1", position, [started()])
                if position % 5 == 0:
                    postgres.do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
                    await anyio.sleep(0.05)  # so that some events are written without a listener

    assert list(range(1, 31)) == seen


async def test_a_batch_of_more_debates_than_a_notification_names_is_noticed(
    log: PostgresLog, other: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 60)
    monkeypatch.setattr("events.store.postgres.batch.MAX_NOTIFIED", 100)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number in range(80):
                group.start_soon(other.wait_beyond, f"d{number}", 0)
            await waited_for(other, 80)
            for number in range(80):
                group.start_soon(log.append, f"d{number}", 0, [opened()])


marks = st.binary(min_size=MARK_BYTES, max_size=MARK_BYTES)


@pytest.mark.slow
@given(st.lists(st.tuples(marks, st.integers(0, MAX_POSITION)), max_size=40))
def test_a_notification_is_read_as_it_was_written(changes: list[tuple[bytes, int]]) -> None:
    assert (NODE, changes) == read_changed(write_changed(NODE, changes))


@pytest.mark.parametrize("count", [1, MAX_TOGETHER, 512, 530, 540, 600, 5000])
def test_a_notification_is_shorter_than_8000_bytes_and_says_when_to_look(count: int) -> None:
    changes = [(number.to_bytes(MARK_BYTES, "big"), MAX_POSITION) for number in range(count)]

    written = write_changed(NODE, changes)

    assert len(written) < 8000
    assert (NODE, changes if count <= 530 else None) == read_changed(written)


@pytest.mark.parametrize("payload", ["x !!", "x AAAA", "é é", "x " + "A" * 7])
def test_a_malformed_notification_is_refused(payload: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any part may be wrong
        read_changed(payload)


async def test_a_debate_goes_from_sqlite_to_postgres_and_back_byte_for_byte(log: PostgresLog, tmp_path: object) -> None:
    async with await SqliteLog.open(f"{tmp_path}/a.db") as source, await SqliteLog.open(f"{tmp_path}/b.db") as back:
        await source.append("d1", 0, [Draft(event=opened("ñ “日本” \x00 end"), id="given"), *debate()[1:]])
        lines = [line async for line in export(source, "d1")]
        await import_debate(log, lines)
        exported = [line async for line in export(log, "d1")]
        await import_debate(back, exported)

        assert lines == exported == [line async for line in export(back, "d1")]
        assert (await verify_log(log, "d1")).ok
        assert [row.motion for row in (await log.summaries(query="日本” \x00 E")).debates] == ["ñ “日本” \x00 end"]


async def test_a_request_that_the_tables_cannot_store_is_refused_alone(log: PostgresLog) -> None:
    async with MemoryLog() as elsewhere:
        await elsewhere.append("d1", 0, [Draft(event=opened(), id="a\0b")])
        foreign = await elsewhere.read("d1")
    refused: list[str] = []

    async def adopt() -> None:
        try:
            await log.adopt(foreign)
        except BadTransfer as error:
            refused.append(str(error))

    async def append(name: str, draft: Draft) -> None:
        try:
            await log.append(name, 0, [draft])
        except ValueError as error:
            refused.append(str(error))

    async with anyio.create_task_group() as group:
        group.start_soon(adopt)
        group.start_soon(append, "a\0b", Draft(event=opened()))
        group.start_soon(append, "d2", Draft(event=opened(), id="a\0b"))
        group.start_soon(log.append, "good", 0, [opened()])

    assert len(refused) == 3
    assert await log.head("good") == 1
    assert (0, 0, 0) == (await log.head("d1"), await log.head("d2"), await log.head("a\0b"))
    assert await log.read("a\0b") == ()


@pytest.mark.slow
async def test_waiting_requests_are_bounded_and_readers_do_not_wait(
    log: PostgresLog, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await log.append("d1", 0, [opened()])
    writer = log._writer
    assert writer is not None
    writer.backlog.most_bytes = 100_000

    async with anyio.create_task_group() as group:
        with psycopg.connect(postgres.url(DATABASE)) as holding:
            holding.execute("LOCK moot.events IN SHARE MODE")
            for number in range(40):
                group.start_soon(log.append, f"big{number}", 0, [spoken(text="x" * 20_000)])
            with anyio.fail_after(5):
                while log.queued[1] <= 60_000:  # noqa: ASYNC110 - psycopg waits in steps: never at rest
                    await anyio.sleep(0.02)
            await anyio.sleep(0.05)

            assert 60_000 < log.queued[1] <= 100_000
            with anyio.fail_after(5):
                assert await log.head("d1") == 1
                assert len(await log.read("d1")) == 1

    assert [1] * 40 == [await log.head(f"big{number}") for number in range(40)]
    assert log.queued[1] == 0


async def test_a_full_debate_is_refused(log: PostgresLog) -> None:
    await log.append("d1", 0, [opened()])
    assert log._writer is not None
    log._writer._heads["d1"].position = MAX_POSITION

    with pytest.raises(StoreUnavailable, match="debate d1 is full"):
        await log.append("d1", MAX_POSITION, [started()])


@pytest.mark.slow
@pytest.mark.parametrize("column", ["id", "at", "salt", "digest", "payload", "cause", "schema"])
async def test_a_changed_row_is_found_at_its_position(log: PostgresLog, postgres: Server, column: str) -> None:
    await log.append("d1", 0, [Draft(event=opened()), *[Draft(event=started(), cause=1) for _ in range(5)]])
    change = {
        "id": "'other'",
        "at": "'2026-11-21T09:30:00.000000Z'",
        "cause": "2",
        "schema": "7",
        "payload": "'\\x7b7d'",
        "salt": "'\\x00'",
        "digest": "'\\x00'",
    }[column]
    postgres.do(f"UPDATE moot.events SET {column} = {change} WHERE position = 4", DATABASE)

    verdict = await verify_log(log, "d1")

    assert (False, 4) == (verdict.ok, verdict.broken_at)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["append", "take over", "repeat", "foreign"]), st.integers(0, 1), st.integers(1, 3)),
        min_size=3,
        max_size=20,
    )
)
@pytest.mark.usefixtures("database")
def test_the_chain_stays_whole_under_any_schedule_and_a_fenced_node_writes_nothing(
    postgres: Server, steps: list[tuple[str, int, int]]
) -> None:
    anyio.run(run_schedule, postgres.url(DATABASE), steps)


async def run_schedule(url: str, steps: list[tuple[str, int, int]]) -> None:
    name = new_id()
    async with await PostgresLog.open(url) as one, await PostgresLog.open(url) as two:
        nodes, holder, head = (one, two), 0, 1
        last = [Draft(event=opened(), id=new_id())]
        accepted = list(await one.append(name, 0, last))
        for kind, index, count in steps:
            node = nodes[index]
            drafts = [Draft(event=started(), id=new_id()) for _ in range(count)]
            match kind:
                case "append" if index == holder:
                    accepted += await node.append(name, head, drafts)
                    last, head = drafts, head + count
                case "append":
                    with pytest.raises(Fenced):
                        await node.append(name, head, drafts)
                case "take over":
                    await PostgresLeases(nodes[holder]).release(name)
                    assert await PostgresLeases(node).claim_one(name) is not None
                    holder = index
                case "repeat":
                    assert tuple(accepted[-len(last) :]) == await node.append(name, head - len(last), last)
                case _:
                    with pytest.raises((Fenced, WrongExpectedPosition)):
                        await node.append(name, head + 5, drafts)

        assert tuple(accepted) == await one.read(name) == await two.read(name)
        assert first_break(accepted, name) is None
