"""A disk that is full while debates run: they wait, spectators see why, and they go on when there is space."""

from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
import pytest

from events.cluster.bus import SingleNodeBus
from events.store.sqlite.log import SqliteLog
from events.types import DebateConcluded, TurnSpoken
from server.debate import stream_writer
from server.feed.reader import Reader
from server.http.access import Access
from server.http.app import make_app
from server.service import Service
from tests.server.harness import PATIENCE_S, Harness, check_sound, harness, is_a

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_writer, "STORE_WAIT_S", 0.01)
    monkeypatch.setattr("server.feed.status.WAIT_CHECK_S", 0.01)
    monkeypatch.setattr("events.store.sqlite.writer.PROBE_S", 0.01)


def limit_pages(log: SqliteLog, pages: int) -> None:
    assert log._writing is not None
    log._writing.execute(f"PRAGMA max_page_count = {pages}")


async def waits_told(h: Harness, debate: str, said: list[str], enough: str) -> None:
    """Collect the waits that readers are shown, up to ``enough``."""
    channel = await h.hub.channel(debate)
    async with Reader(h.hub, channel, 0, every_frame=True) as reader:
        async for batch in reader.messages():
            for message in map(msgspec.json.decode, batch):
                if "wait" in message:
                    said.append(message["wait"])
                    if message["wait"] == enough:
                        return


async def ready(h: Harness) -> httpx2.Response:
    app = make_app(Service(h.settings, h.log, h.registry, h.hub, h.moderators, SingleNodeBus()), Access(h.settings))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as client:
        return await client.get("/readyz")


async def test_debates_wait_for_room_on_the_disk_and_then_conclude(tmp_path: Path, script: Any) -> None:
    async with await SqliteLog.open(tmp_path / "moot.db") as log, harness(log) as h:
        debate = await h.open(script(), turns=4)
        await h.until(debate, is_a(TurnSpoken))
        limit_pages(log, 1)  # no more than there are
        said: list[str] = []
        with anyio.fail_after(PATIENCE_S):
            await waits_told(h, debate, said, "waiting for the store: the disk is full")

            while (refused := await ready(h)).status_code != 503:  # noqa: ASYNC110 - the probe fits, the next batch does not
                await anyio.sleep(0.01)
            assert "the disk is full" in refused.json()["error"]["message"]
            assert h.moderators.running == 1

            limit_pages(log, 1_000_000)
            await waits_told(h, debate, said, "")
            assert isinstance(await h.ended(debate), DebateConcluded)
            assert (await ready(h)).status_code == 200
        await h.idle()
        await check_sound(log, debate)
