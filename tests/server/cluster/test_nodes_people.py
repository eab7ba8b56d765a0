"""The page of a person's seat on two nodes: it works at any of them, also after the owner of the debate was killed."""

import json
import signal
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio import to_thread

from events.store.log import EventLog
from events.store.open import opened_log
from tests.events.conftest import database, postgres  # noqa: F401 - fixtures
from tests.server.children import Cli
from tests.server.cluster.nodes import Nodes, running, spectator, state_of, until, watch_to_end
from tests.server.people.test_protocol_seats import KINDS, statement
from tests.server.protocol_debates import answers, check

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180), pytest.mark.slow]

MINE = {"x-moot-seat": "a" * 22}
TEXT = "Trams carry two hundred people each, so streets get their space back."


@pytest.fixture
def nodes(tmp_path: Path, database: str) -> Any:  # noqa: F811
    with ExitStack() as ending:
        yield Nodes(Cli(tmp_path), database, ending)


@pytest.fixture
async def log(database: str, anyio_backend: str) -> AsyncIterator[EventLog]:  # noqa: F811
    async with opened_log(database, read_only=True) as opened:
        yield opened


def open_seat(address: str, model: str, **changes: Any) -> tuple[str, str]:
    """A debate in which Ann speaks for Pro, and the path of her seat."""
    body = {
        "motion": "Cities should ban cars",
        "turns": 2,
        "pro": {"person": "Ann"},
        "con": {"model": model},
        "judge": {"model": model},
        **changes,
    }
    opened = httpx.post(f"{address}/api/debates", json=body, trust_env=False).raise_for_status().json()
    return opened["id"], "/api" + opened["links"]["pro"].replace("/seat/", "/seats/")


def seat(address: str, method: str, path: str, **body: str) -> httpx.Response:
    url = f"{address}{path}"
    return httpx.request(method, url, json=body or None, headers=MINE, trust_env=False, timeout=30)


def questions(address: str, path: str) -> dict[str, Any]:
    """The typed questions of the seat by id, as this node says."""
    return {each["id"]: each for each in seat(address, "GET", f"{path}/questions").json()["questions"]}


def asked(address: str, path: str) -> bool:
    """Whether it is the turn of the seat, as this node says."""
    answer = seat(address, "GET", path)
    return answer.is_success and answer.json()["request"] is not None


async def test_a_person_may_write_at_a_node_that_does_not_run_the_debate(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (_, here), (_, there) = nodes.start(), nodes.start()
    debate, path = open_seat(here, script())
    taken = await to_thread.run_sync(lambda: seat(there, "POST", f"{path}/take"))
    await until(lambda: asked(there, path))
    kept = seat(there, "PUT", f"{path}/draft", request="speak:pro/1", text="half")
    at_owner = seat(here, "GET", path).json()["request"]["draft"]
    refused = seat(there, "POST", f"{path}/answer", request="speak:pro/2", text=TEXT)
    sent = seat(there, "POST", f"{path}/answer", request="speak:pro/1", text=TEXT)
    watcher = spectator(debate, there)
    await watch_to_end(log, watcher)

    assert [each.status_code for each in (taken, kept, refused, sent)] == [200, 200, 409, 200]
    assert at_owner == "half", "the owner of the debate keeps the draft"
    assert watcher.view["turns"]["1"]["text"] == TEXT


async def test_a_statement_may_be_written_at_a_node_that_does_not_run_the_debate(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (_, here), (_, there) = nodes.start(), nodes.start()
    body = {"format": "protocol", "turns": 8, "pro": {"person": "Ann"}}
    debate, path = open_seat(here, script(answers=answers()), **body)
    await to_thread.run_sync(lambda: seat(there, "POST", f"{path}/take"))
    for number, kind in enumerate(KINDS):
        name = f"{kind}:pro/{2 * number + 1}"
        await until(lambda name=name: name in questions(there, path))
        question = questions(there, path)[name]
        text = json.dumps(statement(kind, "pro"))
        sent = seat(there, "POST", f"{path}/answer", request=name, text=text)
        assert sent.status_code == 200, sent.text
        assert question["material"]["about"]
        assert 0 < question["left_s"] <= 600
    watcher = spectator(debate, there)
    await watcher.watch()
    await check(log, debate)

    assert [watcher.view["turns"][turn]["by"] for turn in "1357"] == ["person"] * 4


async def test_a_turn_goes_on_at_another_node_when_the_owner_is_killed(
    nodes: Nodes, log: EventLog, script: Any
) -> None:
    (killed, here), (_, there) = nodes.start(), nodes.start()
    debate, path = open_seat(here, script())
    seat(here, "POST", f"{path}/take").raise_for_status()
    await until(lambda: asked(here, path))
    killed.send_signal(signal.SIGKILL)
    await until(lambda: running(there) == 1)
    await until(lambda: asked(there, path))

    sent = seat(there, "POST", f"{path}/answer", request="speak:pro/1", text=TEXT)
    watcher = spectator(debate, there)
    await watch_to_end(log, watcher)

    assert sent.status_code == 200, sent.text
    assert state_of(there, debate) == "concluded"
    assert watcher.view["turns"]["1"]["speaker"] == "Ann"
