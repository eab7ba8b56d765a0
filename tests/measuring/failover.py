"""Spectators of debates on two nodes while connections are cut, a node is killed and the store restarts.

Every spectator keeps the view as the page does: a snapshot, then one patch for each frame.  A gap or a repeat in the
positions or in the text in flight is a failure, and so is text that differs from the recorded turn.
"""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
import httpx
import msgspec
from anyio import to_thread
from msgspec import Struct
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from events.patch import merge
from events.store.log import EventLog, read_pages
from events.store.open import opened_log
from events.types import AttemptAbandoned, DebateConcluded, ModelAnswered, TurnScored, TurnSpoken
from events.verify import verify_log
from events.view import view as views
from tests.server.children import STARTED

SERVE: Final = (sys.executable, "-c", "from server.cli import main; main()", "serve", "--port", "0")
PATIENCE_S: Final = 300.0
PAUSE_S: Final = 0.05
SETTINGS: Final = {"MOOT_LIMITS": "scripted: concurrent=1000", "MOOT_LOG_LEVEL": "error"}


class WrongView(Exception):
    """A spectator was shown something wrong."""


class ReconnectingSpectator:
    """Watches one debate to its end, on any node that answers."""

    def __init__(self, debate: str, addresses: Sequence[str], rng: random.Random, cut_s: float | None = None) -> None:
        """``cut_s``: mean time after which the connection is cut, in seconds."""
        self.debate, self.addresses, self._rng, self._cut_s = debate, addresses, rng, cut_s
        self.position = self.connections = self.deltas = 0
        self.view: Any = None
        self.is_over = False
        self.closes: list[tuple[int | None, str]] = []
        self.types: list[str] = []
        """Types of the events received as frames."""
        self._speaking: tuple[int, int] | None = None
        self._text = ""

    async def watch(self) -> None:
        """Watch until the debate has concluded.  Raises ``WrongView``."""
        while not self.is_over:
            after = f"?after={self.position}" if self.view is not None else ""
            address = self._rng.choice(self.addresses).replace("http", "ws")
            try:
                with anyio.move_on_after(self._rng.expovariate(1 / self._cut_s) if self._cut_s else PATIENCE_S):
                    async with connect(
                        f"{address}/ws/debates/{self.debate}{after}", proxy=None, close_timeout=0, max_size=None
                    ) as socket:
                        self.connections += 1
                        self._speaking = None
                        try:
                            while not self.is_over:
                                self.take(msgspec.json.decode(await socket.recv()))
                        finally:
                            socket.transport.abort()
            except ConnectionClosed as error:
                self.closes.append((error.rcvd.code, error.rcvd.reason) if error.rcvd else (None, ""))
            except (OSError, InvalidHandshake, TimeoutError):
                pass
            await anyio.sleep(0 if self.is_over else PAUSE_S)

    def take(self, message: Any) -> None:
        """Check and apply one message."""
        match message["kind"]:
            case "snapshot":
                if message["position"] < self.position:
                    raise WrongView(f"a snapshot of {message['position']} after {self.position}")
                self.view, self.position = message["view"], message["position"]
                self._speaking = None
                if speaking := message["speaking"]:
                    self._speaking, self._text = (speaking["turn"], speaking["attempt"]), speaking["text"]
            case "frame":
                if message["position"] != self.position + 1:
                    raise WrongView(f"{message['position']} after {self.position}")
                self.position += 1
                self.view = merge(self.view or {}, message["patch"])
                self.types.append(message["event"]["type"])
                if message["event"]["type"] == "turn_spoken":
                    self._compare(message["event"])
            case "delta":
                self._add_text(message)
            case "error":
                raise WrongView(message["message"])
        self.is_over = self.view is not None and self.view["state"] == "concluded"

    def _add_text(self, message: Any) -> None:
        self.deltas += 1
        if self._speaking != (message["turn"], message["attempt"]):
            self._speaking, self._text = (message["turn"], message["attempt"]), ""
        if message["at"] != len(self._text):
            raise WrongView(f"text at {message['at']}, after {len(self._text)} characters")
        self._text += message["text"]

    def _compare(self, event: Any) -> None:
        if self._speaking == (event["turn"], event["attempt"]):
            spoken, received = event["text"], self._text.strip()
            if not (spoken.startswith(received) or received.startswith(spoken)):
                raise WrongView(f"turn {event['turn']} differs from its text in flight")


