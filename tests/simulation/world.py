"""Everything of one schedule: a debate, its nodes, those who watch, and all that goes wrong.

At the end everything is let go on undisturbed, the promises are held against what everybody has, and all leave.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Any, Final

import anyio

from events.errors import LogError
from events.types import AudienceVoted, ModeratorSpoke
from server.debate.moderators import Moderators
from server.errors import MootError
from server.settings import Settings
from tests.simulation.clock import virtual_clock
from tests.simulation.course import opening
from tests.simulation.loop import Loop
from tests.simulation.node import Place, Voice
from tests.simulation.plan import Plan
from tests.simulation.store import Line, Shared
from tests.simulation.stream_writer import StreamWriter
from tests.simulation.visitor import GOODBYE, Visitor
from tests.simulation.watcher import Broken, Truth

IDLE_S: Final = 4.0
CALM_S: Final = 200.0
LEAVING_S: Final = 60.0
DEBATE: Final = "01900000-0000-7000-8000-000000000000"
MOMENT_S: Final = 0.01


class World:
    """Everything of one schedule."""

    def __init__(self, seed: int, loop: Loop, plan: Plan, chance: random.Random, *, keep: bool) -> None:
        self.seed, self.loop, self.plan, self.chance = seed, loop, plan, chance
        self.shared = Shared(loop, plan.lease_s, virtual_clock(loop, random.Random(seed)))
        self.truth = Truth(self.shared, "")
        self.debate = ""
        self.is_calm = self.is_over = False
        self.messages = self.resumes = self.slow = 0
        self.lines: list[str] = []
        self._digest, self._keep = blake2b(digest_size=8), keep
        settings = Settings(store="memory:", tick_ms=plan.tick_ms, slow_reader_s=plan.patience_s)
        voice = Voice(self.truth, self._fork(), longest=plan.longest, breaks=plan.breaks)
        self.places = [
            Place(
                Line(self.shared, f"node{number}", self._fork(), lag_s=plan.lag_s),
                voice,
                settings,
                idle_s=IDLE_S,
                ping_s=20.0,
                ring=plan.ring,
                recent=plan.recent,
                page=plan.page,
            )
            for number in range(plan.nodes)
        ]
        self.visitors: list[Visitor] = []

    def _fork(self) -> random.Random:
        return random.Random(self.chance.random())

    @property
    def digest(self) -> str:
        """Of all that happened."""
        return self._digest.hexdigest()

    def note(self, *what: object) -> None:
        """One line of the trace."""
        line = f"{self.loop.now:.6f} {what}"
        self._digest.update(line.encode())
        if self._keep:
            self.lines.append(line)

    def beside(self, work: Awaitable[Any]) -> None:
        """Do something beside; what it raises ends the schedule."""

        def done(task: asyncio.Task[Any]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self.loop.fail(error)

        asyncio.ensure_future(work).add_done_callback(done)

    # what happens

    async def play(self) -> None:
        """From the opening to the end of everything."""
        self.shared.committed = self._committed
        async with anyio.create_task_group() as tasks:
            for place in self.places:
                await tasks.start(place.run, self.plan.is_moderated)
            await self._open()
            for number in range(self.plan.watchers):
                self.visitors.append(Visitor(self, number))
                self.beside(self.visitors[-1].stay())
            for place in self.places:
                place.line.loses_answers = self.plan.loses
            self.beside(self._weather())
            if self.plan.is_moderated:
                self.beside(self._people())
            await asyncio.sleep(self.plan.span_s)
            await self._settle()
            self._check_all()
            await self._end()
            tasks.cancel_scope.cancel()

    async def _open(self) -> None:
        plan, place = self.plan, self.places[0]
        if plan.is_moderated:
            opened = opening(self.seed, plan.turns, loud=plan.is_loud, blind=plan.blind)
            self.debate = self.truth.debate = await place.moderators.open(opened)
        else:
            self.debate = self.truth.debate = DEBATE
            scribe = StreamWriter(place, self.truth, self._fork(), longest=plan.longest)
            self.beside(scribe.write(self.seed, plan.turns, loud=plan.is_loud, blind=plan.blind))
            while not self.truth.head:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(MOMENT_S)

    def _committed(self, node: str, epoch: int, head: int) -> None:
        self.note(node, "commits", epoch, head)

    async def _weather(self) -> None:
        """Logs that fail or pause, owners that are held up for longer than their lease."""
        chance, plan = self.chance, self.plan
        while plan.rough:
            await asyncio.sleep(chance.expovariate(plan.rough / 4))
            if self.is_calm:
                return
            owner = [place.line for place in self.places if place.line.node == self.shared.row(self.debate).owner]
            line = chance.choice(owner * 3 + [place.line for place in self.places])
            until = self.loop.now + chance.choice((0.1, 1.0, plan.lease_s * 2))
            if chance.random() < 0.4:
                line.fails_until = until
            else:
                line.paused_until = until
            self.note(line.node, "fails" if line.fails_until == until else "is held up", until)

    async def _people(self) -> None:
        """Acts of people, on whichever node has the debate."""
        chance = self.chance
        while True:
            await asyncio.sleep(chance.expovariate(0.5))
            if self.is_calm:
                return
            await self._act(chance.choice(self._acts(chance.choice(self.places).moderators)))

    def _acts(self, moderators: Moderators) -> tuple[Callable[[], Awaitable[Any]], ...]:
        return (
            lambda: moderators.pause(self.debate, "tea", "x"),
            lambda: moderators.resume(self.debate, "on", "x"),
            lambda: moderators.say(self.debate, ModeratorSpoke(text="Let us hear the reply.", by="x")),
            lambda: moderators.cast(self.debate, AudienceVoted(voter="v", winner="pro")),
            lambda: moderators.halt(self.debate, "enough", "x"),
        )

    async def _act(self, act: Callable[[], Awaitable[Any]]) -> None:
        try:
            await act()
        except (MootError, LogError) as error:
            self.note("refused", type(error).__name__)

    async def _settle(self) -> None:
        """Nothing goes wrong any more: the debate comes to its end and everybody to the head."""
        self.is_calm = True
        self.note("calm")
        for place in self.places:
            place.line.fails_until = place.line.paused_until = place.line.loses_answers = 0.0
        for visitor in self.visitors:
            if visitor.pipe is not None:
                visitor.pipe.pace.stalled_until = 0.0
        until = self.loop.now + CALM_S
        while not self._is_settled() or not await self._stays_settled():
            if self.loop.now > until:
                where = {each.name: (each.position, each.is_live) for each in self.visitors if not each.is_there}
                stands = f"it is {self._state} at {self.truth.head}"
                raise Broken(f"after {CALM_S:g} s of calm {stands}, {where} are not there")
            await asyncio.sleep(0.5)
            if self._state in {"paused", "halted"}:
                await self._go_on()

    @property
    def _state(self) -> str:
        return self.shared.fold(self.debate, self.truth.head).view.state

    def _is_settled(self) -> bool:
        return self._state == "concluded" and all(each.is_there for each in self.visitors)

    async def _stays_settled(self) -> bool:
        """After a while in which the number of spectators is told."""
        for place in self.places:
            place.is_over = True
        await asyncio.sleep(1.5)
        return self._is_settled()

    async def _go_on(self) -> None:
        for place in self.places:
            if self.shared.row(self.debate).owner in {place.line.node, None}:
                moderators = place.moderators
                await self._act(lambda: moderators.resume(self.debate, "on", "x"))  # noqa: B023 - done at once
                return

    def _check_all(self) -> None:
        if self.shared.strays:
            raise Broken(self.shared.strays[0])
        for visitor in self.visitors:
            if not visitor.has_left:
                visitor.check_view()
        here = sum(not visitor.has_left for visitor in self.visitors)
        if (counted := sum(place.hub.spectators for place in self.places)) != here:
            raise Broken(f"{counted} spectators are counted where {here} are")

    async def _end(self) -> None:
        """Everybody goes, and nothing of them is left."""
        self.is_over = True
        for visitor in self.visitors:
            if not visitor.has_left and visitor.pipe is not None:
                visitor.pipe.send(GOODBYE)
        until = self.loop.now + LEAVING_S
        while self.loop.now < until and not (  # noqa: ASYNC110 - nothing tells
            all(visitor.has_left for visitor in self.visitors) and all(map(self._is_empty, self.places))
        ):
            await asyncio.sleep(2)
        for visitor in self.visitors:
            if not visitor.has_left:
                raise Broken(f"{visitor.name} cannot leave")
        for place in self.places:
            if not self._is_empty(place):
                kept = {what: number for what, number in self._kept(place).items() if number}
                raise Broken(f"{place.line.node} keeps {kept}")

    def _kept(self, place: Place) -> dict[str, int]:
        """How much a node holds in memory for those who watch and for a debate that runs."""
        hub, crowd = place.hub, place.crowd
        return {
            "rooms": len(hub.channels),
            "spectators": hub.spectators,
            "sockets": crowd.sockets,
            "kept": len(crowd.spectators()),
            "galleries": len(crowd._groups),
            "slow": len(crowd._slow),
            "closing": len(crowd._closing),
            "speeches": len(hub._texts),
            "waiting": len(place.line.waited_for),
            "moderators": place.moderators.running,
        }

    def _is_empty(self, place: Place) -> bool:
        return not any(self._kept(place).values())
