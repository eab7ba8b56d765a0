"""What a server depends on is away: no process ends, no socket closes, drafts and votes stay, debates go on after it.

PostgreSQL, the disk, NATS and the model: for 25 seconds in every run, for 120 in the thorough one.
"""

import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import anyio
import httpx2
import pytest
from anyio import to_thread

from events.store.log import EventLog
from events.store.open import opened_log
from events.store.sqlite.log import SqliteLog
from events.types import AttemptAbandoned, DebateConcluded, DebateHalted, ModelFailed, TurnScored
from server.http.access import Access
from server.http.app import make_app
from server.service import Service, running
from server.settings import Settings
from tests.events.cluster.test_bus import Nats, nats  # noqa: F401 - a fixture
from tests.events.conftest import database, postgres  # noqa: F401 - fixtures
from tests.events.store.postgres_server import Server
from tests.providers.vendors.running import Vendors, running_vendors
from tests.server.children import Cli, Process
from tests.server.cluster.nodes import Nodes, spectator
from tests.server.harness import PATIENCE_S, Spectator, check_sound, watch
from tests.server.test_store_trouble import limit_pages

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
PACE = {"chunk_ms": 60, "chunk_chars": 6, "answer_ms": 60}
MINE = {"x-moot-seat": "a" * 22}
TEXT = "Trams carry two hundred people each, so streets get their space back."
MODEL = "openai:gpt-6-luna"
WITHIN_S = 2.0
"""Seconds within which a probe of readiness is answered."""
AFTER_S = 5.0
"""Seconds after the return of what was away within which debates go on."""
TURNS = 5
Ask = Callable[..., Any]
"""Sends a request to a node, by its number: method, path, and the fields of the body."""
Away = Callable[[], AbstractAsyncContextManager[None]]
"""Within it something is away."""


class Watcher(Protocol):
    """One spectator of one debate on one node."""

    position: int
    connections: int

    async def watch(self) -> None:
        """Watch until the debate has concluded."""
        ...


class House(NamedTuple):
    """Nodes on one store, what is asked of them, and the spectators that they can have."""

    number: int
    ask: Ask
    watcher: Callable[[int, str], Watcher]
    """By the number of the node, and the debate."""


# what is away


@asynccontextmanager
async def stopped(server: Server | Nats) -> AsyncIterator[None]:
    await to_thread.run_sync(server.stop)
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(server.start)


@asynccontextmanager
async def no_model(vendors: Vendors) -> AsyncIterator[None]:
    vendors.openai.stop_listening()
    try:
        yield
    finally:
        await vendors.openai.listen()


@asynccontextmanager
async def no_room_in(log: EventLog) -> AsyncIterator[None]:
    """SQLite says that the disk is full."""
    assert isinstance(log, SqliteLog)
    limit_pages(log, 1)
    try:
        yield
    finally:
        limit_pages(log, 1_000_000)


@asynccontextmanager
async def no_room_for(process: int) -> AsyncIterator[None]:
    """No file of a process may grow."""
    before = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, before)


# what happens meanwhile


async def until(holds: Callable[[], Awaitable[Any]]) -> None:
    while not await holds():  # noqa: ASYNC110 - of stores and of other processes
        await anyio.sleep(0.02)


async def opened(ask: Ask, node: int, model: str, turns: int, **request: Any) -> Any:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    body = {"motion": "Cities should ban cars", "turns": turns, **seats, **request}
    return (await ask(node, "POST", "/api/debates", **body)).json()


async def seat_is_asked(ask: Ask, model: str) -> tuple[str, str]:
    """Ann takes her seat, her turn begins, and she writes half of it: the debate, and the path of her seat."""
    mine = await opened(ask, 0, model, 2, pro={"person": "Ann"})
    path = "/api" + mine["links"]["pro"].replace("/seat/", "/seats/")
    assert (await ask(-1, "POST", f"{path}/take")).status_code == 200

    async def is_asked() -> bool:
        return bool((await ask(-1, "GET", path)).json()["request"])

    await until(is_asked)
    kept = await ask(-1, "PUT", f"{path}/draft", request="speak:pro/1", text="half a text")

    assert kept.status_code == 200
    return mine["id"], path


async def vote(ask: Ask, debate: str, when: str, stance: str) -> None:
    """Vote, once the vote is open."""

    async def is_open() -> bool:
        return when in (await ask(0, "GET", f"/api/debates/{debate}/poll")).json()["poll"]

    with anyio.fail_after(PATIENCE_S):
        await until(is_open)
    cast = await ask(0, "POST", f"/api/debates/{debate}/votes", when=when, stance=stance)

    assert cast.status_code == 200, cast.text


