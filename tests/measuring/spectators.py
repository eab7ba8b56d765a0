"""Memory of a spectator, and spectators that do not read: the latency of the others, and what is kept.

``python -m tests.measuring.spectators moot|starlette FIRST COUNT`` prints the KB that each socket beyond FIRST
takes.  It is a process of its own, so that other figures do not change its memory.
"""

import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import anyio

from server.bench.figure import BenchFigure, figure
from tests.measuring.clients import ReaderProcess, affordable_sockets, readers
from tests.measuring.served import QUIET_S, MootServer, moot, starlette

KB: Final = 1024
MAX_KB: Final = 256
JOINED: Final = 64
PAGE: Final = 4096


async def memory(*, quick: bool) -> BenchFigure:
    """Memory of this process for each further spectator, without the kernel's."""
    first, count = affordable_sockets(50 if quick else 500), affordable_sockets(250 if quick else 3000)

    grown: dict[str, float] = {}

    async def grow(server: str) -> None:
        command = [sys.executable, "-m", "tests.measuring.spectators", server, str(first), str(count)]
        grown[server] = float((await anyio.run_process(command, stderr=None)).stdout)

    async with anyio.create_task_group() as tasks:  # only memory is measured, so both run at once
        tasks.start_soon(grow, "moot")
        tasks.start_soon(grow, "starlette")
    return figure(
        "memory of a spectator",
        grown["moot"],
        grown["starlette"],
        aim=3,
        aim_of="value",
        better="less",
        unit="KB",
        against="a socket of uvicorn and Starlette",
    )


def resident_kb() -> float:
    """Resident memory of this process, in KB.  Linux only; elsewhere 0."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * PAGE / KB if statistics.exists() else 0.0


async def _grown(port: int, path: str, first: int, count: int) -> float:
    async with readers(port, first, path):
        await anyio.sleep(QUIET_S)
        gc.collect()
        before = resident_kb()
        async with readers(port, count - first, path):
            await anyio.sleep(QUIET_S)
            gc.collect()
            return (resident_kb() - before) / (count - first)


async def main(name: str, first: int, count: int) -> None:
    """Print the memory of one socket of that server."""
    if name == "moot":
        async with moot() as server:
            print(await _grown(server.port, server.path, first, count))
    else:
        async with starlette() as (port, _):
            print(await _grown(port, "/", first, count))


async def latency_ms(server: MootServer, clients: ReaderProcess) -> float:
    """Milliseconds from the commit of an event until 99 % of the clients have it."""
    await clients.expect(1)
    await server.append()
    committed = time.monotonic_ns()
    return ((await clients.received()).most_ns - committed) / 1e6


async def healthy(*, quick: bool) -> BenchFigure:
    """The latency of clients that read: with a tenth of stalled clients beside them, and without."""
    count = affordable_sockets(300 if quick else 4000) // 2
    rounds = 8 if quick else 20
    async with (
        moot() as alone,
        moot() as beside,
        stalled_readers(beside, count // 10),
        readers(alone.port, count, alone.path, look_us=0) as some,
        readers(beside.port, count, beside.path, look_us=0) as others,
    ):
        await anyio.sleep(QUIET_S)
        quiet, disturbed = [], []
        for _ in range(rounds):
            quiet.append(await latency_ms(alone, some))
            disturbed.append(await latency_ms(beside, others))
    return figure(
        "p99 beside stalled",
        median(disturbed),
        median(quiet),
        aim=1.2,
        better="less",
        unit="ms",
        against=f"{count:,} readers, commit to receipt, without {count // 10} stalled ones",
    )


async def kept(*, quick: bool) -> BenchFigure:
    """The most that is kept for a stalled client.  When such clients read at last, they get every event once."""
    count = affordable_sockets(20 if quick else 100)
    async with moot() as server, stalled_readers(server, count) as clients:
        for _ in range(4 if quick else 20):
            head = await server.append(JOINED)
        most = max(spectator.waiting for spectator in server.connections.spectators()) / KB
        await clients.resume_stalled()
        await clients.expect_position(head)
        received = await clients.received()
    assert received.gaps == 0, "a client saw a gap or a repeat"
    return figure(
        "kept for a stalled one",
        most,
        MAX_KB,
        aim=MAX_KB,
        aim_of="value",
        better="less",
        unit="KB",
        against=f"the bound; {count} of them have all {head:,} events in order once they read",
    )


@asynccontextmanager
async def stalled_readers(server: MootServer, count: int) -> AsyncIterator[ReaderProcess]:
    """Clients that read nothing, after their buffers in the kernel are full."""
    async with readers(server.port, count, server.path, stalled=count) as clients:
        while not all(spectator.is_paused for spectator in server.connections.spectators()):
            await server.append(JOINED)
            await anyio.sleep(0.002)
        yield clients


if __name__ == "__main__":
    anyio.run(partial(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), backend_options={"use_uvloop": True})
