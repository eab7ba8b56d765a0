"""Argdown's own parser, installed from npm into a temporary folder, reads our maps as we mean them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from server.export.map.forms import SIGNS, as_argdown
from tests.server.export.map.test_map import MAPS, hostile

pytestmark = pytest.mark.thorough

PACKAGE = "@argdown/core@1.7.5"
READER = Path(__file__).parent / "argdown.mjs"


@pytest.mark.timeout(300)
def test_its_parser_reads_the_same_statements_and_relations(tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    assert npm is not None, "npm installs the parser"
    assert node is not None
    (tmp_path / "package.json").write_text('{"private": true}', encoding="utf-8")
    subprocess.run([npm, "install", "--no-audit", "--no-fund", PACKAGE], cwd=tmp_path, check=True, capture_output=True)
    for name, found in {**MAPS, "hostile": hostile()}.items():
        file = tmp_path / f"{name}.argdown"
        file.write_bytes(as_argdown(found))
        command = [node, str(READER), str(tmp_path), str(file)]
        read = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        texts = {each.id: " ".join(each.text.replace("\u202e", " ").split()) for each in found.nodes.values()}
        drawn = {(each.source, each.relation, each.target) for each in found.edges if each.relation in SIGNS}

        assert [] == read["errors"]
        assert texts == {key: " ".join(text.split()) for key, text in read["texts"].items()}
        assert drawn == set(map(tuple, read["relations"]))
        assert "motion" not in found.nodes or "motion" == read["data"]["kind"]