async def end_poll(ask: Ask, debate: str) -> None:
    """The vote from before is still there; the poll is closed, and the last one is taken and closed too."""
    assert (await ask(0, "GET", f"/api/debates/{debate}/poll")).json()["mine"]["before"] == "pro"
    await vote(ask, debate, "before", "con")
    assert (await ask(0, "POST", f"/api/debates/{debate}/poll/close", when="before")).status_code == 200
    await vote(ask, debate, "after", "con")
    assert (await ask(0, "POST", f"/api/debates/{debate}/poll/close", when="after")).status_code == 200


async def probes(ask: Ask, nodes: int, until_s: float, *, is_store: bool) -> None:
    """Ask each node again and again, until what is away is to return."""
    statuses = set[int]()
    while time.monotonic() < until_s:
        for node in range(nodes):
            began = time.monotonic()
            response = await ask(node, "GET", "/readyz")
            took_s = time.monotonic() - began

            assert took_s < WITHIN_S
            assert (await ask(node, "GET", "/healthz")).status_code == 200
            statuses.add(response.status_code)
        await anyio.sleep(0.1)
    assert (503 in statuses) == is_store, "a node says that it is not ready if it has no store, and only then"


async def send_in_the_end(ask: Ask, path: str) -> None:
    """The draft is still there; Ann sends her text until it is taken."""

    async def is_kept() -> bool:
        shown = await ask(0, "GET", path)
        return shown.is_success and shown.json()["request"]["draft"] == "half a text"

    async def is_taken() -> bool:
        sent = await ask(-1, "POST", f"{path}/answer", request="speak:pro/1", text=TEXT)
        return bool(sent.is_success)

    with anyio.fail_after(PATIENCE_S):
        await until(is_kept)
        await until(is_taken)


async def outlive(
    house: House, away: Away, away_s: float, model: str, *, is_store: bool = True, is_needed: bool = True
) -> list[str]:
    """Debates while something is away for so long; they conclude.

    ``is_store``: it is the store that is away.  ``is_needed``: the debates wait for it.
    """
    ask = house.ask
    mine, path = await seat_is_asked(ask, model)
    polled = (await opened(ask, 0, model, 1, poll={}))["id"]
    await vote(ask, polled, "before", "pro")
    debates = [(await opened(ask, node, model, TURNS))["id"] for node in range(house.number)]
    all_debates = [*debates, mine, polled]
    watchers = [house.watcher(node, debate) for node in range(house.number) for debate in all_debates]
    own = [each for number, each in enumerate(watchers) if number % len(all_debates) < len(debates)]

    async def joined() -> bool:
        return all(each.position for each in watchers)

    async def gone_on() -> bool:
        return [each.position for each in own] != before

    async with anyio.create_task_group() as tasks:
        for each in watchers:
            tasks.start_soon(each.watch)
        await until(joined)
        running = [(await ask(0, "GET", f"/api/debates/{debate}")).json()["state"] for debate in debates]
        assert ["open"] * len(debates) == running, "there is something to interrupt"
        async with away():
            await probes(ask, house.number, time.monotonic() + away_s, is_store=is_store)
            before = [each.position for each in own]
        if is_needed:
            with anyio.fail_after(AFTER_S):
                await until(gone_on)
        await send_in_the_end(ask, path)
        await end_poll(ask, polled)

    assert [1] * len(watchers) == [each.connections for each in watchers], "nobody had to come back"
    return all_debates


async def check_whole(log: EventLog, debate: str) -> None:
    """The debate concluded, no score is missing, and no attempt was lost on the way."""
    events = [record.event for record in await check_sound(log, debate)]

    assert isinstance(events[-1], DebateConcluded)
    assert not [event for event in events if isinstance(event, DebateHalted | AttemptAbandoned)]
    assert all(event.samples for event in events if isinstance(event, TurnScored))


# nodes in this process


class Reading:
    """A spectator of a hub."""

    connections = 0

    def __init__(self, service: Service, debate: str) -> None:
        self._service, self._debate, self._seen = service, debate, Spectator()

    @property
    def position(self) -> int:
        return self._seen.position

    async def watch(self) -> None:
        self.connections += 1
        hub, seen = self._service.hub, self._seen
        await watch(hub, await hub.channel(self._debate), seen, None, lambda: seen.view.get("state") == "concluded")


@asynccontextmanager
async def here(number: int = 1, **settings: Any) -> AsyncIterator[tuple[House, list[Service]]]:
    """Nodes in this process."""
    chosen = Settings(tick_ms=0, **settings)
    async with AsyncExitStack() as ending:
        services, clients = list[Service](), list[httpx2.AsyncClient]()
        for node in range(number):
            service = await ending.enter_async_context(running(chosen, address=f"http://node{node}"))
            await service.take_up()
            transport = httpx2.ASGITransport(make_app(service, Access(chosen)))
            client = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=MINE)
            services.append(service)
            clients.append(await ending.enter_async_context(client))

        async def ask(node: int, method: str, path: str, **body: Any) -> Any:
            return await clients[node].request(method, path, json=body or None)

        yield House(number, ask, lambda node, debate: Reading(services[node], debate)), services


