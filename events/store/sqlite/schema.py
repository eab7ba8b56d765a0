"""The SQLite file: its tables, its connections, and its errors in one sentence each.

Events lie in the order in which they were committed, so that a flush over many debates fills whole pages; the index on
``key`` (number of the debate × 2²⁴ + position) finds a debate's events.  ``debates`` is derived: one row for the list,
written only when an event changes what the list shows.
"""

import errno
import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from events.errors import StoreDamaged, StoreUnavailable

VERSION: Final = 1
APPLICATION: Final = 0x4D6F6F74  # "Moot"

BUSY_S: Final = 5.0
"""How long one waits for another's lock on the file: one that `sqlite3` on the command line holds, say."""

CALIBRATES: Final = """instr(summary, '"format":"calibration"') > 0"""
"""Of a row: the debate measures raters.  In a motion those quotation marks would be escaped."""

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
_LATER: Final = f"""
CREATE INDEX IF NOT EXISTS debates_calibrating ON debates (opened_at, stream) WHERE {CALIBRATES};
CREATE INDEX IF NOT EXISTS debates_listed ON debates (opened_at, stream, folded) WHERE opened_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS debates_unconcluded ON debates (state) WHERE state <> 'concluded';
DROP INDEX IF EXISTS debates_by_age;
"""
"""What a store of the same schema may lack: it only makes reading faster.

A search reads ``debates_listed`` from its newest end and nothing else, until a page is full: any text is found, of any
length, and 100,000 motions are some ten megabytes that lie together.
"""


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time.  Raises ``StoreUnavailable``."""
    mode = "ro" if read_only else "rwc"
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
            connection.execute("PRAGMA cache_size = -32000")  # the motions of 100,000 debates fit in
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


def prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make the file a store if it is empty, and set what a writer needs."""
    new = connection.execute("PRAGMA schema_version").fetchone()[0] == 0
    if not new:
        _check(path, connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -32000")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")  # a page of the index that many flushes touch moves once
    connection.execute("PRAGMA journal_size_limit = 67108864")
    if new:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
    connection.executescript(_LATER)


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
"""By the beginning of SQLite's name of the error: why, and what to do."""
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def explain(path: Path, error: Exception) -> StoreUnavailable:
    """What the database or the system says, in one sentence."""
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
