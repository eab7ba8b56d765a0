"""SIGKILL of a server at random moments: started again it goes on by itself; nothing is lost, doubled or paid twice.

``MOOT_KILLS=N`` kills N times more.
"""

import os
import random
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from events.sqlite import SqliteLog
from events.types import DebateConcluded, DebateHalted, ModelAnswered
from tests.shell.children import Cli
from tests.shell.house import check_sound

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

KILLS = 12 + int(os.environ.get("MOOT_KILLS", "0"))
SEED = 20261121
TURNS, SAMPLES = 4, 2
PACE = {"chunk_ms": 4, "chunk_chars": 8, "answer_ms": 25}


class Witness:
    """What a spectator of one debate was shown, over all his connections."""

    def __init__(self, debate: str) -> None:
        self.debate = debate
        self.digests: dict[int, str] = {}
        self.seen = 0

    def watch(self, address: str, until: float) -> None:
        """See what comes until a moment."""
        url = f"{address.replace('http', 'ws')}/ws/debates/{self.debate}?after={self.seen}"
        try:
            with connect(url, proxy=None, close_timeout=0.01) as socket:
                while (left := until - time.monotonic()) > 0:
                    self._take(msgspec.json.decode(socket.recv(timeout=left)))
        except (TimeoutError, ConnectionClosed):
            return

    def _take(self, said: Any) -> None:
        if said["kind"] == "frame":
            assert self.seen + 1 == said["position"], "a gap or a repeat across a kill"
            self.digests[said["position"]] = said["digest"]
        if said["kind"] in {"frame", "snapshot"}:
            self.seen = said["position"]


def open_debate(address: str, model: str) -> str:
    roles: dict[str, Any] = {role: {"model": model} for role in ("pro", "con", "judge")}
    roles["judge"]["samples"] = SAMPLES
    response = httpx.post(f"{address}/api/debates", json={"motion": "m", "turns": TURNS, **roles}, trust_env=False)
    return str(response.raise_for_status().json()["id"])


def unfinished(address: str) -> list[str]:
    rows = httpx.get(f"{address}/api/debates?limit=200", trust_env=False).raise_for_status().json()["debates"]
    assert {row["state"] for row in rows} <= {"open", "concluded"}
    return [row["id"] for row in rows if row["state"] == "open"]


async def test_a_server_that_is_killed_goes_on_and_nothing_is_lost_or_doubled(tmp_path: Path, script: Any) -> None:
    moot, chance, model = Cli(tmp_path), random.Random(SEED), script(pace=PACE)
    witnesses: dict[str, Witness] = {}
    interrupted = 0
    for _ in range(KILLS):
        with moot.server() as (_, address):
            open_ones = unfinished(address)
            interrupted += len(open_ones)
            while len(open_ones) < 2:
                debate = open_debate(address, model)
                witnesses[debate] = Witness(debate)
                open_ones.append(debate)
            witnesses[chance.choice(open_ones)].watch(address, time.monotonic() + chance.uniform(0.01, 0.5))
        # leaving the block is the SIGKILL

    assert interrupted >= KILLS // 2
    with moot.server() as (_, address):
        deadline = time.monotonic() + 30
        for debate in unfinished(address):
            witness = witnesses[debate]
            while debate in unfinished(address):
                assert time.monotonic() < deadline, "it did not go on by itself"
                witness.watch(address, time.monotonic() + 0.2)
    async with await SqliteLog.open(moot.store, read_only=True) as log:
        for debate, witness in witnesses.items():
            records = await check_sound(log, debate)
            assert isinstance(records[-1].event, DebateConcluded)
            assert not any(isinstance(record.event, DebateHalted) for record in records)
            asked = [
                (record.event.turn, record.event.sample)
                for record in records
                if isinstance(record.event, ModelAnswered) and record.event.purpose == "score"
            ]
            assert sorted(asked) == [(turn, sample) for turn in range(1, TURNS + 1) for sample in range(1, SAMPLES + 1)]
            for position, digest in witness.digests.items():
                assert digest == records[position - 1].digest.hex()


@pytest.mark.parametrize("moment", ["turn_started", "turn_spoken", "model_answered", "turn_scored", "turn_failed"])
async def test_killed_right_after_an_append(tmp_path: Path, script: Any, moment: str) -> None:
    """In mid-turn, in mid-judgement, between the last answer and its score, before a retry."""
    fails = {"text": "A first try that ends.", "fault": {"kind": "reset"}, "then": "A second try that holds."}
    moot, model = Cli(tmp_path), script(pace=PACE, says={"pro": [fails], "con": ["People need cars for their work."]})
    with moot.server() as (process, address):
        debate = open_debate(address, model)
        url = f"{address.replace('http', 'ws')}/ws/debates/{debate}?after=1"
        with connect(url, proxy=None, close_timeout=0.01) as socket:
            while True:
                said = msgspec.json.decode(socket.recv(timeout=10))
                if said["kind"] == "frame" and said["event"]["type"] == moment:
                    process.kill()
                    break
    with moot.server() as (_, address):
        witness, deadline = Witness(debate), time.monotonic() + 20
        while unfinished(address):
            assert time.monotonic() < deadline
            witness.watch(address, time.monotonic() + 0.1)
    async with await SqliteLog.open(moot.store, read_only=True) as log:
        records = await check_sound(log, debate)

    assert isinstance(records[-1].event, DebateConcluded)
    assert said["digest"] == records[said["position"] - 1].digest.hex()
