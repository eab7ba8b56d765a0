"""Kills the process that writes, again and again, and compares the log with the acknowledged appends.

``python -m tests.measuring.kills --kills 100 --events 1000000 --store URL`` runs it, with
``--postgres`` on a temporary server.
With ``--forget`` (SQLite on Linux with a C compiler) each kill also drops everything that was written and not synced.
"""

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import click
from msgspec import Struct

from events.errors import LogError
from events.store.address import is_postgres, sqlite_path
from events.store.log import EventLog, read_pages
from events.store.open import opened_log
from events.store.postgres.schema import migrate
from events.types import TurnStarted
from events.verify import verify_log
from tests.measuring.postgres import database

DEBATES: Final = 256
PROGRAM: Final = (sys.executable, "-m", "tests.measuring.killed")
SEED: Final = 20261121
START_S: Final = 30.0
"""Seconds that a process may take until its first answer."""


class KillReport(Struct, frozen=True, kw_only=True):
    """The result of all kills."""

    kills: int
    acknowledged: int
    recorded: int
    lost: int
    """Events that were acknowledged and are not in the log."""
    doubled: int
    torn: int
    """Batches of which the log has only a part."""
    broken: int
    """Debates whose chain does not verify."""
    forgotten: int
    """Bytes that were written, not synced, and dropped."""
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is lost or doubled and every chain is whole."""
        return not (self.lost or self.doubled or self.torn or self.broken)


class Acknowledged:
    """The appends that were acknowledged, read while the process prints them."""

    def __init__(self) -> None:
        self.heads: dict[str, int] = {}
        self.events = 0

    def read(self, stream: Any, reached: threading.Event, enough: int) -> None:
        """Read to the end; set ``reached`` after ``enough`` more acknowledged events."""
        goal = self.events + enough
        for line in stream:
            if not line.endswith(b"\n"):
                return  # the kill cut it: not acknowledged
            name, position = line.split()
            debate = name.decode()
            self.events += int(position) - self.heads.get(debate, 0)
            self.heads[debate] = int(position)
            if self.events >= goal:
                reached.set()
        reached.set()


def kill_once(
    command: Sequence[str], acknowledged: Acknowledged, enough: int, delay_s: float, environment: dict[str, str]
) -> None:
    """Start a writer, wait for ``enough`` acknowledged events and ``delay_s`` more, and kill it."""
    before = acknowledged.events
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment
    ) as process:
        reached = threading.Event()
        reader = threading.Thread(target=acknowledged.read, args=(process.stdout, reached, enough))
        reader.start()
        if not reached.wait(START_S + enough / 100):
            process.kill()
            raise RuntimeError("the writer acknowledges nothing")
        time.sleep(delay_s)
        died = process.poll()
        process.kill()
        reader.join()
        assert process.stderr is not None
        stderr = process.stderr.read().decode().strip()
    if died is not None or acknowledged.events == before:
        raise RuntimeError(f"the writer ended by itself: {stderr[-2000:]}")


def forget(path: Path) -> int:
    """Replace the store's files by what was synced of them; the number of bytes that were lost."""
    lost = 0
    for name in (path, path.with_name(f"{path.name}-wal")):
        durable = name.with_name(f"{name.name}.durable")
        written = name.read_bytes() if name.exists() else b""
        kept = durable.read_bytes() if durable.exists() else b""
        size = max(len(written), len(kept))
        if written != kept:
            same = sum(left == right for left, right in zip(_blocks(written), _blocks(kept), strict=False))
            lost += max(size - same * 4096, 0)
        if durable.exists():
            shutil.copyfile(durable, name)
        else:
            name.unlink(missing_ok=True)
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)  # shared memory, which a machine loses
    return lost


def _blocks(written: bytes) -> list[bytes]:
    return [written[start : start + 4096] for start in range(0, len(written), 4096)]


async def check(url: str, heads: dict[str, int], *, whole: bool) -> dict[str, int]:
    """Compare the log with what was acknowledged: the heads, or every event if ``whole``."""
    found = dict.fromkeys(("recorded", "lost", "doubled", "torn", "broken"), 0)
    try:
        async with opened_log(url, read_only=True) as log:
            for debate, head in heads.items():
                recorded = await log.head(debate)
                found["recorded"] += recorded
                found["lost"] += max(head - recorded, 0)
                if whole:
                    await _read(log, debate, found)
                else:
                    found["torn"] += not _ends_whole([each.event for each in await log.read(debate, recorded - 1)])
    except LogError as error:
        click.echo(str(error), err=True)
        found["lost"] += sum(heads.values()) - found["recorded"]
    return found


