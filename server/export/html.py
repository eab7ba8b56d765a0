"""An archive as the file that somebody takes away, with what its reader is to be told of it."""

from server.export.archive import Archive
from server.export.offline import files, offline
from server.version import VERSION


def keepsake(archive: Archive) -> str:
    """The HTML file."""
    is_whole = archive.state == "concluded"
    return offline(files(), archive.body, title=archive.motion, note=_note(archive), is_whole=is_whole)


def _note(archive: Archive) -> str:
    taken = f"A copy, taken by Moot {VERSION} at event {archive.position}. It replays here without a server."
    if not archive.revealed:
        return f"{taken} The debate had not ended: directives, prompts and raw answers are not in this file."
    if archive.state != "concluded":
        return f"{taken} The debate had not ended, and this file holds what only its director may read."
    return taken if archive.has_calls else f"{taken} Prompts and raw answers were left out."
