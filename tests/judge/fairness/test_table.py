"""The table of fairness, and its command."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from judge.fairness.figures import FairnessFigure, FairnessRow
from judge.fairness.table import MEASURES, TURNS, fairness, share
from judge.rubrics.rubric import rubric_v1, rubric_v2, shipped_rubric
from server.cli.main import main


@pytest.fixture(scope="module")
def shown() -> dict[str, FairnessRow]:
    table = fairness({"v1": rubric_v1(), "v2": rubric_v2(), "v3": shipped_rubric("v3")}, 400)
    return {row.key: row for row in table.rows}


@pytest.mark.slow
def test_every_row_has_a_figure_with_its_error_for_every_rubric_and_number_of_turns(
    shown: dict[str, FairnessRow],
) -> None:
    without = {"certainty", "noisy", "drifting", "misread"}

    assert len(shown) == len(MEASURES)
    for row in shown.values():
        none = {"v1", "v3"} if row.key == "tie_break" else {"v1", "v2"} if row.key in without else set()
        assert set(row.figures) == {"v1", "v2", "v3"} - none
        for figures in row.figures.values():
            assert len(figures) == len(TURNS)
            assert all(each.error > 0 for each in figures) or row.key in {"draws", "first_turn"}


@pytest.mark.slow
def test_the_rows_tell_the_rubrics_apart(shown: dict[str, FairnessRow]) -> None:
    def value(key: str, name: str) -> float:
        return shown[key].figures[name][0].value

    assert value("rms", "v3") < value("rms", "v2") < value("rms", "v1")
    assert value("named_0", "v3") < 30 < value("named_0", "v2")
    assert value("zero", "v3") < 2 < value("zero", "v2")
    assert value("words", "v2") < -0.8 < -0.4 < value("words", "v3")
    assert value("drift", "v2") < -0.8 < value("drift", "v3")
    assert value("first_turn", "v2") > 0.5 > value("first_turn", "v3") == 0
    assert value("draws", "v3") < value("draws", "v2") / 2
    assert value("raised", "v3") == value("order", "v3") == value("missing", "v3") == 0 < value("raised", "v2")


@pytest.mark.parametrize(
    ("aim", "better", "value", "holds"),
    [
        (84, "more", 84.0, True),
        (84, "more", 83.9, False),
        (0.1, "less", -0.1, True),
        (0.1, "less", -0.2, False),
        (None, "less", 9.0, True),
    ],
)
def test_an_aim_bounds_a_figure(aim: float | None, better: str, value: float, holds: bool) -> None:
    row = FairnessRow(key="k", says="s", aim=None if aim is None else (aim, aim), better=better)  # type: ignore[arg-type]

    assert row.holds(FairnessFigure(value, 0.1), 0) is holds


def test_a_share_of_none_has_an_error() -> None:
    assert share(np.zeros(100, bool)) == FairnessFigure(0.0, 1.0)
    assert np.isnan(share(np.zeros(0, bool)).value)


@pytest.mark.slow
def test_the_command_prints_a_table_or_json_for_a_rubric_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cli.measure.bench.QUICK", 200)
    own = tmp_path / "stricter.json"
    own.write_bytes(msgspec.json.encode(msgspec.structs.replace(rubric_v2(), name="stricter", tie_within=8.0)))
    asked = ["bench", "--fairness", "--quick", "--rubric", str(own), "--rubric", "v2"]
    data = CliRunner().invoke(main, [*asked, "--json"])
    monkeypatch.setattr("server.cli.measure.bench.QUICK", 20)  # what is printed has the same rows
    printed = CliRunner().invoke(main, asked)
    table = json.loads(data.stdout)
    rows = {row["key"]: row for row in table["rows"]}

    assert printed.exit_code == 0
    assert "opener's bias" in printed.stdout
    assert "stricter" in printed.stdout
    assert table["rubrics"] == ["stricter", "v2"]
    assert table["turns"] == [6, 10]
    assert rows["certainty"]["figures"] == {}
    assert rows["named_4"]["figures"]["stricter"][0][0] < rows["named_4"]["figures"]["v2"][0][0]
    assert len(data.stdout) < 20_000


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--rubric", "v2"], "--rubric goes with --fairness"),
        (["--fairness", "--only", "append"], "--only names figures of the machine"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], why: str) -> None:
    done = CliRunner().invoke(main, ["bench", *options])

    assert done.exit_code == 2
    assert why in done.output
