"""Many debates that many people watch for minutes: memory of the server, delay of frames, gaps, and ``/readyz``.

``python -m tests.measuring.watched_debates --debates 200 --spectators 2000 --minutes 10`` starts a server of its own
over a SQLite store.  The models are scripted and take the time of real ones.  A delay is the time from the moment that
an event is written (its ``at``, before the commit) to its receipt by one spectator.  The spectators are one process.
"""

import asyncio
import time
from collections import deque
from datetime import datetime
from pathlib import Path
from statistics import mean, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
import httpx
import msgspec
from websockets.asyncio.client import connect

from server.bench.material import script
from tests.measuring.clients import affordable_sockets
from tests.measuring.routes_at_once import memory_mb
from tests.measuring.voters import cpu_s, served

TURNS: Final = 40
"""More than are spoken while it is measured."""
CHUNK_MS: Final = 1_000
CHUNKS: Final = 20
"""Pieces in which a turn is spoken: it takes 20 seconds."""
ANSWER_MS: Final = 5_000
APART_S: Final = 0.1
LOOK_S: Final = 1.0
PERCENT: Final = 100


class FrameHead(msgspec.Struct, frozen=True):
    """What is read of a frame."""

    kind: str
    position: int = 0
    at: str | int = ""


class WatchedDebates:
    """What the spectators saw and what the server used, sampled."""

    def __init__(self) -> None:
        self.delays_ms: deque[float] = deque()
        self.gaps = self.closed = 0
        self.samples: list[tuple[float, float, float, float]] = []
        """Seconds since the start, MB of memory, seconds of CPU, and milliseconds of ``/readyz``."""

    async def watch(self, url: str) -> None:
        """One spectator, until it is cancelled."""
        read, last = msgspec.json.Decoder(FrameHead).decode, 0
        async with connect(
            url, compression=None, max_size=None, max_queue=None, ping_interval=None, proxy=None
        ) as socket:
            async for text in socket:
                frame = read(text)
                if frame.kind == "frame":
                    now = time.time()
                    self.gaps += bool(last) and frame.position != last + 1
                    self.delays_ms.append((now - datetime.fromisoformat(str(frame.at)).timestamp()) * 1000)
                if frame.kind in {"frame", "snapshot"}:
                    last = frame.position
        self.closed += 1

    async def sample(self, client: httpx.AsyncClient, process: int) -> None:
        """Look at the server until cancelled."""
        began = time.monotonic()
        while True:
            asked = time.perf_counter()
            (await client.get("/readyz")).raise_for_status()
            took_ms = (time.perf_counter() - asked) * 1000
            self.samples.append((time.monotonic() - began, memory_mb(process, "VmRSS"), cpu_s(process), took_ms))
            await asyncio.sleep(LOOK_S)

    def report(self, debates: int, spectators: int) -> str:
        """The figures in sentences."""
        cuts = quantiles(self.delays_ms, n=PERCENT * 10)
        seconds = self.samples[-1][0] - self.samples[0][0]
        parts = [
            [memory for at, memory, *_ in self.samples if first <= at / self.samples[-1][0] <= last]
            for first, last in ((0.2, 0.4), (0.8, 1.0))
        ]
        return (
            f"{debates} debates, {spectators:,} spectators, {seconds / 60:.1f} minutes: {len(self.delays_ms):,} frames "
            f"received, {self.gaps} gaps, {self.closed} sockets closed; from the writing of an event to its receipt "
            f"{cuts[PERCENT * 5 - 1]:.0f} ms at the median, {cuts[PERCENT * 99 // 10 - 1]:.0f} ms at 99 %, "
            f"{max(self.delays_ms):.0f} ms at most; memory {mean(parts[0]):.0f} MB in the second fifth and "
            f"{mean(parts[1]):.0f} MB in the last, at most {max(memory for _, memory, *_ in self.samples):.0f} MB; "
            f"CPU {(self.samples[-1][2] - self.samples[0][2]) / seconds:.0%} of a core; /readyz at most "
            f"{max(took for *_, took in self.samples):.0f} ms"
        )


def paced(folder: Path) -> str:
    """The model of all seats."""
    content: dict[str, Any] = script(TURNS)
    longest = max(len(text) for texts in content["says"].values() for text in texts)
    content["pace"] = {"chunk_ms": CHUNK_MS, "chunk_chars": -(-longest // CHUNKS), "answer_ms": ANSWER_MS}
    file = folder / "script.json"
    file.write_bytes(msgspec.json.encode(content))
    return f"scripted:{file}"


async def measure(debates: int, spectators: int, minutes: float) -> str:
    """Open the debates, let all spectators join, watch, and report."""
    spectators = affordable_sockets(spectators)
    with (
        TemporaryDirectory(prefix="moot-bench-") as folder,
        served(Path(folder), MOOT_LOG_LEVEL="error") as (url, process),
    ):
        seats = {role: {"model": paced(Path(folder))} for role in ("pro", "con", "judge")}
        seen = WatchedDebates()
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client, asyncio.TaskGroup() as tasks:
            running = []
            for number in range(debates):
                opened = await client.post("/api/debates", json={"motion": "m", "turns": TURNS, **seats})
                debate = opened.raise_for_status().json()["id"]
                path = f"{url.replace('http', 'ws', 1)}/ws/debates/{debate}"
                share = range(number, spectators, debates)
                running += [tasks.create_task(seen.watch(path)) for _ in share]
                await asyncio.sleep(APART_S)  # so that their calls are spread
            running.append(tasks.create_task(seen.sample(client, process)))
            await asyncio.sleep(minutes * 60)
            for each in running:
                each.cancel()
    return seen.report(debates, spectators)


@click.command
@click.option("--debates", default=200, show_default=True)
@click.option("--spectators", default=2000, show_default=True)
@click.option("--minutes", default=10.0, show_default=True)
def main(debates: int, spectators: int, minutes: float) -> None:
    """Hold many debates that many people watch."""
    click.echo(asyncio.run(measure(debates, spectators, minutes)))


if __name__ == "__main__":
    main()
