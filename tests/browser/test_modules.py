"""The page's pure modules have their own tests, which node runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

OLDEST = 20
FOLDER = Path(__file__).parents[1] / "page"


def test_the_modules_pass_their_tests() -> None:
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else "v0"
    if node is None or int(version.removeprefix("v").split(".")[0]) < OLDEST:
        reason = f"node {OLDEST} or newer is not on this machine: `apt-get install nodejs`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(f"NOT TESTED: {reason}")
    done = subprocess.run(
        [node, "--test", *map(str, sorted(FOLDER.glob("*.test.mjs")))], capture_output=True, text=True, check=False,
    )

    assert done.returncode == 0, done.stdout
