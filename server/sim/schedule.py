"""One schedule: a debate, its nodes, those who watch, and all that goes wrong, drawn from a seed and run in no time.

At the end everything is let go on undisturbed, the promises are held against what everybody has, and all leave.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Any, Final

import anyio
from msgspec import Struct
from msgspec.structs import replace

from events.errors import LogError
from events.types import AudienceVoted, ModeratorSpoke
from server.detached.crowd import CLOSING_S
from server.errors import MootError
from server.settings import Settings
from server.sim.course import opening
from server.sim.gate import admit
from server.sim.governed import governed
from server.sim.loop import Loop, run
from server.sim.node import Place, Voice
from server.sim.pipe import Pace, Pipe
from server.sim.scribe import Scribe
from server.sim.store import Line, Shared
from server.sim.watcher import Broken, Truth, Watcher, masked

MOST_S: Final = 3000.0
"""Virtual seconds after which a schedule that has not ended never will."""
MOST_KEPT: Final = 256 << 10
"""Bytes that may wait for one reader."""
IDLE_S: Final = 4.0
CALM_S: Final = 200.0
DEBATE: Final = "01900000-0000-7000-8000-000000000000"
MOMENT_S: Final = 0.01
LEAVING_S: Final = 60.0


class Plan(Struct, frozen=True):
    """What is drawn first."""

    nodes: int
    watchers: int
    turns: int
    high: int
    page: int
    ring: int
    recent: int
    patience_s: float
    tick_ms: int
    lease_s: float
    lag_s: float
    longest: int
    breaks: float
    loses: float
    span_s: float
    blind: bool
    is_loud: bool
    """Whether events are long, and pipes and pages those of the product."""
    is_moderated: bool
    """Whether moderators run the debate; else a scribe writes it."""
    rough: float
    """How often something goes wrong."""


class Report(Struct, frozen=True):
    """How a schedule went.  ``fault``: the promise that was not kept, or empty."""

    seed: int
    digest: str
    fault: str
    events: int
    messages: int
    resumes: int
    epochs: int
    fenced: int
    slow: int
    """Connections that were closed because they were too slow."""
    virtual_s: float
    trace: tuple[str, ...] = ()


def drawn(chance: random.Random) -> Plan:
    """A plan.  Most are small, so that much happens at their limits; some have the product's own sizes."""
    is_loud, is_moderated = chance.random() < 0.06, chance.random() < 0.3  # noqa: PLR2004
    return Plan(
        nodes=2 if is_moderated else chance.choice((1, 2)), watchers=chance.choice((1, 1, 2, 3)), turns=chance.choice((1, 2, 3) if is_moderated else (1, 1, 2)),
        high=1 << 16 if is_loud else chance.choice((300, 1500, 6000, 1 << 16)),
        page=1 << 16 if is_loud else chance.choice((200, 3000, 1 << 16)),
        ring=4096 if is_loud else chance.choice((3, 8, 40, 4096)), recent=chance.choice((2, 16, 256)),
        patience_s=chance.choice((2.0, 10.0)), tick_ms=chance.choice((0, 20, 50)), lease_s=chance.choice((0.6, 2.0)),
        lag_s=chance.choice((0.0, 0.1, 1.5)), longest=2000 if is_loud else chance.choice((10, 80, 600)),
        breaks=chance.choice((0.0, 0.1, 0.4)), loses=chance.choice((0.0, 0.0, 0.2)), span_s=chance.uniform(1, 8),
        blind=chance.random() < 0.2, is_loud=is_loud, is_moderated=is_moderated,  # noqa: PLR2004
        rough=chance.choice((0.0, 2.0, 4.0)),
    )


