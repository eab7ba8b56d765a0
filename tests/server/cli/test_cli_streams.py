"""Commands under bad conditions: a pipe that closes, a full disk, arguments that are not text."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.server.children import PATIENCE_S, Cli, as_json, environment, line_with, said, seats
from tests.server.conftest import PRO

FULL = Path("/dev/full")
READING = (
    ("list",), ("list", "--json"), ("show", "ID"), ("show", "ID", "--json"), ("replay", "ID", "--speed", "0"),
    ("verify", "ID"), ("export", "ID"), ("doctor",),
)  # fmt: skip


def filled(held: tuple[Cli, str], args: tuple[str, ...]) -> tuple[Cli, list[str]]:
    moot, debate = held
    return moot, [debate if each == "ID" else each for each in args]


@pytest.mark.slow
@pytest.mark.parametrize("args", READING)
def test_a_reader_that_closes_its_pipe_causes_no_message(held: tuple[Cli, str], args: tuple[str, ...]) -> None:
    moot, given = filled(held, args)
    process = moot.start(*given)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()

    assert process.wait(PATIENCE_S) == 141
    assert errors == b""


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("args", READING)
def test_a_full_disk_is_one_line(held: tuple[Cli, str], args: tuple[str, ...]) -> None:
    moot, given = filled(held, args)
    process = moot.start(*given, stdout=FULL)
    _, errors = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 1
    assert b"No space left on device" in errors
    assert errors.count(b"\n") == 1


@pytest.mark.slow
def test_a_run_whose_reader_closes_its_pipe_can_be_resumed(moot: Cli, script: Any) -> None:
    process = moot.start("run", "m", "--turns", "2", *seats(script(pace={"chunk_ms": 10, "chunk_chars": 4})))
    debate = line_with(process.stderr, b"debate ").decode().split()[1]
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()

    assert process.wait(PATIENCE_S) == 141
    assert f"moot run --resume {debate}" in errors.decode()
    assert b"Traceback" not in errors
    assert moot("run", "--resume", debate).returncode == 0
    assert moot.json("show", debate)["state"] == "concluded"
    assert moot.json("verify", debate)["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("args", [("show",), ("verify",), ("list", "-q"), ("run", "--resume"), ("run",), ("--store",)])
def test_arguments_that_are_not_text_are_refused(held: tuple[Cli, str], args: tuple[str, ...]) -> None:
    moot, _ = held
    bad = os.fsdecode(b"sqlite:\xff")
    more = ("list",) if args == ("--store",) else ()

    said(moot(*args, bad, *more), 2, "is not UTF-8 text")
    as_json(moot(*args, bad, *more, "--json"), 2)


@pytest.mark.slow
def test_a_terminal_that_lacks_a_character_still_gets_the_text(held: tuple[Cli, str]) -> None:
    moot, debate = held
    for args in (("show", debate), ("replay", debate, "--speed", "0")):
        done = moot(*args, PYTHONIOENCODING="ascii")

        assert done.returncode == 0, done.stderr.decode()
        assert PRO[:30].encode() in done.stdout


@pytest.mark.slow
def test_a_working_folder_that_was_removed_does_not_matter(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    gone = tmp_path / "gone"
    gone.mkdir()
    moot_list = f'"{sys.executable}" -P -c "from server.cli import main; main()" list'
    command = f'cd "{gone}" && rmdir "{gone}" && exec {moot_list}'
    done = subprocess.run(
        ["sh", "-c", command],
        env=environment(moot.home, {"MOOT_STORE": f"sqlite:{moot.store}"}),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 0, done.stderr.decode()
    assert debate.encode() in done.stdout


@pytest.mark.slow
def test_the_installed_command_is_the_same(held: tuple[Cli, str]) -> None:
    moot, debate = held
    command = shutil.which("moot", path=Path(sys.executable).parent)
    if command is None:
        pytest.skip("the project is not installed beside this Python; uv sync does it")
    store = {"MOOT_STORE": f"sqlite:{moot.store}"}
    for args, code in ((("show", debate, "--json"), 0), (("show", "nobody", "--json"), 3), (("show",), 2)):
        done = subprocess.run(
            [command, *args],
            cwd=moot.home,
            env=environment(moot.home, store),
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )

        assert code == done.returncode
    assert moot.json("show", debate)["id"] == debate


def test_without_a_command_it_prints_the_help(moot: Cli) -> None:
    assert said(moot(), 2).startswith("Usage: ")
    version = moot("--version").stdout.decode()
    assert version.startswith("moot, version ")
    help_text = moot("--help")
    assert help_text.returncode == 0
    for name in ("serve", "run", "list", "show", "replay", "verify", "export", "import", "doctor"):
        assert f"\n  {name} " in help_text.stdout.decode()
    assert msgspec.json.decode(moot("sho", "--json").stdout)["error"]["code"] == "usage"
