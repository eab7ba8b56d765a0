"""What the tests of ``events`` share: the backend, and every log."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from events.log import EventLog
from events.open import opened_log


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path, anyio_backend: str) -> AsyncIterator[EventLog]:
    """Each implementation in turn: what passes for one passes for all."""
    url = "memory:" if request.param == "memory" else f"sqlite:{tmp_path / 'moot.db'}"
    async with opened_log(url) as opened:
        yield opened
