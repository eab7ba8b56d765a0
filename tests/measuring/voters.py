"""Voters of a poll, each with a cookie jar of its own, who vote over HTTP while other debates run: latency and CPU.

``python -m tests.measuring.voters --voters 1000 --seconds 60`` starts a server of its own.  With ``--server`` and
``--debate`` the voters go to a debate that is there: a room that votes before and after, by hand.
"""

import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

import anyio
import click
import httpx
import msgspec

PAGE: Final = (
    "vote/vote.js", "parts/api.js", "parts/dom.js", "words/formatting.js", "vote/poll.js", "words/words.js",
    "words/poll.js", "parts/style.css", "vote/poll.css",
)  # fmt: skip
"""What the page of the vote loads besides itself."""
TICKS: Final = os.sysconf("SC_CLK_TCK")
AT_ONCE: Final = 200
"""Open connections of all voters together."""
SPEECH: Final = (
    "Trams carry more people than cars, because they share one track, and one tram carries two hundred. " * 3
)
SCRIPT: Final = {
    "label": "Voters",
    "says": {"pro": [SPEECH], "con": [SPEECH]},
    "pace": {"chunk_ms": 100, "chunk_chars": 3},
}


class Figures:
    """Latencies by kind of request in milliseconds, and the answers that are no success."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = {}
        self.refused: dict[str, int] = {}

    def lines(self) -> Iterator[str]:
        """One line for each kind of request."""
        for kind, took in self.took.items():
            cuts = quantiles(took, n=100) if len(took) > 1 else took * 99
            shown = f"half within {cuts[49]:.0f} ms, 95 % within {cuts[94]:.0f} ms, 99 % within {cuts[98]:.0f} ms"
            yield f"{kind}: {len(took):,} answers, {shown}, the slowest {max(took):.0f} ms"
        yield f"refused: {self.refused or 'none'}"


async def send(client: httpx.AsyncClient, figures: Figures, kind: str, path: str, body: Any = None) -> httpx.Response:
    """One request, timed."""
    began = time.perf_counter()
    answer = await (client.get(path) if body is None else client.post(path, json=body))
    figures.took.setdefault(kind, []).append((time.perf_counter() - began) * 1000)
    if not answer.is_success:
        why = f"{answer.status_code} {answer.json()['error']['message']}"
        figures.refused[why] = figures.refused.get(why, 0) + 1
    return answer


async def room(
    url: str, debate: str, when: str, voters: int, seconds: float, jars: dict[int, httpx.Cookies], seed: int = 0
) -> Figures:
    """All voters come within ``seconds``, load the page, and vote; every fifth changes the vote.

    ``jars`` holds the cookies of voters that have come before.  In the second vote every tenth voter has gone, and as
    many are new.
    """
    figures, dice = Figures(), random.Random(f"{seed}{when}")
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    transport = httpx.AsyncHTTPTransport(limits=limits)
    start = time.perf_counter()

    async def come(voter: int, at: float, stance: str, *, changes: bool) -> None:
        await anyio.sleep(max(0.0, start + at - time.perf_counter()))
        client = httpx.AsyncClient(base_url=url, transport=transport, cookies=jars.get(voter), timeout=60)
        if voter not in jars:
            await send(client, figures, "the page", f"/vote/{debate}")
            for name in PAGE:
                await send(client, figures, "a file of the page", f"/static/{name}")
        await send(client, figures, "the state of the poll", f"/api/debates/{debate}/poll")
        jars[voter] = client.cookies
        for choice in ("undecided", stance) if changes else (stance,):
            body = {"when": when, "stance": choice}
            await send(client, figures, "a vote", f"/api/debates/{debate}/votes", body)
        await send(client, figures, "the state of the poll", f"/api/debates/{debate}/poll")

    async with transport, anyio.create_task_group() as tasks:
        first = voters // 10 if when == "after" else 0
        for voter in range(first, first + voters):
            weights = (4, 4, 3) if when == "before" else (6, 4, 1)
            stance = dice.choices(("pro", "con", "undecided"), weights)[0]
            tasks.start_soon(come_args(come, voter, dice.uniform(0, seconds), stance, changes=voter % 5 == 0))
    return figures


def come_args(come: Any, voter: int, at: float, stance: str, *, changes: bool) -> Any:
    """The task of one voter."""

    async def run() -> None:
        await come(voter, at, stance, changes=changes)

    return run


@contextmanager
def served(folder: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """``moot serve`` over a store in a folder: its address and the id of its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    moot, url = Path(sys.executable).with_name("moot"), f"http://127.0.0.1:{port}"
    command = [str(moot), "serve", "--store", f"sqlite:{folder / 'moot.db'}", "--port", str(port)]
    begun = partial(subprocess.Popen, command, env={**os.environ, **environment})
    with (folder / "log").open("wb") as log, begun(stdout=log, stderr=log) as process:
        try:
            while True:
                with suppress(httpx.TransportError):
                    httpx.get(f"{url}/readyz")
                    break
                time.sleep(0.1)
            yield url, process.pid
        finally:
            process.terminate()