async def test_servers_outlive_ten_seconds_without_database_and_bus_disk_or_model(
    script: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,  # noqa: F811
    postgres: Server,  # noqa: F811
    nats: Nats,  # noqa: F811
) -> None:
    """All at the same time: two nodes on PostgreSQL and NATS, one whose disk is full, one whose vendor is away."""
    away_s, model = 10.0, script(pace=PACE)

    async def without_database() -> None:
        @asynccontextmanager
        async def both() -> AsyncIterator[None]:
            async with stopped(nats), stopped(postgres):
                yield

        async with here(2, store=database, bus=nats.url) as (house, services):
            for debate in await outlive(house, both, away_s, model):
                await check_whole(services[0].log, debate)
            with anyio.fail_after(AFTER_S):
                while not all(each.bus.state.up for each in services):  # noqa: ASYNC110 - nothing says so
                    await anyio.sleep(0.02)

    async def without_room() -> None:
        async with here(store=f"sqlite:{tmp_path / 'full.db'}") as (house, services):
            for debate in await outlive(house, lambda: no_room_in(services[0].log), away_s, model):
                await check_whole(services[0].log, debate)

    async def without_model() -> None:
        async with (
            running_vendors(monkeypatch, thought=0, words=20, latency_s=0.2) as vendors,
            here(store=f"sqlite:{tmp_path / 'model.db'}") as (house, services),
        ):
            debates = await outlive(house, lambda: no_model(vendors), away_s, MODEL, is_store=False)
            failed = 0
            for debate in debates:
                await check_whole(services[0].log, debate)
                failed += sum(isinstance(each.event, ModelFailed) for each in await services[0].log.read(debate))
            assert failed, "it was away"

    async with anyio.create_task_group() as tasks:
        for each in (without_database, without_room, without_model):
            tasks.start_soon(each)


# servers in processes of their own


@asynccontextmanager
async def children(
    folder: Path, url: str, number: int, **environment: str
) -> AsyncIterator[tuple[House, list[Process]]]:
    """Nodes in processes of their own; none ends meanwhile."""
    asking = httpx2.AsyncClient(trust_env=False, timeout=60, headers=MINE)
    with ExitStack() as ending:
        nodes = Nodes(Cli(folder), url, ending)
        started = [nodes.start(MOOT_LEASE_S="10", MOOT_RETRY_MS="500", **environment) for _ in range(number)]

        async def ask(node: int, method: str, path: str, **body: Any) -> Any:
            return await client.request(method, started[node][1] + path, json=body or None)

        def watcher(node: int, debate: str) -> Watcher:
            return spectator(debate, started[node][1])

        async with asking as client:
            yield House(number, ask, watcher), [process for process, _ in started]
        assert [None] * number == [process.poll() for process, _ in started], "no process has ended"


@pytest.mark.thorough
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("what", "number", "away_s"),
    [
        *[("database", number, away_s) for number in (1, 2) for away_s in (25, 120)],
        *[("bus", 2, away_s) for away_s in (25, 120)],
        *[(what, 1, away_s) for what in ("disk", "model") for away_s in (25, 120)],
    ],
)
async def test_processes_outlive_what_is_away_for_so_long(
    what: str,
    number: int,
    away_s: int,
    script: Any,
    tmp_path: Path,
    database: str,  # noqa: F811
    postgres: Server,  # noqa: F811
    nats: Nats,  # noqa: F811
) -> None:
    url = database if what in {"database", "bus"} else f"sqlite:{tmp_path / 'store.db'}"
    model = MODEL if what == "model" else script(pace=PACE)
    bus = {"MOOT_BUS": nats.url} if number > 1 else {}
    async with (
        running_vendors(thought=0, words=20, latency_s=0.2) as vendors,
        children(tmp_path, url, number, **vendors.environment, **bus) as (house, processes),
    ):
        away: dict[str, Away] = {
            "database": lambda: stopped(postgres),
            "bus": lambda: stopped(nats),
            "disk": lambda: no_room_for(processes[0].pid),
            "model": lambda: no_model(vendors),
        }
        is_store, is_needed = what in {"database", "disk"}, what != "bus"
        debates = await outlive(house, away[what], away_s, model, is_store=is_store, is_needed=is_needed)
    async with opened_log(url, read_only=True) as log:
        for debate in debates:
            await check_whole(log, debate)
