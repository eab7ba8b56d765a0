"""The lock file next to a store, which names the process that writes to the store.

The writer holds ``flock`` while it lives, so a lock never outlives its process.  The JSON in the file is for people and
for other commands: ``{"pid": …, "address": …}``.  The file is never removed: that would race with the next holder.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import Struct

from events.errors import StoreBusy, StoreUnavailable

_ATTEMPTS: Final = 4
_PAUSE_S: Final = 0.01
"""``holder`` takes a free lock for microseconds; a writer that meets it tries again."""


class Holder(Struct, frozen=True):
    """The process that writes to a store, and the address of its server (empty until it listens)."""

    pid: int
    address: str = ""


def lock_path(store: Path) -> Path:
    """The path of a store's lock file."""
    return store.with_name(store.name + ".lock")


def holder(store: str | Path) -> Holder | None:
    """The process that writes to ``store`` now, or None.  Creates no file."""
    try:
        descriptor = os.open(lock_path(Path(store).expanduser()), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


class StoreLock:
    """The right to write to a store, from ``take`` to ``release``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, store: Path, address: str = "") -> Self:
        """Take the lock.  Raises ``StoreBusy`` at once if another process holds it, ``StoreUnavailable``."""
        try:
            descriptor = os.open(lock_path(store), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreUnavailable(f"the store {store} cannot be written: {error.strerror}") from error
        for attempt in range(_ATTEMPTS):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt < _ATTEMPTS - 1:
                    time.sleep(_PAUSE_S)
        else:
            there = _read(descriptor)
            os.close(descriptor)
            raise StoreBusy(str(store), there.pid, there.address)
        lock = cls(descriptor)
        try:
            lock.write(address)
        except OSError as error:
            lock.release()
            raise StoreUnavailable(f"the lock of the store {store} cannot be written: {error.strerror}") from error
        return lock

    def write(self, address: str) -> None:
        """Write the address of this process's server."""
        line = msgspec.json.encode(Holder(os.getpid(), address)) + b"\n"
        os.pwrite(self._descriptor, line, 0)
        os.ftruncate(self._descriptor, len(line))

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def _read(descriptor: int) -> Holder:
    line, _, _ = os.pread(descriptor, 4096, 0).partition(b"\n")
    try:
        return msgspec.json.decode(line, type=Holder)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Holder(0)