class Visitor(Watcher):
    """A watcher with its own mind: comes, stalls, is cut off, leaves, comes back from where it stood."""

    def __init__(self, world: "World", number: int) -> None:
        super().__init__(world.truth, f"w{number}", director=world.chance.random() < 0.25)  # noqa: PLR2004
        self.world, self.chance = world, random.Random(world.chance.random())  # noqa: S311
        self.deflate, self.is_detached = self.chance.random() < 0.3, self.chance.random() < 0.8  # noqa: PLR2004
        self.pipe: Pipe | None = None
        self.place: Place | None = None
        self.has_left = self.is_here = False
        self._gone = asyncio.Event()

    async def stay(self) -> None:
        """Come and come back until the end."""
        await asyncio.sleep(self.chance.uniform(0, self.world.plan.span_s))
        while not self.has_left:
            await self._visit()
            if not self.world.is_calm and self.chance.random() < 0.15:  # noqa: PLR2004
                self.has_left = True
            elif not self.world.is_over:
                await asyncio.sleep(self.chance.choice((0, 0, 0.01, 0.5, 3)))
            else:
                self.has_left = True

    async def _visit(self) -> None:
        world, chance, plan = self.world, self.chance, self.world.plan
        after: int | None = self.position
        if not self.position or chance.random() < 0.1:  # noqa: PLR2004
            after = None
            if chance.random() < 0.3 and world.truth.head:  # noqa: PLR2004
                after = chance.randint(1, world.truth.head)
                self.view, self.position = self.truth.view(after, director=self.director), after
        self.begin(after)
        self._gone.clear()
        self.is_here = True
        pace = Pace(*chance.choice(((0.001, 1 << 20), (0.02, 1 << 20), (0.01, 700))))
        pipe = self.pipe = Pipe(
            world.loop, self, pace, high=plan.high, late=chance.random() < 0.5, chance=chance  # noqa: PLR2004
        )
        pipe.unread_s = plan.patience_s + CLOSING_S + 3 if self.is_detached else 0.0   # elsewhere while nothing is said
        place = chance.choice([each for each in world.places if each is not self.place] or world.places)
        self.place = place if chance.random() < 0.7 else None  # noqa: PLR2004 - the next visit is to another node then
        query = "&".join(
            [f"after={after}"] * (after is not None) + ["director=1"] * self.director
        )
        world.note(self.name, "comes", place.line.node, query)
        world.resumes += after is not None
        if not world.is_calm and chance.random() < plan.rough:
            self._plan_trouble(pipe, pace)
        world.beside(admit(
            place.app, pipe, world.debate, query, deflate=self.deflate and self.is_detached, detached=self.is_detached
        ))
        await self._gone.wait()
        self.is_here = False
        world.note(self.name, "goes", self.position, self.closed, pipe.most)
        self._check(pipe)

    def _plan_trouble(self, pipe: Pipe, pace: Pace) -> None:
        chance, loop, plan = self.chance, self.world.loop, self.world.plan
        at = chance.uniform(0, plan.span_s)
        match chance.choice(("cut", "silence", "leave", "stall", "stall")):
            case "cut":
                loop.call_later(at, self._unless_calm, pipe.cut, chance.choice((0.0, 0.1, 3.0)))
            case "silence":
                loop.call_later(at, self._unless_calm, pipe.cut, None if self.is_detached else 40.0)
            case "leave":
                loop.call_later(at, self._unless_calm, pipe.send, masked(0x8, b"\x03\xe8"))
            case _:
                seconds = chance.choice((1.0, plan.patience_s * 1.5, plan.patience_s + 6, 60.0))
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
            self.world.slow += self.closed[0] == 4408  # noqa: PLR2004 - too slow
            if self.closed[0] not in {1000, 1011, 4408}:
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


