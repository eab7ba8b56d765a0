"""The measurement of many debates that many people watch, with few of both."""

import re

import pytest

from tests.measuring.watched_debates import measure

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.slow
async def test_every_spectator_receives_every_frame() -> None:
    report = await measure(debates=3, spectators=6, minutes=0.1)

    assert " 0 gaps, 0 sockets closed; " in report
    assert int(re.search(r"(\d+) frames received", report)[1]) > 0  # type: ignore[index]
