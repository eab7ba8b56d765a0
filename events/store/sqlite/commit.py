"""Write requests to a SQLite store, many in one transaction, each with its own answer.

A transaction fails as a whole if the disk is full.  If it meets a damaged page, its requests are tried again one by
one, so that only those fail that need the page.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from events.errors import (
    DebateDeleted,
    LogError,
    StoreDamaged,
    StoreUnavailable,
    UnknownDebate,
    WrongExpectedPosition,
)
from events.record import Recorded, Stamper, digest_before_first, is_repeat, now
from events.store.listing import Summary, searched
from events.store.log import MAX_POSITION, POSITION_BITS
from events.store.requests import KEPT_HEADS, KeptNote, StreamHead, WriteRequest, WriteResult
from events.store.sqlite.deletion import bury, erase, revive
from events.store.sqlite.parts import PartsWriter
from events.store.sqlite.rows import read_records, read_tombstones
from events.store.sqlite.schema import VERSION, explain

TOGETHER: Final = (128, 16, 1)
"""Rows in one statement.  Other threads run meanwhile, so few long statements are better than many short ones."""

COLUMNS: Final = 8
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT: Final = f"INSERT INTO events (key, id, at, cause, schema, salt, digest, payload) VALUES {_ROW}"  # noqa: S608 - only placeholders are inserted
_INSERTS: Final = tuple((rows * COLUMNS, _INSERT + f", {_ROW}" * (rows - 1)) for rows in TOGETHER)
_DESCRIBE: Final = "UPDATE debates SET opened_at = ?, state = ?, folded = ?, summary = ? WHERE stream = ?"


class Committer:
    """The writing connection, with the heads that it remembers.  Used by one thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection, discard_index: Callable[[], None]) -> None:
        self._path, self._connection, self._discard_index = path, connection, discard_index
        self._files = _identities(path)
        self._parts = PartsWriter(connection)
        self._heads: dict[str, StreamHead] = {}
        self._values: list[Any] = []
        """The values of this transaction's event rows, one row after the other."""
        self._changed: dict[int, Summary] = {}

    def flush(self, requests: Sequence[WriteRequest]) -> list[WriteResult]:
        """Write the requests in one transaction, durable on return.  Returns an answer for each."""
        try:
            answers = self._commit(requests)
            if any(request.reason is not None for request in requests):
                erase(self._connection, self._discard_index)
            return answers  # noqa: TRY300 - what fails above is answered below
        except Exception as error:  # noqa: BLE001 - the writer's thread survives any error; each request gets it as its answer
            self._abandon()
            why = explain(self._path, error)
        if isinstance(why, StoreDamaged) and len(requests) > 1:
            return [answer for request in requests for answer in self.flush([request])]
        return [why] * len(requests)

    def probe(self) -> StoreUnavailable | None:
        """Write a page without changing anything.  Returns why that failed, or None."""
        try:
            self._check_files()
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
            self._connection.execute("COMMIT")
        except (sqlite3.Error, StoreUnavailable) as error:
            self._abandon()
            return explain(self._path, error)
        return None

    def _commit(self, requests: Sequence[WriteRequest]) -> list[WriteResult]:
        self._check_files()
        self._connection.execute("BEGIN IMMEDIATE")
        moment = Stamper(now(), sum([len(request.drafts) for request in requests]))
        answers = [self._decide(request, moment) for request in requests]
        self._write()
        self._connection.execute("COMMIT")
        while len(self._heads) > KEPT_HEADS:
            del self._heads[next(iter(self._heads))]
        return answers

    def _check_files(self) -> None:
        """Refuse a file that was moved or deleted: its data would be lost with the process."""
        if _identities(self._path) != self._files:
            raise StoreUnavailable.because(
                self._path, "its file was moved or deleted", "put it back, or stop the server and restore a backup"
            )

    def _abandon(self) -> None:
        self._parts.forget()
        self._heads.clear()
        self._values.clear()
        self._changed.clear()
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                return  # SQLite rolled back by itself; otherwise the next BEGIN fails

    def _decide(self, request: WriteRequest, moment: Stamper) -> WriteResult:
        """The answer to a request, whose rows join this transaction."""
        if request.note is not None:
            return self._keep(request.note)
        debate, expected = request.debate, request.expected
        try:
            head = self._heads.pop(debate, None) or self._find(debate, request.records)
        except (UnicodeEncodeError, DebateDeleted) as error:
            return error
        if request.reason is not None:
            return self._delete(request, head)
        self._heads[debate] = head  # least recently used heads are forgotten first
        if head.position != expected:
            return self._repeat(request, head.position)
        if request.records:
            records = tuple(request.records)
        else:
            try:
                records = moment.stamp(debate, expected, head.digest, request.drafts, request.payloads)
            except (ValueError, TypeError, msgspec.EncodeError) as error:
                return error
        if records:
            if expected + len(records) > MAX_POSITION:
                return StoreUnavailable(f"debate {debate} is full")
            self._take(head, records)
        return records

    def _keep(self, note: KeptNote) -> WriteResult:
        """Keep a note in this transaction."""
        if note.value is None:
            self._connection.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (note.kind, note.key))
        else:
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (note.kind, note.key, note.value))
        return ()

    def _delete(self, request: WriteRequest, head: StreamHead) -> WriteResult:
        """Replace the debate by its tombstone in this transaction."""
        if not head.position:
            return UnknownDebate(request.debate)
        if head.position != request.expected:
            return WrongExpectedPosition(request.debate, request.expected, head.position)
        assert request.reason is not None
        self._write()
        bury(self._connection, request.debate, head.stream, request.reason, archived=request.is_archived)
        self._parts.forget()
        return ()

    def _take(self, head: StreamHead, records: tuple[Recorded, ...]) -> None:
        if not head.stream:
            cursor = self._connection.execute("INSERT INTO debates (debate) VALUES (?)", (records[0].debate,))
            assert cursor.lastrowid is not None
            head.stream = cursor.lastrowid
        base = head.stream << POSITION_BITS
        for record in records:
            self._values += (
                base | record.position,
                record.id,
                record.at,
                record.cause,
                record.schema,
                record.salt,
                record.digest,
                self._parts.packed(record.payload),
            )
        if head.advance(records) and head.summary is not None:
            self._changed[head.stream] = head.summary

    def _repeat(self, request: WriteRequest, found: int) -> WriteResult:
        """The records of an earlier append with the same ids at the same positions, else the conflict."""
        if request.may_repeat(found):
            self._write()  # the earlier append may be in this transaction
            try:
                there = read_records(self._connection, request.debate, request.expected, len(request.drafts))
            except LogError as error:
                return error
            if is_repeat(there, request.drafts):
                request.is_repeated = True
                return there
        return WrongExpectedPosition(request.debate, request.expected, found)

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

    def _find(self, debate: str, archived: Sequence[Recorded] = ()) -> StreamHead:
        """The head of a debate.  One that was deleted comes back with the records that an archive has of it."""
        found = self._connection.execute("SELECT stream, summary FROM debates WHERE debate = ?", (debate,)).fetchone()
        if found is None:
            return StreamHead(0, 0, digest_before_first(debate), None)
        stream, row = found
        is_back = bool(archived) and row is None and revive(self._connection, debate, archived[-1].digest)
        if (
            row is None
            and not is_back
            and (left := [each for each in read_tombstones(self._connection, debate) if each.debate == debate])
        ):
            raise left[0].refusal()
        base = stream << POSITION_BITS
        last = self._connection.execute(
            "SELECT key, digest FROM events WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1",
            (base, base | MAX_POSITION),
        ).fetchone()
        summary = msgspec.json.decode(row, type=Summary) if row is not None else None
        if last is None:
            return StreamHead(stream, 0, digest_before_first(debate), summary)
        return StreamHead(stream, last[0] & MAX_POSITION, last[1], summary)


def _identities(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """Device and inode of the file and of its write-ahead log; None for a file that does not exist."""
    return _identity(f"{path}"), _identity(f"{path}-wal")


def _identity(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)  # noqa: PTH116 - making a Path in each transaction is slow
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _describe(stream: int, row: Summary) -> tuple[Any, ...]:
    return row.opened_at, row.state, searched(row), msgspec.json.encode(row), stream
