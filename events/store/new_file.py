"""A file that is made under another name, and gets its own when it is complete and synced."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """The place of a file that gets the name ``target`` at the end, if nothing is raised; else nothing is left of it.

    What a killed process left of an earlier attempt is removed first.  Raises ``FileExistsError``: nothing is replaced.
    """
    if target.exists() or target.is_symlink():
        raise FileExistsError(None, "there is something by that name already, and nothing is replaced", str(target))
    for left in target.parent.glob(f".{target.name}.*.part"):
        if not _runs(left.name.split(".")[-2]):
            left.unlink(missing_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.touch(0o600, exist_ok=False)
        yield part
        _sync(part)
        _name(part, target)
        _sync(target.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return int(process) != os.getpid()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name(part: Path, target: Path) -> None:
    """Rename the file, unless another one has the name by now."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise
        part.rename(target)
