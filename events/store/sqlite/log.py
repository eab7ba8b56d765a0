"""The log in one SQLite file: one writing process, any number of reading processes."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import ClassVar, Final, ParamSpec, Self, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from events.errors import StoreUnavailable
from events.record import Recorded
from events.store.listing import Summary
from events.store.lock import StoreLock
from events.store.log import MAX_POSITION, POSITION_BITS
from events.store.requests import KeptNote, delete_request, note_request
from events.store.sqlite import rows as sqlite_rows
from events.store.sqlite.deletion import erase
from events.store.sqlite.schema import connect, explain
from events.store.sqlite.search import SqliteSearch, index_path
from events.store.sqlite.writer import SqliteWriter
from events.store.stored_log import StoredLog
from events.store.tombstone import Tombstone
from events.store.wakeups import Wakeups
from events.text.said import Term

READERS: Final = 4
"""Threads that read at the same time, each with a connection."""
POLL_S: Final = 0.25
"""Seconds between looks of a read-only log for new records."""

P = ParamSpec("P")
T = TypeVar("T")


class SqliteLog(StoredLog):
    """``EventLog`` over a file.  Created by ``open``, in the event loop that uses it."""

    queries: ClassVar = sqlite_rows

    def __init__(self, path: Path, lock: StoreLock | None, writing: sqlite3.Connection | None) -> None:
        self.path = path
        self._lock, self._writing = lock, writing
        self._wakeups = Wakeups()
        self._index = SqliteSearch(path)
        self._writer = SqliteWriter(path, writing, self._wakeups.advance, self._index.discard) if writing else None
        super().__init__(str(path), self._writer)
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._limiter = CapacityLimiter(READERS)
        self._searching = CapacityLimiter(1)
        self._closed = threading.Event()

    @classmethod
    async def open(cls, path: str | Path, *, read_only: bool = False, address: str = "") -> Self:
        """Open the file; it and its folder are created if needed.  Raises ``StoreBusy``, ``StoreUnavailable``."""
        store = Path(path).expanduser()  # noqa: ASYNC240 - reads the environment, not the disk
        if read_only:
            connection = await to_thread.run_sync(_open_to_read, store)
            log = cls(store, None, None)
            log._readers.put(connection)
            return log
        lock, connection = await to_thread.run_sync(_open_to_write, store, address)
        return cls(store, lock, connection)

    @property
    def silence_s(self) -> float:
        """See ``EventLog``; 0, since a read-only log reads the file each time."""
        return 0.0

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return self._wakeups.known(debate)

    def set_address(self, address: str) -> None:
        """Write the address of this process's server into the lock file."""
        if self._lock is None:
            raise StoreUnavailable(f"the store {self.path} is open for reading only")
        self._lock.write(address)

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``.  Records that were just committed are returned from memory, without a thread."""
        if self._writer is not None and not self._closed.is_set():
            at_hand = self._wakeups.newest(debate, after)
            if at_hand is not None:
                return at_hand if limit is None else at_hand[:limit]
        return await self._reading(sqlite_rows.read_records, debate, after, limit)

    async def delete(self, debate: str, expected: int, reason: str, *, archived: bool = False) -> Tombstone:
        """See ``EventLog``.  The file is written again, so that no free page holds a word; appends wait."""
        writer = self._requests or self._refuse()
        await self._answered(writer, delete_request(debate, expected, reason, writer.loop, archived=archived))
        self._wakeups.end(debate)
        return next(each for each in await self.tombstones(debate) if each.debate == debate)

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """See ``EventLog``."""
        writer = self._requests or self._refuse()
        await self._answered(writer, note_request(KeptNote(kind, key, value), writer.loop))

    async def _found(
        self, terms: tuple[Term, ...], before: tuple[int, int] | None, limit: int
    ) -> list[tuple[int, int, Summary, Recorded]]:
        key = 0 if before is None else before[0] << POSITION_BITS | before[1]
        return await to_thread.run_sync(self._search, terms, key, limit, limiter=self._searching)

    def _search(self, terms: tuple[Term, ...], before: int, limit: int) -> list[tuple[int, int, Summary, Recorded]]:
        if self._closed.is_set():
            raise StoreUnavailable(f"the store {self.path} is closed")
        try:
            found = self._index.search(terms, before, limit)
        except sqlite3.Error as error:
            raise explain(self.path, error) from error
        return [(key >> POSITION_BITS, key & MAX_POSITION, row, record) for key, row, record in found]

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_head, debate)

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        if self._writer is None:
            while (there := await self.head(debate)) <= position:
                await self._check_not_deleted(debate, there, position)
                await anyio.sleep(POLL_S)
            return
        with self._wakeups.waiting(debate, position) as beyond:
            head = self._wakeups.known(debate)
            if head is None:
                head = await self.head(debate)
                await self._check_not_deleted(debate, head, position)
            if head <= position:
                await beyond

    async def close(self) -> None:
        """See ``EventLog``."""
        self._closed.set()
        if self._writer is not None:
            await self._writer.close()
        self._wakeups.close()
        await to_thread.run_sync(self._let_go)

    def _let_go_of_readers(self) -> None:
        with suppress(Empty):
            while True:
                self._readers.get_nowait().close()

    def _let_go(self) -> None:
        self._let_go_of_readers()
        self._index.close()
        if self._writing is not None:
            self._writing.close()
        if self._lock is not None:
            self._lock.release()

    async def _reading(self, read: Callable[..., T], *args: object) -> T:
        """Run ``read`` in a worker thread with a connection of the pool."""
        return await to_thread.run_sync(self._read, read, args, limiter=self._limiter)

    def _read(self, read: Callable[..., T], args: tuple[object, ...]) -> T:
        with self._borrow() as connection:
            try:
                return read(connection, *args)
            except sqlite3.Error as error:
                raise explain(self.path, error) from error

    @contextmanager
    def _borrow(self) -> Iterator[sqlite3.Connection]:
        """A connection of the pool.  If the log is closed meanwhile, the pool is emptied again."""
        if self._closed.is_set():
            raise StoreUnavailable(f"the store {self.path} is closed")
        try:
            connection = self._readers.get_nowait()
        except Empty:
            connection = connect(self.path, read_only=True)
        try:
            yield connection
        finally:
            self._readers.put(connection)
            if self._closed.is_set():
                self._let_go_of_readers()


def _open_to_read(store: Path) -> sqlite3.Connection:
    if not store.exists():
        raise StoreUnavailable(f"there is no store at {store}")
    _refuse_folder(store)
    return connect(store, read_only=True)


def _open_to_write(store: Path, address: str) -> tuple[StoreLock, sqlite3.Connection]:
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"the folder {store.parent} cannot be made: {error.strerror}") from error
    _refuse_folder(store)
    lock = StoreLock.take(store, address)
    try:
        connection = connect(store, read_only=False)
        erase(connection, lambda: index_path(store).unlink(missing_ok=True))
        return lock, connection  # noqa: TRY300 - what fails above releases the lock
    except BaseException:
        lock.release()
        raise


def _refuse_folder(store: Path) -> None:
    if store.is_dir():
        raise StoreUnavailable(f"the store {store} is a folder, not a file")
