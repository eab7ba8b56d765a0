"""The one writer of a SQLite store: a thread that commits whatever has gathered, together.

An item is one ``append`` or ``adopt``.  Each has its own answer, given after the commit and never before; a commit that
fails fails every item of its flush and nothing else.  The loop hands over what a tick gathered in one piece, and is
woken once a flush, so the cost of threads is shared by all who write.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.errors import LogError, StoreUnavailable, WrongExpectedPosition
from events.listing import fold_text
from events.projections import summary as summaries
from events.projections.summary import Summary
from events.record import Draft, Recorded, digest_before_first, is_repeat, now, stamp
from events.sqlite_rows import read_records
from events.sqlite_schema import MAX_POSITION, POSITION_BITS, explain

KEPT_HEADS: Final = 8192
MOST_ITEMS: Final = 1024
"""Items after which a flush takes no more: the first in it shall not wait for ever."""

_INSERT: Final = (
    "INSERT INTO events (key, id, at, cause, schema, salt, digest, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_DESCRIBE: Final = "UPDATE debates SET opened_at = ?, state = ?, folded = ?, summary = ? WHERE stream = ?"

Answer = tuple[Recorded, ...] | Exception
Row = tuple[int, str, str, int | None, int, bytes, bytes, bytes]


class Item(Struct, gc=False):
    """Something to write: ``drafts`` with their ``payloads``, or ``records`` as they are, and where the answer goes."""

    debate: str
    expected: int
    future: asyncio.Future[tuple[Recorded, ...]]
    drafts: Sequence[Draft] = ()
    payloads: Sequence[bytes] = ()
    records: Sequence[Recorded] = ()


class Head(Struct):
    """Where a debate stands, uncommitted items of this flush included."""

    stream: int
    position: int
    digest: bytes
    summary: Summary | None


class Writer:
    """The thread and its connection.  ``committed(debate, head)`` is called in the loop, before the answer is given."""

    def __init__(self, path: Path, connection: sqlite3.Connection, committed: Callable[[str, int], None]) -> None:
        self._path, self._connection, self._committed = path, connection, committed
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[list[Item] | None] = SimpleQueue()
        self._gathering: list[Item] = []
        self._closed = False
        self._heads: dict[str, Head] = {}
        self._rows: list[Row] = []
        self._changed: dict[int, Summary] = {}
        self._thread = threading.Thread(target=self._run, name="moot-log-writer", daemon=True)
        self._thread.start()

    def new_future(self) -> asyncio.Future[tuple[Recorded, ...]]:
        """Where an item's answer will be."""
        return self._loop.create_future()

    def submit(self, item: Item) -> None:
        """Accept an item; called in the loop.  Raises ``StoreUnavailable`` once closed."""
        if self._closed:
            raise StoreUnavailable(f"the store {self._path} is closed")
        if not self._gathering:
            self._loop.call_soon(self._hand_over)
        self._gathering.append(item)

    async def close(self) -> None:
        """Write what was accepted, then end."""
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _hand_over(self) -> None:
        if self._gathering:
            self._queue.put(self._gathering)
            self._gathering = []

    def _run(self) -> None:
        ending = False
        while not ending:
            gathered = self._queue.get()
            if gathered is None:
                break
            items = gathered
            while len(items) < MOST_ITEMS:
                try:
                    more = self._queue.get_nowait()
                except Empty:
                    break
                if more is None:
                    ending = True
                    break
                items = items + more
            answers = self._flush(items)
            try:
                self._loop.call_soon_threadsafe(self._deliver, items, answers)
            except RuntimeError:
                return   # the loop is gone, and with it everybody who could be told

    def _deliver(self, items: list[Item], answers: list[Answer]) -> None:
        for item, answer in zip(items, answers, strict=True):
            if isinstance(answer, Exception):
                if not item.future.done():
                    item.future.set_exception(answer)
                continue
            if answer:
                self._committed(item.debate, answer[-1].position)
            if not item.future.done():
                item.future.set_result(answer)

    def _flush(self, items: list[Item]) -> list[Answer]:
        """One transaction."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            at = now()
            answers = [self._decide(item, at) for item in items]
            self._write()
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the thread outlives any flush; each item is told why
            self._abandon()
            return [explain(self._path, error) for _ in items]
        while len(self._heads) > KEPT_HEADS:
            del self._heads[next(iter(self._heads))]
        return answers

    def _abandon(self) -> None:
        self._heads.clear()
        self._rows.clear()
        self._changed.clear()
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                return   # it rolled back by itself; BEGIN tells otherwise

    def _decide(self, item: Item, at: str) -> Answer:
        """The item's answer, its rows added to what this flush writes."""
        debate = item.debate
        try:
            head = self._heads.pop(debate, None) or self._find(debate)
        except UnicodeEncodeError as error:
            return error
        self._heads[debate] = head   # last used, last forgotten
        if head.position != item.expected:
            return self._repeat(item, head.position)
        if item.records:
            records = tuple(item.records)
        else:
            try:
                records = stamp(debate, item.expected, head.digest, item.drafts, at, item.payloads)
            except (ValueError, TypeError, msgspec.EncodeError) as error:
                return error
        if records:
            if records[-1].position > MAX_POSITION:
                return StoreUnavailable(f"debate {debate} is full")
            self._take(head, records)
        return records

    def _take(self, head: Head, records: tuple[Recorded, ...]) -> None:
        if not head.stream:
            cursor = self._connection.execute("INSERT INTO debates (debate) VALUES (?)", (records[0].debate,))
            assert cursor.lastrowid is not None
            head.stream = cursor.lastrowid
        base = head.stream << POSITION_BITS
        row = head.summary
        for record in records:
            self._rows.append((
                base | record.position, record.id, record.at, record.cause, record.schema, record.salt, record.digest,
                record.payload,
            ))
            row = summaries.apply(row, record)
        if row is not None and row is not head.summary:
            head.summary = self._changed[head.stream] = row
        head.position, head.digest = records[-1].position, records[-1].digest

    def _repeat(self, item: Item, found: int) -> Answer:
        """The old answer when the same ids stand at the same positions, else the conflict."""
        if item.drafts and item.expected + len(item.drafts) <= found and all(draft.id for draft in item.drafts):
            self._write()   # what this flush holds may be what is asked for again
            try:
                there = read_records(self._connection, item.debate, item.expected, len(item.drafts))
            except LogError as error:
                return error
            if is_repeat(there, item.drafts):
                return there
        return WrongExpectedPosition(item.debate, item.expected, found)

    def _write(self) -> None:
        if self._rows:
            self._connection.executemany(_INSERT, self._rows)
            self._rows.clear()
        if self._changed:
            self._connection.executemany(_DESCRIBE, [_describe(*changed) for changed in self._changed.items()])
            self._changed.clear()

    def _find(self, debate: str) -> Head:
        found = self._connection.execute("SELECT stream, summary FROM debates WHERE debate = ?", (debate,)).fetchone()
        if found is None:
            return Head(0, 0, digest_before_first(debate), None)
        stream, row = found
        base = stream << POSITION_BITS
        last = self._connection.execute(
            "SELECT key, digest FROM events WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1",
            (base, base | MAX_POSITION),
        ).fetchone()
        summary = msgspec.json.decode(row, type=Summary) if row is not None else None
        if last is None:
            return Head(stream, 0, digest_before_first(debate), summary)
        return Head(stream, last[0] & MAX_POSITION, last[1], summary)


def _describe(stream: int, row: Summary) -> tuple[Any, ...]:
    return row.opened_at, row.state, fold_text(row.motion), msgspec.json.encode(row), stream
