"""Two servers on one PostgreSQL: watched and acted on from either; one is killed, stands still, or is told to go."""

import signal
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from anyio import to_thread

from events.store.log import EventLog
from events.store.open import opened_log
from events.types import AttemptAbandoned, DebateConcluded, DebateHalted
from server.cluster.nodes import share
from tests.events.cluster.test_bus import Nats, nats  # noqa: F401 - a fixture
from tests.events.conftest import database, postgres  # noqa: F401 - fixtures
from tests.events.store.postgres_server import Server
from tests.server.children import Cli, line_with
from tests.server.cluster.nodes import (
    LEASE_S,
    PATIENCE_S,
    QUICK,
    SLOW,
    Nodes,
    Pair,
    looker,
    open_anyhow,
    post,
    running,
    state_of,
    until,
    watched,
)
from tests.server.debate.test_kill import open_debate

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]


@pytest.fixture
def nodes(tmp_path: Path, database: str) -> Any:  # noqa: F811
    with ExitStack() as ending:
        yield Nodes(Cli(tmp_path), database, ending)


@pytest.fixture
async def log(database: str, anyio_backend: str) -> AsyncIterator[EventLog]:  # noqa: F811
    async with opened_log(database, read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def two(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: F811
    with ThreadPoolExecutor(2) as elsewhere, ExitStack() as ending:
        url = elsewhere.submit(anyio.run, postgres.database, "moot_two").result()
        nodes = Nodes(Cli(tmp_path_factory.mktemp("two")), url, ending)
        (_, here), (_, there) = elsewhere.map(lambda _: nodes.start(), range(2))
        yield nodes, here, there


@pytest.fixture
async def pair(two: tuple[Nodes, str, str], anyio_backend: str) -> AsyncIterator[Pair]:
    nodes, here, there = two
    async with opened_log(nodes.url, read_only=True) as opened:
        yield Pair(here, there, opened, nodes)


@pytest.mark.slow
async def test_a_debate_of_one_node_is_watched_on_the_other_word_by_word(pair: Pair, script: Any) -> None:
    here, there, log, _ = pair
    debate = open_debate(here, script(pace=QUICK))
    h, abroad = looker(debate, here), looker(debate, there)
    await watched(log, h, abroad)

    assert abroad.deltas > 5
    assert h.deltas > 5


@pytest.mark.slow
async def test_who_comes_late_to_the_other_node_gets_the_text_so_far(pair: Pair, script: Any) -> None:
    here, there, *_ = pair
    debate = open_debate(here, script(pace=SLOW))
    late = looker(debate, there)
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(looker(debate, here).watch)
            await anyio.sleep(2)  # so long it is spoken before anybody listens there
            tasks.start_soon(late.watch)
            while late.deltas < 3:  # noqa: ASYNC110 - another process speaks
                await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()

    assert len(late._text) > 10
    assert (1, 1) == late._said


@pytest.mark.slow
async def test_acts_by_the_wrong_node_are_answered_as_by_the_right_one(pair: Pair, script: Any) -> None:
    here, there, *_ = pair
    debate = open_debate(here, script(pace=SLOW))
    said = post(there, debate, "say", text="Mind the time.")
    assert said.status_code == 200
    assert said.json().keys() == {"position"}

    for act, body in [
        ("resume", {}),
        ("votes", {"turn": 9, "belief": 50}),
        ("claims/C1.1/appeal", {}),
        ("decision", {"decision": "pro", "reason": "so"}),
        ("pause", {"reason": 7}),
        ("say", {"text": ""}),
    ]:
        right, wrong = post(here, debate, act, **body), post(there, debate, act, **body)
        assert right.status_code >= 400
        assert (right.status_code, right.json()) == (wrong.status_code, wrong.json())

    assert post(there, debate, "pause", reason="a break").status_code == 200
    assert state_of(here, debate) == state_of(there, debate) == "paused"


@pytest.mark.slow
async def test_what_nobody_runs_is_acted_on_wherever_one_asks(pair: Pair, script: Any) -> None:
    here, there, log, _ = pair
    debate = open_debate(here, script(pace=QUICK))
    assert post(here, debate, "pause").status_code == 200
    assert post(there, debate, "say", text="Go on.").status_code == 200
    assert post(here, debate, "votes", winner="pro").status_code == 200
    assert post(there, debate, "votes", winner="con").status_code == 200
    assert post(there, debate, "resume").status_code == 200

    await watched(log, looker(debate, here), looker(debate, there))
    assert post(there, debate, "pause").status_code == 409
    assert post(there, "0190", "pause").status_code == 404


@pytest.mark.slow
async def test_when_a_node_is_killed_the_other_goes_on_and_nobody_sees_a_gap(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (owner, here), (_, there) = nodes.start(), nodes.start()
    model = script(pace=QUICK)
    debates = [open_debate(here, model) for _ in range(3)]
    lookers = [looker(debate, there) for debate in debates]
    took_s = 0.0

    async def kill() -> None:
        nonlocal took_s
        while any(each.position < 3 for each in lookers):  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        owner.kill()
        began, heads = time.monotonic(), [await log.head(debate) for debate in debates]
        for debate, head in zip(debates, heads, strict=True):
            await log.wait_beyond(debate, head)
        took_s = time.monotonic() - began

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kill)
        await watched(log, *lookers)

    assert took_s < LEASE_S + 1
    for each in lookers:
        assert each.lines == 1
        events = [record.event for record in await log.read(each.debate)]
        assert isinstance(events[-1], DebateConcluded)
        assert not any(isinstance(event, DebateHalted) for event in events)


@pytest.mark.slow
async def test_a_node_that_stood_still_finds_itself_fenced_and_stays_calm(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    owner, here = nodes.start()
    _, there = nodes.start()
    debate = open_debate(here, script(pace=QUICK))
    head = await log.head(debate)
    await log.wait_beyond(debate, head)
    owner.send_signal(signal.SIGSTOP)
    at = await log.head(debate)
    with anyio.fail_after(LEASE_S + 1):
        await log.wait_beyond(debate, at)
    owner.send_signal(signal.SIGCONT)
    await watched(log, looker(debate, there), looker(debate, here))
    events = [record.event for record in await log.read(debate)]

    assert not any(isinstance(event, DebateHalted) for event in events)
    assert "debate_lost" in line_with(owner.stderr, b"debate_lost").decode()
    assert post(here, debate, "pause").status_code == 409
    assert 0 == running(here)


@pytest.mark.slow
async def test_a_node_that_is_told_to_go_hands_over_at_the_end_of_what_is_in_flight(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (owner, here), (_, there) = nodes.start(), nodes.start()
    debate = open_debate(here, script(pace=QUICK))
    h, abroad = looker(debate, here), looker(debate, there)

    async def leave() -> None:
        while h.deltas < 3:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        owner.send_signal(signal.SIGTERM)
        h.addresses = [there]
        await until(lambda: owner.poll() is not None)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(leave)
        await watched(log, h, abroad)
    events = [record.event for record in await log.read(debate)]

    assert owner.returncode == 0
    assert not any(isinstance(event, AttemptAbandoned) for event in events)
    ((code, reason),) = h.closes
    assert code == 1001
    assert "come back with after=" in reason
    assert [] == abroad.closes


@pytest.mark.slow
async def test_what_takes_too_long_is_broken_off_by_a_node_that_goes(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start(MOOT_DRAIN_S="0.3")
    _, there = nodes.start()
    debate = open_debate(here, script(pace={"chunk_ms": 60_000}))
    await log.wait_beyond(debate, 1)
    owner.send_signal(signal.SIGTERM)
    await until(lambda: owner.poll() is not None)
    with anyio.fail_after(2):
        await log.wait_beyond(debate, 3)  # broken off, and begun again
    types = [type(record.event).__name__ for record in await log.read(debate)]

    assert owner.returncode == 0
    assert ["TurnStarted", "AttemptAbandoned", "TurnStarted"] == types[-3:]
    assert state_of(there, debate) == "open"


async def test_a_node_that_goes_takes_nothing_on(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start()
    model = script(pace={"chunk_ms": 60_000})
    debate = open_debate(here, model)
    await log.wait_beyond(debate, 1)
    owner.send_signal(signal.SIGTERM)
    await until(lambda: httpx.get(f"{here}/readyz", trust_env=False).status_code == 503)
    refused = open_anyhow(here, model)

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "leaving"
    owner.send_signal(signal.SIGTERM)  # the second does not wait
    await until(lambda: owner.poll() is not None)


@pytest.mark.slow
async def test_what_was_left_is_shared_by_those_who_start(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start()
    model = script(pace={"chunk_ms": 60_000})
    debates = [open_debate(here, model) for _ in range(4)]
    for debate in debates:
        await log.wait_beyond(debate, 1)  # its first turn has been given the floor
    owner.kill()
    await until(lambda: owner.poll() is not None)
    (_, one), (_, two) = nodes.start(), nodes.start()
    await until(lambda: running(one) + running(two) == len(debates))
    for debate in debates:
        await log.wait_beyond(debate, 2)
        assert isinstance((await log.read(debate, 2))[0].event, AttemptAbandoned)


@pytest.mark.slow
async def test_text_in_flight_travels_by_nats(
    nodes: Nodes,
    log: EventLog,
    script: Any,
    nats: Nats,  # noqa: F811
) -> None:
    (_, here), (_, there) = nodes.start("--bus", nats.url), nodes.start("--bus", nats.url)
    debate = open_debate(here, script(pace=QUICK))
    abroad = looker(debate, there)

    async def stop() -> None:
        while abroad.deltas < 5:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        nats.stop()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        await watched(log, abroad)  # without the bus the events come all the same

    assert abroad.deltas >= 5


@pytest.mark.slow
async def test_the_database_restarts_in_the_middle(
    nodes: Nodes,
    log: EventLog,
    script: Any,
    postgres: Server,  # noqa: F811
) -> None:
    (_, here), (_, there) = nodes.start(), nodes.start()
    debate = open_debate(here, script(pace=QUICK))
    h, abroad = looker(debate, here), looker(debate, there)

    async def restart() -> None:
        while abroad.deltas < 5:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        await to_thread.run_sync(postgres.restart)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(restart)
        await watched(log, h, abroad)
    events = [record.event for record in await log.read(debate)]

    assert not any(isinstance(event, DebateHalted) for event in events)


@pytest.mark.slow
async def test_workers_share_a_port(nodes: Nodes, log: EventLog, script: Any) -> None:
    parent, address = nodes.start("--workers", "2")
    model = script(pace=QUICK)
    debates = [open_debate(address, model) for _ in range(4)]
    await watched(log, *[looker(debate, address) for debate in debates for _ in range(3)])
    parent.send_signal(signal.SIGTERM)
    await until(lambda: parent.poll() is not None)

    assert parent.returncode == 0


@pytest.mark.slow
async def test_workers_do_not_outlive_the_one_that_started_them(nodes: Nodes) -> None:
    parent, address = nodes.start("--workers", "2")
    parent.kill()

    def is_refused() -> bool:
        try:
            httpx.get(f"{address}/healthz", trust_env=False)
        except httpx.TransportError:
            return True
        return False

    await until(is_refused)
    assert parent.wait() == -signal.SIGKILL


def test_workers_need_a_store_that_can_be_shared(tmp_path: Path) -> None:
    done = Cli(tmp_path)("serve", "--workers", "2", "--port", "0")

    assert done.returncode == 2
    assert done.stderr == (
        b"moot: workers: more than one worker needs a PostgreSQL store: one process writes any other\n"
    )


@pytest.mark.slow
async def test_a_debate_at_the_terminal_is_a_nodes_like_any_other(pair: Pair, script: Any) -> None:
    address, _, log, nodes = pair
    slow = script(pace=QUICK | {"answer_ms": 1.2 * LEASE_S * 1000})  # longer than a lease without a word
    child = nodes.cli.start(
        "run",
        "m",
        "--turns",
        "2",
        "--pro",
        slow,
        "--con",
        slow,
        "--judge",
        slow,
        MOOT_STORE=nodes.url,
        MOOT_LEASE_S=str(LEASE_S),
    )
    debate = line_with(child.stderr, b"debate 0").split()[-1].decode()
    abroad = looker(debate, address)
    await watched(log, abroad)
    child.communicate()

    assert child.returncode == 0
    assert abroad.deltas > 5


@pytest.mark.parametrize(("expected", "debates", "nodes"), [(0, 0, 2), (1, 1, 2), (20, 40, 2), (14, 40, 3), (5, 5, 0)])
def test_a_share_is_a_part_rounded_up(expected: int, debates: int, nodes: int) -> None:
    assert expected == share(debates, nodes)
