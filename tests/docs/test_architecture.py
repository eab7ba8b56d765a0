"""The architecture is a test: who may import whom, what may not stand in a file."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

import events

ROOT = Path(__file__).parents[2]
PACKAGES = ("events", "providers", "judge", "personalities", "server")
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
        if re.search(pattern, text, re.MULTILINE)
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line)
    ]


@pytest.mark.slow
def test_imports_follow_the_table() -> None:
    done = run(tool("lint-imports"))

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_events_is_ours() -> None:
    """A package on the registry installs a top-level ``events`` too."""
    assert Path(events.__file__ or "") == ROOT / "events" / "__init__.py"


@pytest.mark.slow
def test_ruff_is_content() -> None:
    done = run(tool("ruff"), "check", ".")

    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_python_is_formatted() -> None:
    done = run(tool("ruff"), "format", "--check", ".")

    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)  # without its cache, mypy reads for a minute of CPU, and other workers run beside it
def test_mypy_is_content() -> None:
    done = run(tool("mypy"))

    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_nothing_is_left_to_do(files: dict[str, str]) -> None:
    assert found(files, r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b") == []


@pytest.mark.slow
def test_no_registry_is_named(files: dict[str, str]) -> None:
    assert found(files, r'"resolved": *"ht' r"tp|/sim" r"ple/?\b|index-" r"url") == []
    assert [name for name in files if Path(name).name in {"uv.lock", "poetry.lock"}] == []


@pytest.mark.slow
def test_no_path_of_a_machine_is_named(files: dict[str, str]) -> None:
    assert found(files, r"(^|[^a-z])/(wor" r"k|far" r"m)/") == []


def classes(files: Mapping[str, str]) -> dict[str, list[str]]:
    """The modules of the packages that define a class, by the class's name."""
    modules: dict[str, list[str]] = defaultdict(list)
    for name, text in files.items():
        if name.endswith(".py") and name.startswith(tuple(f"{package}/" for package in PACKAGES)):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    modules[node.name].append(name)
    return modules


@pytest.mark.slow
def test_a_class_name_is_defined_once(files: dict[str, str]) -> None:
    assert {} == {name: modules for name, modules in classes(files).items() if len(modules) > 1}


def test_the_search_finds_what_it_looks_for() -> None:
    twice = {
        "events/a.py": "class _Row: pass",
        "judge/b.py": "def f():\n    class _Row: pass",
        "tests/c.py": "class _Row: pass",
    }

    assert found({"a": "one\ntwo"}, "tw[o]") == ["a:2"]
    assert {"_Row": ["events/a.py", "judge/b.py"]} == classes(twice)
