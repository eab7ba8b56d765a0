"""Conventions of the commands: examples first, no unwanted colour, no secret in a flag, completion."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from server.cli.main import COMMANDS, GROUPS, main
from tests.server.children import Cli

MOOT = str(Path(sys.executable).with_name("moot"))
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(home: Path, *args: str, **environment: str) -> str:
    """What a command prints on a terminal."""
    outer, inner = pty.openpty()
    child = subprocess.Popen([MOOT, *args], stdin=inner, stdout=inner, stderr=inner, cwd=home, close_fds=True, env={
        **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
        "MOOT_STORE": f"sqlite:{home / 'moot.db'}", "TERM": "xterm-256color", **environment,
    })  # fmt: skip
    os.close(inner)
    output = b""
    while True:
        try:
            piece = os.read(outer, 65536)
        except OSError:  # the child has ended, and its terminal is closed
            break
        if not piece:
            break
        output += piece
    os.close(outer)
    assert child.wait(30) == 0
    return output.decode()


def test_help_begins_with_examples(moot: Cli) -> None:
    text = moot("--help").stdout.decode()

    assert 0 < text.index("moot serve ") < text.index("moot run ") < text.index("Start:")


def test_help_names_each_command_once_in_a_group(moot: Cli) -> None:
    listed = re.findall(r"^  ([a-z]+) {2,}[A-Z]", moot("--help").stdout.decode().partition("Start:")[2], re.MULTILINE)

    assert [*COMMANDS] == listed
    assert 1 < len(GROUPS) < len(COMMANDS)


@pytest.mark.slow
def test_latest_is_the_newest_debate(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, _ = held
    newest = moot.json("list")["debates"][0]["id"]

    assert moot("show", "latest").stdout == moot("show", newest).stdout
    assert 3 == Cli(tmp_path)("show", "latest").returncode


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_are_not_wrapped(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    output = capsys.readouterr().out
    examples = [line for line in output.splitlines() if line.startswith("    moot ")]

    assert "Usage: " in output
    assert "\\b" not in output
    assert [] == [line for line in examples if line.count("moot ") > 1]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["list", "show", "audit"])
def test_a_pipe_gets_no_colour(held: tuple[Cli, str], command: str) -> None:
    cli, debate = held
    done = cli(command, *([] if command == "list" else [debate]))

    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_terminal_gets_colour_unless_no_color_is_set(held: tuple[Cli, str]) -> None:
    cli, debate = held

    assert COLOUR.search(on_a_terminal(cli.home, "show", debate))
    assert not re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", on_a_terminal(cli.home, "show", debate, NO_COLOR="1"))


@pytest.mark.slow
def test_names_are_completed() -> None:
    done = subprocess.run([MOOT], capture_output=True, text=True, check=False, env={
        **os.environ, "_MOOT_COMPLETE": "bash_complete", "COMP_WORDS": "moot ex", "COMP_CWORD": "1",
    })  # fmt: skip

    assert ["plain,exhibitions", "plain,export"] == sorted(done.stdout.split())


def test_no_flag_takes_a_secret() -> None:
    flags = set()
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        flags |= {flag for each in command.params for flag in each.opts}

    assert flags >= {"--store", "--json", "--port"}
    assert not [flag for flag in flags if re.search(r"token\b|key|secret|password", flag)]
