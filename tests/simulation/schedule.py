"""One schedule: drawn from a seed and played in virtual time, with a check of every promise."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
from msgspec import Struct
from msgspec.structs import replace

from events.errors import LogError
from events.types import AudienceVoted, ModeratorSpoke
from server.debate.commands import AddWord, CastBallot, Halt, Pause, Resume
from server.debate.moderators import Moderators
from server.errors import MootError
from tests.simulation.client import PromiseBroken
from tests.simulation.format import opening
from tests.simulation.loop import VirtualLoop, run
from tests.simulation.node import SimulatedNode
from tests.simulation.plan import draw_plan
from tests.simulation.random_client import GOODBYE, RandomClient
from tests.simulation.world import World
from tests.simulation.writer import RandomWriter

MAX_S: Final = 3000.0
"""Virtual seconds after which a schedule has failed to end."""
CALM_S: Final = 200.0
LEAVING_S: Final = 60.0
DEBATE: Final = "01900000-0000-7000-8000-000000000000"
MOMENT_S: Final = 0.01


class Report(Struct, frozen=True):
    """The result of a schedule.  ``fault``: the promise that was broken, or empty."""

    seed: int
    digest: str
    fault: str
    events: int
    messages: int
    resumes: int
    epochs: int
    fenced: int
    slow: int
    """Connections that were closed because the client was too slow."""
    virtual_s: float
    trace: tuple[str, ...] = ()


class Schedule:
    """Plays one schedule: what goes wrong, what people do, and the checks at the end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clients: list[RandomClient] = []

    async def play(self) -> None:
        """Open the debate, let things go wrong, wait until all is settled, check, and let the clients leave."""
        async with anyio.create_task_group() as tasks:
            for node in self.world.nodes:
                await tasks.start(node.run, self.world.plan.is_moderated)
            await self._open()
            for number in range(self.world.plan.clients):
                self.clients.append(RandomClient(self.world, number))
                self.world.start(self.clients[-1].stay())
            for node in self.world.nodes:
                node.log.loss_rate = self.world.plan.loss_rate
            self.world.start(self._cause_trouble())
            if self.world.plan.is_moderated:
                self.world.start(self._act_as_people())
            await asyncio.sleep(self.world.plan.span_s)
            await self._settle()
            self._check_all()
            await self._end()
            tasks.cancel_scope.cancel()

    async def _open(self) -> None:
        plan, node = self.world.plan, self.world.nodes[0]
        if plan.is_moderated:
            opened = opening(self.world.seed, plan.turns, large=plan.is_large, blind=plan.blind)
            self.world.debate = self.world.oracle.debate = await node.moderators.open(opened)
        else:
            self.world.debate = self.world.oracle.debate = DEBATE
            writer = RandomWriter(node, self.world.oracle, self.world.fork(), longest=plan.longest)
            self.world.start(writer.write(self.world.seed, plan.turns, large=plan.is_large, blind=plan.blind))
            while not self.world.oracle.head:  # noqa: ASYNC110 - no event to wait for
                await asyncio.sleep(MOMENT_S)

    async def _cause_trouble(self) -> None:
        """Let the access of a node fail or stall, sometimes for longer than its lease."""
        rng, plan = self.world.rng, self.world.plan
        while plan.trouble_rate:
            await asyncio.sleep(rng.expovariate(plan.trouble_rate / 4))
            if self.world.is_calm:
                return
            owner = [node.log for node in self.world.nodes if node.log.node == self._owner]
            log = rng.choice(owner * 3 + [node.log for node in self.world.nodes])
            until = self.world.loop.now + rng.choice((0.1, 1.0, plan.lease_s * 2))
            if rng.random() < 0.4:
                log.fails_until = until
            else:
                log.paused_until = until
            self.world.note(log.node, "fails" if log.fails_until == until else "is held up", until)

    async def _act_as_people(self) -> None:
        """Send commands of people to any node."""
        rng = self.world.rng
        while True:
            await asyncio.sleep(rng.expovariate(0.5))
            if self.world.is_calm:
                return
            await self._try(rng.choice(self._acts(rng.choice(self.world.nodes).moderators)))

    def _acts(self, moderators: Moderators) -> tuple[Callable[[], Awaitable[Any]], ...]:
        return (
            lambda: moderators.act(self.world.debate, Pause("tea", "x")),
            lambda: moderators.act(self.world.debate, Resume("on", "x")),
            lambda: moderators.act(self.world.debate, AddWord(ModeratorSpoke(text="Let us hear the reply.", by="x"))),
            lambda: moderators.act(self.world.debate, CastBallot(AudienceVoted(voter="v", winner="pro"))),
            lambda: moderators.act(self.world.debate, Halt("enough", "x")),
        )

    async def _try(self, act: Callable[[], Awaitable[Any]]) -> None:
        try:
            await act()
        except (MootError, LogError) as error:
            self.world.note("refused", type(error).__name__)

    async def _settle(self) -> None:
        """Let nothing go wrong any more, and wait until the debate has concluded and every client has all of it."""
        self.world.is_calm = True
        self.world.note("calm")
        for node in self.world.nodes:
            node.log.fails_until = node.log.paused_until = node.log.loss_rate = 0.0
        for client in self.clients:
            if client.transport is not None:
                client.transport.pace.stalled_until = 0.0
        until = self.world.loop.now + CALM_S
        while not self._is_settled() or not await self._stays_settled():
            if self.world.loop.now > until:
                behind = {each.name: (each.position, each.is_live) for each in self.clients if not each.is_up_to_date}
                state = f"the debate is {self._state} at {self.world.oracle.head}"
                raise PromiseBroken(f"after {CALM_S:g} s without faults {state}; not up to date: {behind}")
            await asyncio.sleep(0.5)
            if self._state in {"paused", "halted"}:
                await self._resume()

    @property
    def _owner(self) -> str | None:
        return self.world.shared.lease(self.world.debate).owner

    @property
    def _state(self) -> str:
        return self.world.shared.fold(self.world.debate, self.world.oracle.head).view.state

    def _is_settled(self) -> bool:
        return self._state == "concluded" and all(each.is_up_to_date for each in self.clients)

    async def _stays_settled(self) -> bool:
        """Whether it is still settled after the number of spectators was sent."""
        for node in self.world.nodes:
            node.is_over = True
        await asyncio.sleep(1.5)
        return self._is_settled()

    async def _resume(self) -> None:
        for node in self.world.nodes:
            if self._owner in {node.log.node, None}:
                moderators = node.moderators
                await self._try(lambda: moderators.act(self.world.debate, Resume("on", "x")))  # noqa: B023 - called at once
                return

    def _check_all(self) -> None:
        if self.world.shared.stale_appends:
            raise PromiseBroken(self.world.shared.stale_appends[0])
        for client in self.clients:
            if not client.has_left:
                client.check_view()
        here = sum(not client.has_left for client in self.clients)
        if (counted := sum(node.hub.spectators for node in self.world.nodes)) != here:
            raise PromiseBroken(f"{counted} spectators are counted; there are {here}")

    async def _end(self) -> None:
        """Let every client leave, and check that the nodes keep nothing."""
        self.world.is_over = True
        for client in self.clients:
            if not client.has_left and client.transport is not None:
                client.transport.send(GOODBYE)
        until = self.world.loop.now + LEAVING_S
        while self.world.loop.now < until and not (  # noqa: ASYNC110 - no event to wait for
            all(client.has_left for client in self.clients) and all(map(self._is_empty, self.world.nodes))
        ):
            await asyncio.sleep(2)
        for client in self.clients:
            if not client.has_left:
                raise PromiseBroken(f"{client.name} cannot leave")
        for node in self.world.nodes:
            if not self._is_empty(node):
                kept = {what: number for what, number in self._kept(node).items() if number}
                raise PromiseBroken(f"{node.log.node} keeps {kept}")

    def _kept(self, node: SimulatedNode) -> dict[str, int]:
        """What a node keeps in memory for its spectators and for a running debate."""
        hub, connections = node.hub, node.connections
        return {
            "channels": len(hub.channels),
            "spectators": hub.spectators,
            "sockets": connections.sockets,
            "kept": len(connections.spectators()),
            "groups": len(connections._groups),
            "slow": len(connections._slow),
            "closing": len(connections._closing),
            "texts": len(hub._texts),
            "waiting": len(node.log.waited_for),
            "moderators": node.moderators.running,
        }

    def _is_empty(self, node: SimulatedNode) -> bool:
        return not any(self._kept(node).values())


def play(seed: int, *, keep: bool = False, **shape: Any) -> Report:
    """Play the schedule of a seed.  ``shape`` fixes fields of its plan; ``keep`` keeps the trace."""
    rng = random.Random(seed)
    plan, loop = replace(draw_plan(rng), **shape), VirtualLoop(MAX_S)
    fault = ""
    world = World(seed, loop, plan, rng, keep=keep)
    try:
        run(Schedule(world).play, loop)
    except BaseExceptionGroup as group:
        fault = "; ".join(f"{type(each).__name__}: {each}" for each in group.exceptions)
    except Exception as error:  # noqa: BLE001 - any error is a fault
        fault = f"{type(error).__name__}: {error}"
    if fault:
        world.note(fault)
    return Report(
        seed=seed,
        digest=world.digest,
        fault=fault,
        events=world.oracle.head if world.debate else 0,
        messages=world.messages,
        resumes=world.resumes,
        epochs=len(world.shared.claims) - 1,
        fenced=world.shared.fenced,
        slow=world.slow,
        virtual_s=round(loop.now, 3),
        trace=tuple(world.lines),
    )
