"""Back up a store while its server writes, and verify the copy.

One read transaction fixes the moment of the copy; the server goes on meanwhile.  The copy is made under a temporary
name, verified, synced, and then renamed: no partial backup ever has the requested name.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from events.errors import BrokenChain, StoreDamaged, StoreUnavailable
from events.record import first_break
from events.store.new_file import new_file
from events.store.sqlite.rows import read_envelopes, read_head, read_tombstones
from events.store.sqlite.schema import RESTORE, connect, explain
from events.store.tombstone import Tombstone

STEP_PAGES: Final = 4096
"""Pages copied between two reports: 16 MB."""
_PAGE_EVENTS: Final = 2000
_LARGER_THAN_ANY: Final = "PRAGMA cache_size = -64000"

Report = Callable[[int, int], None]
"""Called with pages copied and pages in all."""


class Backup(Struct, frozen=True, kw_only=True):
    """The size of a backup whose chains are verified."""

    file: str
    debates: int
    events: int
    bytes: int


def back_up(store: Path, target: Path, report: Report = lambda _done, _all: None) -> Backup:
    """Copy ``store`` to ``target``, which must not exist.  Raises ``StoreUnavailable``, ``BrokenChain``."""
    try:
        with new_file(target) as part:
            _copy(store, part, target, report)
            debates, events = _check(store, part)
        size = target.stat().st_size
    except OSError as error:
        raise _cannot(target, error.strerror or str(error)) from error
    return Backup(file=str(target), debates=debates, events=events, bytes=size)


def still_held(store: Path, backup: Path) -> tuple[Tombstone, ...]:
    """The deleted debates of ``store`` that ``backup``, an older copy, still holds.  Raises ``StoreUnavailable``."""
    if not backup.exists():
        raise StoreUnavailable(f"there is no backup at {backup}")
    try:
        with closing(connect(store, read_only=True)) as here, closing(_opened(backup)) as copy:
            return tuple(left for left in read_tombstones(here) if read_head(copy, left.debate))
    except sqlite3.Error as error:
        raise explain(backup, error) from error


def _opened(copy: Path) -> sqlite3.Connection:
    """A connection to a file that nothing writes."""
    return sqlite3.connect(f"file:{quote(str(copy))}?immutable=1", uri=True)


def _cannot(target: Path, why: str) -> StoreUnavailable:
    return StoreUnavailable(f"the backup {target} cannot be made: {why}")


def _copy(store: Path, part: Path, target: Path, report: Report) -> None:
    if not store.exists():
        raise StoreUnavailable(f"there is no store at {store}")
    with closing(connect(store, read_only=True)) as source, closing(sqlite3.connect(part)) as copy:
        try:
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM events LIMIT 1").fetchone()  # the read transaction begins
        except sqlite3.Error as error:
            raise explain(store, error) from error
        try:
            copy.execute("PRAGMA synchronous = OFF")  # it is synced once, as a whole
            copy.execute("PRAGMA journal_mode = OFF")
            source.backup(copy, pages=STEP_PAGES, progress=lambda _status, left, every: report(every - left, every))
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith("SQLITE_FULL"):
                raise _cannot(target, "the disk is full") from error
            raise explain(store, error) from error


def _check(store: Path, part: Path) -> tuple[int, int]:
    """Verify the copy, and count its debates and events."""
    with closing(_opened(part)) as copy:
        try:
            copy.execute(_LARGER_THAN_ANY)
            (said,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if said != "ok":
                what = " ".join(str(said).split())
                raise StoreDamaged(f"the store {store} is damaged, so no backup was made: {what}; {RESTORE}")
            names = [name for (name,) in copy.execute("SELECT debate FROM debates")]
            found = [_verified(copy, name) for name in names]
            return sum(1 for events in found if events), sum(found)
        except sqlite3.Error as error:
            raise explain(store, error) from error


def _verified(copy: sqlite3.Connection, debate: str) -> int:
    """Verify the chain of a debate, and count its events.  Raises ``BrokenChain``."""
    position, previous = 0, b""
    while page := read_envelopes(copy, debate, position, _PAGE_EVENTS):
        if found := first_break(page, debate, position, previous):
            raise BrokenChain(debate, *found)
        position, previous = page[-1].position, page[-1].digest
    return position
