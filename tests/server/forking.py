"""Children that are forked from a process in which Moot is imported already.

``python -c`` imports for up to a second before a command does anything, and the suite starts hundreds of commands.  One
process a worker imports everything once and forks for each of them.  What it forks is a process with its own
arguments, environment, folder, streams, signals and exit code.  At its end it waits for threads, calls the functions of
``atexit``, collects its own garbage and flushes; only what was imported before the fork is not taken apart.  SIGINT
interrupts it even where the suite was started in the background and ignores SIGINT.  ``MOOT_TESTS_COLD=1`` gives every
child an interpreter of its own.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from server.cli import main
from server.debate.opening.language import language_of

ROOT = Path(__file__).parents[2]
COMMAND = "from server.cli import main; main()"
FORKING = "import sys; from tests.server.forking import ended, forked; forked(int(sys.argv[1])); ended()"
PACKAGES = ("events", "judge", "personalities", "providers", "server")
NOT_NEEDED = ("server.bench", "server.cli.measure.bench", "providers.embedded.child", "providers.testing")
LATER = ("anyio._backends._asyncio", "certifi", "httpcore", "uvicorn.lifespan.on", "uvloop")
"""Modules that commands import when they run."""
NUMBER = struct.Struct("q")


# in the process that forks


class Request(NamedTuple):
    """Arguments, folder and environment of a child."""

    args: list[str]
    cwd: str
    env: dict[str, str]


def forked(control: int) -> None:
    """Import everything, then fork for each request; returns in each child, ready to run the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for pytest
    _import_everything()
    gc.collect()
    gc.freeze()  # what all children share is not copied by their collections
    woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes)
    told: dict[int, int] = {}
    with socket.socket(fileno=control) as line:
        while True:
            ready, _, _ = select.select([line, woken], [], [])
            if woken in ready:
                os.read(woken, 1024)
                _tell_of_the_ended(told)
            if line in ready:
                request, streams, tell = _received(line)
                process = os.fork()
                if process == 0:
                    break
                told[process] = tell
                for each in streams:
                    os.close(each)
                os.write(tell, NUMBER.pack(process))
    signal.set_wakeup_fd(-1)
    for each in (woken, wakes, tell, *told.values()):
        os.close(each)
    _become(request, streams)


def _import_everything() -> None:
    for name in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if not found.name.startswith(NOT_NEEDED):
                importlib.import_module(found.name)
    for name in LATER:
        importlib.import_module(name)
    language_of("The language model is read once.")


def _tell_of_the_ended(told: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with contextlib.suppress(BrokenPipeError):
                os.write(told[ended[0]], NUMBER.pack(os.waitstatus_to_exitcode(ended[1])))
            os.close(told.pop(ended[0]))


def _received(line: socket.socket) -> tuple[Request, list[int], int]:
    """A request, the child's streams, and the pipe for its id and exit code.  Ends the process if pytest has ended."""
    head, (*streams, tell), _, _ = socket.recv_fds(line, NUMBER.size, 4) if _is_open(line) else os._exit(0)
    (size,) = NUMBER.unpack(head)
    content = b""
    while len(content) < size:
        content += line.recv(size - len(content))
    return Request(**json.loads(content)), streams, tell


def _is_open(line: socket.socket) -> bool:
    return bool(line.recv(1, socket.MSG_PEEK))


def _become(request: Request, streams: list[int]) -> None:
    """Set up this process like ``python -c`` at its first line."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    sys.argv = ["-c", *request.args]
    for name, number, mode, line_wise in (
        ("stdin", 0, "r", False),
        ("stdout", 1, "w", os.isatty(1)),
        ("stderr", 2, "w", True),
    ):
        like = getattr(sys, name)
        made = open(  # noqa: SIM115 - it has a number and stays open
            number, mode, 1 if line_wise else -1, encoding=like.encoding, errors=like.errors, closefd=False
        )
        setattr(sys, name, made)


def ended() -> None:
    """Run the command and end this process, as at the end of ``python -c``."""
    code = _exit_code()
    threading._shutdown()  # this and the next two: what the interpreter does at its end
    atexit._run_exitfuncs()
    gc.collect()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # the interpreter reports it
    os._exit(code)


def _exit_code() -> int:
    """The exit code of the command.  Raises what the interpreter itself has to report."""
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        raise
    return 0


# in pytest


class Child:
    """A forked process, with the methods of ``subprocess.Popen`` that the tests use."""

    def __init__(self, args: Sequence[str], pid: int, told: int, stdout: Any, stderr: Any) -> None:
        self.args, self.pid, self.stdout, self.stderr = args, pid, stdout, stderr
        self.returncode: int | None = None
        self._told = told

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
            (self.returncode,) = NUMBER.unpack(os.read(self._told, NUMBER.size))
            os.close(self._told)
        return self.returncode

    def communicate(self, stdin: Any = None, said: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Its output until its end."""
        until = time.monotonic() + (timeout or threading.TIMEOUT_MAX)
        with ThreadPoolExecutor(3) as elsewhere:
            if stdin:
                elsewhere.submit(_written, stdin, said)
            streams = [elsewhere.submit(_rest, each) for each in (self.stdout, self.stderr)]
            try:
                out, errors = (each.result(until - time.monotonic()) for each in streams)
                self.wait(max(0, until - time.monotonic()) if timeout else None)
            except TimeoutError:
                self.kill()
                raise subprocess.TimeoutExpired(list(self.args), timeout or 0) from None
        return out, errors

    def send_signal(self, sign: int) -> None:
        """Send it a signal unless it has ended.  Its parent may reap it at any moment."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, sign)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _rest(stream: Any) -> bytes:
    if stream is None or stream.closed:
        return b""
    with stream:
        return bytes(stream.read())


def _written(stream: Any, said: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), stream:
        stream.write(said)


class Forks:
    """The process that forks; it starts with the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: socket.socket | None = None

    def start(self, request: Request, stdin: int, stdout: int | None = None) -> Child:
        """A child.  Its stdout is a pipe if ``stdout`` is None; its stderr is always a pipe."""
        reading: list[Any] = [None, None]
        writing: list[int] = []
        for number, given in enumerate((stdout, None)):
            if given is None:
                end, other = os.pipe()
                reading[number] = open(end, "rb")  # noqa: PTH123, SIM115 - the child's
                writing.append(other)
        told, tell = os.pipe()
        content = json.dumps(request._asdict()).encode()
        with self._lock:
            self._line = self._line or _started()
            streams = [stdin, *([stdout] if stdout is not None else []), *writing, tell]
            socket.send_fds(self._line, [NUMBER.pack(len(content))], streams)
            self._line.sendall(content)
        for each in (*writing, tell):
            os.close(each)
        (pid,) = NUMBER.unpack(os.read(told, NUMBER.size))
        return Child(request.args, pid, told, *reading)


def _started() -> socket.socket:
    ours, its = socket.socketpair()
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOOT_")}
    process = subprocess.Popen(
        [sys.executable, "-c", FORKING, str(its.fileno())],
        cwd=ROOT,
        env=env | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[its.fileno()],
    )
    its.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


FORKS = Forks()


def is_cold(more: Mapping[str, str]) -> bool:
    """Whether a child needs its own interpreter, because variables set its encodings at the start."""
    return "MOOT_TESTS_COLD" in os.environ or any(name.startswith(("PYTHON", "LC_", "LANG")) for name in more)
