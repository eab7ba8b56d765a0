"""Queries of a PostgreSQL store; each takes a connection of the pool."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.codec import decode
from events.record import Envelope, Recorded
from events.store.listing import Limits, Summary, fold_text, read_cursor, write_cursor
from events.store.log import SummaryPage
from events.store.postgres.connection import Connection
from events.store.tombstone import Tombstone

_EVENTS: Final = (
    "SELECT position, id, at, cause, schema, salt, payload, digest FROM moot.events"
    " WHERE stream = (SELECT stream FROM moot.debates WHERE debate = %s) AND position > %s ORDER BY position LIMIT %s"
)
_HEADS: Final = "SELECT debate, greatest(version, 0) FROM moot.debates WHERE debate = ANY(%s)"
_STANDINGS: Final = (
    "SELECT debate, stream, version, digest, epoch, owner, coalesce(lease_until > clock_timestamp(), false), summary"
    " FROM moot.debates LEFT JOIN moot.listing USING (stream) WHERE debate = ANY(%s)"
)
_PAGE: Final = (
    "SELECT opened_at, stream, summary, version FROM moot.listing JOIN moot.debates USING (stream)"
    " WHERE (opened_at, stream) < (%s, %s) AND {has_all}"
    " ORDER BY opened_at DESC, stream DESC LIMIT %s"
)
_UNFINISHED: Final = (
    "SELECT debate FROM moot.listing JOIN moot.debates USING (stream) WHERE state = 'open' ORDER BY opened_at, stream"
)
_UNCONCLUDED: Final = "SELECT state, count(*) FROM moot.listing WHERE state <> 'concluded' GROUP BY state"
_CALIBRATIONS: Final = (
    "SELECT debate FROM moot.listing JOIN moot.debates USING (stream) WHERE calibrates ORDER BY opened_at, stream"
)
_TOMBSTONES: Final = (
    "SELECT debate, deleted_at, reason, events, lines FROM moot.tombstones WHERE starts_with(debate, %s)"
    " ORDER BY deleted_at, stream"
)
_NOTES: Final = "SELECT key, value FROM moot.notes WHERE kind = %s AND key = coalesce(%s::text, key)"
_AFTER_ALL: Final = "\U0010ffff", (1 << 63) - 1

_summary_decoder: Final = msgspec.json.Decoder(Summary)


class StoredStream(Struct, frozen=True):
    """A debate's row in the database: its last position and its owner.  ``live``: the lease has not ended."""

    debate: str
    stream: int
    version: int
    digest: bytes
    epoch: int
    owner: str | None
    live: bool
    encoded: bytes | None

    @property
    def summary(self) -> Summary | None:
        """Its row of the list; None before it has one."""
        return None if self.encoded is None else _summary_decoder.decode(self.encoded)


def is_storable(text: str) -> bool:
    """Whether PostgreSQL accepts the text: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


def storable(text: str) -> str:
    """The text with a replacement for characters that PostgreSQL does not accept."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


async def read_heads(connection: Connection, debates: Sequence[str]) -> dict[str, int]:
    """Last positions of those of ``debates`` that are in the store; 0 for a deleted one."""
    cursor = await connection.execute(_HEADS, ([each for each in debates if is_storable(each)],))
    return {debate: version async for debate, version in cursor}


async def read_standings(connection: Connection, debates: Sequence[str]) -> dict[str, StoredStream]:
    """The rows of those of ``debates`` that are in the store; that of a deleted one has version -1."""
    cursor = await connection.execute(_STANDINGS, ([each for each in debates if is_storable(each)],), binary=True)
    return {row[0]: StoredStream(*row) for row in await cursor.fetchall()}


async def read_records(connection: Connection, debate: str, after: int, limit: int | None) -> tuple[Recorded, ...]:
    """Records with their events read.  Raises ``UnknownEvent``."""
    rows = await _rows(connection, debate, after, limit)
    return tuple(
        [
            Recorded(debate, position, id_, at, cause, schema, salt, payload, digest, decode(payload, schema))
            for position, id_, at, cause, schema, salt, payload, digest in rows
        ]
    )


async def read_envelopes(connection: Connection, debate: str, after: int, limit: int | None) -> tuple[Envelope, ...]:
    """Records with their payloads not decoded."""
    return tuple([Envelope(debate, *row) for row in await _rows(connection, debate, after, limit)])


async def read_summaries(
    connection: Connection, after: str | None, limit: int, query: str, limits: Limits
) -> SummaryPage:
    """A page of the list.  Raises ``BadCursor``."""
    opened_at, number = read_cursor(after) if after is not None else _AFTER_ALL
    texts = (storable(fold_text(query)), *map(storable, limits.marks()))
    absent = limits.absent_marks()
    has_all = " AND ".join(["strpos(folded, %s) > 0"] * len(texts) + ["strpos(folded, %s) = 0"] * len(absent))
    values = (storable(opened_at), number, *texts, *absent, limit + 1)
    cursor = await connection.execute(_PAGE.format(has_all=has_all), values, binary=True)
    found = await cursor.fetchall()
    page = found[:limit]
    return SummaryPage(
        debates=tuple(replace(_summary_decoder.decode(row), position=version) for _, _, row, version in page),
        next=write_cursor(page[-1][0], page[-1][1]) if len(found) > len(page) and page else None,
    )


async def read_unfinished(connection: Connection) -> tuple[str, ...]:
    """Ids of open debates, oldest first."""
    return tuple([debate async for (debate,) in await connection.execute(_UNFINISHED)])


async def read_calibrations(connection: Connection) -> tuple[str, ...]:
    """Ids of calibrations, oldest first."""
    return tuple([debate async for (debate,) in await connection.execute(_CALIBRATIONS)])


async def read_unconcluded(connection: Connection) -> dict[str, int]:
    """How many debates are in each state other than ``concluded``."""
    return {state: number async for state, number in await connection.execute(_UNCONCLUDED)}


async def read_tombstones(connection: Connection, prefix: str = "") -> tuple[Tombstone, ...]:
    """The tombstones of debates whose ids begin with ``prefix``, in the order of their deletion."""
    if not is_storable(prefix):
        return ()
    cursor = await connection.execute(_TOMBSTONES, (prefix,), binary=True)
    return tuple(
        [
            Tombstone(debate=debate, deleted_at=at, reason=reason, events=events, is_erased=False, lines=lines)
            async for debate, at, reason, events, lines in cursor
        ]
    )


async def read_notes(connection: Connection, kind: str, key: str | None) -> dict[str, bytes]:
    """The notes of a kind, by key: all, or that of one key."""
    cursor = await connection.execute(_NOTES, (kind, key), binary=True)
    return {key: value async for key, value in cursor}


async def _rows(connection: Connection, debate: str, after: int, limit: int | None) -> list[tuple[Any, ...]]:
    if not is_storable(debate):
        return []
    within = min(max(after, 0), (1 << 31) - 1)
    cursor = await connection.execute(_EVENTS, (debate, within, limit), binary=True)
    return await cursor.fetchall()
