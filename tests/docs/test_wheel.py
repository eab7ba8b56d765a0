"""A wheel of Moot, installed beside packages of others with the same names, works and replaces none of them."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from providers.scripted.provider import shipped

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
BUILT = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
OTHERS = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "others"
version = "1"
[project.entry-points."moot.providers"]
tiny = "tiny:TinyProvider"
[tool.hatch.build.targets.wheel]
only-include = ["events", "server", "tiny.py"]
"""
CHECK = """
from moot.providers.errors import Unreachable
import moot.providers.base, sys
assert "providers" not in sys.modules and "server" not in sys.modules
import tiny
assert tiny.Unreachable is Unreachable
import moot.client, moot.server.client
assert moot.client.Client is moot.server.client.Client
"""

IN_A_WHEEL = """
import sys
from pathlib import Path
from click.testing import CliRunner
from moot.server.cli import main
assert Path(sys.modules["moot"].__file__).is_relative_to(Path.cwd() / "installed"), sys.modules["moot"].__file__
model = "scripted:juries.json"
runner = CliRunner()
def moot(*args):
    done = runner.invoke(main, args)
    assert done.exit_code == 0, done.output
    return done.stdout
seats = [each for seat in ("--pro", "--con", "--judge") for each in (seat, model)]
debate = moot("run", "Juries", "--turns", "1", *seats).split()[-1]
print(moot("verify", debate))
moot("export", debate, "--as", "html", "-o", "debate.html")
assert not {"server", "events", "judge", "providers", "personalities"} & set(sys.modules)
"""


def test_a_wheel_has_one_folder() -> None:
    assert {name: f"moot/{name}" for name in BUILT["only-include"]} == BUILT["sources"]


def test_all_extras_but_the_heavy_ones_are_in_all() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])

    assert [f"moot[{','.join(sorted(extras.keys() - {'all', 'inspect', 'parquet'}))}]"] == extras["all"]


@pytest.mark.parametrize("name", ["providers.base", "providers.openai", "server.cli.main", "judge", "web", "client"])
def test_a_checkout_has_the_names_of_a_wheel(name: str) -> None:
    module = import_module("server.client" if name == "client" else name)
    spec = module.__spec__

    assert module is import_module(f"moot.{name}")
    assert spec is module.__spec__


@pytest.mark.slow
@pytest.mark.timeout(600)  # it builds what other workers slow down
def test_what_is_in_a_wheel_holds_a_debate(tmp_path: Path) -> None:
    """Unpacked, with the libraries of this environment; below it is installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MOOT_")}
    environment |= {"MOOT_STORE": f"sqlite:{tmp_path}/moot.db", "PYTHONPATH": str(tmp_path / "installed")}
    script = json.loads(shipped()["juries"].read_text()) | {"pace": {"chunk_ms": 0, "answer_ms": 0}}
    (tmp_path / "juries.json").write_text(json.dumps(script))
    subprocess.run(["uv", "build", "-q", "--wheel", "--out-dir", tmp_path / "wheels", ROOT], check=True)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")

    done = subprocess.run(
        [sys.executable, "-c", IN_A_WHEEL], cwd=tmp_path, env=environment, capture_output=True, check=False, text=True
    )

    assert done.returncode == 0, done.stderr
    assert "the chain is valid" in done.stdout
    assert "<!doctype html>" in (tmp_path / "debate.html").read_text().lower()


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_an_installed_moot_uses_its_own_packages(tmp_path: Path) -> None:
    def run(*command: str | Path, status: int = 0) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False, text=True)
        assert status == done.returncode, done.stderr + done.stdout
        return done.stdout

    def refused(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False, text=True)
        assert done.returncode in {1, 2}
        return done.stderr

    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"MOOT_STORE": f"sqlite:{tmp_path}/moot.db", "TINY_URL": "http://127.0.0.1:1"}
    others = tmp_path / "others"
    for name in ("events", "server"):
        (others / name).mkdir(parents=True)
        (others / name / "__init__.py").write_text("raise AssertionError('a package of others')")
    (others / "pyproject.toml").write_text(OTHERS)
    example = re.search(r"^```python\n(.*?)^```$", (ROOT / "docs/providers.md").read_text(), re.MULTILINE | re.DOTALL)
    assert example is not None
    (others / "tiny.py").write_text(example[1])
    bin_ = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    python, moot = bin_ / "python", bin_ / "moot"

    run("uv", "build", "-q", "--wheel", "--out-dir", tmp_path / "wheels", ROOT)
    run("uv", "venv", "-q", "--python", sys.executable, "venv")
    run("uv", "pip", "install", "-q", "--python", python, *(tmp_path / "wheels").glob("*.whl"), others)
    run(python, "-c", CHECK)

    script = json.loads(shipped()["juries"].read_text()) | {"pace": {"chunk_ms": 0, "answer_ms": 0}}
    (tmp_path / "juries.json").write_text(json.dumps(script))
    model = "scripted:juries.json"
    debate = run(moot, "run", "Juries", "--turns", "2", "--pro", model, "--con", model, "--judge", model).split()[-1]
    assert "the chain is valid" in run(moot, "verify", debate)
    run(moot, "export", debate, "--as", "html", "-o", "debate.html")
    (tmp_path / "talk.txt").write_text("Ann: Yes, because it works.\n\nBob: No, it does not.\n")
    run(moot, "judge", "talk.txt", "--preview")

    found = json.loads(run(moot, "doctor", "--json"))
    assert "tiny" in {each["provider"] for each in found}
    assert "pip install 'moot[pdf]'" in run(moot, "doctor")
    (tmp_path / "study.pdf").write_bytes(b"%PDF-1.7")
    refusals = {
        "pdf": ("run", "Juries", "--pro", model, "--con", model, "--judge", model, "--evidence", "study.pdf"),
        "postgres": ("list", "--store", "postgres://nobody@127.0.0.1:1/none"),
        "lab": ("lab", model, "--only", "retest"),
    }
    for extra, command in refusals.items():
        assert f"pip install 'moot[{extra}]'" in " ".join(refused(moot, *command).split()), extra
