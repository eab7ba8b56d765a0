"""A running Moot without sockets, and waits for events in it.  No function here sleeps for a fixed time."""

import tomllib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import anyio
import msgspec

from events.errors import StoreUnavailable
from events.patch import merge
from events.record import Draft, Recorded
from events.store.log import EventLog, follow, read_all
from events.store.memory import MemoryLog
from events.types import DebateConcluded, DebateHalted, Event, ModelAnswered, TurnScored, TurnSpoken, TurnStarted
from events.verify import verify_log
from events.view import view as views
from providers.limits import DEFAULT_LIMITS, Limit
from providers.registry import GROUP, Registry
from providers.scripted.provider import shipped
from server.debate.moderators import Moderators
from server.debate.opening.request import DebateRequest
from server.debate.setup import opening
from server.debate.setup.exhibitions import request_for
from server.debate.setup.request import as_request
from server.feed.channel import RING, Channel
from server.feed.hub import Hub
from server.feed.reader import Reader
from server.settings import Settings
from tests.server.told import check_told

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
QUICK = Settings(store="memory:", retry_ms=0, tick_ms=0, idle_timeout_s=5)


def fault(kind: str, times: int = 1) -> dict[str, Any]:
    """A scripted failure after a short time."""
    return {"kind": kind, "times": times, "after_ms": 10}


@cache
def _shipped() -> tuple[EntryPoint, ...]:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
    return tuple(EntryPoint(name, value, GROUP) for name, value in named.items())


def shipped_registry(limits: Mapping[str, Limit] | None = None) -> Registry:
    """The providers of this source tree, whatever else is installed."""
    return Registry(_shipped(), limits or {})


def unpaced(name: str, folder: Path, **request_: Any) -> DebateRequest:
    """The request for a shipped exhibition without pauses, whose script is in the folder; with fields that differ."""
    path = folder / f"{name}.json"
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(shipped()[name].read_bytes()) | {"pace": {}}))
    body = msgspec.json.encode(request_for(name)).replace(f"scripted:{name}".encode(), f"scripted:{path}".encode())
    return as_request(msgspec.json.decode(body) | {"exhibition": None} | request_)


class Harness:
    """Log, registry, hub and moderators."""

    def __init__(
        self,
        log: EventLog,
        settings: Settings,
        *,
        idle_s: float = 30.0,
        ring: int = RING,
        registry: Registry | None = None,
    ) -> None:
        self.log, self.settings, self.registry = log, settings, registry or shipped_registry(DEFAULT_LIMITS)
        self.hub = Hub(log, tick_ms=settings.tick_ms, idle_s=idle_s, ring=ring)
        self.moderators = Moderators(
            log, self.registry, self.hub, idle_timeout_s=settings.idle_timeout_s, settings=settings
        )

    async def open(self, model: str, *, turns: int = 2, judge: str | None = None, **request: Any) -> str:
        """Open a debate and start it."""
        return await self.moderators.open(await self.opening(model, turns=turns, judge=judge, **request))

    async def opening(self, model: str, *, turns: int = 2, judge: str | None = None, **request: Any) -> Any:
        body = {
            "motion": "Cities should ban cars",
            "turns": turns,
            "pro": {"model": model},
            "con": {"model": model},
            "judge": {"model": judge or model, "samples": request.pop("samples", 1), **request.pop("seat", {})},
            **request,
        }
        return await opening.build_opening(as_request(body), self.registry, self.settings)

    async def exhibit(self, name: str, folder: Path, **request_: Any) -> str:
        """Play a shipped exhibition to its end without pauses; its id.  ``request_``: fields that differ."""
        request = unpaced(name, folder, **request_)
        debate = await self.moderators.open(await opening.build_opening(request, self.registry, self.settings))
        await self.ended(debate)
        return debate

    async def until(self, debate: str, holds: Callable[[Recorded], bool], after: int = 0) -> Recorded:
        """The first record that fulfils a condition."""
        with anyio.fail_after(PATIENCE_S):
            async for record in follow(self.log, debate, after):
                if holds(record):
                    return record
        raise AssertionError

    async def ended(self, debate: str, after: int = 0) -> Event:
        """The event that ended the debate."""
        return (await self.until(debate, is_end, after)).event

    async def idle(self) -> None:
        """Wait until no moderator runs."""
        with anyio.fail_after(PATIENCE_S):
            while self.moderators.running:
                await anyio.lowlevel.checkpoint()

    async def events(self, debate: str) -> list[Event]:
        return [record.event async for record in read_all(self.log, debate)]

    async def view(self, debate: str) -> Any:
        """The view of the whole log, as JSON."""
        fold = views.INITIAL
        async for record in read_all(self.log, debate):
            fold = views.apply(fold, record)
        return msgspec.json.decode(msgspec.json.encode(fold.view))


