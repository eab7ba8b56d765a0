"""What one flush writes: every item of it decided, its rows in one transaction, the list's rows beside them.

An item is one ``append`` or ``adopt``.  Each has its own answer.  A flush that the disk has no room for fails whole;
one that meets a damaged page is tried again item by item, so that only those fail that need this page.
"""

import asyncio
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.errors import LogError, StoreDamaged, StoreUnavailable, WrongExpectedPosition
from events.record import Draft, Recorded, Stamper, digest_before_first, is_repeat, now
from events.store import listing
from events.store.listing import MOVED_BY, Summary, fold_text
from events.store.sqlite.rows import read_records
from events.store.sqlite.schema import MAX_POSITION, POSITION_BITS, VERSION, explain

KEPT_HEADS: Final = 8192
TOGETHER: Final = (128, 16, 1)
"""Rows of one statement.  While it runs the other threads do, so few long ones are better than many short ones."""

COLUMNS: Final = 8
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT: Final = f"INSERT INTO events (key, id, at, cause, schema, salt, digest, payload) VALUES {_ROW}"  # noqa: S608 - places for values, and nothing else
_INSERTS: Final = tuple((rows * COLUMNS, _INSERT + f", {_ROW}" * (rows - 1)) for rows in TOGETHER)
_DESCRIBE: Final = "UPDATE debates SET opened_at = ?, state = ?, folded = ?, summary = ? WHERE stream = ?"

Answer = tuple[Recorded, ...] | Exception


class Item(Struct, gc=False):
    """Something to write: ``drafts`` with their ``payloads``, or ``records`` as they are, and where the answer goes."""

    debate: str
    expected: int
    future: asyncio.Future[tuple[Recorded, ...]]
    size: int
    """Bytes of payload."""
    drafts: Sequence[Draft] = ()
    payloads: Sequence[bytes] = ()
    records: Sequence[Recorded] = ()


class Head(Struct):
    """Where a debate stands, uncommitted items of this flush included."""

    stream: int
    position: int
    digest: bytes
    summary: Summary | None


class Committer:
    """The writing connection, and the heads that it remembers.  Used by one thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection
        self._files = _identities(path)
        self._heads: dict[str, Head] = {}
        self._values: list[Any] = []
        """What the rows of this flush hold, one after the other."""
        self._changed: dict[int, Summary] = {}

    def flush(self, items: Sequence[Item]) -> list[Answer]:
        """One transaction, durable on return; an answer for each item."""
        try:
            return self._commit(items)
        except Exception as error:  # noqa: BLE001 - the thread outlives any flush; each item is told why
            self._abandon()
            why = explain(self._path, error)
        if isinstance(why, StoreDamaged) and len(items) > 1:
            return [answer for item in items for answer in self.flush([item])]
        return [why] * len(items)

    def probe(self) -> StoreUnavailable | None:
        """Write one page that changes nothing; why it cannot be, or None."""
        try:
            self._check_files()
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
            self._connection.execute("COMMIT")
        except (sqlite3.Error, StoreUnavailable) as error:
            self._abandon()
            return explain(self._path, error)
        return None

    def _commit(self, items: Sequence[Item]) -> list[Answer]:
        self._check_files()
        self._connection.execute("BEGIN IMMEDIATE")
        moment = Stamper(now(), sum([len(item.drafts) for item in items]))
        answers = [self._decide(item, moment) for item in items]
        self._write()
        self._connection.execute("COMMIT")
        while len(self._heads) > KEPT_HEADS:
            del self._heads[next(iter(self._heads))]
        return answers

    def _check_files(self) -> None:
        """What is written into a file that has lost its name is gone with the process: nothing may be promised."""
        if _identities(self._path) != self._files:
            raise StoreUnavailable.because(
                self._path, "its file was moved or deleted", "put it back, or stop the server and restore a backup"
            )

    def _abandon(self) -> None:
        self._heads.clear()
        self._values.clear()
        self._changed.clear()
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                return  # it rolled back by itself; BEGIN tells otherwise

    def _decide(self, item: Item, moment: Stamper) -> Answer:
        """The item's answer, its rows added to what this flush writes."""
        debate, expected = item.debate, item.expected
        try:
            head = self._heads.pop(debate, None) or self._find(debate)
        except UnicodeEncodeError as error:
            return error
        self._heads[debate] = head  # last used, last forgotten
        if head.position != expected:
            return self._repeat(item, head.position)
        if item.records:
            records = tuple(item.records)
        else:
            try:
                records = moment.stamp(debate, expected, head.digest, item.drafts, item.payloads)
            except (ValueError, TypeError, msgspec.EncodeError) as error:
                return error
        if records:
            if expected + len(records) > MAX_POSITION:
                return StoreUnavailable(f"debate {debate} is full")
            self._take(head, records)
        return records

    def _take(self, head: Head, records: tuple[Recorded, ...]) -> None:
        if not head.stream:
            cursor = self._connection.execute("INSERT INTO debates (debate) VALUES (?)", (records[0].debate,))
            assert cursor.lastrowid is not None
            head.stream = cursor.lastrowid
        base, row = head.stream << POSITION_BITS, head.summary
        for record in records:
            self._values += (
                base | record.position,
                record.id,
                record.at,
                record.cause,
                record.schema,
                record.salt,
                record.digest,
                record.payload,
            )
            if type(record.event) in MOVED_BY:
                row = listing.apply(row, record)
        if row is not head.summary and row is not None:
            head.summary = self._changed[head.stream] = row
        head.position, head.digest = record.position, record.digest

    def _repeat(self, item: Item, found: int) -> Answer:
        """The old answer when the same ids stand at the same positions, else the conflict."""
        if item.drafts and item.expected + len(item.drafts) <= found and all(draft.id for draft in item.drafts):
            self._write()  # what this flush holds may be what is asked for again
            try:
                there = read_records(self._connection, item.debate, item.expected, len(item.drafts))
            except LogError as error:
                return error
            if is_repeat(there, item.drafts):
                return there
        return WrongExpectedPosition(item.debate, item.expected, found)

    def _write(self) -> None:
        values, start = self._values, 0
        for width, statement in _INSERTS:
            while start + width <= len(values):
                self._connection.execute(statement, values[start : start + width])
                start += width
        values.clear()
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


def _identities(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """Device and number of the file and of the log beside it; None where there is none by that name."""
    return _identity(f"{path}"), _identity(f"{path}-wal")


def _identity(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)  # noqa: PTH116 - a path made for each flush is dear
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _describe(stream: int, row: Summary) -> tuple[Any, ...]:
    return row.opened_at, row.state, fold_text(row.motion), msgspec.json.encode(row), stream
