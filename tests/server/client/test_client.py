"""The client: the notebook of the documentation, gap-free following over cut lines, and views that read as written."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve

from events.view.readable import read
from events.view.view import View
from providers.scripted import provider as scripted
from server.client import AsyncClient, CannotServe, Client, Delta, Frame
from tests.docs import pages

GOLDEN = sorted((pages.ROOT / "tests/events/view/golden").glob("*.view.json"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exhibitions speak without pauses."""
    monkeypatch.setattr(scripted, "ScriptedProvider", scripted.UnpacedProvider)
    monkeypatch.setenv("MOOT_RETRY_MS", "0")
    monkeypatch.setenv("MOOT_TICK_MS", "0")


@pytest.mark.slow
def test_the_notebook_of_the_page_gives_a_debate_and_its_scores(
    unpaced: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = pages.blocks(pages.read("client"))[0]
    made: dict[str, Any] = {}
    exec(code, made)

    assert 6 == len(made["turns"]) == made["view"].turns_planned
    assert {"turn", "side", "composite", "logic"} <= set(made["turns"].columns)
    assert made["scores"].query("turn == 2")["effective"].sum() > 0
    effective = made["ledger"].groupby("dimension")["after"].last()
    assert dict(effective) == pytest.approx({name: made["audit"].effective[name] for name in effective.index})
    assert (f"{made['view'].outcome.text}\n", "") == capsys.readouterr()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_view_reads_as_it_was_written(path: Path) -> None:
    written = json.loads(path.read_bytes())

    assert written == json.loads(msgspec.json.encode(read(written, View)))


def frame(position: int, **patch: Any) -> dict[str, Any]:
    known = {"id": str(position), "at": "", "cause": None, "schema": 1, "digest": ""}
    return {"kind": "frame", "position": position, **known, "event": {"type": "x"}, "patch": patch}


@asynccontextmanager
async def cutting(*lines: list[dict[str, Any]]) -> AsyncIterator[tuple[str, list[str]]]:
    """A server whose connections send these messages, one list each, and are cut; its address, and what was asked."""
    asked: list[str] = []

    async def answer(socket: ServerConnection) -> None:
        assert socket.request is not None
        asked.append(socket.request.path.rpartition("?")[2])
        for message in lines[len(asked) - 1]:
            await socket.send(json.dumps(message))
        socket.transport.abort()

    async with serve(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}", asked


@pytest.mark.anyio
async def test_a_cut_line_is_opened_again_and_no_frame_comes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []

    async def get(_: AsyncClient, path: str) -> Any:
        fetched.append(path)
        return {"frames": [frame(3), frame(4), frame(5)], "next": None}

    monkeypatch.setattr(AsyncClient, "get", get)
    first = [frame(1), frame(2), {"kind": "delta", "turn": 1, "attempt": 1, "at": 0, "text": "So"}]
    speaking = {"turn": 2, "attempt": 1, "text": "And"}
    second = [{"kind": "snapshot", "position": 5, "view": {}, "speaking": speaking}, {"kind": "live"}, frame(5)]
    third = [{"kind": "live"}, frame(6, state="concluded")]
    async with cutting(first, second, third) as (address, asked), AsyncClient(address, "") as moot:
        seen = [each async for each in moot.follow("d")]

    assert [1, 2, 3, 4, 5, 6] == [each.position for each in seen if isinstance(each, Frame)]
    assert ["So", "And"] == [each.text for each in seen if isinstance(each, Delta)]
    assert ["after=0", "after=2", "after=5"] == asked
    assert ["/api/debates/d/frames?after=2"] == fetched


def test_a_server_that_is_not_there_is_named() -> None:
    with Client("http://127.0.0.1:1", "") as moot, pytest.raises(CannotServe, match=r"127\.0\.0\.1:1 does not answer"):
        moot.view("d")
