"""Two servers on one PostgreSQL store: clients use both; one is killed, suspended or stopped."""

import signal
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx
import msgspec
import pytest
from anyio import to_thread

from events.store.log import EventLog
from events.store.open import opened_log
from events.types import AttemptAbandoned, DebateConcluded, DebateHalted
from server.cluster.node import share
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
    post,
    running,
    spectator,
    state_of,
    try_to_open,
    until,
    watch_to_end,
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
    with ThreadPoolExecutor(2) as executor, ExitStack() as ending:
        url = executor.submit(anyio.run, postgres.database, "moot_two").result()
        nodes = Nodes(Cli(tmp_path_factory.mktemp("two")), url, ending)
        (_, here), (_, there) = executor.map(lambda _: nodes.start(), range(2))
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
    local, remote = spectator(debate, here), spectator(debate, there)
    await watch_to_end(log, local, remote)

    assert remote.deltas > 5
    assert local.deltas > 5


@pytest.mark.slow
async def test_a_spectator_that_joins_late_on_the_other_node_gets_the_text_so_far(pair: Pair, script: Any) -> None:
    here, there, *_ = pair
    debate = open_debate(here, script(pace=SLOW))
    late = spectator(debate, there)
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(spectator(debate, here).watch)
            await anyio.sleep(2)  # the turn is spoken for this time before the other node listens
            tasks.start_soon(late.watch)
            while late.deltas < 3:  # noqa: ASYNC110 - another process runs the debate
                await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()

    assert len(late._text) > 10
    assert (1, 1) == late._speaking


@pytest.mark.slow
async def test_commands_to_the_other_node_are_answered_as_by_the_owner(pair: Pair, script: Any) -> None:
    here, there, *_ = pair
    debate = open_debate(here, script(pace=SLOW))
    response = post(there, debate, "say", text="Mind the time.")
    assert response.status_code == 200
    assert response.json().keys() == {"position"}

    for command, body in [
        ("resume", {}),
        ("votes", {"turn": 9, "belief": 50}),
        ("claims/C1.1/appeal", {}),
        ("decision", {"decision": "pro", "reason": "so"}),
        ("pause", {"reason": 7}),
        ("say", {"text": ""}),
    ]:
        owner, other = post(here, debate, command, **body), post(there, debate, command, **body)
        assert owner.status_code >= 400
        assert (owner.status_code, owner.json()) == (other.status_code, other.json())

    assert post(there, debate, "pause", reason="a break").status_code == 200
    assert state_of(here, debate) == state_of(there, debate) == "paused"


@pytest.mark.slow
async def test_the_questions_of_a_hosted_model_wait_at_every_node(pair: Pair) -> None:
    here, there, *_ = pair
    own = {"model": "hosted:own"}
    body = {"motion": "Trams beat buses", "turns": 2, "pro": own, "con": own, "judge": {"model": "baseline:lexical"}}
    opened = await to_thread.run_sync(lambda: httpx.post(f"{here}/api/debates", json=body))
    debate = opened.json()["id"]

    def asked(node: str) -> list[Any]:
        found: list[Any] = httpx.get(f"{node}/api/debates/{debate}/hosted").json()["questions"]
        return found

    for turn, (asking, answering) in enumerate([(there, here), (here, there)], 1):
        await until(lambda at=asking, turn=turn: [each["turn"] for each in asked(at)] == [turn])
        (question,) = asked(answering)
        assert post(answering, debate, "hosted/answer", question=question["id"], answer="It works.").is_success
    await until(lambda: state_of(there, debate) == "concluded")
    assert asked(here) == asked(there) == []


@pytest.mark.slow
async def test_a_debate_that_another_node_runs_is_forked_and_judged_again(pair: Pair, script: Any) -> None:
    here, there, log, _ = pair
    debate = open_debate(here, script(pace=SLOW))
    await until(lambda: httpx.get(f"{here}/api/debates/{debate}").json()["position"] > 1)
    other = {"model": script("other", pace=QUICK)}
    branch = post(there, debate, "fork", at=2, pro=other, con=other, judge=other).json()["id"]
    await watch_to_end(log, spectator(branch, here))
    again = post(here, branch, "rejudge", judge={"model": "baseline:lexical"}).json()["id"]
    await watch_to_end(log, spectator(again, there))

    assert "open" == state_of(there, debate)
    assert post(there, debate, "halt").status_code == 200


