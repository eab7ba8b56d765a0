"""Prompts are stored without what the store holds already, and each payload is read as the bytes that were recorded."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events import codec
from events.errors import BrokenChain, UnknownEvent
from events.store.memory import MemoryLog
from events.store.sqlite.backup import back_up
from events.store.sqlite.log import SqliteLog
from events.store.sqlite.parts import MARK, PIECE, TABLE, PartsWriter, unpacked_rows
from events.store.sqlite.schema import VERSION
from events.types import ModelAnswered
from events.verify import verify_log
from server.bench.material import answered
from tests.events.samples import opened

pytestmark = pytest.mark.anyio

DEBATE = "long"


def call(number: int, segments: int) -> ModelAnswered:
    """A call whose prompt has the first ``segments`` of a debate, and a question of its own."""
    texts = [*(f"turn {turn}" for turn in range(segments)), f"question {number}"]
    prompt = tuple(("user", sha256(text.encode()).hexdigest()) for text in texts)
    return replace(answered("score", number, "{}"), prompt=prompt)


CALLS = [call(number, 10 * number) for number in range(1, 21)]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(TABLE)
        yield connection


def read(connection: sqlite3.Connection, *stored: bytes) -> list[bytes]:
    return [payload for (payload,) in unpacked_rows(connection, [(each,) for each in stored], 0)]


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(query).fetchall()


async def recorded(path: Path) -> None:
    """A store with the calls."""
    async with await SqliteLog.open(path) as log:
        await log.append(DEBATE, 0, [opened(), *CALLS])


@pytest.mark.slow
@given(st.lists(st.binary(max_size=3 * PIECE), max_size=4), st.integers(0, 60))
def test_what_is_unpacked_is_what_was_packed(payloads: list[bytes], segments: int) -> None:
    known = codec.encode(call(1, segments))
    given_ = [known, *(each.lstrip(MARK) for each in payloads), known.replace(b"]]", b"]"), known[: len(known) // 2]]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(TABLE)
        writer = PartsWriter(connection)

        assert given_ == read(connection, *map(writer.packed, given_))


def test_what_prompts_share_is_stored_once(connection: sqlite3.Connection) -> None:
    writer = PartsWriter(connection)
    payloads = [codec.encode(each) for each in CALLS]
    packed = [writer.packed(each) for each in payloads]
    (pieces,) = connection.execute("SELECT sum(length(bytes)) FROM parts").fetchone()

    assert payloads == read(connection, *packed)
    assert pieces <= len(payloads[-1])
    assert max(map(len, packed)) < 2 * PIECE + 500
    assert packed == [PartsWriter(connection).packed(each) for each in payloads]


def test_a_damaged_payload_stays_as_it_is_stored(connection: sqlite3.Connection) -> None:
    packed = PartsWriter(connection).packed(codec.encode(CALLS[-1]))
    damaged = [packed[:3], packed[:9], packed[:7] + b"\xff" * 8 + packed[15:]]

    assert packed[:1] == MARK
    assert damaged == read(connection, *damaged)


def test_a_short_prompt_is_stored_as_it_is(connection: sqlite3.Connection) -> None:
    payload = codec.encode(call(1, 10))

    assert payload == PartsWriter(connection).packed(payload)


def test_pieces_of_a_transaction_that_failed_are_stored_again(connection: sqlite3.Connection) -> None:
    writer, payload = PartsWriter(connection), codec.encode(CALLS[-1])
    connection.execute("BEGIN")
    writer.packed(payload)
    connection.execute("ROLLBACK")
    writer.forget()

    assert [payload] == read(connection, writer.packed(payload))


async def test_a_store_gives_the_bytes_that_were_recorded(tmp_path: Path) -> None:
    path, memory = tmp_path / "moot.db", MemoryLog()
    await recorded(path)
    await memory.append(DEBATE, 0, [opened(), *CALLS])
    async with await SqliteLog.open(path) as log:
        assert [each.payload for each in await memory.read(DEBATE)] == [each.payload for each in await log.read(DEBATE)]
        assert (await verify_log(log, DEBATE)).ok
        assert back_up(path, tmp_path / "copy.db").events == len(CALLS) + 1

    assert [(MARK,)] * 15 == rows(path, "SELECT substr(payload, 1, 1) FROM events ORDER BY sequence")[-15:]


async def test_a_store_of_an_older_moot_is_read_and_continued(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await recorded(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        stored = connection.execute("SELECT sequence, payload FROM events").fetchall()
        plain = [(payload, sequence) for sequence, payload in unpacked_rows(connection, stored, 1)]
        connection.executemany("UPDATE events SET payload = ? WHERE sequence = ?", plain)
        connection.executescript("DROP TABLE parts; PRAGMA user_version = 1;")
    async with await SqliteLog.open(path, read_only=True) as log:
        assert len(CALLS) + 1 == len(await log.read(DEBATE))
    async with await SqliteLog.open(path) as log:
        await log.append(DEBATE, len(CALLS) + 1, [call(99, 200)])

        assert (await verify_log(log, DEBATE)).ok
        assert [*CALLS, call(99, 200)] == [each.event for each in (await log.read(DEBATE))[1:]]
    assert [(VERSION,)] == rows(path, "PRAGMA user_version")


async def test_a_lost_piece_is_a_broken_chain(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    await recorded(path)
    rows(path, "DELETE FROM parts WHERE part = 2")
    async with await SqliteLog.open(path) as log:
        with pytest.raises(UnknownEvent):
            await log.read(DEBATE)
        assert not (await verify_log(log, DEBATE)).ok
    with pytest.raises(BrokenChain):
        back_up(path, tmp_path / "copy.db")
