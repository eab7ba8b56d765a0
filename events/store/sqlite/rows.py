"""Queries of a SQLite store; each runs on its caller's thread."""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import structs

from events import codec
from events.errors import UnknownEvent
from events.record import Envelope, Recorded
from events.store.listing import Limits, Summary, fold_text, read_cursor, write_cursor
from events.store.log import MAX_POSITION, POSITION_BITS, SummaryPage
from events.store.sqlite.parts import unpacked_rows
from events.store.sqlite.schema import CALIBRATES
from events.store.tombstone import Tombstone

_EVENTS: Final = (
    "SELECT key, id, at, cause, schema, salt, digest, payload FROM events"
    " WHERE key > ? AND key <= ? ORDER BY key LIMIT ?"
)
_PAYLOAD: Final = 7
"""The column of the payload."""
_HEAD: Final = "SELECT max(key) FROM events WHERE key BETWEEN ? AND ?"
_PAGE: Final = """
WITH found AS (
    SELECT * FROM (
        SELECT opened_at, stream FROM debates
        WHERE opened_at = :opened_at AND stream < :stream AND {has_all}
        ORDER BY stream DESC LIMIT :most
    )
    UNION ALL
    SELECT * FROM (
        SELECT opened_at, stream FROM debates
        WHERE opened_at < :opened_at AND {has_all}
        ORDER BY opened_at DESC, stream DESC LIMIT :most
    )
)
SELECT found.opened_at, found.stream, debates.summary, (
    SELECT max(key) FROM events
    WHERE key BETWEEN found.stream << {bits} AND found.stream << {bits} | {most_position}
)
FROM found JOIN debates ON debates.stream = found.stream
ORDER BY found.opened_at DESC, found.stream DESC LIMIT :most
"""
"""Two ranges of one index: a comparison of (opened_at, stream) in each row would cost as much as the text search."""
_NOTES: Final = "SELECT key, value FROM notes WHERE kind = ?1 AND key = ifnull(?2, key)"
_AFTER_ALL: Final = "\U0010ffff", (1 << 63) - 1

_summary_decoder: Final = msgspec.json.Decoder(Summary)


def read_head(connection: sqlite3.Connection, debate: str) -> int:
    """Position of the last record; 0 for an unknown debate."""
    base = _base(connection, debate)
    last = connection.execute(_HEAD, (base, base | MAX_POSITION)).fetchone()[0] if base else None
    return (last or 0) & MAX_POSITION


def read_records(connection: sqlite3.Connection, debate: str, after: int, limit: int | None) -> tuple[Recorded, ...]:
    """Records with their events read.  Raises ``UnknownEvent``."""
    newest, plain = codec.decode_newest, not codec.UPCASTERS
    try:
        return tuple(
            [
                Recorded(
                    debate,
                    key & MAX_POSITION,
                    identity,
                    at,
                    cause,
                    schema,
                    salt,
                    payload,
                    digest,
                    newest(payload) if plain and schema == 1 else codec.decode(payload, schema),
                )
                for key, identity, at, cause, schema, salt, digest, payload in _rows(connection, debate, after, limit)
            ]
        )
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnknownEvent(str(error)) from error


def read_envelopes(connection: sqlite3.Connection, debate: str, after: int, limit: int | None) -> tuple[Envelope, ...]:
    """Records as stored, not checked: bytes that are not UTF-8 become surrogates."""
    connection.text_factory = _lenient
    try:
        return tuple(
            [
                Envelope(debate, key & MAX_POSITION, identity, at, cause, schema, salt, payload, digest)
                for key, identity, at, cause, schema, salt, digest, payload in _rows(connection, debate, after, limit)
            ]
        )
    finally:
        connection.text_factory = str


def read_summaries(
    connection: sqlite3.Connection, after: str | None, limit: int, query: str, limits: Limits
) -> SummaryPage:
    """A page of the list.  Raises ``BadCursor``."""
    opened_at, stream = read_cursor(after) if after is not None else _AFTER_ALL
    texts = {f"text_{number}": text for number, text in enumerate((fold_text(query), *limits.marks()))}
    absent = {f"absent_{number}": mark for number, mark in enumerate(limits.absent_marks())}
    has_all = " AND ".join(
        [f"instr(folded, :{name}) > 0" for name in texts] + [f"instr(folded, :{name}) = 0" for name in absent]
    )
    page_query = _PAGE.format(has_all=has_all, bits=POSITION_BITS, most_position=MAX_POSITION)
    found = connection.execute(
        page_query, {"opened_at": opened_at, "stream": stream, "most": limit + 1, **texts, **absent}
    ).fetchall()
    page = found[:limit]
    return SummaryPage(
        debates=tuple(
            structs.replace(_summary_decoder.decode(row), position=key & MAX_POSITION) for _, _, row, key in page
        ),
        next=write_cursor(page[-1][0], page[-1][1]) if len(found) > len(page) and page else None,
    )


def read_unfinished(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Ids of open debates, oldest first."""
    rows = connection.execute("SELECT debate FROM debates WHERE state = 'open' ORDER BY opened_at, stream")
    return tuple(debate for (debate,) in rows)


def read_calibrations(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Ids of calibrations, oldest first."""
    rows = connection.execute(f"SELECT debate FROM debates WHERE {CALIBRATES} ORDER BY opened_at, stream")  # noqa: S608 - a text of ours
    return tuple(debate for (debate,) in rows)


def read_unconcluded(connection: sqlite3.Connection) -> dict[str, int]:
    """How many debates are in each state other than ``concluded``."""
    return dict(
        connection.execute("SELECT state, count(*) FROM debates WHERE state <> 'concluded' GROUP BY state").fetchall()
    )


def read_tombstones(connection: sqlite3.Connection, prefix: str = "") -> tuple[Tombstone, ...]:
    """The tombstones of debates whose ids begin with ``prefix``, in the order of their deletion."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tombstones'").fetchone():
        return ()  # a file of an earlier version, which nothing has opened to write
    rows = connection.execute(
        "SELECT debate, deleted_at, reason, events, erased, lines FROM tombstones"
        " WHERE substr(debate, 1, length(?1)) = ?1 ORDER BY deleted_at, stream",
        (prefix,),
    )
    return tuple(
        Tombstone(debate=debate, deleted_at=at, reason=reason, events=events, is_erased=bool(erased), lines=lines)
        for debate, at, reason, events, erased, lines in rows
    )


def read_notes(connection: sqlite3.Connection, kind: str, key: str | None) -> dict[str, bytes]:
    """The notes of a kind, by key: all, or that of one key."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes'").fetchone():
        return {}  # a file that nothing has opened to write since there are notes
    return dict(connection.execute(_NOTES, (kind, key)))


def _lenient(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _rows(connection: sqlite3.Connection, debate: str, after: int, limit: int | None) -> Iterable[tuple[Any, ...]]:
    base = _base(connection, debate)
    if not base:
        return ()
    first = base | min(max(after, 0), MAX_POSITION)
    rows = connection.execute(_EVENTS, (first, base | MAX_POSITION, -1 if limit is None else limit))
    return unpacked_rows(connection, rows, _PAYLOAD)


def _base(connection: sqlite3.Connection, debate: str) -> int:
    """Key of the debate's position 0; 0 for an unknown debate."""
    found = connection.execute("SELECT stream FROM debates WHERE debate = ?", (debate,)).fetchone()
    return found[0] << POSITION_BITS if found else 0
