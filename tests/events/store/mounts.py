"""A small file system of a test's own, where the system lets us have one."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mount(folder: Path, options: str) -> bool:
    """Mount, or mount anew, a file system in memory; whether that was allowed."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "moot-test", str(folder)], capture_output=True, check=False
    )
    return done.returncode == 0


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A folder on a disk of that size, gone afterwards; the test is skipped where nothing can be mounted."""
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
