"""SIGKILL at any moment: nothing acknowledged is lost, no half batch, no broken chain."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from events.sqlite import SqliteLog
from events.verify import verify_log

pytestmark = pytest.mark.anyio

BATCH = 3
WRITE = """
import sys, anyio
from events.sqlite import SqliteLog
from tests.core.samples import started
BATCH = 3
async def write(log, name):
    position = await log.head(name)
    while True:
        await log.append(name, position, [started(position + n) for n in range(1, BATCH + 1)])
        position += BATCH
        sys.stdout.write(f"{name} {position}\\n")
        sys.stdout.flush()
async def main():
    async with await SqliteLog.open(sys.argv[1]) as log, anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(write, log, f"d{number}")
anyio.run(main)
"""


async def test_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    chance = random.Random(20261121)
    acknowledged: dict[str, int] = {}
    for _ in range(8):
        with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
            [sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        ) as process:
            assert process.stdout is not None
            said = [process.stdout.readline()]
            time.sleep(chance.uniform(0, 0.15))  # noqa: ASYNC251 - the moment of the kill is what is drawn
            process.kill()
            said += process.stdout.readlines()
        for line in said:
            if line.endswith("\n"):
                name, position = line.split()
                assert int(position) > acknowledged.get(name, 0)
                acknowledged[name] = int(position)

        async with await SqliteLog.open(path) as log:
            for name, position in acknowledged.items():
                head = await log.head(name)
                assert head >= position
                assert head % BATCH == 0
                assert (await verify_log(log, name)).ok
                assert list(range(1, head + 1)) == [record.event.turn for record in await log.read(name)]   # type: ignore[union-attr]

    assert len(acknowledged) == 8
