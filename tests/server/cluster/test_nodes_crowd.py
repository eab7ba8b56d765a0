"""Spectators on two nodes with random disconnects, a killed node and a database restart: all end with the log's view.

``MOOT_CROWD=1`` runs it with 40 debates and 200 spectators.
"""

import os
import sys
from typing import Any

import pytest
from anyio import to_thread

from tests.events.conftest import database, postgres  # noqa: F401 - fixtures
from tests.events.store.postgres_server import Server
from tests.measuring.failover import run_failover

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(400)]
FULL = bool(os.environ.get("MOOT_CROWD"))
DEBATES, SPECTATORS, TURNS = (40, 200, 6) if FULL else (4, 12, 4)
LEASE_S = 2.0


@pytest.mark.slow
async def test_every_spectator_ends_with_the_logs_view(
    database: str,  # noqa: F811
    postgres: Server,  # noqa: F811
    script: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = script(pace={"chunk_ms": 60, "chunk_chars": 3, "answer_ms": 100})

    async def restart() -> None:
        await to_thread.run_sync(postgres.restart)

    outcome = await run_failover(
        database, model, restart, debates=DEBATES, spectators=SPECTATORS, turns=TURNS, lease_s=LEASE_S
    )
    with capsys.disabled():
        sys.stdout.write(f"\n{outcome}\n" if FULL else "")

    assert outcome.connections > SPECTATORS
    assert outcome.deltas > SPECTATORS
    assert outcome.handed_over >= 1
    if not FULL:  # a busy machine may take longer with 40 debates
        assert outcome.takeover_s < LEASE_S + 1