async def poll_with(client: httpx.AsyncClient, debate: str, part: str) -> Any:
    """The poll of a debate once it has this part."""
    while True:
        poll = (await client.get(f"/api/debates/{debate}/poll")).json()["poll"]
        if part in poll:
            return poll
        await anyio.sleep(0.1)


def cpu_s(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def measure(voters: int, seconds: float, debates: int) -> str:
    """Both votes of a debate, while ``debates`` others are spoken; the figures as lines."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (url, process):
        script = Path(folder) / "script.json"
        script.write_bytes(msgspec.json.encode(SCRIPT))
        seats = {seat: {"model": f"scripted:{script}"} for seat in ("pro", "con", "judge")}
        quick = Path(folder) / "quick.json"
        quick.write_bytes(msgspec.json.encode({**SCRIPT, "pace": {}}))
        at_once = {seat: {"model": f"scripted:{quick}"} for seat in ("pro", "con", "judge")}
        async with httpx.AsyncClient(base_url=url, timeout=60) as operator:
            for _ in range(debates):
                await operator.post("/api/debates", json={"motion": "Trams", "turns": 100, **seats})
            opening = {
                "motion": "Cities should ban cars",
                "turns": 2,
                **at_once,
                "poll": {"voters_per_address": 2 * voters},
            }
            debate = (await operator.post("/api/debates", json=opening)).json()["id"]
            jars: dict[int, httpx.Cookies] = {}
            for when in ("before", "after"):
                await poll_with(operator, debate, when)
                used, began = cpu_s(process), time.perf_counter()
                figures = await room(url, debate, when, voters, seconds, jars)
                took = time.perf_counter() - began
                share = (cpu_s(process) - used) / took
                (await operator.post(f"/api/debates/{debate}/poll/close", json={"when": when})).raise_for_status()
                lines += [f"{voters:,} voters {when} the debate in {took:.0f} s, with {share:.0%} of one core:"]
                lines += [f"  {line}" for line in figures.lines()]
            shown = await poll_with(operator, debate, "result")
            lines += [f"cast: {shown['before']['cast']:,} and {shown['after']['cast']:,}; {shown['result']['twice']}"]
    return "\n".join(lines)


@click.command
@click.option("--voters", default=1000, show_default=True)
@click.option("--seconds", default=60.0, show_default=True, help="The time in which they come.")
@click.option("--debates", default=5, show_default=True, help="Debates that are spoken meanwhile.")
@click.option("--server", "url", help="A server that is there.")
@click.option("--debate", help="A debate with a poll on that server.")
@click.option("--when", type=click.Choice(["before", "after"]), default="before", show_default=True)
@click.option(
    "--jars", type=click.Path(path_type=Path), help="A file with the cookies of the voters of the first vote."
)
def main(
    voters: int, seconds: float, debates: int, url: str | None, debate: str | None, when: str, jars: Path | None
) -> None:
    """Let a room vote, and say how long it waited."""
    if url is None or debate is None:
        click.echo(anyio.run(measure, voters, seconds, debates))
        return
    known: dict[int, httpx.Cookies] = {}
    if jars is not None and jars.exists():
        known = {int(voter): httpx.Cookies(kept) for voter, kept in msgspec.json.decode(jars.read_bytes()).items()}
    figures = anyio.run(room, url, debate, when, voters, seconds, known)
    if jars is not None:
        jars.write_bytes(msgspec.json.encode({str(voter): dict(kept) for voter, kept in known.items()}))
    click.echo("\n".join(figures.lines()))


if __name__ == "__main__":
    main()
