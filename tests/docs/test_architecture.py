"""The architecture is a test: who may import whom, what may not stand in a file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import events

ROOT = Path(__file__).parents[2]
TEXT = {".py", ".js", ".mjs", ".css", ".html", ".md", ".toml", ".json", ".yml", ".yaml", ".txt", ".svg", ""}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Every file that belongs to the project, with its text: tracked, or new and not ignored."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard")
    if listed.returncode:
        pytest.skip("this is no git checkout: there is no list of the project's files")
    paths = [ROOT / name for name in listed.stdout.splitlines() if Path(name).suffix in TEXT]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths if path.is_file()}


def found(files: dict[str, str], pattern: str) -> list[str]:
    """Where a pattern stands, as ``file:line``."""
    return [
        f"{name}:{number}"
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_imports_follow_the_table() -> None:
    done = run(tool("lint-imports"))

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_events_is_ours() -> None:
    """A package on the registry installs a top-level ``events`` too."""
    assert Path(events.__file__ or "") == ROOT / "events" / "__init__.py"


def test_ruff_is_content() -> None:
    done = run(tool("ruff"), "check", ".")

    assert done.returncode == 0, done.stdout


def test_python_is_formatted() -> None:
    done = run(tool("ruff"), "format", "--check", ".")

    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_mypy_is_content() -> None:
    done = run(tool("mypy"))

    assert done.returncode == 0, done.stdout


def test_nothing_is_left_to_do(files: dict[str, str]) -> None:
    assert found(files, r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b") == []


def test_no_registry_is_named(files: dict[str, str]) -> None:
    assert found(files, r'"resolved": *"ht' r"tp|/sim" r"ple/?\b|index-" r"url") == []
    assert [name for name in files if Path(name).name in {"uv.lock", "poetry.lock"}] == []


def test_no_path_of_a_machine_is_named(files: dict[str, str]) -> None:
    assert found(files, r"(^|[^a-z])/(wor" r"k|far" r"m)/") == []


def test_the_search_finds_what_it_looks_for() -> None:
    assert found({"a": "one\ntwo"}, "tw[o]") == ["a:2"]
