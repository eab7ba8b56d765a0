"""Archives: what is in them, what is refused, and what a kill, a full disk and debates that run leave."""

import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import anyio
import pytest

from events.errors import BadTransfer, DebateDeleted
from events.record import copied_into, digest_before_first
from events.store.listing import Summary
from events.store.log import EventLog, read_rows
from events.store.memory import MemoryLog
from events.store.open import opened_log
from events.store.sqlite.backup import back_up
from events.store.sqlite.log import SqliteLog
from events.transfer import export, import_debate, parse_lines
from events.types import DebatePaused, EvidenceDocument, EvidencePassage, EvidenceSupplied
from events.verify import verify_log
from server.keeping.archive import conflicts, opened, write
from tests.events.samples import debate, spoken
from tests.events.samples import opened as opening
from tests.server.children import Cli, environment, said

DOCUMENT = EvidenceDocument(id="D1", name="trams.txt", digest="ab" * 32, media_type="text/plain")
SUPPLIED = EvidenceSupplied(document=DOCUMENT, passages=(EvidencePassage(id="E1", text="A tram has 200 seats."),))
GOLDEN = Path(__file__).parents[2] / "events/view/golden/0.1-juries.ndjson"
FULL = """
import resource, sys
import server.keeping.archive as where
from server.cli.main import main
real = where._add
def add(*given):
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
    return real(*given)
where._add = add
main(sys.argv[1:])
"""
KILLED = """
import os, signal, sys
import server.cli.store.archive as command
from server.cli.main import main
import {module} as where
real, calls = where.{name}, []
def kill(*given, **named):
    calls.append(1)
    if len(calls) > {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)
where.{name} = kill
main(sys.argv[1:])
"""


async def rows(log: EventLog) -> list[Summary]:
    return sorted([row async for row in read_rows(log)], key=lambda row: row.id)


async def logs(log: EventLog) -> dict[str, bytes]:
    return {row.id: b"".join([line async for line in export(log, row.id)]) for row in await rows(log)}


async def filled() -> MemoryLog:
    """Three debates: one has ended, one has a document and is paused, one runs."""
    log = MemoryLog()
    await log.append("ended", 0, debate())
    await log.append("paused", 0, [opening(), SUPPLIED, DebatePaused(reason="lunch", by="test")])
    await log.append("runs", 0, [opening(), spoken()])
    return log


