"""Moot as child processes: commands, and servers that are killed."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import structlog
from click.testing import CliRunner

from server.cli import main
from tests.server.forking import COMMAND, FORKS, ROOT, Child, Request, is_cold

INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""Children of a suite that was started in the background ignore SIGINT; this undoes it."""
MOOT = (sys.executable, "-c", f"{INTERRUPTIBLE}; {COMMAND}")
PATIENCE_S = 30
Process = subprocess.Popen[bytes] | Child
WIDE = "1000"
"""Characters of a terminal on which no sentence is wrapped; tests/server/cli/test_readable.py takes narrow ones."""


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child: a data folder of the test, a wide terminal, and no settings of the developer."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MOOT_")}
    own = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PYTHONPATH": str(ROOT), "COLUMNS": WIDE}
    return kept | own | dict(more or {})


class Cli:
    """Runs ``moot`` in its own folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = home / "moot.db"

    def __call__(self, *args: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        settings = {"MOOT_STORE": f"sqlite:{self.store}", "MOOT_RETRY_MS": "0"} | more
        if is_cold(more):
            return self.cold(*args, stdin=stdin, **more)
        reading, writing = os.pipe()
        try:
            child = FORKS.start(Request([*args], str(self.home), environment(self.home, settings)), reading)
        finally:
            os.close(reading)
        said = child.communicate(os.fdopen(writing, "wb"), stdin, timeout=PATIENCE_S)
        return subprocess.CompletedProcess(args, child.wait(), *said)

    def cold(self, *args: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        """The same command in its own interpreter."""
        settings = {"MOOT_STORE": f"sqlite:{self.store}", "MOOT_RETRY_MS": "0"} | more
        return subprocess.run(
            [*MOOT, *args],
            cwd=self.home,
            env=environment(self.home, settings),
            input=stdin,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def here(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        """The same command in this process: faster, for tests that run many."""
        store = {"MOOT_STORE": f"sqlite:{self.store}", "COLUMNS": WIDE}
        result = CliRunner(env=store).invoke(main, args)
        structlog.reset_defaults()
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return subprocess.CompletedProcess(args, result.exit_code, result.stdout_bytes, result.stderr_bytes)

    def json(self, *args: str, stdin: bytes = b"", **more: str) -> Any:
        """The JSON output of a command that must succeed."""
        done = self(*args, "--json", stdin=stdin, **more)

        assert done.returncode == 0, done.stderr.decode()
        return msgspec.json.decode(done.stdout)

    def debate(self, model: str, *more: str, turns: int = 2) -> str:
        """Run a debate to its end; its id."""
        done = self("run", "Cities should ban cars", "--turns", str(turns), *seats(model), *more)

        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().splitlines()[-1]

    def start(self, *args: str, stdout: Path | None = None, **more: str) -> Process:
        """A child that runs beside the test; its streams are pipes unless stdout is a file."""
        settings = {"MOOT_STORE": f"sqlite:{self.store}", "MOOT_RETRY_MS": "0"} | more
        env = environment(self.home, settings)
        with contextlib.ExitStack() as streams:
            out = streams.enter_context(stdout.open("wb")) if stdout else None
            if is_cold(more):
                return subprocess.Popen(
                    [*MOOT, *args],
                    cwd=self.home,
                    env=env,
                    stdout=out or subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            nothing = streams.enter_context(Path(os.devnull).open("rb"))
            return FORKS.start(Request([*args], str(self.home), env), nothing.fileno(), out.fileno() if out else None)

    @contextlib.contextmanager
    def server(self, *args: str, **more: str) -> Iterator[tuple[Process, str]]:
        """A server on a free port, and its address.  It is killed at the end if it still runs.

        What it said since its start is shown if the test fails.
        """
        process = self.start("serve", "--port", "0", *args, **more)
        try:
            yield process, address_of(process)
        finally:
            ended = process.poll()
            process.kill()
            _, said = process.communicate()
            sys.stderr.write(f"{args} {'killed' if ended is None else f'ended with {ended}'}\n{said.decode()}")


def seats(model: str) -> tuple[str, ...]:
    return ("--pro", model, "--con", model, "--judge", model)


STARTED = re.compile(rb'"address": "([^"]+)", "event": "server_started"')


def address_of(process: Process) -> str:
    """The line that a server prints when it is ready."""
    assert process.stderr is not None
    said = b""
    while line := process.stderr.readline():
        said += line
        if found := STARTED.search(line):
            return found[1].decode()
    raise AssertionError(said.decode())


def line_with(stream: Any, text: bytes) -> bytes:
    """The first line that contains a text."""
    said = b""
    while line := stream.readline():
        said += line
        if text in line:
            return bytes(line)
    raise AssertionError(said.decode())


def interrupt(process: Process) -> None:
    process.send_signal(signal.SIGINT)


def said(done: Any, code: int, text: str = "") -> str:
    """One clear line on stderr, nothing on stdout, the right exit code, no stack trace."""
    errors = done.stderr.decode()

    assert code == done.returncode, errors
    assert done.stdout == b""
    assert text in errors
    assert "Traceback" not in errors
    return str(errors)


def as_json(done: Any, code: int, field: str | None = None) -> dict[str, Any]:
    """One ``{"error": …}`` and nothing else on stdout."""
    assert code == done.returncode, done.stderr.decode()
    assert done.stdout.count(b"\n") == 1
    body = msgspec.json.decode(done.stdout)
    assert {"error"} == body.keys()
    assert {"code", "message", "field"} == body["error"].keys()
    assert field == body["error"]["field"]
    assert b"Traceback" not in done.stderr
    return dict(body["error"])