@asynccontextmanager
async def harness(
    log: EventLog | None = None,
    *,
    idle_s: float = 30.0,
    ring: int = RING,
    settings: Settings = QUICK,
    registry: Registry | None = None,
    can_fold: bool = True,
) -> AsyncIterator[Harness]:
    """A running harness; all its tasks end with the context.

    ``can_fold``: at the end each debate is folded, and its turns must show what their debaters were told.
    """
    made = Harness(MemoryLog() if log is None else log, settings, idle_s=idle_s, ring=ring, registry=registry)
    async with anyio.create_task_group() as tasks:
        await tasks.start(made.hub.run)
        await tasks.start(made.moderators.run)
        yield made
        tasks.cancel_scope.cancel()
    await made.registry.close()
    if can_fold and isinstance(made.log, MemoryLog):
        for records in made.log._debates.values():
            check_told(records)


def is_end(record: Recorded) -> bool:
    return isinstance(record.event, DebateConcluded | DebateHalted)


def is_a(*types: type) -> Callable[[Recorded], bool]:
    return lambda record: isinstance(record.event, types)


async def check_sound(log: EventLog, debate: str) -> list[Recorded]:
    """What holds for every log: no gaps, verified, no half turn, every event once, the same fold by parts."""
    records = [record async for record in read_all(log, debate)]
    events = [record.event for record in records]
    half, fold = len(records) // 2, views.INITIAL
    for record in records:
        fold = views.apply(fold, record)

    assert fold == views.apply_all(views.apply_all(views.INITIAL, records[:half]), records[half:])

    assert list(range(1, len(records) + 1)) == [record.position for record in records]
    assert len({record.id for record in records}) == len(records)
    assert (await verify_log(log, debate)).ok
    spoken = [event.turn for event in events if isinstance(event, TurnSpoken)]
    scored = [event.turn for event in events if isinstance(event, TurnScored)]
    assert list(range(1, len(spoken) + 1)) == spoken
    assert list(range(1, len(scored) + 1)) == scored
    attempts = [(event.turn, event.attempt) for event in events if isinstance(event, TurnStarted)]
    assert sorted(set(attempts)) == attempts
    questions = [(e.key, e.sample) for e in events if isinstance(e, ModelAnswered) and e.purpose != "speak"]
    assert len(set(questions)) == len(questions)
    for turn in scored:
        assert turn in spoken
    if any(isinstance(event, DebateConcluded) for event in events):
        assert isinstance(events[-1], DebateConcluded)
        assert spoken == scored == list(range(1, events[0].turns + 1))  # type: ignore[union-attr]
    return records


class FailingLog(MemoryLog):
    """A log that fails for the appends that ``fails`` selects by number, counted from 1."""

    def __init__(self, fails: Callable[[int], bool], *, after_commit: bool = False) -> None:
        super().__init__()
        self.fails, self.after_commit, self.tried = fails, after_commit, 0
        self._tries: dict[int, anyio.Event] = {}

    async def reached(self, tries: int) -> None:
        """Wait for the append with this number."""
        await self._tries.setdefault(tries, anyio.Event()).wait()

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        self.tried += 1
        self._tries.setdefault(self.tried, anyio.Event()).set()
        if not self.fails(self.tried):
            return await super().append(debate, expected, events)
        if self.after_commit:
            await super().append(debate, expected, events)
        raise StoreUnavailable("the disk is full")


class Spectator:
    """Takes messages as a page does (snapshots, patches, deltas) and holds the view."""

    def __init__(self, view: Any = None) -> None:
        self.view: Any = view or {}
        self.text = ""
        self.turn = (0, 0)
        self.positions: list[int] = []
        self.kinds: list[str] = []
        self.spoken: dict[tuple[int, int], str] = {}

    @property
    def position(self) -> int:
        return int(self.view.get("position", 0))

    def take(self, message: str) -> None:
        said = msgspec.json.decode(message)
        self.kinds.append(said["kind"])
        match said["kind"]:
            case "snapshot":
                self.view = said["view"]
                if said["speaking"]:
                    self._speak(said["speaking"] | {"at": 0})
            case "frame":
                assert self.position + 1 == said["position"], "a gap or a repeat"
                self.positions.append(said["position"])
                self.view = merge(self.view, said["patch"])
            case "delta":
                self._speak(said)

    def _speak(self, said: dict[str, Any]) -> None:
        turn = (said["turn"], said["attempt"])
        if turn != self.turn or said["at"] == 0:
            self.turn, self.text = turn, ""
        assert len(self.text) == said["at"], "a delta goes on where the last one ended, in code points"
        self.text += said["text"]
        self.spoken[turn] = self.text


async def watch(
    hub: Hub, channel: Channel, spectator: Spectator, after: int | None, enough: Callable[[], bool]
) -> None:
    """Read messages until ``enough`` is true."""
    with anyio.fail_after(PATIENCE_S):
        async with Reader(hub, channel, after) as reader:
            async for batch in reader.messages():
                for message in batch:
                    spectator.take(message)
                    if enough():
                        return
