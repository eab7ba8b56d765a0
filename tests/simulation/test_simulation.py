"""Schedules keep every promise, a seed always gives the same trace, and planted faults are found."""

import os
import subprocess
import sys
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

from tests.laws import spread
from tests.simulation import faults
from tests.simulation.faults import FAULTS, Plant
from tests.simulation.loop import Stuck, VirtualLoop, run
from tests.simulation.schedule import play
from tests.simulation.soak import Tally, main, report_in_words, soak, stretch, tally_in_words

PARTS, PART, THOROUGH = 1, 250, 40
TRACES = """
from server.process import observe
from tests.simulation.soak import stretch
from tests.laws import spread
observe.configure_logging("error")
print(stretch(500, 20).digest)
"""
MAX_SEEDS = 400
BUSY: dict[str, Any] = {"trouble_rate": 4.0, "slow_reader_s": 2.0, "clients": 3}
SHAPES: dict[Plant, dict[str, Any]] = {
    faults.never_closes_the_slow: BUSY | {"is_moderated": False},
    faults.closes_with_a_wrong_position: BUSY | {"is_moderated": False, "high": 1500},
    faults.overfills_in_a_burst: {
        "is_large": True,
        "is_moderated": False,
        "high": 1 << 16,
        "page": 1 << 16,
        "ring": 4096,
    },
    faults.refuses_a_client_that_is_ahead_of_the_node: BUSY | {"nodes": 2, "lag_s": 4.0, "is_moderated": False},
    faults.accepts_a_stale_epoch: {"is_moderated": True, "nodes": 2, "trouble_rate": 4.0, "lease_s": 0.6, "turns": 3},
}
"""Plans in which a fault is found sooner."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [*range(PARTS), *(pytest.param(part, marks=pytest.mark.thorough) for part in range(PARTS, THOROUGH))]
)
def test_schedules_keep_every_promise(part: int) -> None:
    tally = stretch(part * PART, PART)

    assert [] == tally.faults
    assert tally.schedules == PART
    assert min(tally.resumes, tally.takeovers, tally.fenced) > 0, "all of them happen"


@pytest.mark.slow
def test_some_readers_are_closed_for_slowness() -> None:
    reports = [play(seed, **BUSY, high=300) for seed in range(40)]

    assert [] == [report.fault for report in reports if report.fault]
    assert sum(report.slow for report in reports) > 0


def test_a_seed_gives_the_same_trace() -> None:
    first, again = play(11, keep=True), play(11, keep=True)

    assert first.trace == again.trace
    assert first == again
    assert len(first.trace) > 10


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_a_seed_gives_the_same_trace_in_another_process(hash_seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACES],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )

    assert stretch(500, 20).digest == done.stdout.strip()


@pytest.mark.slow
def test_seeds_differ() -> None:
    assert len({play(seed).digest for seed in range(60)}) == 60


@pytest.mark.slow
@pytest.mark.parametrize("plant", spread(FAULTS, 10), ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found_and_found_again(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = SHAPES.get(plant, {})
    with monkeypatch.context() as planted:
        plant(planted)
        report = next((each for seed in range(MAX_SEEDS) if (each := play(seed, **shape)).fault), None)

        assert report is not None
        assert report == play(report.seed, **shape), "the seed shows the fault again"
    assert play(report.seed, **shape).fault == "", "without the planted fault the schedule is good"


@pytest.mark.slow
def test_several_processes_play_the_same_schedules_as_one() -> None:
    expected, progress = stretch(900, 30), list[int]()
    found = soak(30, first=900, processes=2, progress=lambda tally: progress.append(tally.schedules))

    assert (expected.events, expected.messages, expected.virtual_s) == (found.events, found.messages, found.virtual_s)
    assert found.ok
    assert progress == [30]


def test_a_broken_promise_is_reported_with_its_seed() -> None:
    tally = Tally(schedules=2, seconds=1, faults=[(41, "PromiseBroken: w0: position 4 after 4")])

    assert not tally.ok
    assert "see it again: python -m tests.simulation.soak --seed 41" in tally_in_words(tally)


def test_a_loop_in_which_every_task_waits_is_stuck() -> None:
    with pytest.raises(Stuck, match="every task waits"):
        run(anyio.sleep_forever, VirtualLoop(10))


def test_time_passes_only_while_nothing_is_ready() -> None:
    loop = VirtualLoop(1e6)

    async def scene() -> list[str]:
        order: list[str] = []
        loop.call_later(3600, order.append, "an hour later")
        loop.call_later(60, order.append, "a minute later")
        loop.call_later(59, lambda: loop.call_later(1, order.append, "also"))
        loop.call_soon(order.append, "at once")
        await anyio.sleep(3601)
        return order

    assert run(scene, loop) == ["at once", "a minute later", "also", "an hour later"]
    assert loop.now == 3601


def test_the_driver_plays_a_seed() -> None:
    done = CliRunner().invoke(main, ["--seed", "11"])

    assert done.exit_code == 0
    assert report_in_words(play(11, keep=True)) + "\n" == done.stdout
