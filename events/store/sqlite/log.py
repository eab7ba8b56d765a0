"""The log in one SQLite file: durable on every acknowledgement, one writing process, any number of readers."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from events import codec
from events.errors import BrokenChain, StoreUnavailable
from events.record import Draft, Envelope, Recorded, first_break
from events.store.lock import StoreLock
from events.store.log import SummaryPage
from events.store.sqlite import rows as sqlite_rows
from events.store.sqlite.commit import Item
from events.store.sqlite.schema import connect, explain
from events.store.sqlite.writer import Writer
from events.store.wakeups import Wakeups
from events.types import Event

READERS: Final = 4
"""Connections, and threads, that read at the same time."""
POLL_S: Final = 0.25
"""How often a read-only log looks whether the process that writes has written."""

P = ParamSpec("P")
T = TypeVar("T")


class SqliteLog:
    """``EventLog`` over a file.  Made by ``open``; belongs to the event loop that it was opened in."""

    def __init__(self, path: Path, lock: StoreLock | None, writing: sqlite3.Connection | None) -> None:
        self.path = path
        self._lock, self._writing = lock, writing
        self._wakeups = Wakeups()
        self._writer = Writer(path, writing, self._wakeups.advance) if writing else None
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._limiter = CapacityLimiter(READERS)
        self._closed = threading.Event()

    @classmethod
    async def open(cls, path: str | Path, *, read_only: bool = False, address: str = "") -> Self:
        """Open the file, making it and its folder if need be.  Raises ``StoreBusy``, ``StoreUnavailable``."""
        store = Path(path).expanduser()  # noqa: ASYNC240 - reads the environment, no disk
        if read_only:
            connection = await to_thread.run_sync(_open_to_read, store)
            log = cls(store, None, None)
            log._readers.put(connection)
            return log
        lock, connection = await to_thread.run_sync(_open_to_write, store, address)
        return cls(store, lock, connection)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    @property
    def read_only(self) -> bool:
        """Whether another process is the one that writes."""
        return self._writer is None

    @property
    def trouble(self) -> StoreUnavailable | None:
        """See ``EventLog``."""
        return self._writer.trouble if self._writer else None

    @property
    def queued(self) -> tuple[int, int]:
        """See ``EventLog``."""
        return (self._writer.queued, self._writer.queued_bytes) if self._writer else (0, 0)

    @property
    def silence_s(self) -> float:
        """See ``EventLog``.  A log that only reads looks whenever it is asked."""
        return 0.0

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return self._wakeups.known(debate)

    def set_address(self, address: str) -> None:
        """Tell other processes where this one's server answers."""
        if self._lock is None:
            raise StoreUnavailable(f"the store {self.path} is open for reading only")
        self._lock.write(address)

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``.  An append that is cancelled may still be recorded."""
        writer = self._writer or self._refuse()
        drafts, payloads, size = [], [], 0
        for item in events:
            draft = item if isinstance(item, Draft) else Draft(event=item)
            payload = codec.encode(draft.event)
            size += len(payload)
            drafts.append(draft)
            payloads.append(payload)
        if not writer.take_place(size):
            await writer.wait_place(size)
        return await writer.submit(Item(debate, expected, writer.new_future(), size, drafts, payloads))

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """See ``EventLog``."""
        writer = self._writer or self._refuse()
        debate = records[0].debate
        if broken := await to_thread.run_sync(first_break, records, debate):
            raise BrokenChain(debate, *broken)
        size = sum([len(record.payload) for record in records])
        if not writer.take_place(size):
            await writer.wait_place(size)
        await writer.submit(Item(debate, 0, writer.new_future(), size, records=records))

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``.  What was committed a moment ago is answered from memory, without a thread."""
        if self._writer is not None and not self._closed.is_set():
            at_hand = self._wakeups.newest(debate, after)
            if at_hand is not None:
                return at_hand if limit is None else at_hand[:limit]
        return await self._reading(sqlite_rows.read_records, debate, after, limit)

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_envelopes, debate, after, limit)

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_head, debate)

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        if self._writer is None:
            while await self.head(debate) <= position:  # noqa: ASYNC110 - another process writes: nothing to wait on
                await anyio.sleep(POLL_S)
            return
        with self._wakeups.waiting(debate, position) as beyond:
            head = self._wakeups.known(debate)
            if head is None:
                head = await self.head(debate)
            if head <= position:
                await beyond

    async def summaries(self, after: str | None = None, limit: int = 50, query: str = "") -> SummaryPage:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_summaries, after, limit, query)

    async def unfinished(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_unfinished)

    async def calibrations(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_calibrations)

    async def unconcluded(self) -> dict[str, int]:
        """See ``EventLog``."""
        return await self._reading(sqlite_rows.read_unconcluded)

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
        if self._writing is not None:
            self._writing.close()
        if self._lock is not None:
            self._lock.release()

    def _refuse(self) -> Writer:
        raise StoreUnavailable(f"the store {self.path} is open for reading only")

    async def _reading(
        self, read: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **_none: P.kwargs
    ) -> T:
        """Run ``read`` in a worker thread with a connection of the pool."""
        return await to_thread.run_sync(self._read, read, args, limiter=self._limiter)

    def _read(self, read: Callable[..., T], args: tuple[object, ...]) -> T:
        with self._lending() as connection:
            try:
                return read(connection, *args)
            except sqlite3.Error as error:
                raise explain(self.path, error) from error

    @contextmanager
    def _lending(self) -> Iterator[sqlite3.Connection]:
        """A connection of the pool; the pool is emptied again when the log was closed meanwhile."""
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
        return lock, connect(store, read_only=False)
    except BaseException:
        lock.release()
        raise


def _refuse_folder(store: Path) -> None:
    if store.is_dir():
        raise StoreUnavailable(f"the store {store} is a folder, not a file")
