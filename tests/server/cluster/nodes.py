"""Servers on one PostgreSQL, and what the tests of several nodes ask of them."""

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
Node = tuple[Process, str]


class Nodes:
    """Servers on one store."""

    def __init__(self, cli: Cli, url: str, ending: ExitStack) -> None:
        self.cli, self.url, self._ending = cli, url, ending

    def start(self, *args: str, **more: str) -> Node:
        """One more, and where it answers."""
        given = {"MOOT_STORE": self.url, "MOOT_LEASE_S": str(LEASE_S), "MOOT_LOG_LEVEL": "warning"} | more
        server: AbstractContextManager[Node] = self.cli.server(*args, **given)
        return self._ending.enter_context(server)


class Pair(NamedTuple):
    """Two nodes that live through several tests, and their store."""

    here: str
    there: str
    log: EventLog
    nodes: Nodes


def post(address: str, debate: str, act: str, **body: Any) -> httpx.Response:
    return httpx.post(f"{address}/api/debates/{debate}/{act}", json=body, trust_env=False, timeout=30)


def state_of(address: str, debate: str) -> str:
    return str(httpx.get(f"{address}/api/debates/{debate}", trust_env=False).raise_for_status().json()["state"])


def running(address: str) -> int:
    """Debates that a node runs."""
    lines = httpx.get(f"{address}/metrics", trust_env=False).text.splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith("moot_debates_running "))


def open_anyhow(address: str, model: str) -> httpx.Response:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    return httpx.post(f"{address}/api/debates", json={"motion": "m", "turns": 2, **seats}, trust_env=False)


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_S):
        while not await to_thread.run_sync(holds):  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.02)


async def watched(log: EventLog, *lookers: ReconnectingSpectator) -> None:
    """Each of them watches to the end and has the log's view then; the logs are sound."""
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            for each in lookers:
                tasks.start_soon(each.watch)
    for each in lookers:
        fold = views.apply_all(views.INITIAL, await check_sound(log, each.debate))

        assert each.view == msgspec.json.decode(msgspec.json.encode(fold.view))


def looker(debate: str, address: str) -> ReconnectingSpectator:
    return ReconnectingSpectator(debate, [address], random.Random(1))
