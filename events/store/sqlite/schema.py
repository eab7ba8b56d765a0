"""The SQLite file: tables, connections, and messages for errors.

Events are stored in commit order, so that a transaction over many debates fills whole pages.  The index on ``key``
(number of the debate × 2²⁴ + position) finds the events of a debate.  ``debates`` holds the rows of the list; a row is
written only when an event changes it.
"""

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from events.errors import StoreDamaged, StoreUnavailable
from events.store.listing import MARKS, Summary, searched
from events.store.sqlite.parts import TABLE

VERSION: Final = 3
"""2 since payloads may be packed (``parts``), 3 since debates may be deleted (``tombstones``).

A file of an earlier version gets the tables when it is opened to write.
"""
TOMBSTONES: Final = """
CREATE TABLE IF NOT EXISTS tombstones (
    stream INTEGER PRIMARY KEY,
    debate TEXT NOT NULL UNIQUE,
    deleted_at TEXT NOT NULL,
    reason TEXT NOT NULL,
    events INTEGER NOT NULL,
    erased INTEGER NOT NULL,
    lines BLOB NOT NULL
)
"""
"""The deleted debates.  The row in ``debates`` stays, without a word, so that no other debate gets its number."""
APPLICATION: Final = 0x4D6F6F74  # "Moot"

OWNER_ONLY: Final = 0o600
BUSY_S: Final = 5.0
"""Seconds to wait for a lock of another process on the file, such as the `sqlite3` command."""

CALIBRATES: Final = """instr(summary, '"format":"calibration"') > 0"""
"""Matches summaries of calibrations.  In a motion the quotation marks would be escaped."""

_TABLES: Final = f"""
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    cause INTEGER,
    schema INTEGER NOT NULL,
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB NOT NULL
);
{TABLE};
{TOMBSTONES};
CREATE UNIQUE INDEX events_by_key ON events (key);
CREATE TABLE debates (
    stream INTEGER PRIMARY KEY,
    debate TEXT NOT NULL UNIQUE,
    opened_at TEXT,
    state TEXT,
    folded TEXT,
    summary BLOB
);
CREATE INDEX debates_open ON debates (opened_at, stream) WHERE state = 'open';
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
NOTES: Final = """
CREATE TABLE IF NOT EXISTS notes (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID
"""
"""What parts of the server keep next to the events."""
_LATER: Final = f"""
{NOTES};
CREATE INDEX IF NOT EXISTS debates_calibrating ON debates (opened_at, stream) WHERE {CALIBRATES};
CREATE INDEX IF NOT EXISTS debates_listed ON debates (opened_at, stream, folded) WHERE opened_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS debates_unconcluded ON debates (state) WHERE state <> 'concluded';
DROP INDEX IF EXISTS debates_by_age;
"""
"""Indexes and notes, which an older store of the same schema may lack.

A search reads only ``debates_listed``, from the newest entry on, until a page is full.  It finds text of any length;
100,000 motions are about ten megabytes.
"""


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection that threads may use one at a time.  Raises ``StoreUnavailable``."""
    mode = "ro" if read_only else "rwc"
    if not read_only:
        create(path)
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}",
            timeout=BUSY_S,
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise explain(path, error) from error
    try:
        if read_only:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA cache_size = -32000")  # room for the motions of 100,000 debates
            _check(path, connection)
        else:
            prepare(path, connection)
    except sqlite3.Error as error:
        connection.close()
        raise explain(path, error) from error
    except StoreUnavailable:
        connection.close()
        raise
    return connection


def create(path: Path) -> None:
    """Create an empty file that only its owner reads, if there is none.  SQLite's other files get its permissions."""
    with suppress(OSError):  # SQLite opens the file next, and says why it cannot
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))


def prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, and set the pragmas of a writer."""
    new = connection.execute("PRAGMA schema_version").fetchone()[0] == 0
    if not new:
        _check(path, connection)
        _migrate(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -32000")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")  # a page that many transactions change is copied once
    connection.execute("PRAGMA journal_size_limit = 67108864")
    if new:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
    connection.executescript(_LATER)
    _mark_rows(connection)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date, in one transaction.  Its payloads stay as they are."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
        connection.executescript(f"BEGIN IMMEDIATE; {TABLE}; {TOMBSTONES}; PRAGMA user_version = {VERSION}; COMMIT;")


def _mark_rows(connection: sqlite3.Connection) -> None:
    """Give the rows of the list their marks: a store of an older Moot has none."""
    connection.create_function("marked", 1, _marked, deterministic=True)
    connection.execute(
        "UPDATE debates SET folded = marked(summary)"
        " WHERE opened_at IS NOT NULL AND instr(folded, ?) = 0 AND instr(folded, ?) = 0",
        (MARKS["exhibition", True], MARKS["exhibition", False]),
    )


def _marked(row: bytes) -> str:
    return searched(msgspec.json.decode(row, type=Summary))


def _check(path: Path, connection: sqlite3.Connection) -> None:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreUnavailable(f"the store {path} is a database, but not one of Moot's")
    if version > VERSION:
        raise StoreUnavailable(
            f"the store {path} has schema {version}, written by a newer Moot (this one knows {VERSION})"
        )


RESTORE: Final = (
    "`moot verify ID` tells which debates are whole, `moot export ID` saves them,"
    " and a file that `moot backup` made can take its place"
)
_REASONS: Final = {
    "SQLITE_FULL": ("the disk is full", "make room: what waits goes on by itself"),
    "SQLITE_NOTADB": ("it is not a database", RESTORE),
    "SQLITE_CORRUPT": ("it is damaged", RESTORE),
    "SQLITE_READONLY": ("it cannot be written", "check the owner and the mode of the file and of its folder"),
    "SQLITE_CANTOPEN": ("it cannot be opened", "check the owner and the mode of the file and of its folder"),
    "SQLITE_IOERR": ("the disk failed", "look at the system's log"),
    "SQLITE_BUSY": ("another process holds it", "close what has the file open"),
    "SQLITE_LOCKED": ("another process holds it", "close what has the file open"),
}
"""By prefix of SQLite's error name: the reason and the remedy."""
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def explain(path: Path, error: Exception) -> StoreUnavailable:
    """The error of the database or the system, with reason and remedy."""
    if isinstance(error, StoreUnavailable):
        return error
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return StoreUnavailable.because(path, *_REASONS["SQLITE_FULL"], errno.errorcode[error.errno])
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    for prefix, (reason, remedy) in _REASONS.items():
        if name.startswith(prefix):
            kind = StoreDamaged if prefix in {"SQLITE_CORRUPT", "SQLITE_NOTADB"} else StoreUnavailable
            return kind.because(path, reason, remedy, name)
    return StoreUnavailable(f"the store {path} is unavailable: {error} ({name})")
