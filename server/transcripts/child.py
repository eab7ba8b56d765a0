"""The program that reads one transcript, and what starts it: its standard input is one line, then the file."""

from typing import Final

from msgspec import Struct

from server.errors import BadTranscript, TooLarge
from server.process.child import Bounds, ChildEnded, answer, read_in_child
from server.transcripts.files import check_size, split_file
from server.transcripts.sides import TranscriptSplit

BOUNDS: Final = Bounds(cpu_s=30, wall_s=30.0, memory=1 << 30)
MODULE: Final = "server.transcripts.child"


class WantedFile(Struct, frozen=True, kw_only=True):
    """What the child is told in addition to the file.  ``debate``: id or number of one of several debates in it."""

    name: str
    debate: str


class TranscriptAnswer(Struct, frozen=True, kw_only=True):
    """The split of a file, or why there is none."""

    split: TranscriptSplit | None = None
    error: str = ""


async def read_split(name: str, data: bytes, debate: str = "") -> TranscriptSplit:
    """The split of a file, read in a child process.  Raises ``BadTranscript``, ``TooLarge``."""
    check_size(len(data))
    wanted = WantedFile(name=name[:1000], debate=debate[:1000])
    try:
        found = await read_in_child(MODULE, wanted, data, BOUNDS, TranscriptAnswer)
    except ChildEnded as error:
        if error.why == "time":
            raise BadTranscript(f"the file cannot be read within {BOUNDS.wall_s:g} seconds") from error
        why = f"the file takes more than {BOUNDS.memory >> 20} MiB of memory to read: judge a part of it"
        raise BadTranscript(why) from error  # or the system has ended it
    if found.split is None:
        raise BadTranscript(found.error)
    return found.split


def main() -> None:
    """Read the file on standard input."""
    answer(WantedFile, _answer)


def _answer(wanted: WantedFile, data: bytes) -> TranscriptAnswer:
    try:
        return TranscriptAnswer(split=split_file(wanted.name, data, wanted.debate))
    except (BadTranscript, TooLarge) as error:
        return TranscriptAnswer(error=error.message)


if __name__ == "__main__":
    main()
