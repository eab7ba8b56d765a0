"""A foreign client of MCP, installed from npm into a temporary folder, opens, judges, audits and searches."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.children import MOOT, environment

pytestmark = pytest.mark.thorough
PACKAGE = "@modelcontextprotocol/client@2.4.0"
HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "contributing.md"
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    assert npm is not None, "npm installs the client"
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    subprocess.run([npm, "install", "--no-audit", "--no-fund", PACKAGE], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("mode", list(VERSIONS))
@pytest.mark.timeout(300)
def test_its_session_over_stdio(installed: Path, tmp_path: Path, mode: str) -> None:
    node = shutil.which("node")
    assert node is not None
    script, around = str(HERE / "mcp_client.mjs"), {**environment(tmp_path), "PATH": os.environ["PATH"]}
    command = [node, script, str(installed), "stdio", mode, str(DOCUMENT), *MOOT, "mcp"]
    done = subprocess.run(command, env=around, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)

    assert seen["version"] == VERSIONS[mode]
    assert seen["untyped"] == []
    assert seen["verdict"]["verdict"] == "PASS"
    assert seen["verdict"]["quotes"]
    assert seen["misplaced"] == 0
    assert seen["audit"]["entries"]
    assert seen["hits"] == 1
    assert seen["answers"] == 12
