"""An installed Moot finds its own packages beside packages of others with the same names, and replaces none of them."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BUILT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
    "wheel"
]
SCRIPT = """
import importlib, os, sys
sys.argv = ["moot", "list", "--store", "sqlite:none.db"]
from moot import main
for name in {names}:
    assert "/moot/" in importlib.import_module(name).__file__, name
assert os.environ["PYTHONPATH"].split(os.pathsep)[0].endswith("/moot")
main()
"""


def test_a_wheel_has_one_folder() -> None:
    assert {name: f"moot/{name}" for name in BUILT["only-include"]} == BUILT["sources"]
    assert {"deploy/wheel/moot.py": "moot/__init__.py"} == BUILT["force-include"]


@pytest.mark.slow
def test_an_installed_moot_uses_its_own_packages(tmp_path: Path) -> None:
    installed = tmp_path / "site" / "moot"
    installed.mkdir(parents=True)
    shutil.copyfile(ROOT / "deploy/wheel/moot.py", installed / "__init__.py")
    for name in BUILT["only-include"]:
        (installed / name).symlink_to(ROOT / name)
        (tmp_path / "site" / name).mkdir()
        (tmp_path / "site" / name / "__init__.py").write_text("raise AssertionError('a package of others')")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(names=BUILT["only-include"])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )

    assert "there is no store at" in done.stderr, done.stderr
    assert 3 == done.returncode, done.stderr