@pytest.mark.slow
async def test_any_node_does_commands_for_a_debate_that_no_node_runs(pair: Pair, script: Any) -> None:
    here, there, log, _ = pair
    debate = open_debate(here, script(pace=QUICK))
    assert post(here, debate, "pause").status_code == 200
    assert post(there, debate, "say", text="Go on.").status_code == 200
    assert post(here, debate, "votes", winner="pro").status_code == 200
    assert post(there, debate, "votes", winner="con").status_code == 200
    assert post(there, debate, "resume").status_code == 200

    await watch_to_end(log, spectator(debate, here), spectator(debate, there))
    assert post(there, debate, "pause").status_code == 409
    assert post(there, "0190", "pause").status_code == 404


def poll_with(client: httpx.Client, address: str, debate: str, part: str) -> Any:
    """The poll as one node shows it, once it has this part."""
    until_s = time.monotonic() + PATIENCE_S
    while part not in (poll := client.get(f"{address}/api/debates/{debate}/poll").json()["poll"]):
        assert time.monotonic() < until_s, poll
        time.sleep(0.05)
    return poll


@pytest.mark.slow
def test_votes_of_a_poll_reach_the_node_that_runs_the_debate_and_are_sealed_on_both(
    two: tuple[Nodes, str, str], script: Any
) -> None:
    _, here, there = two
    seats = {seat: {"model": script(pace=QUICK)} for seat in ("pro", "con", "judge")}
    with httpx.Client(trust_env=False) as near, httpx.Client(trust_env=False) as far:
        body = {"motion": "m", "turns": 2, "poll": {}, **seats}
        debate = near.post(f"{here}/api/debates", json=body).json()["id"]
        path = f"/api/debates/{debate}"
        for when, stances in (("before", ("pro", "undecided")), ("after", ("con", "con"))):
            for phone, address, stance in ((near, here, stances[0]), (far, there, stances[1])):
                poll_with(phone, address, debate, when)
                vote = {"when": when, "stance": stance}
                assert phone.post(f"{address}{path}/votes", json=vote).status_code == 200
            assert {2} == {poll_with(near, at, debate, when)[when]["cast"] for at in (here, there)}
            assert '"stance":' not in far.get(f"{there}{path}/events?director=1&limit=1000").text
            assert far.post(f"{there}{path}/poll/close", json={"when": when}).status_code == 200
        results = [poll_with(near, at, debate, "result")["result"] for at in (here, there)]

    assert results[0] == results[1]
    assert "con" == results[0]["twice"]["winner"]


@pytest.mark.slow
async def test_when_a_node_is_killed_the_other_continues_its_debates_without_a_gap(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (owner, here), (_, there) = nodes.start(), nodes.start()
    model = script(pace=QUICK)
    debates = [open_debate(here, model) for _ in range(3)]
    spectators = [spectator(debate, there) for debate in debates]
    took_s = 0.0

    async def kill() -> None:
        nonlocal took_s
        while any(each.position < 3 for each in spectators):  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        owner.kill()
        began, heads = time.monotonic(), [await log.head(debate) for debate in debates]
        for debate, head in zip(debates, heads, strict=True):
            await log.wait_beyond(debate, head)
        took_s = time.monotonic() - began

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kill)
        await watch_to_end(log, *spectators)

    assert took_s < LEASE_S + 1
    for each in spectators:
        assert each.connections == 1
        events = [record.event for record in await log.read(each.debate)]
        assert isinstance(events[-1], DebateConcluded)
        assert not any(isinstance(event, DebateHalted) for event in events)


