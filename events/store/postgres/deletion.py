"""Delete a debate from the database, in one transaction.

The row of the debate stays with a version that no append can expect, so that nobody writes the debate again.  Its lock
keeps out the node that runs the debate and the one that adds its words to the index.
"""

from asyncio import get_running_loop
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from events.errors import UnknownDebate, WrongExpectedPosition
from events.record import Recorded, digest_before_first
from events.store.postgres.batch import CHANNEL, MARK_BYTES, WRITE, MarkedHead, WriteBatch, write_changed
from events.store.postgres.connection import Connection
from events.store.postgres.pack import register
from events.store.postgres.rows import is_storable, read_envelopes, read_tombstones
from events.store.requests import adopt_request
from events.store.tombstone import ARCHIVED, Tombstone, withheld_lines

_LOCK: Final = "SELECT stream, version FROM moot.debates WHERE debate = %s FOR UPDATE"
_BURY: Final = """
INSERT INTO moot.tombstones (stream, debate, deleted_at, reason, events, lines) VALUES (%s, %s, %s, %s, %s, %s)
"""
_FORGET: Final = """
UPDATE moot.debates SET version = -1, digest = '', epoch = epoch + 1, owner = NULL, lease_until = NULL
WHERE stream = %s
"""
_KEEP: Final = """
INSERT INTO moot.notes (kind, key, value) VALUES (%s, %s, %s)
ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value
"""
_ARCHIVED: Final = "DELETE FROM moot.notes WHERE kind = %s AND key = %s AND value = %s RETURNING 1"
_TABLES: Final = ("events", "listing", "said", "said_reached")


async def delete(
    connection: Connection, debate: str, expected: int, reason: str, deleted_at: str, archived: bool = False
) -> Tombstone:
    """Replace a debate by its tombstone.  With the same ``deleted_at`` it may be repeated.  Raises as ``EventLog``."""
    if not is_storable(debate):
        raise UnknownDebate(debate)
    async with connection.transaction():
        found = await (await connection.execute(_LOCK, (debate,))).fetchone()
        if found is None:
            raise UnknownDebate(debate)
        stream, version = found
        if version < 0:
            left = await _tombstone(connection, debate)
            if (left.deleted_at, left.reason) == (deleted_at, reason):  # the answer to this deletion was lost
                return left
            raise left.refusal()
        if version != expected:
            raise WrongExpectedPosition(debate, expected, version)
        records = await read_envelopes(connection, debate, 0, None)
        buried = (stream, debate, deleted_at, reason, len(records), withheld_lines(records))
        await connection.execute(_BURY, buried)
        for table in _TABLES:
            await connection.execute(f"DELETE FROM moot.{table} WHERE stream = %s", (stream,))  # noqa: S608 - names of ours
        await connection.execute("DELETE FROM moot.inbox WHERE debate = %s", (debate,))
        await connection.execute(_FORGET, (stream,))
        if archived:
            await connection.execute(_KEEP, (ARCHIVED, debate, records[-1].digest))
        ended = write_changed("", [(digest_before_first(debate)[:MARK_BYTES], 0)])
        await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, ended))
        return await _tombstone(connection, debate)


async def revive(connection: Connection, records: Sequence[Recorded]) -> bool:
    """Write an archived debate again in place of its tombstone, in one transaction; False if it is none, or another."""
    debate = records[0].debate
    async with connection.transaction():
        found = await (await connection.execute(_LOCK, (debate,))).fetchone()
        known = await (await connection.execute(_ARCHIVED, (ARCHIVED, debate, records[-1].digest))).fetchone()
        if found is None or known is None:
            return False
        stream, mark = found[0], digest_before_first(debate)[:MARK_BYTES]
        await connection.execute("DELETE FROM moot.tombstones WHERE stream = %s", (stream,))
        await connection.execute("UPDATE moot.debates SET version = 0 WHERE stream = %s", (stream,))
        batch, head = WriteBatch(), MarkedHead(stream, 0, digest_before_first(debate), None, mark)
        batch.take(adopt_request(records, get_running_loop()), head, tuple(records), 0, is_new=False, is_claimed=False)
        batch.seal("", timedelta())
        register(connection)
        await connection.execute(WRITE, batch.statement)
    return True


async def _tombstone(connection: Connection, debate: str) -> Tombstone:
    return next(each for each in await read_tombstones(connection, debate) if each.debate == debate)
