"""Migrations: the schema is made once, and a schema of another version is refused."""

from collections.abc import Iterator

import anyio
import psycopg
import pytest
from click.testing import CliRunner
from msgspec import structs

from events.errors import BadStore, NotMigrated, StoreUnavailable
from events.store.address import redacted
from events.store.open import open_log
from events.store.postgres.log import PostgresLog
from events.store.postgres.schema import MIGRATIONS, VERSION, Migrated, migrate
from events.types import DebateHalted
from server.cli.main import main
from tests.events.samples import debate, opened
from tests.events.store.postgres_server import Server

pytestmark = pytest.mark.anyio
EMPTY = "moot_empty"


@pytest.fixture
def empty(postgres: Server) -> Iterator[str]:
    """URL of a database without tables."""
    postgres.do(f"CREATE DATABASE {EMPTY}")
    yield postgres.url(EMPTY)
    postgres.do(f"DROP DATABASE {EMPTY} WITH (FORCE)")


@pytest.mark.slow
async def test_migrating_again_changes_nothing(empty: str) -> None:
    assert [Migrated(0, VERSION), Migrated(VERSION, VERSION)] == [await migrate(empty), await migrate(empty)]


async def test_of_concurrent_migrations_one_runs(empty: str) -> None:
    done: list[Migrated] = []

    async def bring() -> None:
        done.append(await migrate(empty))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(bring)

    assert [0, *[VERSION] * 4] == sorted(each.before for each in done)


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_database_without_tables_says_what_to_do(empty: str, read_only: bool) -> None:
    with pytest.raises(NotMigrated, match=r"has no tables of Moot's: run `moot migrate`$"):
        await PostgresLog.open(empty, read_only=read_only)


async def test_a_schema_of_a_newer_moot_is_refused_and_not_changed(empty: str, postgres: Server) -> None:
    await migrate(empty)
    postgres.do("INSERT INTO moot.migrations (version) VALUES (99)", EMPTY)

    for act in (migrate, PostgresLog.open):
        with pytest.raises(NotMigrated, match=rf"has schema 99, written by a newer Moot \(this one knows {VERSION}\)"):
            await act(empty)  # type: ignore[operator]


async def test_a_failed_migration_changes_nothing(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.store.postgres.schema.MIGRATIONS", ("CREATE TABLE halfway (x int); SELECT 1 / 0",))
    with pytest.raises(StoreUnavailable, match="division by zero"):
        await migrate(empty)
    monkeypatch.undo()

    async with await psycopg.AsyncConnection.connect(empty) as connection:
        cursor = await connection.execute("SELECT to_regclass('halfway')")
        assert await cursor.fetchone() == (None,)
    assert Migrated(0, VERSION) == await migrate(empty)


def test_the_command_reports_its_result_and_a_server_the_missing_schema(empty: str) -> None:
    runner = CliRunner()
    unmigrated = runner.invoke(main, ["--store", empty, "list"])
    first = runner.invoke(main, ["migrate", "--store", empty])
    again = runner.invoke(main, ["migrate", "--store", empty])
    listed = runner.invoke(main, ["--store", empty, "list", "--json"])

    assert (2, 1) == (unmigrated.exit_code, unmigrated.stderr.count("\n"))
    assert "run `moot migrate`" in unmigrated.stderr
    assert f"{redacted(empty)} updated from schema 0 to {VERSION}\n" == first.stdout
    assert f"{redacted(empty)} already has schema {VERSION}\n" == again.stdout
    assert (0, '{"debates":[],"next":null}\n') == (listed.exit_code, listed.stdout)


def test_a_file_needs_no_migration() -> None:
    done = CliRunner().invoke(main, ["migrate", "--store", "sqlite:x.db"])

    assert "sqlite:x.db needs no migration: its tables are created when it is opened\n" == done.stdout


@pytest.mark.parametrize(
    "url",
    [
        "postgres://moot:s3cret@127.0.0.1:1/moot",
        "postgresql://moot@127.0.0.1:1/moot?password=s3cret",
        "postgres://moot:s3cret@127.0.0.1:1/moot?sslmode=never",
        "postgres://moot:s3cret@127.0.0.1:1/moot?nonsense=1",
        "postgres://moot:s3c/ret@s3cret@127.0.0.1:1/moot",
        "postgress://moot:s3cret@h/moot",
        "postgres://moot:%s3cret@127.0.0.1:1/moot",
        "postgres://moot:s3cret@[::1/moot",
    ],
)
async def test_no_message_repeats_a_password(url: str) -> None:
    with pytest.raises((BadStore, StoreUnavailable)) as caught:
        await (open_log(url) if url.startswith("postgress:") else PostgresLog.open(url, patience_s=0))

    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://moot:pw@h:5432/moot?sslmode=require", "postgres://moot@h:5432/moot?sslmode=require"),
        ("postgres://h/moot", "postgres://h/moot"),
        ("postgres://h/moot?user=u&password=pw&sslmode=require", "postgres://h/moot?user=u&password=…&sslmode=require"),
        ("sqlite:a@b.db", "sqlite:a@b.db"),
    ],
)
def test_the_address_of_a_store_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown == redacted(url)


async def test_rows_of_an_older_moot_get_the_marks_that_a_new_row_has(empty: str, postgres: Server) -> None:
    await migrate(empty)
    async with await PostgresLog.open(empty) as log:
        await log.append("ended", 0, debate())
        await log.append("open", 0, [structs.replace(opened("Ünï \\ue000"), exhibition="juries", format="protocol")])
        await log.append("halted", 0, [opened(), DebateHalted(reason="r", by="b")])
    marked = "SELECT array_agg((stream, folded)::text ORDER BY stream)::text FROM moot.listing"
    before = await only(empty, marked)
    postgres.do("UPDATE moot.listing SET folded = regexp_replace(folded, U&'[\\E000-\\E0FF]', '', 'g')", EMPTY)
    assert before != await only(empty, marked)
    postgres.do(MIGRATIONS[2], EMPTY)

    after = await only(empty, marked)
    assert sorted(map(ord, before)) == sorted(map(ord, after))  # the order of marks has no meaning


async def only(url: str, query: str) -> str:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        row = await (await connection.execute(query)).fetchone()  # type: ignore[arg-type]
        assert row is not None
        return str(row[0])
