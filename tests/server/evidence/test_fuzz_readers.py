"""Mutated files: every reader answers with passages or one line, within the memory and the time of a document."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.evidence.reading import CPU_S

DRIVER = Path(__file__).with_name("fuzz.py")
KINDS = ("text", "html", "markdown", "pdf", "docx", "odt")


def fuzz(kind: str, number: int, first: int) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, str(DRIVER), kind, str(number), str(first)], capture_output=True, check=False, timeout=3600
    )

    assert ended.returncode == 0, ended.stderr.decode()[-3000:]
    answer: dict[str, Any] = msgspec.json.decode(ended.stdout)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("number", [50, pytest.param(200, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files_are_read_or_refused(kind: str, number: int) -> None:
    answer = fuzz(kind, number, 1_000_000)

    assert number == sum(answer["outcomes"].values())
    assert answer["outcomes"]["read"]
    assert answer["slowest_s"] < CPU_S[0]


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_10_000_mutated_files_are_read_or_refused(kind: str) -> None:
    answer = fuzz(kind, 10_000, 0)

    assert 10_000 == sum(answer["outcomes"].values())
    assert answer["slowest_s"] < CPU_S[0]
