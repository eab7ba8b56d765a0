"""An archive as the file that somebody takes away, with what its reader is to be told of it."""

from collections.abc import Iterator

from server.archive import Archive
from server.offline import files, offline
from server.version import VERSION


def keepsake(archive: Archive) -> str:
    """The HTML file."""
    return offline(files(), archive.body, title=archive.motion, notes=tuple(_notes(archive)))


def _notes(archive: Archive) -> Iterator[str]:
    taken = f"A copy, taken by Moot {VERSION} at event {archive.position}. It replays here without a server."
    if not archive.revealed:
        yield f"{taken} The debate had not ended: directives, prompts and raw answers are not in this file."
    elif archive.state != "concluded":
        yield f"{taken} The debate had not ended, and this file holds what only its director may read."
    else:
        yield taken if archive.has_calls else f"{taken} Prompts and raw answers were left out."
