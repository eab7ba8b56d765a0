"""The page's pure modules have their own tests, which node runs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import web

OLDEST = 20
FOLDER = Path(__file__).parents[1] / "web"


@pytest.mark.slow
def test_the_modules_pass_their_tests() -> None:
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else "v0"
    if node is None or int(version.removeprefix("v").split(".")[0]) < OLDEST:
        reason = f"node {OLDEST} or newer is not on this machine: `apt-get install nodejs`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(f"NOT TESTED: {reason}")
    done = subprocess.run(
        [node, "--test", *map(str, sorted(FOLDER.glob("*.test.mjs")))],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("page", "module"), [("index", "home"), ("debate", "debate"), ("judge", "judge")])
def test_what_a_page_imports_is_asked_for_at_once(page: str, module: str) -> None:
    """A module that is only found in another one waits for it, and so on: a round trip for each."""
    folder, known, found = Path(web.__path__[0]), set[str](), {f"{module}.js"}
    while new := found - known:
        known |= new
        for name in new:
            found |= set(re.findall(r'(?m)^(?:import|export)[^;]*? from "\./(\w+\.js)"', (folder / name).read_text()))
    preloaded = re.findall(r'rel="modulepreload" href="/static/(\w+\.js)"', (folder / f"{page}.html").read_text())

    assert sorted(found) == sorted(preloaded)