class World:
    """Everything of one schedule."""

    def __init__(self, seed: int, loop: Loop, plan: Plan, chance: random.Random, *, keep: bool) -> None:
        self.seed, self.loop, self.plan, self.chance = seed, loop, plan, chance
        self.shared = Shared(loop, plan.lease_s)
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
                Line(self.shared, f"node{number}", self._fork(), lag_s=plan.lag_s), voice, settings, idle_s=IDLE_S,
                ping_s=20.0,
            )
            for number in range(plan.nodes)
        ]
        self.visitors: list[Visitor] = []

    def _fork(self) -> random.Random:
        return random.Random(self.chance.random())  # noqa: S311 - it is to be repeated

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
            scribe = Scribe(place, self.truth, self._fork(), longest=plan.longest)
            self.beside(scribe.write(self.seed, plan.turns, loud=plan.is_loud, blind=plan.blind))
            while not self.truth.head:
                await asyncio.sleep(MOMENT_S)

    def _committed(self, node: str, epoch: int, head: int) -> None:
        self.note(node, "commits", epoch, head)

    async def _weather(self) -> None:
        """Logs that fail or pause, owners that are held up for longer than their lease."""
        chance, plan = self.chance, self.plan
        while not self.is_calm and plan.rough:
            await asyncio.sleep(chance.expovariate(plan.rough / 4))
            if self.is_calm:
                return
            owner = [place.line for place in self.places if place.line.node == self.shared.row(self.debate).owner]
            line = chance.choice(owner * 3 + [place.line for place in self.places])
            until = self.loop.now + chance.choice((0.1, 1.0, plan.lease_s * 2))
            if chance.random() < 0.4:  # noqa: PLR2004
                line.fails_until = until
            else:
                line.paused_until = until
            self.note(line.node, "fails" if line.fails_until == until else "is held up", until)

    async def _people(self) -> None:
        """Acts of people, on whichever node has the debate."""
        chance = self.chance
        while not self.is_calm:
            await asyncio.sleep(chance.expovariate(0.5))
            if self.is_calm:
                return
            moderators = chance.choice(self.places).moderators
            acts: tuple[Callable[[], Awaitable[Any]], ...] = (
                lambda: moderators.pause(self.debate, "tea", "x"), lambda: moderators.resume(self.debate, "on", "x"),
                lambda: moderators.say(self.debate, ModeratorSpoke(text="Let us hear the reply.", by="x")),
                lambda: moderators.cast(self.debate, AudienceVoted(voter="v", winner="pro")),
                lambda: moderators.halt(self.debate, "enough", "x"),
            )
            await self._act(chance.choice(acts))

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
                raise Broken(f"after {CALM_S:g} s of calm it is {self._state} at {self.truth.head}, {where} are not there")
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
                visitor.pipe.send(masked(0x8, b"\x03\xe8"))
        for place in self.places:
            place.is_over = True
        until = self.loop.now + LEAVING_S
        while self.loop.now < until and not (
            all(visitor.has_left for visitor in self.visitors) and all(map(self._is_empty, self.places))
        ):
            await asyncio.sleep(2)
        for visitor in self.visitors:
            if not visitor.has_left:
                raise Broken(f"{visitor.name} cannot leave")
        for place in self.places:
            if not self._is_empty(place):
                raise Broken(f"{place.line.node} keeps {self._kept(place)}")

    def _kept(self, place: Place) -> list[Any]:
        """What a node holds in memory for those who watch and for a debate that runs."""
        hub, crowd = place.hub, place.crowd
        return [
            hub.rooms, hub.spectators, crowd.sockets, place.moderators.running, crowd.spectators(),
            place.line.waited_for, crowd._galleries, crowd._slow, crowd._closing, hub._speeches,  # noqa: SLF001
        ]

    def _is_empty(self, place: Place) -> bool:
        return not any(self._kept(place))


def play(seed: int, *, keep: bool = False, **shape: Any) -> Report:
    """Run the schedule of a seed; ``shape`` fixes parts of its plan."""
    chance = random.Random(seed)  # noqa: S311 - it is to be repeated
    plan, loop = replace(drawn(chance), **shape), Loop(MOST_S)
    fault = ""
    with governed(loop, seed, ring=plan.ring, recent=plan.recent, page=plan.page):
        world = World(seed, loop, plan, chance, keep=keep)
        try:
            run(world.play, loop)
        except BaseExceptionGroup as group:
            fault = "; ".join(f"{type(each).__name__}: {each}" for each in group.exceptions)
        except Exception as error:  # noqa: BLE001 - whatever went wrong is what is looked for
            fault = f"{type(error).__name__}: {error}"
    if fault:
        world.note(fault)
    return Report(
        seed=seed, digest=world.digest, fault=fault, events=world.truth.head if world.debate else 0,
        messages=world.messages, resumes=world.resumes, epochs=len(world.shared.claims) - 1,
        fenced=world.shared.fenced, slow=world.slow, virtual_s=round(loop.now, 3), trace=tuple(world.lines),
    )
