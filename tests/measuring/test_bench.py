"""The figures of ``moot bench`` and their material."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from websockets.frames import Opcode

from events.codec import CLASSES, tag_of
from events.record import first_break
from events.state.scorecard import scorecard
from events.types import TurnScored
from events.view import view as views
from server.bench.figure import Measure, figure, interleaved
from server.bench.material import DEBATE, debate
from server.cli.main import main
from server.feed.websocket.wire import serialize
from tests.measuring import stalled_readers
from tests.measuring.fallback import read_header


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_both_are_measured_by_turns_after_one_run_of_each() -> None:
    order: list[str] = []

    def measure(name: str, values: list[float]) -> Measure:
        async def run() -> float:
            order.append(name)
            return values.pop(0)

        return run

    reached = await interleaved(measure("ours", [99, 1, 3, 8]), measure("limit", [99, 10, 30, 20]), 3)

    assert (3.0, 20.0) == reached
    assert order == ["ours", "limit"] + ["limit", "ours"] * 3


@pytest.mark.parametrize(
    ("better", "aim_of", "aim", "holds"),
    [
        ("more", "ratio", 0.5, True),
        ("more", "ratio", 0.51, False),
        ("less", "ratio", 0.5, True),
        ("less", "ratio", 0.49, False),
        ("less", "value", 5, True),
        ("less", "value", 4.9, False),
    ],
)
def test_an_aim_bounds_the_ratio_or_the_value(better: str, aim_of: str, aim: float, holds: bool) -> None:
    made = figure("x", 5, 10, aim=aim, unit="", against="", better=better, aim_of=aim_of)

    assert made.ratio == 0.5
    assert made.holds is holds


@pytest.mark.parametrize("size", [15, 125, 126, 65_535, 65_536])
def test_a_spectator_reads_what_a_server_writes(size: int) -> None:
    text = '{"kind":"frame"'.ljust(size, "x")
    wire = serialize(Opcode.TEXT, text.encode())
    header = read_header(wire, 0)

    assert header is not None
    assert wire[header[0] : header[0] + header[1]].decode() == text
    assert read_header(wire[: header[0] - 1], 0) is None


def test_the_material_is_a_whole_debate() -> None:
    records = debate(1000)
    turns = {tag_of(record.event) for record in records}

    assert len(records) == 1000
    assert first_break(records, DEBATE) is None
    assert {"debate_opened", "turn_started", "model_answered", "turn_spoken", "turn_scored"} == turns & set(CLASSES)


def test_every_quote_of_the_material_holds() -> None:
    scored = [record.event for record in debate(101) if isinstance(record.event, TurnScored)]
    parts = [part for event in scored for part in event.components.values()]  # type: ignore[union-attr]

    assert {part.verified for part in parts if part.quote} == {True}


def test_the_folded_scorecard_is_the_sum_of_the_ledger() -> None:
    fold = views.INITIAL
    for record in debate(200):
        fold = views.apply(fold, record)

        assert scorecard(fold.debate.ledger, fold.debate.exchanges) == fold.view.scorecard


@pytest.mark.slow
def test_a_figure_has_the_agreed_names() -> None:
    done = CliRunner().invoke(main, ["bench", "--quick", "--only", "append", "--json"])
    (shown,) = json.loads(done.stdout)

    assert done.exit_code == 0
    assert {"name", "value", "yardstick", "ratio", "aim"} <= set(shown)
    assert shown["ratio"] == pytest.approx(shown["value"] / shown["yardstick"], rel=0.02)


@pytest.mark.slow
def test_an_unknown_figure_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from server.cli import main; main(['bench', '--only', 'luck'])"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "luck" in done.stderr


@pytest.mark.slow
@pytest.mark.anyio
async def test_readers_that_do_not_read_are_measured_beside_those_that_do() -> None:
    sentence = await stalled_readers.measure(30, 3, events=3, joined=2)

    assert sentence.startswith("30 read and 3 do not: 99 % have an event ")
    assert "; 0 gaps; " in sentence