class NodeProcess:
    """A node in a process of its own."""

    def __init__(self, environment: Mapping[str, str], *arguments: str) -> None:
        self._child = subprocess.Popen(
            [*SERVE, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.address = ""

    async def started(self) -> str:
        """Wait until it answers; its address."""
        self.address = await to_thread.run_sync(self._read_address)
        return self.address

    def _read_address(self) -> str:
        assert self._child.stderr is not None
        output = b""
        while line := self._child.stderr.readline():
            output += line
            if found := STARTED.search(line):
                os.set_blocking(self._child.stderr.fileno(), False)
                return found[1].decode()
        raise WrongView(output.decode())

    def resident_kb(self) -> int:
        """The most memory that it has had; 0 where the system does not tell."""
        status = Path(f"/proc/{self._child.pid}/status")
        found = re.search(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8")) if status.exists() else None
        return int(found[1]) if found else 0

    def kill(self) -> None:
        """Kill it as ``kill -9`` does."""
        self._child.kill()
        self._child.wait()
        if self._child.stderr is not None:
            self._child.stderr.close()


class FailoverReport(Struct, frozen=True, kw_only=True):
    """The result; times in seconds."""

    debates: int
    spectators: int
    connections: int
    """Connections that were made."""
    deltas: int
    frames: int
    handed_over: int
    """Attempts that the kill interrupted and the other node repeated."""
    takeover_s: float
    """From the kill until every debate of the killed node continued."""
    took_s: float


async def run_failover(
    url: str,
    model: str,
    restart: Callable[[], Awaitable[None]],
    *,
    debates: int,
    spectators: int,
    turns: int = 4,
    lease_s: float = 2.0,
    cut_s: float = 2.0,
    seed: int = 7,
    settings: Mapping[str, str] | None = None,
) -> FailoverReport:
    """Run two nodes on the store ``url``; kill one, then restart the store.  Raises ``WrongView``."""
    environment = {"MOOT_STORE": url, "MOOT_LEASE_S": str(lease_s), **SETTINGS, **(settings or {})}
    rng, began = random.Random(seed), time.monotonic()
    nodes = [NodeProcess(environment), NodeProcess(environment)]
    try:
        addresses = [await node.started() for node in nodes]
        names = [await _open(addresses[number % 2], model, turns) for number in range(debates)]
        watchers = [
            ReconnectingSpectator(names[number % debates], addresses, random.Random(f"{seed} {number}"), cut_s)
            for number in range(spectators)
        ]
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks, opened_log(url, read_only=True) as log:
                for each in watchers:
                    tasks.start_soon(each.watch)
                await anyio.sleep(rng.uniform(1, 2))
                nodes[0].kill()
                killed_at = time.monotonic()
                del addresses[0]
                heads = {name: await log.head(name) for name in names[0::2]}
                await _continued(log, heads)
                takeover_s = time.monotonic() - killed_at
                await restart()
        async with opened_log(url, read_only=True) as log:
            handed_over = sum([await _check(log, name, turns, watchers) for name in names])
    finally:
        for node in nodes:
            node.kill()
    return FailoverReport(
        debates=debates,
        spectators=spectators,
        connections=sum(each.connections for each in watchers),
        deltas=sum(each.deltas for each in watchers),
        frames=sum(len(each.types) for each in watchers),
        handed_over=handed_over,
        takeover_s=takeover_s,
        took_s=time.monotonic() - began,
    )


async def _open(address: str, model: str, turns: int) -> str:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.post(f"{address}/api/debates", json={"motion": "m", "turns": turns, **seats})
        return str(response.raise_for_status().json()["id"])


async def _continued(log: EventLog, heads: Mapping[str, int]) -> None:
    """Wait until every open debate has continued."""
    waiting = dict(heads)
    while waiting:
        for name, head in tuple(waiting.items()):
            (last,) = await log.read(name, head - 1, 1)
            if isinstance(last.event, DebateConcluded) or await log.head(name) > head:
                del waiting[name]
        await anyio.sleep(PAUSE_S)


async def _check(log: EventLog, debate: str, turns: int, watchers: Sequence[ReconnectingSpectator]) -> int:
    """Check a debate and its spectators; the number of interrupted attempts.  Raises ``WrongView``."""
    fold, events = views.INITIAL, []
    async for records in read_pages(log, debate):
        fold = views.apply_all(fold, records)
        events += [record.event for record in records]
    if not (await verify_log(log, debate)).ok:
        raise WrongView(f"{debate} does not verify")
    spoken = [event.turn for event in events if isinstance(event, TurnSpoken)]
    scored = [event.turn for event in events if isinstance(event, TurnScored)]
    if not (spoken == scored == list(range(1, turns + 1))) or not isinstance(events[-1], DebateConcluded):
        raise WrongView(f"{debate}: spoken {spoken}, judged {scored}, last {type(events[-1]).__name__}")
    asked = [
        (event.key, event.turn, event.sample)
        for event in events
        if isinstance(event, ModelAnswered) and event.purpose != "speak"
    ]
    if len(set(asked)) != len(asked):
        raise WrongView(f"{debate} was judged twice: {sorted(asked)}")
    view = msgspec.json.decode(msgspec.json.encode(fold.view))
    for each in watchers:
        if each.debate == debate and (each.view != view or each.position != len(events)):
            raise WrongView(f"a spectator of {debate} ended with another view than the log's")
    return sum(isinstance(event, AttemptAbandoned) for event in events)
