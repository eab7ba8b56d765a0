"""A watcher with a mind of its own, and the connections that it makes."""

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from websockets.frames import CloseCode

from server.feed.websocket.connections import CLOSING_S, TOO_SLOW
from tests.simulation.gate import admit
from tests.simulation.node import Place
from tests.simulation.pipe import Pace, Pipe
from tests.simulation.watcher import Broken, Watcher, masked

if TYPE_CHECKING:
    from tests.simulation.world import World

MOST_KEPT: Final = 256 << 10
"""Bytes that may wait for one reader."""
NORMAL: Final = 1000
GOODBYE: Final = masked(0x8, NORMAL.to_bytes(2, "big"))


class Visitor(Watcher):
    """A watcher with its own mind: comes, stalls, is cut off, leaves, comes back from where it stood."""

    def __init__(self, world: "World", number: int) -> None:
        super().__init__(world.truth, f"w{number}", director=world.chance.random() < 0.25)
        self.world, self.chance = world, random.Random(world.chance.random())
        self.deflate, self.is_detached = self.chance.random() < 0.3, self.chance.random() < 0.8
        self.pipe: Pipe | None = None
        self.place: Place | None = None
        self.has_left = self.is_here = False
        self._gone = asyncio.Event()

    async def stay(self) -> None:
        """Come and come back until the end."""
        await asyncio.sleep(self.chance.uniform(0, self.world.plan.span_s))
        while not self.has_left:
            await self._visit()
            if not self.world.is_calm and self.chance.random() < 0.15:
                self.has_left = True
            elif not self.world.is_over:
                await asyncio.sleep(self.chance.choice((0, 0, 0.01, 0.5, 3)))
            else:
                self.has_left = True

    async def _visit(self) -> None:
        world, chance, plan = self.world, self.chance, self.world.plan
        after: int | None = self.position
        if not self.position or chance.random() < 0.1:
            after = None
            if chance.random() < 0.3 and world.truth.head:
                after = chance.randint(1, world.truth.head)
                self.view, self.position = self.truth.view(after, director=self.director), after
        self.begin(after)
        self._gone.clear()
        self.is_here = True
        pace = Pace(*chance.choice(((0.001, 1 << 20), (0.02, 1 << 20), (0.01, 700))))
        pipe = self.pipe = Pipe(
            world.loop,
            self,
            pace,
            high=plan.high,
            late=chance.random() < 0.5,
            chance=chance,
        )
        pipe.unread_s = plan.patience_s + CLOSING_S + 3 if self.is_detached else 0.0  # elsewhere while nothing is said
        place = chance.choice([each for each in world.places if each is not self.place] or world.places)
        self.place = place if chance.random() < 0.7 else None
        query = "&".join([f"after={after}"] * (after is not None) + ["director=1"] * self.director)
        world.note(self.name, "comes", place.line.node, query)
        world.resumes += after is not None
        if not world.is_calm and chance.random() < plan.rough:
            self._plan_trouble(pipe, pace)
        world.beside(
            admit(
                place.app,
                pipe,
                world.debate,
                query,
                deflate=self.deflate and self.is_detached,
                detached=self.is_detached,
            )
        )
        await self._gone.wait()
        self.is_here = False
        world.note(self.name, "goes", self.position, self.closed, pipe.most)
        self._check(pipe)

    def _plan_trouble(self, pipe: Pipe, pace: Pace) -> None:
        chance, loop, plan = self.chance, self.world.loop, self.world.plan
        at = plan.span_s * chance.random() ** 2  # rather early: a debate is short
        match chance.choice(("cut", "silence", "leave", "stall", "stall")):
            case "cut":
                loop.call_later(at, self._unless_calm, pipe.cut, chance.choice((0.0, 0.1, 3.0)))
            case "silence":
                loop.call_later(at, self._unless_calm, pipe.cut, None if self.is_detached else 40.0)
            case "leave":
                loop.call_later(at, self._unless_calm, pipe.send, GOODBYE)
            case _:
                seconds = chance.choice((1.0, plan.patience_s + 3, plan.patience_s + 6, 60.0))
                loop.call_later(at, self._unless_calm, pace.stall, seconds, loop)

    def _unless_calm(self, trouble: Callable[..., None], *how: Any) -> None:
        if not self.world.is_calm:
            trouble(*how)

    def _check(self, pipe: Pipe) -> None:
        plan = self.world.plan
        if pipe.faults:
            raise Broken(f"{self.name}: {pipe.faults[0]}")
        if pipe.most > MOST_KEPT:
            raise Broken(f"{self.name}: {pipe.most} bytes waited")
        if self.is_detached and not pipe.late and pipe.most > plan.high + pipe.longest + 1000:
            raise Broken(f"{self.name}: {pipe.most} bytes waited, above {plan.high} by more than {pipe.longest}")
        if self.closed is not None:
            self.world.slow += self.closed[0] == TOO_SLOW
            if self.closed[0] not in {NORMAL, CloseCode.INTERNAL_ERROR, TOO_SLOW}:
                raise Broken(f"{self.name}: closed with {self.closed}")
        if not self.truth.is_concluded(self.truth.head):
            self.check_view()

    # what the connection calls

    def receive(self, data: bytes) -> None:
        """See ``Watcher``."""
        before = self.told
        try:
            super().receive(data)
        except Broken as broken:
            raise Broken(f"{self.name}: {broken}") from None
        self.world.note(self.name, self.position, self.told, len(self.text))
        self.world.messages += self.told - before
        answers, self.answers = self.answers, []
        assert self.pipe is not None
        for answer in answers:
            self.pipe.send(answer)

    def lost(self) -> None:
        """The connection has ended."""
        self._gone.set()

    @property
    def is_there(self) -> bool:
        """Whether it has all that there is."""
        if self.pipe is None or not self.is_here:
            return self.has_left
        return self.is_live and self.position == self.truth.head and not self.pipe.is_cut
