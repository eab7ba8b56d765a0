"""Faults that the simulation found, each by itself."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import msgspec
import pytest
from msgspec import structs

from events.errors import StoreUnavailable
from events.state.debate import UNNAMED
from events.types import ModelAnswered
from server.feed import frames
from server.settings import Settings
from tests.server.debate_events import PAUSED, RESUMED, abandoned, answered, folds, opened, recorded, started
from tests.simulation.clock import virtual_clock
from tests.simulation.gate import admit
from tests.simulation.loop import Loop, run
from tests.simulation.node import Place, Voice
from tests.simulation.pipe import Pace, Pipe
from tests.simulation.schedule import play
from tests.simulation.store import Line, Shared
from tests.simulation.watcher import Truth, Watcher

MOST = 256 << 10
LARGE = "x" * 20_000


class Scene:
    """One debate on as many nodes as are asked for, and those who watch it."""

    def __init__(self, loop: Loop, nodes: int = 1) -> None:
        self.loop, self.chance = loop, random.Random(1)
        self.shared = Shared(loop, 10, virtual_clock(loop, self.chance))
        self.truth = Truth(self.shared, "d")
        voice = Voice(self.truth, self.chance, longest=10, breaks=0)
        settings = Settings(store="memory:", tick_ms=0, slow_reader_s=2.0)
        self.places = [
            Place(Line(self.shared, f"node{number}", self.chance, lag_s=0), voice, settings, idle_s=50, ping_s=20)
            for number in range(nodes)
        ]

    @property
    def line(self) -> Line:
        return self.places[0].line

    def watcher(self) -> "Far":
        return Far(self.truth)

    def pipe(self, far: "Far", pace: Pace, **how: Any) -> Pipe:
        far.pipe = Pipe(self.loop, far, pace, **{"high": 1 << 16, "late": True, "chance": self.chance, **how})
        return far.pipe

    async def join(self, pipe: Pipe, place: int = 0, query: str = "", *, detached: bool = True) -> None:
        await admit(self.places[place].app, pipe, "d", query, deflate=False, detached=detached)


class Far(Watcher):
    """The far end of a pipe."""

    pipe: Pipe

    def __init__(self, truth: Truth) -> None:
        super().__init__(truth, "far", director=False)
        self.is_lost = False
        self.begin(None)

    def receive(self, data: bytes) -> None:
        super().receive(data)
        for answer in self.answers:
            self.pipe.send(answer)
        self.answers.clear()

    def lost(self) -> None:
        self.is_lost = True


def played(scene: Callable[[Scene], Awaitable[None]], nodes: int = 1) -> None:
    """Run a scene on its nodes."""
    loop = Loop(1000)

    async def whole() -> None:
        made = Scene(loop, nodes)
        async with anyio.create_task_group() as tasks:
            for place in made.places:
                await tasks.start(place.run, False)
            await made.line.append("d", 0, [opened(200)])
            await scene(made)
            tasks.cancel_scope.cancel()

    run(whole, loop)


@pytest.mark.parametrize("detached", [True, False])
def test_a_burst_overfills_no_buffer_where_the_loop_tells_late(detached: bool) -> None:
    """uvloop says that a buffer is full in the step after; a reader that is behind by many pages is not given all."""
    large: ModelAnswered = answered(1, parameters={"stop": LARGE})
    waited: list[int] = []

    async def scene(made: Scene) -> None:
        far, pace = made.watcher(), Pace(0.01, 1 << 20)
        pipe = made.pipe(far, pace)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(pipe, detached=detached))
            await anyio.sleep(1)
            pace.stall(1, made.loop)
            await made.line.append("d", 1, [large] * 60)
            await anyio.sleep(0.5)
            waited.append(pipe.most)
            await anyio.sleep(10)
            waited.append(far.position)
            pipe.abort()

    played(scene)

    assert 20_000 < waited[0] <= MOST
    assert waited[1] == 61


def test_who_is_closed_for_slowness_is_told_where_he_stands_on_the_ordinary_path_too() -> None:
    closed: list[Any] = []

    async def scene(made: Scene) -> None:
        far, pace = made.watcher(), Pace(0.01, 600)
        pipe = made.pipe(far, pace, high=2000, late=False)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(pipe, detached=False))
            await anyio.sleep(1)
            await made.line.append("d", 1, [PAUSED, RESUMED] * 30)
            await anyio.sleep(0.05)
            pace.stall(5, made.loop)
            await anyio.sleep(30)
        closed.append((far.closed, far.position))

    played(scene)
    [((code, reason), position)] = closed

    assert 1 < position < 61
    assert (code, reason) == (4408, f"too slow; come back with after={position}")


def test_who_goes_while_being_closed_or_refused_raises_nothing() -> None:
    async def scene(made: Scene) -> None:
        far, pace = made.watcher(), Pace(0.01, 600)
        pipe = made.pipe(far, pace, high=300, late=False)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(pipe, detached=False))
            await anyio.sleep(1)
            pace.stall(60, made.loop)
            await made.line.append("d", 1, [PAUSED, RESUMED] * 30)
            await anyio.sleep(4)  # it is being closed, and reads nothing of that
            assert not far.is_lost
            pipe.abort()
        refused = made.pipe(made.watcher(), Pace(0.01, 600))
        made.line.paused_until = made.loop.now + 1
        made.line.fails_until = made.loop.now + 5
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: made.join(refused))
            refused.abort()

    played(scene)


def test_who_read_further_on_another_node_is_waited_for() -> None:
    """A node that hears of commits late knows less than a spectator who comes over from a swift one."""
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        slow = made.places[1].line
        async with anyio.create_task_group() as tasks:
            first = made.pipe(made.watcher(), Pace(0.01, 1 << 20))
            tasks.start_soon(made.join, first, 1)
            await anyio.sleep(1)
            slow.lag_s = 8.0
            await made.line.append("d", 1, [PAUSED, RESUMED])
            assert made.places[1].hub._channels["d"].position == 1
            far = made.watcher()
            far.view, far.position = made.truth.view(3, director=False), 3
            far.begin(3)
            tasks.start_soon(made.join, made.pipe(far, Pace(0.01, 1 << 20)), 1, "after=3")
            await anyio.sleep(20)
            await made.line.append("d", 3, [PAUSED])
            await anyio.sleep(20)
            seen.append((far.closed, far.position, far.is_live))
            first.abort()
            far.pipe.abort()

    played(scene, nodes=2)

    assert seen == [(None, 4, True)]


async def _head_fails(made: Scene) -> None:
    made.line.fails_until = made.loop.now + 5


async def _follow_fails(made: Scene) -> None:
    """The head is read, and what follows is not."""
    read = made.line.read

    async def failing(*said: Any) -> Any:
        made.line.read = read  # type: ignore[method-assign]
        raise StoreUnavailable("the disk failed")

    made.line.read = failing  # type: ignore[assignment, method-assign]


@pytest.mark.parametrize("fails", [_head_fails, _follow_fails])
def test_a_store_that_fails_while_somebody_comes_is_named_whenever_it_does(
    fails: Callable[[Scene], Awaitable[None]],
) -> None:
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        await fails(made)
        far = made.watcher()
        await made.join(made.pipe(far, Pace(0.01, 1 << 20)))
        await anyio.sleep(1)
        seen.append(far.closed)

    played(scene)

    assert seen == [(1011, "the disk failed")]


def test_the_director_of_a_blind_debate_reads_why_an_attempt_was_cut_off() -> None:
    blind = structs.replace(opened(), blind=True)
    *_, last = records = recorded([blind, started(1), abandoned(1)])
    before, after = folds(records)[-2:]

    assert frames.differs_for_director(before, last)
    patch = msgspec.json.decode(frames.frame(before, last, after, revealed=True))["patch"]
    assert patch["turns"]["1"]["failures"][0]["message"] == "cut"
    patch = msgspec.json.decode(frames.frame(before, last, after))["patch"]
    assert patch["turns"]["1"]["failures"][0]["message"] == UNNAMED


def test_a_position_beyond_the_log_is_refused_all_the_same() -> None:
    seen: list[Any] = []

    async def scene(made: Scene) -> None:
        far = made.watcher()
        await made.join(made.pipe(far, Pace(0.01, 1 << 20)), 0, "after=9")
        await anyio.sleep(1)
        seen.append(far.closed)

    played(scene)

    assert seen == [(1008, "after must be between 0 and the head 1")]


def test_a_store_that_fails_while_somebody_catches_up_closes_the_socket_and_breaks_nothing() -> None:
    """On the path without detached sockets: the pages that such a reader lacks are read from the store."""
    report = play(37105)

    assert report.fault == ""
