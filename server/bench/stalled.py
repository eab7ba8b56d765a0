"""Readers who do not read: what they cost those who do, and what is kept for them.

``python -m server.bench.stalled --readers 4000 --stalled 400`` has them all on one debate and says how they fare.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median
from typing import Final

import anyio
import click

from server.bench.clients import Audience, affordable, audience
from server.bench.figure import Figure, figure
from server.bench.resident import resident_kb
from server.bench.served import QUIET_S, House, moot

MOST_KB: Final = 256
JOINED: Final = 64
KB: Final = 1024


async def _latency_ms(house: House, watching: Audience) -> float:
    """From the commit of an event until 99 % have it."""
    await watching.expect(1)
    await house.append()
    committed = time.monotonic_ns()
    return ((await watching.had()).most_ns - committed) / 1e6


async def healthy(*, quick: bool) -> Figure:
    """The latency of those who read, with a tenth more who do not beside them, and without."""
    count = affordable(300 if quick else 4000) // 2
    rounds = 8 if quick else 20
    async with (
        moot() as alone,
        moot() as beside,
        _stalled(beside, count // 10),
        audience(alone.port, count, alone.path, look_us=0) as some,
        audience(beside.port, count, beside.path, look_us=0) as others,
    ):
        await anyio.sleep(QUIET_S)
        quiet, disturbed = [], []
        for _ in range(rounds):
            quiet.append(await _latency_ms(alone, some))
            disturbed.append(await _latency_ms(beside, others))
    return figure(
        "p99 beside stalled",
        median(disturbed),
        median(quiet),
        aim=1.2,
        better="less",
        unit="ms",
        against=f"{count:,} readers, commit to receipt, without {count // 10} stalled ones",
    )


async def kept(*, quick: bool) -> Figure:
    """What is kept at most for one who reads nothing; when they read at last, they have every event once."""
    count = affordable(20 if quick else 100)
    async with moot() as house, _stalled(house, count) as watching:
        for _ in range(4 if quick else 20):
            head = await house.append(JOINED)
        most = max(spectator.waiting for spectator in house.crowd.spectators()) / KB
        await watching.wake()
        await watching.expect_position(head)
        received = await watching.had()
    assert received.gaps == 0, "a reader saw a gap or a repeat"
    return figure(
        "kept for a stalled one",
        most,
        MOST_KB,
        aim=MOST_KB,
        aim_of="value",
        better="less",
        unit="KB",
        against=f"the bound; {count} of them have all {head:,} events in order once they read",
    )


@asynccontextmanager
async def _stalled(house: House, count: int) -> AsyncIterator[Audience]:
    """Clients that read nothing, with all that the system keeps for them full."""
    async with audience(house.port, count, house.path, stalled=count) as watching:
        while not all(spectator.is_paused for spectator in house.crowd.spectators()):
            await house.append(JOINED)
            await anyio.sleep(0.002)
        yield watching


async def crowd(readers: int, stalled: int, events: int = 40, joined: int = 10) -> str:
    """One debate before so many who read and so many who do not: in words, how they fared."""
    async with moot() as house:
        await anyio.sleep(QUIET_S)
        empty = resident_kb()
        async with _stalled(house, stalled):
            before = resident_kb()
            async with audience(house.port, readers, house.path, look_us=0) as watching:
                await anyio.sleep(QUIET_S)
                after = resident_kb()
                taken = [await _latency_ms(house, watching) for _ in range(events)]
                for _ in range(events):
                    await watching.expect(joined)
                    await house.append(joined)
                    received = await watching.had()
                most = max(spectator.waiting for spectator in house.crowd.spectators()) / KB
    reads, does_not = (after - before) / readers, (before - empty) / max(stalled, 1)
    return (
        f"{readers:,} read and {stalled:,} do not: 99 % have an event {median(taken):.0f} ms after its commit (median "
        f"of {events} events, worst {max(taken):.0f} ms); {received.gaps} gaps; {reads:.1f} KB for one who reads, "
        f"{does_not:.1f} KB for one who does not, of whom {most:.0f} KB wait at most"
    )


@click.command
@click.option("--readers", default=4000)
@click.option("--stalled", default=400)
def main(readers: int, stalled: int) -> None:
    """Say how those who read fare beside those who do not."""
    click.echo(anyio.run(crowd, affordable(readers), stalled, backend_options={"use_uvloop": True}))


if __name__ == "__main__":
    main()
