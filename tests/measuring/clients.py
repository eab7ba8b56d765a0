"""The other processes of a fan-out: clients that only count messages, and the ``send()`` loop that is the limit."""

import contextlib
import resource
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import anyio
import anyio.abc
from anyio import to_thread
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec import Struct

COMPILER: Final = shutil.which("gcc") or shutil.which("cc")
LOOK_US: Final = 2000
"""Microseconds between two reads.  Clients that wake at each message would cost the sender CPU: see ``reader.c``."""
SPARE: Final = 200
"""File descriptors for everything but the sockets."""
_compiled: dict[str, list[str]] = {}


def affordable_sockets(sockets: int) -> int:
    """The number of sockets that this process may open, at most ``sockets``.  Raises the process's own limit first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = sockets + SPARE
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(sockets, soft - SPARE)


async def command(name: str) -> list[str]:
    """The command that starts ``name``: compiled from C, or in Python if there is no compiler."""
    if name not in _compiled:
        _compiled[name] = await to_thread.run_sync(_compile, name)
    return _compiled[name]


def _compile(name: str) -> list[str]:
    source = Path(__file__).with_name(f"{name}.c")
    if COMPILER is not None:
        program = Path(mkdtemp(prefix="moot-bench-")) / name
        done = subprocess.run([COMPILER, "-O2", "-o", program, source], capture_output=True, check=False)
        if done.returncode == 0:
            return [str(program)]
    return [sys.executable, "-m", "tests.measuring.fallback", name]


def limit_name() -> str:
    """What the limit is, in words."""
    return "a send() loop in C" if COMPILER is not None else "a send() loop in Python (there is no C compiler)"


class Received(Struct, frozen=True):
    """What the clients received: bytes, when half, 99 % and all of them had it (monotonic, ns), and gaps so far."""

    bytes: int
    half_ns: int
    most_ns: int
    last_ns: int
    gaps: int


class ChildProcess:
    """A process that is asked and answers in lines."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdout is not None
        assert process.stdin is not None
        self._stdout, self._stdin = BufferedByteReceiveStream(process.stdout), process.stdin

    async def read_line(self) -> str:
        """The next line of its stdout."""
        return (await self._stdout.receive_until(b"\n", 1000)).decode()

    async def write_line(self, line: str) -> None:
        """Write a line to its stdin."""
        await self._stdin.send(f"{line}\n".encode())


class ReaderProcess(ChildProcess):
    """The process with the clients."""

    async def expect(self, messages: int) -> None:
        """Wait, from now on, for that many more messages to each client."""
        await self.write_line(f"expect {messages}")
        assert await self.read_line() == "armed"

    async def expect_position(self, position: int) -> None:
        """Wait until each client has the frame of that position."""
        await self.write_line(f"upto {position}")
        assert await self.read_line() == "armed"

    async def received(self) -> Received:
        """Return when every client has what was expected."""
        word, *numbers = (await self.read_line()).split()
        assert word == "done", word
        return Received(*map(int, numbers))

    async def resume_stalled(self) -> None:
        """Let the stalled clients read."""
        await self.write_line("read")
        assert await self.read_line() == "reading"


@asynccontextmanager
async def readers(
    port: int, count: int, path: str = "", *, stalled: int = 0, offer: str = "", look_us: int = LOOK_US
) -> AsyncIterator[ReaderProcess]:
    """Connected clients of a port, in a process of their own.  They read every ``look_us`` microseconds."""
    started = [*await command("reader"), *map(str, (port, count, stalled)), path, offer, str(look_us)]
    async with await anyio.open_process(started, stderr=None) as process:
        try:
            clients = ReaderProcess(process)
            assert await clients.read_line() == "ready"
            yield clients
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended with an error message
                process.kill()


class SenderProcess(ChildProcess):
    """The process with the ``send()`` loop."""

    async def send(self, times: int) -> float:
        """Send to every socket ``times`` times; the CPU time in seconds."""
        await self.write_line(str(times))
        return int(await self.read_line()) / 1e9


@asynccontextmanager
async def sender(count: int, size: int, joined: int = 1) -> AsyncIterator[tuple[SenderProcess, ReaderProcess]]:
    """The ``send()`` loop and its clients."""
    started = [*await command("sender"), *map(str, (count, size, joined))]
    async with await anyio.open_process(started, stderr=None) as process:
        try:
            loop = SenderProcess(process)
            port = int(await loop.read_line())
            async with readers(port, count) as clients:
                yield loop, clients
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended with an error message
                process.kill()
