"""Schedules keep every promise, a seed gives one trace, and what is broken is found."""

import os
import subprocess
import sys
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

from server.cli.main import main
from tests.simulation import faults
from tests.simulation.faults import FAULTS, Plant
from tests.simulation.loop import Loop, Stuck, run
from tests.simulation.schedule import play
from tests.simulation.soak import Tally, report_in_words, soak, stretch, tally_in_words

PARTS, PART = 8, 250
TRACES = """
from server import observe
from tests.simulation.soak import stretch
observe.configure_logging("error")
print(stretch(500, 20).digest)
"""
MOST_SEEDS = 400
BUSY: dict[str, Any] = {"rough": 4.0, "patience_s": 2.0, "watchers": 3}
SHAPES: dict[Plant, dict[str, Any]] = {
    faults.never_closes_the_slow: BUSY | {"is_moderated": False},
    faults.says_a_wrong_position_when_closing: BUSY | {"is_moderated": False, "high": 1500},
    faults.overfills_in_a_burst: {
        "is_loud": True,
        "is_moderated": False,
        "high": 1 << 16,
        "page": 1 << 16,
        "ring": 4096,
    },
    faults.refuses_who_read_further_on_another_node: BUSY | {"nodes": 2, "lag_s": 4.0, "is_moderated": False},
    faults.accepts_a_stale_epoch: {"is_moderated": True, "nodes": 2, "rough": 4.0, "lease_s": 0.6, "turns": 3},
}
"""Where a fault is looked for, if not everywhere."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_schedules_keep_every_promise(part: int) -> None:
    tally = stretch(part * PART, PART)

    assert [] == tally.faults
    assert tally.schedules == PART
    assert min(tally.resumes, tally.takeovers, tally.fenced) > 0, "all of it happens"


@pytest.mark.slow
def test_readers_that_are_too_slow_are_among_them() -> None:
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
def test_it_does_in_another_process_too(hash_seed: str) -> None:
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
@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found_and_found_again(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = SHAPES.get(plant, {})
    with monkeypatch.context() as planted:
        plant(planted)
        report = next((each for seed in range(MOST_SEEDS) if (each := play(seed, **shape)).fault), None)

        assert report is not None
        assert report == play(report.seed, **shape), "the seed shows it again"
    assert play(report.seed, **shape).fault == "", "it was the fault that was planted"


@pytest.mark.slow
def test_processes_play_what_one_would() -> None:
    expected, told = stretch(900, 30), list[int]()
    found = soak(30, first=900, processes=2, told=lambda tally: told.append(tally.schedules))

    assert (expected.events, expected.messages, expected.virtual_s) == (found.events, found.messages, found.virtual_s)
    assert found.ok
    assert told == [30]


def test_a_broken_promise_is_told_with_its_seed() -> None:
    tally = Tally(schedules=2, seconds=1, faults=[(41, "Broken: w0: position 4 after 4")])

    assert not tally.ok
    assert "see it again: moot bench --soak --only simulation --seed 41" in tally_in_words(tally)


def test_a_loop_in_which_everything_waits_is_stuck() -> None:
    with pytest.raises(Stuck, match="everything waits"):
        run(anyio.sleep_forever, Loop(10))


def test_time_passes_only_where_nothing_is_ready() -> None:
    loop = Loop(1e6)

    async def scene() -> list[str]:
        said: list[str] = []
        loop.call_later(3600, said.append, "an hour later")
        loop.call_later(60, said.append, "a minute later")
        loop.call_later(59, lambda: loop.call_later(1, said.append, "also"))
        loop.call_soon(said.append, "at once")
        await anyio.sleep(3601)
        return said

    assert run(scene, loop) == ["at once", "a minute later", "also", "an hour later"]
    assert loop.now == 3601


def test_moot_bench_plays_a_seed() -> None:
    done = CliRunner().invoke(main, ["bench", "--seed", "11"])

    assert done.exit_code == 0
    assert report_in_words(play(11, keep=True)) + "\n" == done.stdout


@pytest.mark.parametrize("said", [["--only", "simulation"], ["--soak", "--only", "fold"]])
def test_parts_of_the_soak_and_figures_are_told_apart(said: list[str]) -> None:
    assert CliRunner().invoke(main, ["bench", *said]).exit_code == 2
