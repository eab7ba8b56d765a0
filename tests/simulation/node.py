"""One node of a schedule: its access to the shared log, and the real hub, connections and moderators."""

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
from providers.answers.neutral import neutral
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import BrokenOff
from providers.registry import Registry
from server.debate.moderators import Moderators
from server.feed.channel import RING
from server.feed.hub import RECENT, Hub
from server.feed.websocket.broadcast_group import PAGE
from server.http.access import Access
from server.service import Service
from server.settings import Settings
from tests.simulation.client import Oracle
from tests.simulation.format import next_steps
from tests.simulation.shared_log import NodeLeases, NodeLog
from tests.simulation.web_server import OrderedConnections, app_state

MAX_CLAIMED: Final = 8
OUTCOME: Final = Outcome(model="sim", tokens=Tokens(), latency_ms=1, cost_usd=0.0)
PIECE: Final = 60
ALPHABET: Final = "abcdefghij  .é日🚋"

OPEN_ACCESS: Final = Access(Settings())


def random_text(rng: random.Random, longest: int) -> str:
    """A text of at most ``longest`` characters.  A long text has few words, because the words of a turn are limited."""
    size = rng.randint(1, longest)
    piece = "".join(rng.choices(ALPHABET, k=min(size, PIECE)))
    if size > PIECE:
        piece = piece.replace(" ", "x").replace("日", "é")
    return "T" + (piece * (size // PIECE + 1))[:size]


class RandomProvider:
    """A provider that streams random text chunk by chunk and sometimes breaks off."""

    name = "scripted"  # ``providers.limits.queue`` has no breaker for this name

    def __init__(self, oracle: Oracle, rng: random.Random, *, longest: int, break_rate: float) -> None:
        self._oracle, self._rng, self._longest, self._breaks = oracle, rng, longest, break_rate

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        """See ``Provider``."""
        del model
        rng, speech = self._rng, (request.turn, request.attempt)
        chunks = [random_text(rng, self._longest) for _ in range(rng.randint(1, 7))]
        self._oracle.speeches[speech] = self._oracle.speeches.get(speech) or "".join(chunks)
        yield RandomStream(chunks, rng, break_rate=rng.random() < self._breaks)

    async def answer(self, model: str, request: Request, type_: Any) -> Answer[Any]:
        """See ``Provider``."""
        del model, request
        await asyncio.sleep(self._rng.random() / 10)
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


class RandomStream:
    """A stream of text."""

    outcome = OUTCOME

    def __init__(self, chunks: list[str], rng: random.Random, *, break_rate: bool) -> None:
        self._chunks, self._rng, self._breaks = chunks, rng, break_rate

    async def __aiter__(self) -> AsyncIterator[str]:
        """See ``TextStream``."""
        for number, chunk in enumerate(self._chunks):
            await asyncio.sleep(self._rng.choice((0, 0.01, 0.05, 0.3)))
            if self._breaks and number:
                raise BrokenOff("the schedule breaks off")
            yield chunk


class SimulatedNode:
    """Everything that runs on one node."""

    def __init__(
        self,
        line: NodeLog,
        provider: RandomProvider,
        settings: Settings,
        *,
        idle_s: float,
        ping_s: float,
        ring: int = RING,
        recent: int = RECENT,
        page: int = PAGE,
    ) -> None:
        clock = line.shared.clock
        self.log, self.leases = line, NodeLeases(line)
        entry = SimpleNamespace(name="scripted", module=__name__, load=lambda: lambda: provider)
        self.registry = Registry([entry], random=clock.random)  # type: ignore[list-item]
        self.hub = Hub(line, tick_ms=settings.tick_ms, idle_s=idle_s, ring=ring, recent=recent)
        self.moderators = Moderators(line, self.registry, self.hub, clock=clock, next_steps=next_steps)
        self.connections = OrderedConnections(self.hub, slow_reader_s=settings.slow_reader_s, ping_s=ping_s, page=page)
        service = Service(settings, line, self.registry, self.hub, self.moderators, SingleNodeBus())
        self.is_over = False
        """Whether the debate has concluded, so that no node has to run it."""
        self.app = app_state(service, self.connections, OPEN_ACCESS)

    async def run(self, is_run: bool, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; with ``is_run``, also run the debate."""
        async with anyio.create_task_group() as tasks:
            await tasks.start(self.hub.run)
            if not is_run:
                task_status.started()
                return
            await tasks.start(self.moderators.run)
            task_status.started()
            await self._hold()

    async def _hold(self) -> None:
        """Renew held leases, release lost ones, and take up debates that no node runs."""
        while not self.is_over:
            await anyio.sleep(self.log.shared.lease_s / 2)
            try:
                for debate in await self.leases.renew():
                    await self.leases.release(debate)
                if not self.moderators.running:  # a moderator that lost its debate must stop first
                    for lease in await self.leases.claim(MAX_CLAIMED):
                        await self.moderators.take_up_one(lease.debate)
            except LogError as error:
                if not isinstance(error, StoreUnavailable):
                    raise
