"""The index of a PostgreSQL store for searches in what was said: a text search vector for each speech.

The index is a projection: each search first adds what was recorded since the last one.  So an append does not wait for
it, and an older store gets its index at the first search.  Nodes that add the same rows at the same time do no harm.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import psycopg
from anyio import to_thread

from events.record import Recorded
from events.store.listing import FINDABLE, Summary
from events.store.postgres.connection import Connection
from events.store.search import LAST, SPOKEN, record_of, words_in
from events.text.said import Term

STEP: Final = 10_000
"""Events that are looked at in one step."""
STEP_BYTES: Final = 4 << 20
"""Bytes of speeches in one step, beyond its first one: their words take half a second."""
_BEHIND: Final = """
WITH behind AS (
    SELECT stream, coalesce(reached, 0) AS reached, version
    FROM moot.debates LEFT JOIN moot.said_reached USING (stream)
    WHERE version > coalesce(reached, 0) ORDER BY stream LIMIT %(step)s
), looked_at AS (
    SELECT behind.stream, position, schema, payload,
        substring(payload FROM 1 FOR length(%(one)s)) = %(one)s
        OR substring(payload FROM 1 FOR length(%(two)s)) = %(two)s AS speaks
    FROM behind CROSS JOIN LATERAL (
        SELECT position, schema, payload FROM moot.events
        WHERE events.stream = behind.stream AND position > reached AND position <= version ORDER BY position
        LIMIT %(step)s
    ) AS events
    ORDER BY stream, position LIMIT %(step)s
), sized AS (
    SELECT *, sum(CASE WHEN speaks THEN octet_length(payload) ELSE 0 END)
        OVER (ORDER BY stream, position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM looked_at
), step AS (
    SELECT *, lead(stream) OVER (ORDER BY stream, position) IS DISTINCT FROM stream AS is_last
    FROM sized WHERE coalesce(bytes_before, 0) < %(bytes)s
)
SELECT stream, position, schema, CASE WHEN speaks THEN payload END,
    (SELECT count(*) FROM step) < (SELECT sum(version - reached) FROM behind)
FROM step WHERE speaks OR is_last
ORDER BY stream, position
"""
"""The speeches of a step, the last event that it has of each debate, and whether more is missing after it."""
_ADD: Final = """
INSERT INTO moot.said (stream, position, words)
SELECT stream, %(position)s, array_to_tsvector(%(words)s) FROM moot.debates
WHERE stream = %(stream)s AND version > 0 FOR KEY SHARE
ON CONFLICT DO NOTHING
"""
"""The lock is one that only the deletion of the debate waits for: a deleted debate gets no words."""
_REACH: Final = """
INSERT INTO moot.said_reached AS known (stream, reached) SELECT here.stream, here.reached
FROM unnest(%s::bigint[], %s::integer[]) AS here(stream, reached) JOIN moot.debates USING (stream) WHERE version > 0
ON CONFLICT (stream) DO UPDATE SET reached = greatest(known.reached, excluded.reached)
"""
_FOUND: Final = """
SELECT stream, position, summary, debate, id, at, cause, schema, salt, events.digest, payload
FROM (
    SELECT said.stream, said.position FROM moot.said JOIN moot.listing USING (stream)
    WHERE words @@ %s::tsquery AND (said.stream, said.position) < (%s, %s) {without}
    ORDER BY said.stream DESC, said.position DESC LIMIT %s
) AS found JOIN moot.listing USING (stream) JOIN moot.debates USING (stream) JOIN moot.events USING (stream, position)
ORDER BY stream DESC, position DESC
"""
"""The page is found first: then only its rows, and not those of every hit, are joined with their payloads."""


async def catch_up(connection: Connection) -> bool:
    """Add a part of what is missing in the index.  Returns whether more is missing."""
    parameters = {"step": STEP, "bytes": STEP_BYTES, "one": SPOKEN[0], "two": SPOKEN[1]}
    rows = await (await connection.execute(_BEHIND, parameters, binary=True)).fetchall()
    if not rows:
        return False
    entries = await to_thread.run_sync(_entries, rows)
    reached = {stream: position for stream, position, *_ in rows}
    async with connection.transaction(), connection.cursor() as writing:
        await writing.executemany(_ADD, entries)
        await writing.execute(_REACH, (list(reached), list(reached.values())))
    return bool(rows[-1][-1])


async def find(
    connection: Connection, terms: Sequence[Term], before: tuple[int, int] | None, limit: int
) -> list[tuple[int, int, Summary, Recorded]]:
    """The newest ``limit`` records before a place that have all words of the terms."""
    words = [_quoted(word) for term in terms for word in term[:-1]] + [f"{_quoted(term[-1])}:*" for term in terms]
    absent = FINDABLE.absent_marks()
    query = _FOUND.format(without="AND strpos(folded, %s) = 0 " * len(absent))
    cursor = await connection.execute(query, (" & ".join(words), *(before or (LAST, 0)), *absent, limit), binary=True)
    return [
        (row[0], row[1], msgspec.json.decode(row[2], type=Summary), record_of(row[1], *row[3:]))
        for row in await cursor.fetchall()
    ]


def may_not_write(error: psycopg.Error) -> bool:
    """Whether the role or the server only reads: the index then stays as it is."""
    return isinstance(error, psycopg.errors.InsufficientPrivilege | psycopg.errors.ReadOnlySqlTransaction)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _entries(rows: Sequence[tuple[int, int, int, bytes | None, bool]]) -> list[dict[str, Any]]:
    """The words of each speech.  It runs in a thread, because it takes 7 ms for a debate."""
    return [
        {"stream": stream, "position": position, "words": words_in(schema, payload)}
        for stream, position, schema, payload, _ in rows
        if payload is not None
    ]
