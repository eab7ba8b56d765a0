"""SIGKILL at any moment loses no acknowledged event, writes no partial batch, and breaks no chain."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from events.store.address import is_postgres
from events.store.open import opened_log
from events.verify import verify_log
from tests.events.conftest import DATABASE

pytestmark = pytest.mark.anyio

BATCH = 3
OF_MOOT = f"FROM pg_stat_activity WHERE application_name = 'moot' AND datname = '{DATABASE}'"
WRITE = """
import sys, anyio
from events.store.open import opened_log
from tests.events.samples import started
BATCH = 3
async def write(log, name):
    position = await log.head(name)
    while True:
        await log.append(name, position, [started(position + n) for n in range(1, BATCH + 1)])
        position += BATCH
        sys.stdout.write(f"{name} {position}\\n")
        sys.stdout.flush()
async def main():
    async with opened_log(sys.argv[1]) as log, anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(write, log, f"d{number}")
anyio.run(main)
"""


@pytest.mark.slow
async def test_kills_lose_nothing_that_was_acknowledged(store: str, request: pytest.FixtureRequest) -> None:
    rng = random.Random(20261121)
    acknowledged: dict[str, int] = {}
    for _ in range(8):
        with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
            [sys.executable, "-c", WRITE, store],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline()]
            time.sleep(rng.uniform(0, 0.15))  # noqa: ASYNC251 - a random moment for the kill
            process.kill()
            lines += process.stdout.readlines()
        for line in lines:
            if line.endswith("\n"):
                name, position = line.split()
                assert int(position) > acknowledged.get(name, 0)
                acknowledged[name] = int(position)

        if is_postgres(store):  # a killed node holds its leases, and its last statement may still run
            server = request.getfixturevalue("postgres")
            server.do(f"SELECT pg_terminate_backend(pid, 5000) {OF_MOOT}")
            server.do("UPDATE moot.debates SET lease_until = clock_timestamp()", DATABASE)
        async with opened_log(store) as log:
            for name, position in acknowledged.items():
                head = await log.head(name)
                assert head >= position
                assert head % BATCH == 0
                assert (await verify_log(log, name)).ok
                assert list(range(1, head + 1)) == [record.event.turn for record in await log.read(name)]  # type: ignore[union-attr]

    assert len(acknowledged) == 8
