"""The index of a PostgreSQL store for searches in what was said: a text search vector for each speech.

The index is a projection: each search first adds what was recorded since the last one.  So an append does not wait for
it, and an older store gets its index at the first search.  Nodes that add the same rows at the same time do no harm.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import psycopg
from anyio import to_thread

from events.record import Recorded
from events.store.listing import FINDABLE, Summary
from events.store.postgres.connection import Connection
from events.store.search import LAST, SPOKEN, record_of, words_in
from events.text.said import Term

STEP: Final = 200
"""Debates that are read at once."""
_BEHIND: Final = """
SELECT stream, coalesce(reached, 0), version FROM moot.debates LEFT JOIN moot.said_reached USING (stream)
WHERE version > coalesce(reached, 0) ORDER BY stream LIMIT %s
"""
_SPOKEN: Final = """
SELECT events.stream, position, schema, payload
FROM unnest(%s::bigint[], %s::integer[], %s::integer[]) AS here(stream, reached, version)
JOIN moot.events ON events.stream = here.stream AND position > reached AND position <= version
WHERE substring(payload FROM 1 FOR %s) = %s OR substring(payload FROM 1 FOR %s) = %s
"""
_ADD: Final = """
INSERT INTO moot.said (stream, position, words) VALUES (%s, %s, array_to_tsvector(%s)) ON CONFLICT DO NOTHING
"""
_REACH: Final = """
INSERT INTO moot.said_reached AS known (stream, reached) SELECT * FROM unnest(%s::bigint[], %s::integer[])
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
    behind = await (await connection.execute(_BEHIND, (STEP,))).fetchall()
    if not behind:
        return False
    streams, reached, versions = (list(column) for column in zip(*behind, strict=True))
    one, two = SPOKEN
    cursor = await connection.execute(_SPOKEN, (streams, reached, versions, len(one), one, len(two), two), binary=True)
    entries = await to_thread.run_sync(_entries, await cursor.fetchall())
    async with connection.transaction(), connection.cursor() as writing:
        await writing.executemany(_ADD, entries)
        await writing.execute(_REACH, (streams, versions))
    return len(behind) == STEP


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


def _entries(rows: Sequence[tuple[int, int, int, bytes]]) -> list[tuple[int, int, list[str]]]:
    """The words of each row.  It runs in a thread, because it takes 7 ms for a debate."""
    return [(stream, position, words_in(schema, payload)) for stream, position, schema, payload in rows]