@pytest.mark.slow
async def test_a_node_that_was_suspended_is_fenced_and_runs_the_debate_no_more(
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
    await watch_to_end(log, spectator(debate, there), spectator(debate, here))
    events = [record.event for record in await log.read(debate)]

    assert not any(isinstance(event, DebateHalted) for event in events)
    assert "debate_lost" in line_with(owner.stderr, b"debate_lost").decode()
    assert post(here, debate, "pause").status_code == 409
    assert 0 == running(here)


@pytest.mark.slow
async def test_a_node_that_stops_hands_over_after_its_calls_in_flight(nodes: Nodes, log: EventLog, script: Any) -> None:
    (owner, here), (_, there) = nodes.start(), nodes.start()
    debate = open_debate(here, script(pace=QUICK))
    local, remote = spectator(debate, here), spectator(debate, there)

    async def leave() -> None:
        while local.deltas < 3:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        owner.send_signal(signal.SIGTERM)
        local.addresses = [there]
        await until(lambda: owner.poll() is not None)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(leave)
        await watch_to_end(log, local, remote)
    events = [record.event for record in await log.read(debate)]

    assert owner.returncode == 0
    assert not any(isinstance(event, AttemptAbandoned) for event in events)
    ((code, reason),) = local.closes
    assert code == 1001
    assert "come back with after=" in reason
    assert [] == remote.closes


@pytest.mark.slow
async def test_a_node_that_stops_abandons_a_turn_that_takes_too_long(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start(MOOT_DRAIN_S="0.3")
    _, there = nodes.start()
    debate = open_debate(here, script(pace={"chunk_ms": 60_000}))
    await log.wait_beyond(debate, 1)
    owner.send_signal(signal.SIGTERM)
    await until(lambda: owner.poll() is not None)
    with anyio.fail_after(2):
        await log.wait_beyond(debate, 4)  # booked by the node that stops; abandoned and started again by the other one
    types = [type(record.event).__name__ for record in await log.read(debate)]

    assert owner.returncode == 0
    assert ["TurnStarted", "ModelFailed", "AttemptAbandoned", "TurnStarted"] == types[-4:]
    assert state_of(there, debate) == "open"


@pytest.mark.slow
async def test_a_node_that_stops_refuses_new_debates(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start()
    model = script(pace={"chunk_ms": 60_000})
    debate = open_debate(here, model)
    await log.wait_beyond(debate, 1)
    owner.send_signal(signal.SIGTERM)
    await until(lambda: httpx.get(f"{here}/readyz", trust_env=False).status_code == 503)
    refused = try_to_open(here, model)

    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "leaving"
    owner.send_signal(signal.SIGTERM)  # after the second signal it does not wait
    await until(lambda: owner.poll() is not None)


@pytest.mark.slow
async def test_nodes_that_start_share_the_debates_of_a_dead_node(nodes: Nodes, log: EventLog, script: Any) -> None:
    owner, here = nodes.start()
    model = script(pace={"chunk_ms": 60_000})
    debates = [open_debate(here, model) for _ in range(4)]
    for debate in debates:
        await log.wait_beyond(debate, 1)  # its first turn has started
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
    remote = spectator(debate, there)

    async def stop() -> None:
        while remote.deltas < 5:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        nats.stop()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        await watch_to_end(log, remote)  # the events come without the bus too

    assert remote.deltas >= 5


@pytest.mark.slow
async def test_the_database_restarts_in_the_middle(
    nodes: Nodes,
    log: EventLog,
    script: Any,
    postgres: Server,  # noqa: F811
) -> None:
    (_, here), (_, there) = nodes.start(), nodes.start()
    debate = open_debate(here, script(pace=QUICK))
    local, remote = spectator(debate, here), spectator(debate, there)

    async def restart() -> None:
        while remote.deltas < 5:  # noqa: ASYNC110 - other processes
            await anyio.sleep(0.01)
        await to_thread.run_sync(postgres.restart)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(restart)
        await watch_to_end(log, local, remote)
    events = [record.event for record in await log.read(debate)]

    assert not any(isinstance(event, DebateHalted) for event in events)


@pytest.mark.slow
async def test_workers_share_a_port(nodes: Nodes, log: EventLog, script: Any) -> None:
    parent, address = nodes.start("--workers", "2")
    model = script(pace=QUICK)
    debates = [open_debate(address, model) for _ in range(4)]
    await watch_to_end(log, *[spectator(debate, address) for debate in debates for _ in range(3)])
    parent.send_signal(signal.SIGTERM)
    await until(lambda: parent.poll() is not None)

    assert parent.returncode == 0


@pytest.mark.slow
async def test_workers_end_with_the_process_that_started_them(nodes: Nodes) -> None:
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


@pytest.mark.slow
def test_workers_need_a_store_that_can_be_shared(tmp_path: Path) -> None:
    done = Cli(tmp_path)("serve", "--workers", "2", "--port", "0")

    assert done.returncode == 2
    (line,) = map(msgspec.json.decode, done.stderr.splitlines())
    why = "more than one worker needs a PostgreSQL store: any other store has a single writing process"
    assert (line["field"], line["message"]) == ("workers", why)


@pytest.mark.slow
async def test_a_debate_run_at_the_terminal_is_watched_on_a_node(pair: Pair, script: Any) -> None:
    address, _, log, nodes = pair
    slow = script(pace=QUICK | {"answer_ms": 1.2 * LEASE_S * 1000})  # no event for longer than a lease
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
    remote = spectator(debate, address)
    await watch_to_end(log, remote)
    child.communicate()

    assert child.returncode == 0
    assert remote.deltas > 5


@pytest.mark.parametrize(("expected", "debates", "nodes"), [(0, 0, 2), (1, 1, 2), (20, 40, 2), (14, 40, 3), (5, 5, 0)])
def test_a_share_is_a_part_rounded_up(expected: int, debates: int, nodes: int) -> None:
    assert expected == share(debates, nodes)
