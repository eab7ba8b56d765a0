"""The other processes of a fan-out: clients that only count, and the C loop that is its limit."""

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
"""Readers that are woken by each message would be charged to the sender: see ``reader.c``."""
SPARE: Final = 200
"""Descriptors beside the sockets."""
_compiled: dict[str, list[str]] = {}


def affordable_sockets(sockets: int) -> int:
    """As many of those sockets as this process may open; its own bound is raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = sockets + SPARE
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(sockets, soft - SPARE)


async def command(name: str) -> list[str]:
    """How to start ``name``: compiled on the spot, or the same in Python where there is no compiler."""
    if name not in _compiled:
        _compiled[name] = await to_thread.run_sync(_compile, name)
    return _compiled[name]


def _compile(name: str) -> list[str]:
    source = Path(__file__).with_name(f"{name}.c")
    if COMPILER is not None:
        program = Path(mkdtemp(prefix="moot-bench-")) / name
        done = subprocess.run([COMPILER, "-O2", "-o", program, source], capture_output=True, check=False)  # noqa: S603
        if done.returncode == 0:
            return [str(program)]
    return [sys.executable, "-m", "server.bench.fallback", name]


def limit_name() -> str:
    """The limit's name."""
    return "a send() loop in C" if COMPILER is not None else "a send() loop in Python (there is no C compiler)"


class Received(Struct, frozen=True):
    """What the clients had: all their bytes, when half, 99 % and all had it (monotonic, ns), gaps so far."""

    bytes: int
    half_ns: int
    most_ns: int
    last_ns: int
    gaps: int


class ChildProcess:
    """Lines to and from a process."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdout is not None
        assert process.stdin is not None
        self._said, self._asked = BufferedByteReceiveStream(process.stdout), process.stdin

    async def read_line(self) -> str:
        """Its next line."""
        return (await self._said.receive_until(b"\n", 1000)).decode()

    async def write_line(self, line: str) -> None:
        """Tell it something."""
        await self._asked.send(f"{line}\n".encode())


class ReaderProcess(ChildProcess):
    """The process with the clients."""

    async def expect(self, messages: int) -> None:
        """From here on, wait for so many more messages to each of them."""
        await self.write_line(f"expect {messages}")
        assert await self.read_line() == "armed"

    async def expect_position(self, position: int) -> None:
        """Wait until each of them has the frame of that position."""
        await self.write_line(f"upto {position}")
        assert await self.read_line() == "armed"

    async def received(self) -> Received:
        """What was waited for has come."""
        word, *numbers = (await self.read_line()).split()
        assert word == "done", word
        return Received(*map(int, numbers))

    async def resume_stalled(self) -> None:
        """Those that are stalled begin to read."""
        await self.write_line("read")
        assert await self.read_line() == "reading"


@asynccontextmanager
async def readers(
    port: int, count: int, path: str = "", *, stalled: int = 0, offer: str = "", look_us: int = LOOK_US
) -> AsyncIterator[ReaderProcess]:
    """Clients of a port, all connected; ended at the end.  They look for what has come every ``look_us``."""
    started = [*await command("reader"), *map(str, (port, count, stalled)), path, offer, str(look_us)]
    async with await anyio.open_process(started, stderr=None) as process:
        try:
            made = ReaderProcess(process)
            assert await made.read_line() == "ready"
            yield made
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself, and said why
                process.kill()


class SenderProcess(ChildProcess):
    """The C loop over its sockets."""

    async def send(self, times: int) -> float:
        """Send to all so many times; seconds of its CPU."""
        await self.write_line(str(times))
        return int(await self.read_line()) / 1e9


@asynccontextmanager
async def sender(count: int, size: int, joined: int = 1) -> AsyncIterator[tuple[SenderProcess, ReaderProcess]]:
    """The limit, with its clients."""
    started = [*await command("sender"), *map(str, (count, size, joined))]
    async with await anyio.open_process(started, stderr=None) as process:
        try:
            made = SenderProcess(process)
            port = int(await made.read_line())
            async with readers(port, count) as clients:
                yield made, clients
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself, and said why
                process.kill()
