"""The core stays one that can be read in a day: what a debate of format ``exchange`` imports, counted."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 26_100
"""Lines of Python, the provider that plays the debate among them."""


@pytest.fixture(scope="module")
def imported() -> dict[str, int]:
    """The lines of each module that a debate of format ``exchange`` imports, in a process of its own."""
    command = [sys.executable, "-m", "tests.measuring.core"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = re.findall(r"^ *(\d+)  ([\w.]+)$", done.stdout, re.MULTILINE)

    assert "the debate is concluded" in done.stdout
    return {name: int(lines) for lines, name in rows}


@pytest.mark.slow
def test_a_debate_of_format_exchange_imports_no_more_than_the_core(imported: dict[str, int]) -> None:
    assert sum(imported.values()) <= MAX_LINES
    assert not [name for name in imported if name.startswith(("judge.panel", "judge.protocol", "judge.lab"))]


@pytest.mark.slow
def test_the_map_of_the_core_has_its_size(imported: dict[str, int]) -> None:
    page = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"imports about ([\d,]+) lines", page)
    total = sum(imported.values())

    assert abs(int(said.replace(",", "")) - total) <= total / 50
    for folder, lines in re.findall(r"^\| `([\w/]+)` \| about ([\d,]+) \|", page, re.MULTILINE):
        inside = f"{folder.rstrip('/').replace('/', '.')}."
        found = sum(count for name, count in imported.items() if f"{name}.".startswith(inside))
        assert abs(int(lines.replace(",", "")) - found) <= max(60, found / 20), folder
