"""The index of a SQLite store for searches in what was said, in a file of its own next to the store.

The index is a projection: each search first adds what was recorded since the last one.  So an append does not wait for
it, an older store gets its index at the first search, and a file that is missing or damaged is built again.
"""

import sqlite3
import threading
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from events.record import Recorded
from events.store.listing import FINDABLE, Summary
from events.store.log import MAX_POSITION, POSITION_BITS
from events.store.search import LAST, SPOKEN, record_of, words_in
from events.store.sqlite.schema import BUSY_S, create
from events.text.said import Term

VERSION: Final = 1
STEP: Final = 5_000
"""Events that are looked at in one transaction."""
_TABLES: Final = f"""
CREATE VIRTUAL TABLE said USING fts5(words, content='', detail=none, tokenize='ascii');
CREATE TABLE reached (sequence INTEGER NOT NULL, digest BLOB NOT NULL);
PRAGMA user_version = {VERSION};
"""
_NEW: Final = (
    "SELECT key, schema, payload FROM store.events WHERE sequence > ? AND sequence <= ?"
    " AND (substr(payload, 1, ?) = ? OR substr(payload, 1, ?) = ?)"
)
_FOUND: Final = """
SELECT said.rowid, debate, summary, id, at, cause, schema, salt, digest, payload
FROM said CROSS JOIN store.debates ON stream = said.rowid >> {bits} CROSS JOIN store.events ON key = said.rowid
WHERE said MATCH ? AND said.rowid < ? AND opened_at IS NOT NULL {without}
ORDER BY said.rowid DESC LIMIT ?
"""


def index_path(store: Path) -> Path:
    """The file of a store's index."""
    return store.with_name(f"{store.name}-search")


class SqliteSearch:
    """The index of one store; threads use it one at a time."""

    def __init__(self, store: Path) -> None:
        self._store, self._lock = store, threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def search(self, terms: tuple[Term, ...], before: int, limit: int) -> list[tuple[int, Summary, Recorded]]:
        """The newest ``limit`` records before the key ``before`` that have all words of the terms.

        Raises ``sqlite3.Error``.
        """
        with self._lock:
            try:
                return self._search(terms, before, limit)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self._discard()  # the index is damaged
                return self._search(terms, before, limit)

    def discard(self) -> None:
        """Delete the file; the next search builds it again."""
        with self._lock:
            self._discard()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _search(self, terms: tuple[Term, ...], before: int, limit: int) -> list[tuple[int, Summary, Recorded]]:
        connection = self._connection = self._connection or self._open()
        self._catch_up(connection)
        words = [f'"{word}"' for term in terms for word in term[:-1]] + [f'"{term[-1]}"*' for term in terms]
        absent = FINDABLE.absent_marks()
        rows = connection.execute(
            _FOUND.format(bits=POSITION_BITS, without=" AND instr(folded, ?) = 0" * len(absent)),
            (" AND ".join(words), before or LAST, *absent, limit),
        ).fetchall()
        return [
            (key, msgspec.json.decode(summary, type=Summary), record_of(key & MAX_POSITION, debate, *stored))
            for key, debate, summary, *stored in rows
        ]

    def _open(self) -> sqlite3.Connection:
        path = index_path(self._store)
        create(path)
        try:
            return self._attached(f"file:{quote(str(path))}?mode=rwc")
        except sqlite3.OperationalError:  # the folder cannot be written: the index lives as long as this process
            return self._attached("file::memory:")

    def _attached(self, name: str) -> sqlite3.Connection:
        connection = sqlite3.connect(name, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in {0, VERSION}:
                raise sqlite3.DatabaseError("an index of another version")
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
            connection.execute("ATTACH ? AS store", (f"file:{quote(str(self._store))}?mode=ro",))
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _discard(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        index_path(self._store).unlink(missing_ok=True)

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Add what was recorded since the last search.  A store that replaced another one is read whole."""
        last = connection.execute("SELECT max(sequence) FROM store.events").fetchone()[0] or 0
        reached, digest = connection.execute("SELECT sequence, digest FROM reached").fetchone() or (0, b"")
        if reached == last and self._is_at(connection, reached, digest):
            return
        if reached and not self._is_at(connection, reached, digest):
            connection.executescript(
                "BEGIN IMMEDIATE; INSERT INTO said (said) VALUES ('delete-all'); DELETE FROM reached; COMMIT;"
            )
            reached = 0
        while reached < last:
            reached = self._add(connection, reached, min(reached + STEP, last))

    def _add(self, connection: sqlite3.Connection, after: int, upto: int) -> int:
        connection.execute("BEGIN IMMEDIATE")
        try:
            known = connection.execute("SELECT sequence FROM reached").fetchone()
            if known is not None and known[0] > after:  # another process was faster
                return int(known[0])
            one, two = SPOKEN
            found = connection.execute(_NEW, (after, upto, len(one), one, len(two), two)).fetchall()
            rows = [(key, " ".join(words_in(*stored))) for key, *stored in found]
            connection.executemany("INSERT INTO said (rowid, words) VALUES (?, ?)", rows)
            connection.execute("DELETE FROM reached")
            connection.execute(
                "INSERT INTO reached SELECT sequence, digest FROM store.events WHERE sequence <= ?"
                " ORDER BY sequence DESC LIMIT 1",
                (upto,),
            )
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")
        return upto

    def _is_at(self, connection: sqlite3.Connection, sequence: int, digest: bytes) -> bool:
        found = connection.execute("SELECT digest FROM store.events WHERE sequence = ?", (sequence,)).fetchone()
        return (found or (b"",))[0] == digest
