"""A forked child behaves like one with its own interpreter."""

import re
import signal
from collections.abc import Callable

import pytest

from server.cli.main import COMMANDS
from tests.server.children import Cli, line_with, seats

DEBATE = "{debate}"
READING = {
    "list": ("--json",), "show": (DEBATE, "--json"), "replay": (DEBATE, "--speed", "0"), "audit": (DEBATE, "1"),
    "exhibitions": (), "diff": (DEBATE, "1", "9"), "whatif": (DEBATE, "--set", "ring.weight=0.3"), "verify": (DEBATE,),
    "export": (DEBATE, "--as", "md"), "doctor": ("--json",), "import": ("-",), "calibrate": ("nowhere",),
    "lab": ("report", DEBATE), "say": (DEBATE, "late"),
    "decide": (DEBATE, "pro", "--reason", "so"), "migrate": (), "deliberate": ("nowhere",), "judge": ("nowhere",),
    "search": ("trams",), "serve": ("--workers", "2", "--port", "0"), "run": ("m", "--turns", "0"),
    "bench": ("--only", "luck"), "label": (DEBATE,), "compare": (DEBATE, DEBATE),
    "report": (DEBATE, "--side", "pro"), "rejudge": ("nowhere", "--judge", "baseline:lexical"),
    "fork": ("nowhere", "--at", "1"), "seat": (DEBATE, "pro"), "poll": (DEBATE,), "log": (),
    "delete": ("nowhere", "--yes"), "hooks": (), "keys": (), "league": ("--resamples", "100"), "mcp": ("--help",),
    "receipt": (DEBATE,), "batch": ("nowhere.toml", "--dry-run"), "archive": ("nowhere", "-o", "kept.zip"),
    "restore": ("nowhere.zip",), "study": ("nowhere",),
}  # fmt: skip
WRITING = {"run", "backup"}
IN_EACH_RUN = ("list", "serve", "run")
"""Commands that print, stream, import SDKs, refuse to start a server and refuse a request."""


def test_every_command_is_compared() -> None:
    assert set(COMMANDS) == READING.keys() | WRITING


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=() if each in IN_EACH_RUN else pytest.mark.thorough) for each in READING],
)
def test_a_forked_child_says_what_a_fresh_one_says(held: tuple[Cli, str], command: str) -> None:
    moot, debate = held
    args = [command, *(each.format(debate=debate) for each in READING[command])]
    fresh, forked = moot.cold(*args), moot(*args)

    assert fresh.returncode == forked.returncode
    assert without_times(fresh.stdout) == without_times(forked.stdout)
    assert without_times(fresh.stderr) == without_times(forked.stderr)
    assert b"Traceback" not in fresh.stderr


@pytest.mark.slow
def test_a_fresh_interpreter_holds_a_debate_and_copies_the_store(moot: Cli, script: Callable[..., str]) -> None:
    done = moot.cold("run", "Cities should ban cars", "--turns", "2", *seats(script()))
    assert done.returncode == 0, done.stderr.decode()

    done = moot.cold("backup", "copy.db")
    assert done.returncode == 0, done.stderr.decode()
    assert moot.json("list") == moot.json("list", MOOT_STORE=f"sqlite:{moot.home / 'copy.db'}")


@pytest.mark.slow
def test_its_end_is_told(moot: Cli) -> None:
    process = moot.start("serve", "--port", "0")
    line_with(process.stderr, b"server_started")

    assert process.poll() is None
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def without_times(said: bytes) -> bytes:
    """Output without durations and moments, which differ between runs."""
    return re.sub(rb"\d+(\.\d+)? ?m?s\b|\d{4}-\d\d-\d\dT[\d:.]+Z", b"", said)
