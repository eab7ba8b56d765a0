"""A small file system for one test, where the system allows to mount one."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mount(folder: Path, options: str) -> bool:
    """Mount or remount a file system in memory.  Returns whether that was allowed."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "moot-test", str(folder)], capture_output=True, check=False
    )
    return done.returncode == 0


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A folder on a disk of that size, removed afterwards.  Skips the test if nothing can be mounted."""
    folder.mkdir()
    try:
        if not mount(folder, f"size={size}"):
            pytest.skip("no file system can be mounted here")
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
