"""The measurement of many debates that many people watch, with few of both."""

import re

import pytest

from tests.measuring import watched_debates

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.thorough
async def test_every_spectator_receives_every_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_debates, "CHUNK_MS", 20)
    monkeypatch.setattr(watched_debates, "ANSWER_MS", 50)
    report = await watched_debates.measure(debates=3, spectators=4, minutes=0.05)

    assert " 0 gaps, 0 sockets closed; " in report
    received = re.search(r"([\d,]+) frames received", report)
    assert received is not None
    assert int(received[1].replace(",", "")) > 20
