"""One node of a schedule: a line to the shared log, and the real hub, crowd and moderators on it."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, Final

import anyio
import msgspec

from events.cluster.bus import SingleNodeBus
from events.errors import LogError, StoreUnavailable
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import BrokenOff
from providers.neutral import neutral
from providers.registry import Registry
from server.debate.moderators import Moderators
from server.feed.channel import RING
from server.feed.hub import RECENT, Hub
from server.feed.websocket.broadcast_group import PAGE
from server.http.access import Access
from server.service import Service
from server.settings import Settings
from tests.simulation.course import next_steps
from tests.simulation.gate import Doors, app_of
from tests.simulation.store import Line, LineLeases
from tests.simulation.watcher import Truth

MOST: Final = 8
OUTCOME: Final = Outcome(model="sim", tokens=Tokens(), latency_ms=1, cost_usd=0.0)
PIECE: Final = 60
ALPHABET: Final = "abcdefghij  .é日🚋"

ANYBODY: Final = Access(Settings())


def words(chance: random.Random, longest: int) -> str:
    """Something to say, of so many characters at most; what is long is one word, since a turn has so many at most."""
    size = chance.randint(1, longest)
    piece = "".join(chance.choices(ALPHABET, k=min(size, PIECE)))
    if size > PIECE:
        piece = piece.replace(" ", "x")
    return "T" + (piece * (size // PIECE + 1))[:size]


class Voice:
    """A provider that says what the schedule drew, chunk by chunk, and sometimes breaks off."""

    name = "scripted"  # as ``providers.calls`` knows it: nobody is there who could be left alone

    def __init__(self, truth: Truth, chance: random.Random, *, longest: int, breaks: float) -> None:
        self._truth, self._chance, self._longest, self._breaks = truth, chance, longest, breaks

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """See ``Provider``."""
        del model
        chance, speech = self._chance, (request.turn, request.attempt)
        chunks = [words(chance, self._longest) for _ in range(chance.randint(1, 7))]
        self._truth.said[speech] = self._truth.said.get(speech) or "".join(chunks)
        yield Said(chunks, chance, breaks=chance.random() < self._breaks)

    async def answer(self, model: str, request: Request, type_: Any) -> Answer[Any]:
        """See ``Provider``."""
        del model, request
        await asyncio.sleep(self._chance.random() / 10)
        value = neutral(type_)
        return Answer(value=value, raw=msgspec.json.encode(value).decode(), outcome=OUTCOME)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """See ``Provider``."""
        del model
        return ()

    def caveat(self, model: str) -> str:
        """See ``Provider``."""
        del model
        return ""

    async def close(self) -> None:
        """See ``Provider``."""


class Said:
    """A stream of text."""

    outcome = OUTCOME

    def __init__(self, chunks: list[str], chance: random.Random, *, breaks: bool) -> None:
        self._chunks, self._chance, self._breaks = chunks, chance, breaks

    async def __aiter__(self) -> AsyncIterator[str]:
        """See ``TextStream``."""
        for number, chunk in enumerate(self._chunks):
            await asyncio.sleep(self._chance.choice((0, 0.01, 0.05, 0.3)))
            if self._breaks and number:
                raise BrokenOff("the schedule breaks off")
            yield chunk


class Place:
    """What runs on one node."""

    def __init__(
        self,
        line: Line,
        voice: Voice,
        settings: Settings,
        *,
        idle_s: float,
        ping_s: float,
        ring: int = RING,
        recent: int = RECENT,
        page: int = PAGE,
    ) -> None:
        clock = line.shared.clock
        self.line, self.leases = line, LineLeases(line)
        entry = SimpleNamespace(name="scripted", module=__name__, load=lambda: lambda: voice)
        self.registry = Registry([entry], random=clock.random)  # type: ignore[list-item]
        self.hub = Hub(line, tick_ms=settings.tick_ms, idle_s=idle_s, ring=ring, recent=recent)
        self.moderators = Moderators(line, self.registry, self.hub, clock=clock, next_steps=next_steps)
        self.crowd = Doors(self.hub, slow_reader_s=settings.slow_reader_s, ping_s=ping_s, page=page)
        service = Service(settings, line, self.registry, self.hub, self.moderators, SingleNodeBus())
        self.is_over = False
        """Whether the debate has concluded, so that nobody need run it."""
        self.app = app_of(service, self.crowd, ANYBODY)

    async def run(self, is_run: bool, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled, and where it ``is_run`` here, run the debate."""
        async with anyio.create_task_group() as tasks:
            await tasks.start(self.hub.run)
            if not is_run:
                task_status.started()
                return
            await tasks.start(self.moderators.run)
            task_status.started()
            await self._hold()

    async def _hold(self) -> None:
        """Renew what is held, forget what was lost, take up what nobody runs."""
        while not self.is_over:
            await anyio.sleep(self.line.shared.lease_s / 2)
            try:
                for debate in await self.leases.renew():
                    await self.leases.release(debate)
                if not self.moderators.running:  # what was lost may still be speaking: not before it has noticed
                    for lease in await self.leases.claim(MOST):
                        await self.moderators.take_up_one(lease.debate)
            except LogError as error:
                if not isinstance(error, StoreUnavailable):
                    raise
