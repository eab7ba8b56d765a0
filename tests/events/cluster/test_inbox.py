"""The inbox: commands are done once, in order, by the debate's owner, and answered."""

from collections.abc import AsyncIterator

import anyio
import pytest

from events.cluster.inbox import ForwardedCommand
from events.cluster.postgres_inbox import PostgresInbox
from events.cluster.postgres_leases import PostgresLeases
from events.errors import StoreUnavailable, Unanswered, UnknownDebate
from events.store.postgres.log import PostgresLog
from tests.events.conftest import DATABASE
from tests.events.samples import opened
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def owner(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as log:
        yield log


@pytest.fixture
async def other(database: str, anyio_backend: str) -> AsyncIterator[PostgresLog]:
    async with await PostgresLog.open(database) as log:
        yield log


@pytest.mark.slow
async def test_a_command_is_done_and_answered_by_the_owner(
    owner: PostgresLog, other: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 60)  # notifications arrive
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    await owner.append("d1", 0, [opened()])
    await until_live(owner, other)
    answers: list[bytes] = []

    async def serve() -> None:
        for _ in range(5):
            for act in await inbox.take():
                await inbox.answer(act, b"done: " + act.act)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            answers += [await other_inbox.send("d1", f"act {number} \0".encode()) for number in range(5)]
            group.cancel_scope.cancel()

    assert [f"done: act {number} \0".encode() for number in range(5)] == answers


async def until_live(*logs: PostgresLog) -> None:
    while not all(log.listener.is_live for log in logs):  # noqa: ASYNC110 - nothing says so
        await anyio.sleep(0.01)


@pytest.mark.slow
async def test_commands_arrive_in_order_and_once(owner: PostgresLog, other: PostgresLog) -> None:
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    for name in ("d1", "d2"):
        await owner.append(name, 0, [opened()])
    await other.append("theirs", 0, [opened()])
    taken: list[ForwardedCommand] = []

    async def send(debate: str, numbers: range) -> None:
        for number in numbers:
            await other_inbox.send(debate, b"%d" % number)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for first in range(6):  # three clients for each debate
                group.start_soon(send, f"d{first % 2 + 1}", range(first, 30, 6))
            while len(taken) < 30:
                acts = await inbox.take()
                taken += acts
                for act in acts:
                    await inbox.answer(act, b"ok")

    for first in range(6):
        assert list(range(first, 30, 6)) == [int(act.act) for act in taken if int(act.act) % 6 == first]
    assert set(range(30)) == {int(act.act) for act in taken}
    assert [] == [act for act in taken if act.debate == "theirs"]


@pytest.mark.slow
async def test_a_command_that_no_node_took_is_withdrawn(
    owner: PostgresLog, other: PostgresLog, postgres: Server
) -> None:
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    await owner.append("d1", 0, [opened()])

    with pytest.raises(Unanswered, match="is not done") as caught:
        await other_inbox.send("d1", b"late", within_s=0.05)

    assert not caught.value.taken
    with anyio.move_on_after(0.3) as waited:
        await inbox.take()
    assert waited.cancelled_caught


@pytest.mark.slow
async def test_a_command_that_was_taken_and_not_answered_may_have_been_done(
    owner: PostgresLog, other: PostgresLog
) -> None:
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    await owner.append("d1", 0, [opened()])

    async with anyio.create_task_group() as group:
        group.start_soon(inbox.take)
        with pytest.raises(Unanswered, match="may or may not") as caught:
            await other_inbox.send("d1", b"act", within_s=1)

    assert caught.value.taken


@pytest.mark.slow
async def test_a_command_still_being_inserted_when_its_sender_gives_up_is_not_done_later(
    owner: PostgresLog, other: PostgresLog, postgres: Server
) -> None:
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    await owner.append("d1", 0, [opened()])
    await other_inbox._log.pool.rows("SELECT 1")
    with pytest.raises(Unanswered, match="is not done"):
        await other_inbox.send("d1", b"act", within_s=0)
    await other.close()  # all statements have ended

    with anyio.move_on_after(0.3) as waited:
        await inbox.take()
    assert waited.cancelled_caught
    assert [] == postgres.do("SELECT 1 FROM moot.inbox WHERE taken_by IS NULL", DATABASE)


async def test_a_new_owner_gets_the_waiting_commands(owner: PostgresLog, other: PostgresLog) -> None:
    inbox, other_inbox = PostgresInbox(owner), PostgresInbox(other)
    await owner.append("d1", 0, [opened()])
    await PostgresLeases(owner).release("d1")
    answers: list[bytes] = []

    async def send() -> None:
        answers.append(await inbox.send("d1", b"act"))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(send)
            await PostgresLeases(other).claim_one("d1")
            (act,) = await other_inbox.take()
            await other_inbox.answer(act, b"done")

    assert [b"done"] == answers


async def test_old_rows_are_removed(owner: PostgresLog, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.store.postgres.listener.POLL_S", 0.05)
    postgres.do(
        "INSERT INTO moot.inbox (key, debate, act, at) VALUES ('old', 'd', '', now() - interval '11 min'),"
        " ('new', 'd', '', now())",
        DATABASE,
    )
    PostgresInbox(owner)

    with anyio.fail_after(10):
        while postgres.do("SELECT key FROM moot.inbox", DATABASE) != [("new",)]:  # noqa: ASYNC110 - another process
            await anyio.sleep(0.02)


async def test_an_id_that_no_debate_can_have_is_unknown(owner: PostgresLog) -> None:
    with pytest.raises(UnknownDebate):
        await PostgresInbox(owner).send("a\0b", b"act")


async def test_a_closed_log_raises(owner: PostgresLog) -> None:
    inbox = PostgresInbox(owner)
    await owner.close()

    with pytest.raises(StoreUnavailable, match="closed"):
        await inbox.take()
