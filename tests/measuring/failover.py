"""Many who watch debates on several nodes: lines are cut, a node is killed, the store restarts.

Every spectator keeps the view as the page does: a snapshot, then a patch a frame.  A position that does not follow, and
text in flight that does not follow or is not what the turn said, is a failure.
"""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
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

SERVE: Final = (sys.executable, "-c", "from server.cli import main; main()", "serve", "--port", "0")
PATIENCE_S: Final = 300.0
PAUSE_S: Final = 0.05
SETTINGS: Final = {"MOOT_LIMITS": "scripted: concurrent=1000", "MOOT_LOG_LEVEL": "error"}


class WrongView(Exception):
    """Somebody was shown what is not so."""


class ReconnectingSpectator:
    """Somebody who watches one debate to its end, on whichever node answers."""

    def __init__(
        self, debate: str, addresses: Sequence[str], chance: random.Random, cut_s: float | None = None
    ) -> None:
        """``cut_s``: mean time after which the line is cut, in seconds."""
        self.debate, self.addresses, self._chance, self._cut_s = debate, addresses, chance, cut_s
        self.position = self.lines = self.deltas = 0
        self.view: Any = None
        self.is_over = False
        self.closes: list[tuple[int | None, str]] = []
        self.types: list[str] = []
        """Types of the events that came as frames."""
        self._said: tuple[int, int] | None = None
        self._text = ""

    async def watch(self) -> None:
        """Watch until the debate has concluded.  Raises ``WrongView``."""
        while not self.is_over:
            after = f"?after={self.position}" if self.view is not None else ""
            address = self._chance.choice(self.addresses).replace("http", "ws")
            try:
                with anyio.move_on_after(self._chance.expovariate(1 / self._cut_s) if self._cut_s else PATIENCE_S):
                    async with connect(
                        f"{address}/ws/debates/{self.debate}{after}", proxy=None, close_timeout=0, max_size=None
                    ) as socket:
                        self.lines += 1
                        self._said = None
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

    def take(self, said: Any) -> None:
        """One message of the feed."""
        match said["kind"]:
            case "snapshot":
                if said["position"] < self.position:
                    raise WrongView(f"a snapshot of {said['position']} after {self.position}")
                self.view, self.position = said["view"], said["position"]
                self._said = None
                if speaking := said["speaking"]:
                    self._said, self._text = (speaking["turn"], speaking["attempt"]), speaking["text"]
            case "frame":
                if said["position"] != self.position + 1:
                    raise WrongView(f"{said['position']} after {self.position}")
                self.position += 1
                self.view = merge(self.view or {}, said["patch"])
                self.types.append(said["event"]["type"])
                if said["event"]["type"] == "turn_spoken":
                    self._compare(said["event"])
            case "delta":
                self._hear(said)
            case "error":
                raise WrongView(said["message"])
        self.is_over = self.view is not None and self.view["state"] == "concluded"

    def _hear(self, said: Any) -> None:
        self.deltas += 1
        if self._said != (said["turn"], said["attempt"]):
            self._said, self._text = (said["turn"], said["attempt"]), ""
        if said["at"] != len(self._text):
            raise WrongView(f"text at {said['at']}, where {len(self._text)} characters were known")
        self._text += said["text"]

    def _compare(self, event: Any) -> None:
        if self._said == (event["turn"], event["attempt"]):
            spoken, heard = event["text"], self._text.strip()
            if not (spoken.startswith(heard) or heard.startswith(spoken)):
                raise WrongView(f"turn {event['turn']} was not what was heard of it")


class NodeProcess:
    """A node as a process of its own."""

    def __init__(self, environment: Mapping[str, str], *arguments: str) -> None:
        self._child = subprocess.Popen(
            [*SERVE, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.address = ""

    async def started(self) -> str:
        """Its address, once it answers."""
        self.address = await to_thread.run_sync(self._read_address)
        return self.address

    def _read_address(self) -> str:
        assert self._child.stderr is not None
        said = b""
        while line := self._child.stderr.readline():
            said += line
            if found := re.search(rb"answers at (\S+)", line):
                os.set_blocking(self._child.stderr.fileno(), False)
                return found[1].decode()
        raise WrongView(said.decode())

    def kill(self) -> None:
        """As kill -9 does."""
        self._child.kill()
        self._child.wait()
        if self._child.stderr is not None:
            self._child.stderr.close()


class FailoverReport(Struct, frozen=True, kw_only=True):
    """What came of it; times in seconds."""

    debates: int
    spectators: int
    lines: int
    """Connections that were made."""
    deltas: int
    frames: int
    handed_over: int
    """Attempts that were broken off by the kill and made again elsewhere."""
    takeover_s: float
    """From the kill until every debate of the node that was killed had gone on."""
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
    """Two nodes on the store ``url``; one is killed, then ``restart`` restarts the store.  Raises ``WrongView``."""
    environment = {"MOOT_STORE": url, "MOOT_LEASE_S": str(lease_s), **SETTINGS, **(settings or {})}
    chance, began = random.Random(seed), time.monotonic()
    nodes = [NodeProcess(environment), NodeProcess(environment)]
    try:
        addresses = [await node.started() for node in nodes]
        names = [await _open(addresses[number % 2], model, turns) for number in range(debates)]
        watching = [
            ReconnectingSpectator(names[number % debates], addresses, random.Random(f"{seed} {number}"), cut_s)
            for number in range(spectators)
        ]
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks, opened_log(url, read_only=True) as log:
                for each in watching:
                    tasks.start_soon(each.watch)
                await anyio.sleep(chance.uniform(1, 2))
                nodes[0].kill()
                killed_at = time.monotonic()
                del addresses[0]
                heads = {name: await log.head(name) for name in names[0::2]}
                await _beyond(log, heads)
                takeover_s = time.monotonic() - killed_at
                await restart()
        async with opened_log(url, read_only=True) as log:
            handed_over = sum([await _check(log, name, turns, watching) for name in names])
    finally:
        for node in nodes:
            node.kill()
    return FailoverReport(
        debates=debates,
        spectators=spectators,
        lines=sum(each.lines for each in watching),
        deltas=sum(each.deltas for each in watching),
        frames=sum(len(each.types) for each in watching),
        handed_over=handed_over,
        takeover_s=takeover_s,
        took_s=time.monotonic() - began,
    )


async def _open(address: str, model: str, turns: int) -> str:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.post(f"{address}/api/debates", json={"motion": "m", "turns": turns, **seats})
        return str(response.raise_for_status().json()["id"])


async def _beyond(log: EventLog, heads: Mapping[str, int]) -> None:
    """Until every debate that had not ended has gone on."""
    waiting = dict(heads)
    while waiting:
        for name, head in tuple(waiting.items()):
            (last,) = await log.read(name, head - 1, 1)
            if isinstance(last.event, DebateConcluded) or await log.head(name) > head:
                del waiting[name]
        await anyio.sleep(PAUSE_S)


async def _check(log: EventLog, debate: str, turns: int, watching: Sequence[ReconnectingSpectator]) -> int:
    """What holds whatever happened; the number of attempts that were broken off.  Raises ``WrongView``."""
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
    whole = msgspec.json.decode(msgspec.json.encode(fold.view))
    for each in watching:
        if each.debate == debate and (each.view != whole or each.position != len(events)):
            raise WrongView(f"a spectator of {debate} ended with another view than the log's")
    return sum(isinstance(event, AttemptAbandoned) for event in events)
