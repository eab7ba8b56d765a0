"""``moot lab``: run, compare and report in the terminal."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from server.cli.main import main
from tests.judge.lab.two_items import TWO_ITEMS

BASELINE = "baseline:lexical"


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)


@pytest.fixture
def lab(tmp_path: Path) -> Any:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "lab", *arguments])

    return run


@pytest.mark.slow
def test_a_run_is_printed_reported_and_compared(lab: Any) -> None:
    first = lab(BASELINE, "--only", "length,style")
    one = first.stdout.split()[-1]
    two = lab(BASELINE, "--only", "style", "--seed", "3").stdout.split()[-1]
    compared = lab("compare", one, two)
    as_json = msgspec.json.decode(lab("compare", one, two, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(lab("report", one, "--as", "csv").stdout)))

    assert first.exit_code == 0, first.output
    assert "Style" in first.stdout
    assert "trials, about" in first.stderr
    assert {each["battery"] for each in rows} == {"length", "style"}
    assert "could be chance" in compared.stdout
    assert {each["battery"] for each in as_json["differences"]} == {"style"}
    assert as_json["judges"] == {"one": BASELINE, "other": BASELINE}
    assert "<h1>Judge lab: baseline:lexical</h1>" in lab("report", one).stdout


def test_a_run_of_a_judge_that_is_asked_briefly_says_so_and_is_compared_with_one_in_full(lab: Any) -> None:
    runs = [lab(BASELINE, "--only", "authority", "--effort", effort) for effort in ("full", "brief")]
    full, brief = (each.stdout.split()[-1] for each in runs)
    report = msgspec.json.decode(lab("report", brief, "--as", "json").stdout)
    compared = lab("compare", full, brief)

    assert [each.exit_code for each in runs] == [0, 0]
    assert "score and suspect claims in one call" in " ".join(runs[1].stdout.split())
    assert (report["judge"], report["effort"]) == (BASELINE, "brief")
    assert f"<h1>Judge lab: {BASELINE}, asked briefly</h1>" in lab("report", brief).stdout
    assert f"{BASELINE} (A) and {BASELINE}, asked briefly (B)" in " ".join(compared.stdout.split())
    assert "A is better" not in compared.stdout
    assert "effort" not in msgspec.json.decode(lab("report", full, "--as", "json").stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "give a judge"),
        ((BASELINE, "--only", "luck"), 2, "'luck' is none of retest"),
        ((BASELINE, "--only", "people"), 2, "--data PATH"),
        ((BASELINE, "--from-store"), 2, "no debate has two turns of both sides"),
        (("report", "019a8b7c-4e21-7000-8000-000000000000"), 3, "there is no"),
    ],
)
def test_wrong_usage_is_one_line(lab: Any, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = lab(*arguments)

    assert said in result.stderr
    assert "Traceback" not in result.output
    assert code == result.exit_code


def test_a_file_that_cannot_be_read_is_named_with_its_line(lab: Any, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": 1}\n', encoding="utf-8")
    result = lab(BASELINE, "--only", "people", "--data", str(path))

    assert "pairs.jsonl, line 1" in result.stderr
    assert result.exit_code == 2


@pytest.mark.slow
def test_the_list_says_how_many_trials_are_answered_until_a_run_is_measured(lab: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"cost_usd": 1}', encoding="utf-8")
    halted = lab(f"scripted:{script}", "--only", "style", "--max-cost", "2").stdout.split()[-1]
    measured = lab(BASELINE, "--only", "style").stdout.split()[-1]
    listed = CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "list"]).stdout
    state = {line.split()[0]: "  ".join(line.split("  ")[3:]) for line in listed.splitlines() if line.startswith("  ")}

    assert re.fullmatch(r"halted, [1-9]\d* of \d+ trials answered", state[halted])
    assert state[measured] == "measured"


def test_trials_without_a_usable_answer_are_told(lab: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}", encoding="utf-8")
    told = lab(f"scripted:{script}", "--only", "style")

    left_out = "36 of 36 trials have no answer that can be used. They are left out of the figures."
    assert left_out in " ".join(told.stdout.split())
