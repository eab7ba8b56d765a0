"""The sounds that were made, by the digest of what was spoken: next to the store, or in memory if it is no file.

Each debate has a folder of its own, so that its sounds go when it is deleted.
"""

import hashlib
import os
import shutil
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from events.store.address import sqlite_path
from server.speech.sound import KINDS, Sound

MAX_BYTES: Final = 1 << 30
"""Bytes of all sounds on disk: about ten hours."""
MAX_MEMORY: Final = 64 << 20
"""Bytes of all sounds in memory."""


class KeptSounds(Protocol):
    """Sounds by debate and digest."""

    def get(self, debate: str, digest: str) -> Sound | None:
        """A sound that was made."""
        ...

    def put(self, debate: str, digest: str, sound: Sound) -> None:
        """Keep a sound.  Those that were asked for least recently are forgotten if there is no room."""
        ...

    def forget(self, debate: str) -> None:
        """Forget the sounds of a deleted debate."""
        ...


def kept_with(store: str) -> KeptSounds:
    """Where the sounds of a store are kept: next to its file, or in memory if it has none here."""
    path = sqlite_path(store)
    return SoundsInMemory() if path is None else SoundsOnDisk(path.with_name(f"{path.name}.speech"))


class SoundsOnDisk:
    """One file for each sound.  Its functions block for as long as the disk does."""

    def __init__(self, folder: Path, most_bytes: int = MAX_BYTES) -> None:
        self._folder, self._most = folder, most_bytes

    def get(self, debate: str, digest: str) -> Sound | None:
        """See ``KeptSounds``.  A sound of another debate with the same words, as of a fork, is copied."""
        for kind in KINDS:
            path = self._of(debate) / f"{digest}.{kind}"
            with suppress(FileNotFoundError):
                if path.exists():
                    _touch(path)
                    return Sound(kind, path.read_bytes())
                if (other := next(self._folder.glob(f"*/{path.name}"), None)) is not None:
                    found = Sound(kind, other.read_bytes())
                    self.put(debate, digest, found)
                    return found
        return None

    def put(self, debate: str, digest: str, sound: Sound) -> None:
        """See ``KeptSounds``."""
        path = self._of(debate) / f"{digest}.{sound.kind}"
        for folder in (self._folder, path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_bytes(sound.body)
        _touch(part)
        part.replace(path)
        self._make_room()

    def forget(self, debate: str) -> None:
        """See ``KeptSounds``."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self._of(debate))

    def _of(self, debate: str) -> Path:
        """The folder of a debate: an id may hold characters that a path cannot."""
        return self._folder / hashlib.sha256(debate.encode()).hexdigest()[:32]

    def _make_room(self) -> None:
        found = []
        for path in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):  # another process forgot it
                told = path.stat()
                found.append((told.st_mtime_ns, told.st_size, path))
        size = sum(each for _, each, _ in found)
        for _, freed, path in sorted(found):
            if size <= self._most:
                return
            path.unlink(missing_ok=True)
            size -= freed


def _touch(path: Path) -> None:
    """Say that a sound was asked for now, by a clock that is finer than that of the file system."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


class SoundsInMemory:
    """The same for a store that has no file here."""

    def __init__(self, most_bytes: int = MAX_MEMORY) -> None:
        self._kept: OrderedDict[tuple[str, str], Sound] = OrderedDict()
        self._most = most_bytes

    def get(self, debate: str, digest: str) -> Sound | None:
        """See ``KeptSounds``."""
        if (found := self._kept.get((debate, digest))) is not None:
            self._kept.move_to_end((debate, digest))
        return found

    def put(self, debate: str, digest: str, sound: Sound) -> None:
        """See ``KeptSounds``."""
        self._kept[debate, digest] = sound
        while sum(len(each.body) for each in self._kept.values()) > self._most:
            self._kept.popitem(last=False)

    def forget(self, debate: str) -> None:
        """See ``KeptSounds``."""
        for key in [key for key in self._kept if key[0] == debate]:
            del self._kept[key]
