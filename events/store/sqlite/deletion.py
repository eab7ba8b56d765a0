"""Delete a debate from the file: first in one transaction, then from the pages that the transaction freed.

A row that is deleted or moved leaves its bytes in the file until something overwrites them, and the write-ahead log has
copies.  So the whole file is written again, and the write-ahead log is emptied.  A tombstone remembers that this is
still to do: after a crash, or while another process reads, it is done at the next opening of the store to write.
"""

import sqlite3
from collections.abc import Callable
from typing import Final

from events.record import now
from events.store.log import MAX_POSITION, POSITION_BITS
from events.store.sqlite.parts import MARK, parts_of
from events.store.sqlite.rows import read_envelopes
from events.store.tombstone import ARCHIVED, withheld_lines

_HEAD_BYTES: Final = 7 + 8 * 0xFFFF
"""Bytes of the longest head of a packed payload."""
_PACKED: Final = (
    "SELECT substr(payload, 1, ?) FROM events WHERE key {where} BETWEEN ? AND ? AND substr(payload, 1, 1) = ?"
)
_BURY: Final = """
INSERT INTO tombstones (stream, debate, deleted_at, reason, events, erased, lines) VALUES (?, ?, ?, ?, ?, 0, ?)
"""
_FORGET: Final = "UPDATE debates SET opened_at = NULL, state = NULL, folded = NULL, summary = NULL WHERE stream = ?"


def bury(connection: sqlite3.Connection, debate: str, stream: int, reason: str, *, archived: bool) -> None:
    """Replace the events of a debate by its tombstone, in the transaction of the caller."""
    within = stream << POSITION_BITS, stream << POSITION_BITS | MAX_POSITION
    records = read_envelopes(connection, debate, 0, None)
    connection.execute(_BURY, (stream, debate, now(), reason, len(records), withheld_lines(records)))
    unused = _parts(connection, "", within)
    if unused:
        unused -= _parts(connection, "NOT", within)
    connection.executemany("DELETE FROM parts WHERE part = ?", [(part,) for part in unused])
    connection.execute("DELETE FROM events WHERE key BETWEEN ? AND ?", within)
    connection.execute(_FORGET, (stream,))
    if archived:
        connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (ARCHIVED, debate, records[-1].digest))


def revive(connection: sqlite3.Connection, debate: str, digest: bytes) -> bool:
    """Remove the tombstone of an archived debate whose last digest this is, in the transaction of the caller."""
    found = connection.execute(
        "DELETE FROM notes WHERE kind = ? AND key = ? AND value = ? RETURNING 1", (ARCHIVED, debate, digest)
    ).fetchall()
    if found:
        connection.execute("DELETE FROM tombstones WHERE debate = ?", (debate,))
    return bool(found)


def _parts(connection: sqlite3.Connection, where: str, within: tuple[int, int]) -> set[int]:
    """The pieces of prompts that the events within a range of keys use, or with NOT those of all others."""
    rows = connection.execute(_PACKED.format(where=where), (_HEAD_BYTES, *within, MARK))
    return {part for (head,) in rows for part in parts_of(head)}


def erase(connection: sqlite3.Connection, discard_index: Callable[[], None]) -> None:
    """Overwrite what deletions have freed in the files.  If it fails, the next opening of the store tries again."""
    if not connection.execute("SELECT 1 FROM tombstones WHERE NOT erased").fetchone():
        return
    try:
        discard_index()
        connection.execute("VACUUM")
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (sqlite3.Error, OSError) as error:
        _warn(str(error))
        return
    if is_busy:
        _warn("another process reads the store")
        return
    connection.execute("UPDATE tombstones SET erased = 1")


def _warn(why: str) -> None:
    import structlog  # noqa: PLC0415 - commands that only read do not wait for it

    structlog.get_logger().warning("deleted_bytes_remain", message=why)