async def _read(log: EventLog, debate: str, found: dict[str, int]) -> None:
    ids: set[str] = set()
    position, last = 0, []
    try:
        async for page in read_pages(log, debate):
            for record in page:
                position += 1
                event = record.event
                assert isinstance(event, TurnStarted)
                found["doubled"] += record.id in ids or event.turn != position
                ids.add(record.id)
            last = [page[-1].event]
        found["broken"] += not (await verify_log(log, debate)).ok
    except LogError:
        found["broken"] += 1
    found["torn"] += not _ends_whole(last)


def _ends_whole(last: list[Any]) -> bool:
    """Whether the newest event is the last of its batch."""
    return not last or last[0].attempt // 10 == last[0].attempt % 10


def compiled(folder: Path) -> Path:
    """Compile the library that forgets unsynced writes.  Raises ``CalledProcessError``, ``FileNotFoundError``."""
    source, library = Path(__file__).with_name("unsynced.c"), folder / "unsynced.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


def run(
    url: str,
    kills: int,
    events: int,
    seed: int,
    *,
    forgets: bool = False,
    verbose: bool = True,
    program: Sequence[str] = PROGRAM,
) -> KillReport:
    """Kill that many writers; each acknowledges about ``events ÷ kills`` events first."""
    rng = random.Random(seed)
    acknowledged, began, forgotten = Acknowledged(), time.monotonic(), 0
    path = sqlite_path(url)
    with TemporaryDirectory(prefix="moot-soak-") as folder:
        environment: dict[str, str] = {}
        if forgets and path is not None:
            environment = {"LD_PRELOAD": str(compiled(Path(folder))), "FORGETS": str(path.absolute())}
        for number in range(1, kills + 1):
            left = max(events - acknowledged.events, 0) / (kills - number + 1)
            enough = max(int(left * rng.uniform(0.5, 1.5) if number < kills else left), 1)
            command = [*program, url, str(DEBATES), str(seed + number)]
            kill_once(command, acknowledged, enough, rng.uniform(0, 0.02), environment)
            if forgets and path is not None:
                forgotten += forget(path)
            found = anyio.run(lambda: check(url, acknowledged.heads, whole=False))
            if verbose:
                click.echo(f"kill {number}: {acknowledged.events:,} acknowledged, {found['lost']} lost", err=True)
            if found["lost"] or found["torn"]:
                break
        found = anyio.run(lambda: check(url, acknowledged.heads, whole=True))
    return KillReport(
        kills=number,
        acknowledged=acknowledged.events,
        forgotten=forgotten,
        seconds=round(time.monotonic() - began, 1),
        **found,
    )


@click.command()
@click.option("--kills", type=click.IntRange(1), default=100, show_default=True)
@click.option(
    "--events",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="To be acknowledged.",
)
@click.option("--store", metavar="URL", help="An empty store; by default a file that is deleted afterwards.")
@click.option("--postgres", is_flag=True, help="Use a temporary PostgreSQL server.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the times of the kills.")
@click.option("--forget", "forgets", is_flag=True, help="Also lose what was not synced.")
def main(kills: int, events: int, store: str | None, seed: int, *, postgres: bool, forgets: bool) -> None:
    """Kill the writer at random moments; exits 1 if anything acknowledged is lost, doubled or torn."""
    with database() if postgres else TemporaryDirectory(prefix="moot-soak-") as place:
        url = store or (place if postgres else f"sqlite:{place}/moot.db")
        if is_postgres(url):
            anyio.run(migrate, url)
        report = run(url, kills, events, seed, forgets=forgets)
    click.echo(report_in_words(report))
    if not report.ok:
        raise click.exceptions.Exit(1)


def report_in_words(report: KillReport) -> str:
    """The report as one sentence."""
    dropped = f", {report.forgotten:,} unsynced bytes dropped" if report.forgotten else ""
    return (
        f"{report.kills} kills, {report.acknowledged:,} events acknowledged, {report.recorded:,} recorded:"
        f" {report.lost} lost, {report.doubled} doubled, {report.torn} torn, {report.broken} chains broken{dropped};"
        f" {report.seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
