"""The questions of a study, by the name of a protocol.

``demo`` comes with Moot; ``khan-2024`` reads QuALITY's own files, ``nyu`` debates that people held and judged, and
``own`` a file of the user.  A further protocol is one module here and one line in ``PROTOCOLS``.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from events.table import LazyTable
from events.types.study import PersonAnswered
from judge.errors import BadItem
from server.study.data.sample import sampled
from server.study.data.shapes import DataFile, StudyData

__all__ = ["PROTOCOLS", "DataFile", "PersonAnswered", "StudyData", "read", "read_files"]

Reader = Callable[[Sequence[DataFile]], StudyData]
"""Reads the content of files; raises ``BadItem`` with the file, the line and the reason."""
PROTOCOLS: Final[LazyTable[Reader]] = LazyTable(
    {
        "demo": "server.study.data.demo:read_demo",
        "khan-2024": "server.study.data.quality:read_quality",
        "nyu": "server.study.data.people:read_people",
        "own": "server.study.data.own:read_own",
    }
)
CARRIED: Final = "demo"
"""The protocol whose questions come with Moot."""


def read(protocol: str, paths: Sequence[Path] = (), *, items: int | None = None, seed: int = 0) -> StudyData:
    """The questions of a protocol, or a seeded sample of so many of them.

    Raises ``BadItem`` for an unknown protocol, a file that is missing, too many or not readable, and for a sample that
    is larger than what there is.
    """
    files = []
    for path in paths:
        try:
            files.append(DataFile(name=path.name, content=path.read_bytes()))
        except OSError as error:
            raise BadItem(f"{path}: {error.strerror or error}") from error
    return read_files(protocol, files, items=items, seed=seed)


def read_files(protocol: str, files: Sequence[DataFile] = (), *, items: int | None = None, seed: int = 0) -> StudyData:
    """As ``read``, from the content of files."""
    if protocol not in PROTOCOLS:
        raise BadItem(f"there is no study {protocol!r}: choose from {', '.join(PROTOCOLS)}")
    if protocol == CARRIED and files:
        raise BadItem(f"the study {protocol} has its own questions: leave out the file, or name the study own")
    if protocol != CARRIED and not files:
        raise BadItem(f"the study {protocol} needs a file with its questions (--data FILE)")
    found = PROTOCOLS[protocol](files)
    return found if items is None else sampled(found, items, seed)
