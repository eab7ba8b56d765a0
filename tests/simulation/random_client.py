"""A client that connects, stalls, is cut off, leaves and reconnects at random."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, Final

from websockets.frames import CloseCode

from server.feed.websocket.connections import CLOSING_S, TOO_SLOW
from tests.simulation.client import CheckingClient, PromiseBroken, masked
from tests.simulation.node import SimulatedNode
from tests.simulation.transport import ReadPace, SimulatedTransport
from tests.simulation.web_server import serve
from tests.simulation.world import World

MAX_KEPT: Final = 256 << 10
"""Bytes that may wait for one reader."""
NORMAL: Final = 1000
GOODBYE: Final = masked(0x8, NORMAL.to_bytes(2, "big"))


class RandomClient(CheckingClient):
    """A checking client with random behaviour.  It reconnects after the position that it has."""

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world.oracle, f"w{number}", director=world.rng.random() < 0.25)
        self.world, self.rng = world, random.Random(world.rng.random())
        self.deflate, self.is_detached = self.rng.random() < 0.3, self.rng.random() < 0.8
        self.transport: SimulatedTransport | None = None
        self.node: SimulatedNode | None = None
        self.has_left = self.is_connected = False
        self._gone = asyncio.Event()

    async def stay(self) -> None:
        """Connect and reconnect until it leaves."""
        await asyncio.sleep(self.rng.uniform(0, self.world.plan.span_s))
        while not self.has_left:
            await self._connect()
            if not self.world.is_calm and self.rng.random() < 0.15:
                self.has_left = True
            elif not self.world.is_over:
                await asyncio.sleep(self.rng.choice((0, 0, 0.01, 0.5, 3)))
            else:
                self.has_left = True

    async def _connect(self) -> None:
        world, rng, plan = self.world, self.rng, self.world.plan
        after: int | None = self.position
        if not self.position or rng.random() < 0.1:
            after = None
            if rng.random() < 0.3 and world.oracle.head:
                after = rng.randint(1, world.oracle.head)
                self.view, self.position = self.oracle.view(after, director=self.director), after
        self.begin(after)
        self._gone.clear()
        self.is_connected = True
        pace = ReadPace(*rng.choice(((0.001, 1 << 20), (0.02, 1 << 20), (0.01, 700))))
        transport = self.transport = SimulatedTransport(
            world.loop,
            self,
            pace,
            high=plan.high,
            late=rng.random() < 0.5,
            rng=rng,
        )
        if self.is_detached:  # the other path has no such bound while nothing is sent
            transport.most_unread_s = plan.slow_reader_s + CLOSING_S + 3
        node = rng.choice([each for each in world.nodes if each is not self.node] or world.nodes)
        self.node = node if rng.random() < 0.7 else None
        query = "&".join([f"after={after}"] * (after is not None) + ["director=1"] * self.director)
        world.note(self.name, "comes", node.log.node, query)
        world.resumes += after is not None
        if not world.is_calm and rng.random() < plan.trouble_rate:
            self._plan_fault(transport, pace)
        world.start(
            serve(
                node.app,
                transport,
                world.debate,
                query,
                deflate=self.deflate and self.is_detached,
                detached=self.is_detached,
            )
        )
        await self._gone.wait()
        self.is_connected = False
        world.note(self.name, "goes", self.position, self.closed, transport.most)
        self._check(transport)

    def _plan_fault(self, transport: SimulatedTransport, pace: ReadPace) -> None:
        rng, loop, plan = self.rng, self.world.loop, self.world.plan
        at = plan.span_s * rng.random() ** 2  # rather early: a debate is short
        match rng.choice(("cut", "silence", "leave", "stall", "stall")):
            case "cut":
                loop.call_later(at, self._unless_calm, transport.cut, rng.choice((0.0, 0.1, 3.0)))
            case "silence":
                loop.call_later(at, self._unless_calm, transport.cut, None if self.is_detached else 40.0)
            case "leave":
                loop.call_later(at, self._unless_calm, transport.send, GOODBYE)
            case _:
                seconds = rng.choice((1.0, plan.slow_reader_s + 3, plan.slow_reader_s + 6, 60.0))
                loop.call_later(at, self._unless_calm, pace.stall, seconds, loop)

    def _unless_calm(self, trouble: Callable[..., None], *how: Any) -> None:
        if not self.world.is_calm:
            trouble(*how)

    def _check(self, transport: SimulatedTransport) -> None:
        plan = self.world.plan
        if transport.faults:
            raise PromiseBroken(f"{self.name}: {transport.faults[0]}")
        if transport.most > MAX_KEPT:
            raise PromiseBroken(f"{self.name}: {transport.most} bytes waited")
        if self.is_detached and not transport.late and transport.most > plan.high + transport.longest + 1000:
            raise PromiseBroken(
                f"{self.name}: {transport.most} bytes waited, above {plan.high} by more than {transport.longest}"
            )
        if self.closed is not None:
            self.world.slow += self.closed[0] == TOO_SLOW
            if self.closed[0] not in {NORMAL, CloseCode.INTERNAL_ERROR, TOO_SLOW}:
                raise PromiseBroken(f"{self.name}: closed with {self.closed}")
        if not self.oracle.is_concluded(self.oracle.head):
            self.check_view()

    # what the connection calls

    def receive(self, data: bytes) -> None:
        """See ``CheckingClient``."""
        before = self.received
        try:
            super().receive(data)
        except PromiseBroken as broken:
            raise PromiseBroken(f"{self.name}: {broken}") from None
        self.world.note(self.name, self.position, self.received, len(self.text))
        self.world.messages += self.received - before
        answers, self.answers = self.answers, []
        assert self.transport is not None
        for answer in answers:
            self.transport.send(answer)

    def lost(self) -> None:
        """The connection has ended."""
        self._gone.set()

    @property
    def is_up_to_date(self) -> bool:
        """Whether it has every event and is live, or has left."""
        if self.transport is None or not self.is_connected:
            return self.has_left
        return self.is_live and self.position == self.oracle.head and not self.transport.is_cut
