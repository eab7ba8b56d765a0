"""Servers on one PostgreSQL store, and the requests that tests send to them."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple

import anyio
import httpx
import msgspec
from anyio import to_thread

from events.store.log import EventLog
from events.view import view as views
from tests.measuring.failover import ReconnectingSpectator
from tests.server.children import Cli, Process
from tests.server.harness import check_sound

LEASE_S = 1.5
QUICK = {"chunk_ms": 30, "chunk_chars": 6, "answer_ms": 30}
SLOW = {"chunk_ms": 100, "chunk_chars": 1}
PATIENCE_S = 40
StartedServer = tuple[Process, str]


class Nodes:
    """Starts servers on one store."""

    def __init__(self, cli: Cli, url: str, ending: ExitStack) -> None:
        self.cli, self.url, self._ending = cli, url, ending

    def start(self, *args: str, **environment: str) -> StartedServer:
        """Start one more server; gives its process and address."""
        variables = {"MOOT_STORE": self.url, "MOOT_LEASE_S": str(LEASE_S), "MOOT_LOG_LEVEL": "warning"} | environment
        server: AbstractContextManager[StartedServer] = self.cli.server(*args, **variables)
        return self._ending.enter_context(server)


class Pair(NamedTuple):
    """Two nodes that run during several tests, and their store."""

    first: str
    second: str
    log: EventLog
    nodes: Nodes


def post(address: str, debate: str, command: str, **body: Any) -> httpx.Response:
    return httpx.post(f"{address}/api/debates/{debate}/{command}", json=body, trust_env=False, timeout=30)


def state_of(address: str, debate: str) -> str:
    return str(httpx.get(f"{address}/api/debates/{debate}", trust_env=False).raise_for_status().json()["state"])


def running(address: str) -> int:
    """Number of debates that a node runs."""
    lines = httpx.get(f"{address}/metrics", trust_env=False).text.splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith("moot_debates_running "))


def try_to_open(address: str, model: str) -> httpx.Response:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    return httpx.post(f"{address}/api/debates", json={"motion": "m", "turns": 2, **seats}, trust_env=False)


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_S):
        while not await to_thread.run_sync(holds):  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.02)


async def watch_to_end(log: EventLog, *spectators: ReconnectingSpectator) -> None:
    """Let all spectators watch to the end; check that each has the view of its log, and that the logs are valid."""
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            for each in spectators:
                tasks.start_soon(each.watch)
    for each in spectators:
        fold = views.apply_all(views.INITIAL, await check_sound(log, each.debate))

        assert each.view == msgspec.json.decode(msgspec.json.encode(fold.view))


def spectator(debate: str, address: str) -> ReconnectingSpectator:
    return ReconnectingSpectator(debate, [address], random.Random(1))