@pytest.mark.anyio
async def test_an_archive_comes_back_to_the_byte_from_every_store_once(log: EventLog, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    source = await filled()
    before = await logs(source)
    made = await write(source, await rows(source), path)
    await write(source, await rows(source), tmp_path / "again.zip")
    with pytest.raises(FileExistsError):
        await write(source, await rows(source), path)

    assert path.read_bytes() == (tmp_path / "again.zip").read_bytes()
    assert [3, 0, 1] == [made.debates[1].events, len(made.debates[0].documents), len(made.debates[1].documents)]
    assert "trams.txt" == made.debates[1].documents[0].name
    with opened(path) as archive:
        for _ in range(2):
            done = [await import_debate(log, archive.lines(each)) for each in archive.manifest.debates]
        assert {} == await conflicts(log, archive.manifest)
    after = await logs(log)
    assert [True, True, True] == [each.already for each in done]
    assert before["runs"] == b"".join(after.pop("runs").splitlines(keepends=True)[:2])  # and then it was paused
    assert {name: before[name] for name in after} == after

    other = MemoryLog()
    await other.append("paused", 0, debate())
    await other.append("runs", 0, [opening()])
    await other.append("ended", 0, debate())
    await other.delete("ended", len(debate()), "for ever")
    refused = await conflicts(other, made)
    assert {"ended", "paused", "runs"} == refused.keys()
    assert "for ever" in refused["ended"]


@pytest.mark.anyio
async def test_a_file_with_any_changed_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    source = await filled()
    await write(source, await rows(source), path)
    whole = path.read_bytes()
    places = {*range(0, len(whole), 31), *range(len(whole) - 120, len(whole))}
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        with pytest.raises(BadTransfer), opened(path):
            pass
    for changed in (b"", whole[:-1], whole + b"0", whole[: len(whole) // 2]):
        path.write_bytes(changed)
        with pytest.raises(BadTransfer), opened(path):
            pass
    path.write_bytes(whole)
    with opened(path) as archive:
        assert 3 == len(archive.manifest.debates)


@pytest.mark.anyio
async def test_what_is_copied_while_debates_run_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        names = [f"d{number:02}" for number in range(20)]
        stopped = anyio.Event()

        async def run(name: str) -> None:
            position = len(await log.append(name, 0, [opening(), SUPPLIED]))
            while not stopped.is_set():
                position += len(
                    await log.append(name, position, [spoken(1, "A word. " * Random(position).randrange(99))])
                )

        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(run, name)
            while len(await rows(log)) < len(names):
                await anyio.lowlevel.checkpoint()
            await write(log, await rows(log), tmp_path / "a.zip")
            await anyio.to_thread.run_sync(back_up, path, tmp_path / "copy.db")
            stopped.set()
        ended = await logs(log)
    with opened(tmp_path / "a.zip") as archive:
        for each in archive.manifest.debates:
            assert ended[each.debate].startswith(b"".join(archive.lines(each)))
    async with await SqliteLog.open(tmp_path / "copy.db", read_only=True) as copy:
        copied = await logs(copy)
        assert all([(await verify_log(copy, name)).ok for name in names])
    assert names == list(copied)
    assert all(ended[name].startswith(copied[name]) for name in names)


@pytest.mark.anyio
async def test_a_debate_that_was_archived_and_deleted_comes_back_and_one_that_was_taken_back_does_not(
    store: str,
    tmp_path: Path,
) -> None:
    async with opened_log(store) as log, opened_log(store) if store.startswith("postgres") else MemoryLog() as other:
        await log.append("d1", 0, debate())
        await write(log, await rows(log), tmp_path / "a.zip")
        before = await logs(log)
        with opened(tmp_path / "a.zip") as archive:
            (kept,) = archive.manifest.debates
            for archived in (True, False):
                await log.delete("d1", len(debate()), "", archived=archived)
                assert archived is not bool(await conflicts(log, archive.manifest))
                if archived:
                    back = other if store.startswith("postgres") else log  # another node
                    await import_debate(back, archive.lines(kept))
                    assert before == await logs(log)
            with pytest.raises(DebateDeleted):
                await import_debate(log, archive.lines(kept))


@pytest.fixture
def three(tmp_path: Path) -> Cli:
    """A store with three debates that are some days old, and an archive of them."""
    cli = Cli(tmp_path)

    async def fill() -> None:
        async with opened_log(f"sqlite:{cli.store}") as log:
            records = parse_lines(GOLDEN.read_bytes().splitlines(keepends=True))
            for name in ("aaaaaa1", "aaaaaa2", "aaaaaa3"):
                await log.adopt(tuple(copied_into(name, digest_before_first(name), records)))

    anyio.run(fill)
    assert 0 == cli.here("archive", "-o", str(tmp_path / "whole.zip"), "--older-than", "1d").returncode
    return cli


def killed(cli: Cli, module: str, name: str, after: int, *arguments: str, store: Path | None = None) -> Any:
    code = KILLED.format(module=module, name=name, after=after)
    settings = {"MOOT_STORE": f"sqlite:{store or cli.store}"}
    given = [sys.executable, "-c", code, *arguments]
    return subprocess.run(given, cwd=cli.home, env=environment(cli.home, settings), capture_output=True, check=False)


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_nothing_half(three: Cli) -> None:
    new, home = three.home / "new.db", three.home
    given = "archive", "-o", "a.zip", "--older-than", "1d", "--delete", "--yes"
    ended = killed(three, "server.keeping.archive", "line_of", 150, *given)
    assert -signal.SIGKILL == ended.returncode, ended.stderr
    assert not (home / "a.zip").exists()
    assert 3 == len(three.json("list")["debates"])
    ended = killed(three, "server.cli.store.archive", "import_debate", 1, "restore", "whole.zip", store=new)
    assert -signal.SIGKILL == ended.returncode, ended.stderr
    there = three.json("list", MOOT_STORE=f"sqlite:{new}")["debates"]
    assert 1 == len(there)
    assert three.json("verify", there[0]["id"], MOOT_STORE=f"sqlite:{new}")["ok"]
    done = three("restore", "whole.zip", MOOT_STORE=f"sqlite:{new}")
    assert b"restored 2 debates; 1 were there already" in done.stderr
    assert 0 == three(*given).returncode
    assert [] == list(home.glob(".*.part"))
    assert [] == three.json("list")["debates"]
    assert (home / "a.zip").read_bytes() == (home / "whole.zip").read_bytes()
    assert 3 == len(three.json("restore", "a.zip")["restored"])
    assert 3 == len(three.json("list")["debates"])


@pytest.mark.slow
def test_a_full_disk_leaves_no_archive_and_deletes_nothing(three: Cli) -> None:
    code = FULL.format(limit=9000)
    given = [sys.executable, "-c", code, "archive", "-o", "a.zip", "--older-than", "1d", "--delete", "--yes"]
    settings = environment(three.home, {"MOOT_STORE": f"sqlite:{three.store}"})
    done = subprocess.run(given, cwd=three.home, env=settings, capture_output=True, check=False)

    said(done, 1, "the archive a.zip cannot be written: File too large")
    assert [] == [*three.home.glob("a.zip"), *three.home.glob(".*.part")]
    assert 3 == len(three.json("list")["debates"])


@pytest.mark.slow
def test_commands_beside_a_server(three: Cli) -> None:
    with three.server():
        done = three.json("archive", "aaaaaa1", "-o", "one.zip", "--delete", "--yes")
        assert ["aaaaaa1"] == [each["debate"] for each in done["manifest"]["debates"]]
        assert 2 == len(three.json("list")["debates"])
        assert [False] == [each["already"] for each in three.json("restore", "one.zip")["restored"]]
        assert 3 == len(three.json("list")["debates"])
        assert 0 == three("label", "aaaaaa2", "--title", "younger now").returncode
        assert 0 == three("label", "aaaaaa3", "--hide").returncode
        assert ["aaaaaa1"] == three.json("delete", "--older-than", "1d", "--dry-run")["would_delete"]
        gone = three.json("delete", "--older-than", "1d", "--yes")["deleted"]
        assert [("aaaaaa1", "older than 1d")] == [(each["debate"], each["reason"]) for each in gone]
        gone = three.json("delete", "--older-than", "0h", "--state", "concluded", "--yes")["deleted"]
        assert {"aaaaaa2", "aaaaaa3"} == {each["debate"] for each in gone}
        said(three("restore", "whole.zip"), 1, "nothing was restored")


def test_what_no_rule_allows(three: Cli) -> None:
    for code, says, *given in (
        (2, "give ids, or a rule", "archive", "-o", "x.zip"),
        (2, "give ids, or a rule", "archive", "aaaaaa1", "--tag", "t", "-o", "x.zip"),
        (3, "no debate fits", "archive", "--tag", "t", "-o", "x.zip"),
        (1, "nothing is replaced", "archive", "aaaaaa1", "-o", "whole.zip"),
        (2, "--yes deletes without asking", "archive", "aaaaaa1", "-o", "x.zip", "--delete"),
        (2, "a rule with --older-than", "delete", "--tag", "t", "--yes"),
        (2, "not both", "delete", "aaaaaa1", "--older-than", "9d", "--yes"),
        (2, "'old' is no age", "delete", "--older-than", "old", "--yes"),
        (3, "cannot read none.zip", "restore", "none.zip"),
        (1, "its SHA-256 is not the one at its end", "restore", "moot.db"),
    ):
        where = [str(three.home / each) if "." in each and each != "x" else each for each in given]
        said(three.here(*where), code, says.replace("none.zip", str(three.home / "none.zip")))
    assert not (three.home / "x.zip").exists()
