"""``moot batch``: a dry run, a batch, what is wrong with a plan, and a retry, in the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.main import main

PLAN = """name = "trial"
max_cost_usd = 1
motions = "motions.txt"
models = ["scripted:{folder}/{model}.json"]
judges = ["scripted:{folder}/judge.json"]
evidence = [[], ["facts.md"]]

[each]
turns = 1
max_cost_usd = 0.4
"""


@pytest.fixture
def batch(tmp_path: Path) -> Any:
    (tmp_path / "motions.txt").write_text("Cats purr\n\nDogs bark\n", encoding="utf-8")
    (tmp_path / "facts.md").write_text("Cats purr at 25 Hz.", encoding="utf-8")
    (tmp_path / "judge.json").write_text(json.dumps({"cost_usd": 0.01}), encoding="utf-8")
    plan = tmp_path / "plan.toml"

    def run(*arguments: str, model: str = "judge") -> Result:
        plan.write_text(PLAN.format(folder=tmp_path, model=model), encoding="utf-8")
        given = [str(plan) if each == "PLAN" else each for each in arguments]
        return CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "batch", *given])

    return run


@pytest.mark.slow
def test_a_batch_is_foreseen_and_held(batch: Any, tmp_path: Path) -> None:
    foreseen = batch("PLAN", "--dry-run")
    assert foreseen.exit_code == 0, foreseen.output
    assert foreseen.stdout.startswith("4 debates, about ")
    assert not (tmp_path / "moot.db").exists()

    held = batch("PLAN", "--yes")
    assert held.exit_code == 0, held.output
    assert "4 of 4 debates done, 0 running, 0 failed, 0 left" in held.stderr
    assert " of 1.0000 USD" in held.stderr


def test_what_is_wrong_is_said_with_its_line(batch: Any) -> None:
    wrong = batch("PLAN", model="absent")

    assert wrong.exit_code == 2
    assert "plan.toml, line 4: " in wrong.stderr
    assert batch("nowhere.toml").exit_code == 2


@pytest.mark.slow
def test_what_failed_is_tried_again(batch: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"says": {"pro": [{"fault": {"kind": "auth"}}]}}), encoding="utf-8")
    failed = batch("PLAN", "--yes", model="broken")
    assert failed.exit_code == 1
    assert "4 of 4 debates failed" in failed.stderr
    broken.write_text("{}", encoding="utf-8")

    again = batch(failed.stdout.split()[-1], "--retry", "failed")
    assert again.exit_code == 0, again.output
    assert "4 of 4 debates done" in again.stderr


def test_a_dry_run_needs_no_key_and_says_that_a_cap_is_too_low(
    batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    plan = tmp_path / "hosted.toml"
    models = ["anthropic:claude-haiku-4-5"]
    said = f"name = 'hosted'\nmotions = ['Cats purr']\nmodels = {models}\njudges = {models}\nmax_cost_usd = 1\n"
    plan.write_text(f"{said}[each]\nmax_cost_usd = 0.01\n", encoding="utf-8")
    foreseen, held = batch(str(plan), "--dry-run"), batch(str(plan), "--yes")

    assert foreseen.exit_code == 0, foreseen.output
    assert "The cap of a debate, 0.0100 USD, is below that" in foreseen.stdout
    assert "The budget" not in foreseen.stdout
    assert "anthropic:claude-haiku-4-5 must answer before the batch can begin: no key" in foreseen.stderr
    assert held.exit_code == 2
    assert "hosted.toml, line 3: anthropic:claude-haiku-4-5: no key" in held.stderr


def test_a_batch_that_pauses_itself_ends_the_command(batch: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"says": {"pro": [{"fault": {"kind": "auth"}}]}}), encoding="utf-8")
    plan = tmp_path / "many.toml"
    model = f"scripted:{broken}"
    plan.write_text(
        f"name = 'many'\nmotions = ['Cats purr']\nmodels = ['{model}']\njudges = ['{model}']\nrepeats = 9\n"
        "in_a_row = 2\nat_once = {scripted = 2}\n[each]\nturns = 1\n",
        encoding="utf-8",
    )
    paused = batch(str(plan), "--yes")
    assert paused.exit_code == 1
    assert "moot: paused: 2 debates in a row failed at scripted" in paused.stderr
    broken.write_text("{}", encoding="utf-8")

    again = batch("--resume", paused.stdout.split()[-1])
    assert again.exit_code == 0, again.output
    assert "9 of 9 debates done" in again.stderr
