"""Fixtures of the tests of ``events``: the backend, each log, and one PostgreSQL for the session."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

from events.store.log import EventLog
from events.store.open import opened_log
from tests.events.store.postgres_server import Server, started

DATABASE = "moot_tests"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server with a migrated database, one for the session."""
    with started() as server:
        with ThreadPoolExecutor(1) as elsewhere:  # the first test may run an event loop already
            elsewhere.submit(anyio.run, server.database, DATABASE).result()
        yield server


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """URL of an empty store."""
    yield postgres.url(DATABASE)
    postgres.empty(DATABASE)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def log(request: pytest.FixtureRequest, tmp_path: Path, anyio_backend: str) -> AsyncIterator[EventLog]:
    """Each implementation in turn."""
    urls = {"memory": lambda: "memory:", "sqlite": lambda: f"sqlite:{tmp_path / 'moot.db'}"}
    url = urls.get(request.param, lambda: request.getfixturevalue("database"))()
    async with opened_log(url) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of each store that outlives its process, in turn."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'moot.db'}"
    url: str = request.getfixturevalue("database")
    return url
