"""The child process that reads a file, and what starts it: a file from outside takes bounded time and memory.

Run as a program, it takes a line of JSON and the file from its standard input, and prints a ``TranscriptAnswer``.
"""

import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO, Final

import anyio
import msgspec
from anyio import CapacityLimiter, to_thread
from msgspec import Struct

from server.errors import BadTranscript, TooLarge
from server.transcripts.files import check_size, split_file
from server.transcripts.sides import TranscriptSplit

READ_S: Final = 30.0
"""Seconds that reading a file may take."""
MEMORY: Final = 1 << 30
"""Bytes of address space of the child, on systems that can limit it."""
MODULE: Final = "server.transcripts.child"


class WantedFile(Struct, frozen=True, kw_only=True):
    """What the child is told beside the file.  ``debate``: id or number of one of several debates in it."""

    name: str
    debate: str


class TranscriptAnswer(Struct, frozen=True, kw_only=True):
    """The split of a file, or why there is none."""

    split: TranscriptSplit | None = None
    error: str = ""


async def read_split(
    name: str, data: bytes, debate: str = "", *, limiter: CapacityLimiter | None = None
) -> TranscriptSplit:
    """The split of a file, read in a child process.  ``limiter`` bounds how many children run at once.

    Raises ``BadTranscript``, ``TooLarge``.
    """
    check_size(len(data))
    told = msgspec.json.encode(WantedFile(name=name[:1000], debate=debate[:1000]))
    async with limiter or CapacityLimiter(1):
        with tempfile.TemporaryFile() as file:
            await to_thread.run_sync(_write, file, told, data)  # to feed a pipe would keep the loop busy
            try:
                with anyio.fail_after(READ_S):
                    done = await anyio.run_process(
                        [sys.executable, "-P", "-m", MODULE], stdin=file, stderr=subprocess.DEVNULL, check=False
                    )
            except TimeoutError:
                raise BadTranscript(f"the file cannot be read within {READ_S:g} seconds") from None
    try:
        answer = msgspec.json.decode(done.stdout, type=TranscriptAnswer)
    except msgspec.DecodeError as error:
        raise BadTranscript(_too_much()) from error  # the system has ended it
    if answer.split is None:
        raise BadTranscript(answer.error)
    return answer.split


def _write(file: IO[bytes], told: bytes, data: bytes) -> None:
    """Write what the child is told and the file that it reads, and go back to the beginning."""
    file.writelines((told, b"\n", data))
    file.seek(0)


def _too_much() -> str:
    return f"the file takes more than {MEMORY >> 20} MiB of memory to read: judge a part of it"


def _limit_memory() -> None:
    """Limit this process, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    """Read the file on standard input."""
    _limit_memory()
    try:
        wanted = msgspec.json.decode(sys.stdin.buffer.readline(), type=WantedFile)
        answer = TranscriptAnswer(split=split_file(wanted.name, sys.stdin.buffer.read(), wanted.debate))
    except (BadTranscript, TooLarge) as error:
        answer = TranscriptAnswer(error=error.message)
    except MemoryError:
        answer = TranscriptAnswer(error=_too_much())
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
