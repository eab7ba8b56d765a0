"""Memory that a spectator takes, in a process of its own: what other figures have left behind does not count.

``python -m server.bench.resident moot|starlette FIRST COUNT`` prints KB a socket, from the FIRST sockets to COUNT.
"""

import gc
import sys
from functools import partial
from pathlib import Path
from typing import Final

import anyio

from server.bench.clients import affordable, audience
from server.bench.figure import Figure, figure
from server.bench.served import QUIET_S, moot, starlette

KB: Final = 1024
PAGE: Final = 4096


async def memory(*, quick: bool) -> Figure:
    """Memory that one spectator more takes, beyond the kernel's."""
    first, count = affordable(50 if quick else 500), affordable(250 if quick else 3000)

    grown: dict[str, float] = {}

    async def grow(server: str) -> None:
        command = [sys.executable, "-m", "server.bench.resident", server, str(first), str(count)]
        grown[server] = float((await anyio.run_process(command, stderr=None)).stdout)

    async with anyio.create_task_group() as tasks:  # memory is what counts: they need not wait for each other
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
    """Memory of this process that is in use now.  Linux only; elsewhere 0."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * PAGE / KB if statistics.exists() else 0.0


async def _grown(port: int, path: str, first: int, count: int) -> float:
    async with audience(port, first, path):
        await anyio.sleep(QUIET_S)
        gc.collect()
        before = resident_kb()
        async with audience(port, count - first, path):
            await anyio.sleep(QUIET_S)
            gc.collect()
            return (resident_kb() - before) / (count - first)


async def main(server: str, first: int, count: int) -> None:
    """Print what one socket of that server takes."""
    if server == "moot":
        async with moot() as house:
            print(await _grown(house.port, house.path, first, count))
    else:
        async with starlette() as (port, _):
            print(await _grown(port, "/", first, count))


if __name__ == "__main__":
    anyio.run(partial(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), backend_options={"use_uvloop": True})
