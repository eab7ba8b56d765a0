"""Reads a file from outside in a process of its own, so that no file takes more time or memory than it may.

``read_in_child`` starts a module of Moot as a program, with what it is told and the file on its standard input.  The
program calls ``answer``, which sets the bounds and writes the answer as JSON.  It ends with the process that started
it.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import IO, Any, Final, Literal, TypeVar

import anyio
import msgspec
from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from msgspec import Struct

from providers.embedded.child import end_with

T = TypeVar("T")

AT_ONCE: Final = 2
"""Children of this process that read at the same time; further files wait."""
_LIMITER: Final[RunVar[CapacityLimiter]] = RunVar("moot.children")
OUT_OF_MEMORY: Final = 3
"""The status of a child that has too little memory to say so."""
NO_MEMORY: Final = frozenset((OUT_OF_MEMORY, -signal.SIGABRT))
"""A library in C++ aborts where it gets no memory."""


class Bounds(Struct, frozen=True, kw_only=True):
    """What a child may take: seconds of computing, seconds on the clock, bytes of address space."""

    cpu_s: int
    wall_s: float
    memory: int


class ChildInput(Struct, frozen=True, kw_only=True):
    """The line before the file.  ``told``: the arguments of the program besides the file."""

    parent: int
    cpu_s: int
    memory: int
    told: msgspec.Raw


class ChildEnded(Exception):
    """A child gave no answer: it took too much time or memory, or ended with another ``status``."""

    def __init__(self, why: Literal["time", "memory", "status"], status: int = 0) -> None:
        self.why: Literal["time", "memory", "status"] = why
        self.status = status
        super().__init__(why, status)


async def read_in_child(module: str, told: Any, content: bytes, bounds: Bounds, answer_type: type[T]) -> T:
    """What the program ``module`` answers about a file.  Raises ``ChildEnded``.

    It waits while ``AT_ONCE`` others read.  What the child writes to stderr is dropped, and the size of its answer has
    no bound but its memory.
    """
    async with _limiter():
        return await _read_in_child(module, told, content, bounds, answer_type)


def _limiter() -> CapacityLimiter:
    """The limiter of this event loop."""
    try:
        return _LIMITER.get()
    except LookupError:
        _LIMITER.set(made := CapacityLimiter(AT_ONCE))
        return made


async def _read_in_child(module: str, told: Any, content: bytes, bounds: Bounds, answer_type: type[T]) -> T:
    beginning = ChildInput(
        parent=os.getpid(), cpu_s=bounds.cpu_s, memory=bounds.memory, told=msgspec.Raw(msgspec.json.encode(told))
    )
    with tempfile.TemporaryFile() as file:
        await to_thread.run_sync(_write, file, msgspec.json.encode(beginning), content)  # a pipe keeps the loop busy
        try:
            with anyio.fail_after(bounds.wall_s):
                ended = await anyio.run_process(
                    [sys.executable, "-P", "-m", module],
                    stdin=file,
                    stderr=subprocess.DEVNULL,
                    check=False,
                    start_new_session=True,  # Ctrl-C must not reach the child: Moot ends it
                )
        except TimeoutError:
            raise ChildEnded("time") from None
    if ended.returncode:
        is_slow = ended.returncode == -signal.SIGXCPU
        why: Literal["time", "memory", "status"] = "time" if is_slow else "status"
        raise ChildEnded("memory" if ended.returncode in NO_MEMORY else why, ended.returncode)
    return msgspec.json.decode(ended.stdout, type=answer_type)


def answer(told_type: type[T], read: Callable[[T, bytes], Any]) -> None:
    """In the child: take the bounds, read the file on standard input, and write what ``read`` gives."""
    beginning = msgspec.json.decode(sys.stdin.buffer.readline(), type=ChildInput)
    end_with(beginning.parent)
    limit(beginning.cpu_s, beginning.memory)
    try:
        told = msgspec.json.decode(beginning.told, type=told_type)
        sys.stdout.buffer.write(msgspec.json.encode(read(told, sys.stdin.buffer.read())))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def limit(cpu_s: int, memory: int) -> None:
    """Bound seconds of computing and bytes of address space; some systems have only the parent's time limit."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    for name, most, hard in (("CPU", cpu_s, cpu_s + 5), ("AS", memory, memory), ("CORE", 0, 0), ("FSIZE", 0, 0)):
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, hard))
        except (OSError, ValueError):  # the system's own bound is lower, or it has none of this kind
            continue


def _write(file: IO[bytes], beginning: bytes, content: bytes) -> None:
    """Write the line and the file, and go back to the beginning."""
    file.writelines((beginning, b"\n", content))
    file.seek(0)
