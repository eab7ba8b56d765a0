"""SIGKILL of a server at random moments: after a restart it goes on; nothing is lost, doubled or paid for twice.

``MOOT_KILLS=N`` kills N times more.
"""

import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from events.record import Recorded, full_line, public_line
from events.store.sqlite.log import SqliteLog
from events.types import AttemptAbandoned, DebateConcluded, DebateHalted, ModelAnswered
from tests.server.children import Cli
from tests.server.harness import check_sound

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

KILLS = 8 + int(os.environ.get("MOOT_KILLS", "0"))
SEED = 20261121
TURNS, SAMPLES = 4, 2
ENVELOPE = ("debate", "position", "id", "at", "cause", "schema", "digest")
PACE = {"chunk_ms": 4, "chunk_chars": 8, "answer_ms": 25}


class Witness:
    """Everything that a spectator of one debate was shown, over all its connections."""

    def __init__(self, debate: str) -> None:
        self.debate = debate
        self.digests: dict[int, str] = {}
        self.read_lines: dict[int, Any] = {}
        self.seen = 0

    def watch(self, address: str, until: float) -> None:
        """Receive messages until a moment."""
        url = f"{address.replace('http', 'ws')}/ws/debates/{self.debate}?after={self.seen}"
        try:
            with connect(url, proxy=None, close_timeout=0.01) as socket:
                while (left := until - time.monotonic()) > 0:
                    self._take(msgspec.json.decode(socket.recv(timeout=left)))
        except (TimeoutError, ConnectionClosed):
            return

    def read(self, address: str) -> None:
        """Read the recorded events by HTTP and keep them."""
        url = f"{address}/api/debates/{self.debate}/events?limit=1000"
        for line in httpx.get(url, trust_env=False).raise_for_status().json()["events"]:
            self.read_lines.setdefault(line["position"], line)

    def check(self, records: Sequence[Recorded]) -> None:
        """Check that everything that was seen is in the log at its position."""
        whole, short = (
            [msgspec.json.decode(msgspec.json.encode(each)) for each in lines]
            for lines in (map(full_line, records), (public_line(each, revealed=True) for each in records))
        )
        for position, digest in self.digests.items():
            assert digest == records[position - 1].digest.hex()
        assert list(range(1, len(self.read_lines) + 1)) == sorted(self.read_lines)
        for position, line in self.read_lines.items():
            there, shown = whole[position - 1], line["event"]
            # while it is live an answer's text is withheld, and a model that is a file has no folders
            assert any(shown.items() <= each["event"].items() for each in (there, short[position - 1]))
            assert {name: line[name] for name in ENVELOPE} == {name: there[name] for name in ENVELOPE}

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


@pytest.mark.slow
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
            for debate in open_ones:
                witnesses[debate].read(address)
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
            assert witness.read_lines
            witness.check(records)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["turn_started", "turn_spoken", "model_answered", "turn_scored", "turn_failed"])
async def test_killed_right_after_an_append(tmp_path: Path, script: Any, moment: str) -> None:
    """During a turn, during a judgement, between the last answer and its score, before a retry."""
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


@pytest.mark.slow
async def test_killed_again_and_again_in_one_turn_it_is_not_given_up(tmp_path: Path, script: Any) -> None:
    """A crash does not use up an attempt at a turn."""
    moot, model = Cli(tmp_path), script(pace={"chunk_ms": 60_000})
    with moot.server() as (_, address):
        witness = Witness(open_debate(address, model))
    for number in range(5):
        with moot.server() as (_, address):
            deadline = time.monotonic() + 20
            while begun(address, witness.debate) <= number:
                assert time.monotonic() < deadline
            witness.read(address)
    script(pace=PACE)  # the same file, quick now
    records = await concluded(moot, witness)

    assert sum(isinstance(record.event, AttemptAbandoned) for record in records) >= 5
    witness.check(records)


@pytest.mark.slow
async def test_killed_while_it_starts(tmp_path: Path, script: Any) -> None:
    """Before the server is ready, while it continues open debates, and right after that."""
    moot, chance, model = Cli(tmp_path), random.Random(SEED), script(pace=PACE | {"chunk_ms": 30})
    with moot.server() as (_, address):
        witnesses = [Witness(open_debate(address, model)) for _ in range(3)]
        for witness in witnesses:
            witness.read(address)
    began = time.monotonic()
    with moot.server():
        start_s = time.monotonic() - began
    for _ in range(KILLS // 2):
        process = moot.start("serve", "--port", "0")
        await anyio.sleep(start_s * chance.uniform(0.5, 1.2))
        process.kill()
        process.communicate()
    for witness in witnesses:
        witness.check(await concluded(moot, witness))


def begun(address: str, debate: str) -> int:
    """How often the turns were begun."""
    url = f"{address}/api/debates/{debate}/events?limit=1000"
    lines = httpx.get(url, trust_env=False).raise_for_status().json()["events"]
    return sum(line["event"]["type"] == "turn_started" for line in lines)


async def concluded(moot: Cli, witness: Witness) -> list[Recorded]:
    """Let a server end the open debates; the whole log, after the checks that hold for every log."""
    with moot.server() as (_, address):
        deadline = time.monotonic() + 30
        while witness.debate in unfinished(address):
            assert time.monotonic() < deadline, "it did not go on by itself"
            witness.watch(address, time.monotonic() + 0.1)
    async with await SqliteLog.open(moot.store, read_only=True) as log:
        records = await check_sound(log, witness.debate)
    assert isinstance(records[-1].event, DebateConcluded)
    assert moot.json("verify", witness.debate)["ok"]
    return records
