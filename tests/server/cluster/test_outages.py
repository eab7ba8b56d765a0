"""PostgreSQL is away for longer than statements wait for it: no node ends, no socket closes, nothing is lost."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread

from events.store.log import EventLog
from events.store.open import opened_log
from events.store.postgres.log import PostgresLog
from events.types import AttemptAbandoned, DebateConcluded, DebateHalted
from server.http.access import Access
from server.http.app import make_app
from server.service import running
from server.settings import Settings
from tests.events.conftest import database, postgres  # noqa: F401 - fixtures
from tests.events.store.postgres_server import Server
from tests.server.children import Cli, Process
from tests.server.cluster.nodes import Nodes, spectator
from tests.server.harness import PATIENCE_S, Spectator, check_sound, watch

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
PACE = {"chunk_ms": 30, "chunk_chars": 6, "answer_ms": 30}
MINE = {"x-moot-seat": "a" * 22}
TEXT = "Trams carry two hundred people each, so streets get their space back."
WITHIN_S = 2.0
"""Seconds within which a probe of readiness is answered."""
AFTER_S = 5.0
"""Seconds after the return of the database within which debates go on."""
Ask = Callable[..., Any]
"""Sends a request to a node, by its number: method, path, and the fields of the body."""


@asynccontextmanager
async def away(postgres: Server) -> AsyncIterator[None]:  # noqa: F811
    """Within it the database is stopped."""
    await to_thread.run_sync(postgres.stop)
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(postgres.start)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    while not await holds():  # noqa: ASYNC110 - of the database and of other processes
        await anyio.sleep(0.02)


async def open_debates(ask: Ask, nodes: int, model: str) -> tuple[list[str], str, str]:
    """One debate on each node, and one in which Ann speaks; gives also the path of her seat."""
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    body = {"motion": "Cities should ban cars", "turns": 4, **seats}
    debates = [(await ask(node, "POST", "/api/debates", **body)).json()["id"] for node in range(nodes)]
    mine = (await ask(0, "POST", "/api/debates", **body | {"turns": 2, "pro": {"person": "Ann"}})).json()
    return debates, mine["id"], "/api" + mine["links"]["pro"].replace("/seat/", "/seats/")


async def seat_is_asked(ask: Ask, path: str) -> None:
    """Ann takes her seat, her turn begins, and she writes half of it."""
    assert (await ask(-1, "POST", f"{path}/take")).status_code == 200

    async def is_asked() -> bool:
        return bool((await ask(-1, "GET", path)).json()["request"])

    await until(is_asked)
    kept = await ask(-1, "PUT", f"{path}/draft", request="speak:pro/1", text="half a text")

    assert kept.status_code == 200


async def probes(ask: Ask, nodes: int, until_s: float) -> None:
    """Ask each node again and again, until the database is to return."""
    refused = 0
    while time.monotonic() < until_s:
        for node in range(nodes):
            began = time.monotonic()
            response = await ask(node, "GET", "/readyz")
            took_s = time.monotonic() - began

            assert took_s < WITHIN_S
            assert (await ask(node, "GET", "/healthz")).status_code == 200
            refused += response.status_code == 503
        await anyio.sleep(0.1)
    assert refused, "the nodes say that they are not ready"


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


async def check_whole(log: EventLog, debate: str) -> Any:
    """The debate concluded, and no attempt at a turn was repeated; its records."""
    records = await check_sound(log, debate)
    events = [record.event for record in records]

    assert isinstance(events[-1], DebateConcluded)
    assert not [event for event in events if isinstance(event, DebateHalted | AttemptAbandoned)]
    return records


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> float:
    """Statements wait for a shorter time; it is returned."""
    patience_s = 0.4
    monkeypatch.setitem(PostgresLog.open.__kwdefaults__, "patience_s", patience_s)
    for module in ("debate.stream_writer", "debate.moderators", "feed.hub", "cluster.node"):
        monkeypatch.setattr(f"server.{module}.STORE_WAIT_S", 0.05)
    monkeypatch.setattr("server.http.metrics.STORE_S", 0.2)
    return patience_s


@pytest.mark.parametrize("number", [1, 2])
async def test_nodes_outlive_a_database_that_is_away_for_longer_than_they_wait(
    number: int,
    script: Any,
    database: str,  # noqa: F811
    postgres: Server,  # noqa: F811
    short_waits: float,
) -> None:
    """Bounds are a fiftieth of the true ones."""
    settings = Settings(store=database, lease_s=1.0, retry_ms=0, tick_ms=0)
    async with AsyncExitStack() as ending:
        services, clients = [], []
        for node in range(number):
            service = await ending.enter_async_context(running(settings, address=f"http://node{node}"))
            await service.take_up()
            transport = httpx2.ASGITransport(make_app(service, Access(settings)))
            client = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=MINE)
            services.append(service)
            clients.append(await ending.enter_async_context(client))

        async def ask(node: int, method: str, path: str, **body: Any) -> Any:
            return await clients[node].request(method, path, json=body or None)

        debates, mine, path = await open_debates(ask, number, script(pace=PACE))
        await seat_is_asked(ask, path)
        spectators = {(node, debate): Spectator() for node in range(number) for debate in (*debates, mine)}

        async def see(node: int, debate: str) -> None:
            hub, one = services[node].hub, spectators[node, debate]
            await watch(hub, await hub.channel(debate), one, None, lambda: one.view.get("state") == "concluded")

        async with anyio.create_task_group() as tasks:
            for node, debate in spectators:
                tasks.start_soon(see, node, debate)
            await anyio.wait_all_tasks_blocked()
            async with away(postgres):
                await probes(ask, number, time.monotonic() + 4 * short_waits)
            await send_in_the_end(ask, path)
        heads = {debate: len(await check_whole(services[0].log, debate)) for debate in (*debates, mine)}

    assert {(each, heads[each[1]]) for each in spectators} == {
        (each, one.position) for each, one in spectators.items()
    }, "nobody had to come back"


@pytest.mark.thorough
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("number", "away_s"), [(1, 25), (2, 25), (2, 120)])
async def test_servers_outlive_a_database_that_is_away_for_so_long(
    number: int,
    away_s: int,
    script: Any,
    tmp_path: Path,
    database: str,  # noqa: F811
    postgres: Server,  # noqa: F811
) -> None:
    asking = httpx2.AsyncClient(trust_env=False, timeout=60, headers=MINE)
    with ExitStack() as ending:
        nodes = Nodes(Cli(tmp_path), database, ending)
        started: list[tuple[Process, str]] = [nodes.start(MOOT_LEASE_S="10") for _ in range(number)]
        async with asking as client:

            async def ask(node: int, method: str, path: str, **body: Any) -> Any:
                return await client.request(method, started[node][1] + path, json=body or None)

            debates, mine, path = await open_debates(ask, number, script(pace=PACE))
            await seat_is_asked(ask, path)
            spectators = [spectator(debate, address) for _, address in started for debate in (*debates, mine)]

            def positions() -> list[int]:
                return [each.position for each in spectators]

            async def joined() -> bool:
                return all(positions())

            async def gone_on() -> bool:
                return positions() != before

            async with anyio.create_task_group() as tasks:
                for each in spectators:
                    tasks.start_soon(each.watch)
                await until(joined)
                async with away(postgres):
                    await probes(ask, number, time.monotonic() + away_s)
                before = positions()
                with anyio.fail_after(AFTER_S):
                    await until(gone_on)
                await send_in_the_end(ask, path)

        assert [None] * number == [process.poll() for process, _ in started]
        assert [1] * len(spectators) == [each.connections for each in spectators]
        async with opened_log(database, read_only=True) as log:
            for debate in (*debates, mine):
                await check_whole(log, debate)
