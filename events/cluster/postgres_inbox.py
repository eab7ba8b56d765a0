"""The inbox as a table: the sender inserts a row, the debate's owner takes and answers it, the sender deletes it.

Each statement may run twice, since its answer may be lost: a command is sent under its own key and taken under a token
that the same call uses again.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Final

from events.cluster.inbox import WITHIN_S, ForwardedCommand
from events.errors import StoreUnavailable, Unanswered, UnknownDebate
from events.store.postgres.connection import Connection
from events.store.postgres.listener import ChannelHandler
from events.store.postgres.log import PostgresLog
from events.store.postgres.rows import is_storable

CHANNEL: Final = "moot_inbox"
KEPT: Final = "10 min"
"""A row whose sender did not come back is removed after this time."""
_ANSWERED: Final = "="
_MAX_TAKEN: Final = 100

_SEND: Final = """
WITH sent AS (
    INSERT INTO moot.inbox (key, debate, act) VALUES (%(key)s, %(debate)s, %(act)s) ON CONFLICT (key) DO NOTHING
)
SELECT pg_notify('moot_inbox', %(debate)s)
"""
_TAKE: Final = """
WITH next AS (
    SELECT id FROM moot.inbox AS there JOIN moot.debates USING (debate)
    WHERE owner = %(node)s AND lease_until > clock_timestamp() AND (taken_by IS NULL OR taken_by = %(token)s)
    ORDER BY id LIMIT %(most)s FOR UPDATE OF there SKIP LOCKED
)
UPDATE moot.inbox SET taken_by = %(token)s WHERE id IN (SELECT id FROM next) RETURNING id, debate, act, key
"""
_ANSWER: Final = """
WITH answered AS (UPDATE moot.inbox SET answer = %(answer)s WHERE id = %(id)s)
SELECT pg_notify('moot_inbox', '=' || %(key)s)
"""
_ANSWERS: Final = "SELECT key, answer FROM moot.inbox WHERE key = ANY(%s) AND answer IS NOT NULL"
_WITHDRAW: Final = """
INSERT INTO moot.inbox AS there (key, debate, act, taken_by) VALUES (%(key)s, %(debate)s, '', 'withdrawn')
ON CONFLICT (key) DO UPDATE SET taken_by = 'withdrawn' WHERE there.taken_by IS NULL
"""
"""Also inserts a missing row: a command whose insert is still under way must not be taken later."""
_STATE: Final = "SELECT taken_by, answer FROM moot.inbox WHERE key = %s"
_REMOVE: Final = "DELETE FROM moot.inbox WHERE key = %s"
_SWEEP: Final = """
DELETE FROM moot.inbox WHERE id IN (
    SELECT id FROM moot.inbox WHERE at < clock_timestamp() - %s::interval LIMIT 1000 FOR UPDATE SKIP LOCKED
)
"""


class PostgresInbox:
    """Both ends for the node of ``log``: sending node and owner.  All methods raise ``StoreUnavailable``."""

    def __init__(self, log: PostgresLog) -> None:
        self._log = log
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._arrived = asyncio.Event()
        log.listener.listen(
            CHANNEL, ChannelHandler(receive=self._receive, look_up=self._look_up, lost=self._arrived.set)
        )

    async def send(self, debate: str, act: bytes, within_s: float = WITHIN_S) -> bytes:
        """Send ``act`` to the debate's owner, and return its answer.  Raises ``Unanswered``."""
        if not is_storable(debate):
            raise UnknownDebate(debate)
        key = secrets.token_hex(16)
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answered
        try:
            async with asyncio.timeout(within_s):
                await self._log.pool.rows(_SEND, {"key": key, "debate": debate, "act": act})
                answer = await answered
        except TimeoutError:
            return await self._withdrawn(debate, key)
        finally:
            del self._waiting[key]
        await self._remove(key)
        return answer

    async def take(self) -> tuple[ForwardedCommand, ...]:
        """Wait for commands for debates that this node runs, in the order of sending.  One caller at a time."""
        named = {"node": self._log.node, "token": f"{self._log.node} {secrets.token_hex(8)}", "most": _MAX_TAKEN}

        while True:
            self._arrived.clear()
            if rows := await self._log.pool.rows(_TAKE, named, binary=True):
                return tuple(sorted((ForwardedCommand(*row) for row in rows), key=lambda each: each.id))
            await self._arrived.wait()

    def look_again(self) -> None:
        """Let ``take`` look again: this node runs more debates now, and their last owner may have left commands."""
        self._arrived.set()

    async def answer(self, act: ForwardedCommand, answer: bytes) -> None:
        """Send the answer to the sender."""
        await self._log.pool.rows(_ANSWER, {"id": act.id, "key": act.key, "answer": answer})

    async def _withdrawn(self, debate: str, key: str) -> bytes:
        """Withdraw a command.  Returns an answer that came meanwhile, else raises ``Unanswered``."""

        async def act(connection: Connection) -> tuple[str, bytes | None]:
            await connection.execute(_WITHDRAW, {"key": key, "debate": debate})
            row = await (await connection.execute(_STATE, (key,), binary=True)).fetchone()
            return (row[0], row[1]) if row is not None else ("swept", None)

        try:
            taken_by, answer = await self._log.pool.run(act)
        except StoreUnavailable as error:
            raise Unanswered(debate, taken=True) from error
        if answer is not None:
            await self._remove(key)
            return answer
        raise Unanswered(debate, taken=taken_by != "withdrawn")

    async def _remove(self, key: str) -> None:
        with suppress(StoreUnavailable):  # the answer has arrived; the row is removed later
            await self._log.pool.rows(_REMOVE, (key,))

    def _receive(self, payload: str) -> bool:
        if payload.startswith(_ANSWERED):
            return payload.removeprefix(_ANSWERED) not in self._waiting  # else look the answer up
        if payload in self._log.epochs:
            self._arrived.set()
        return True

    async def _look_up(self, connection: Connection) -> None:
        """Read answers for waiting senders, let ``take`` look again, and remove old rows."""
        self._arrived.set()
        if self._waiting:
            cursor = await connection.execute(_ANSWERS, (list(self._waiting),), binary=True)
            for key, answer in await cursor.fetchall():
                if (future := self._waiting.get(key)) is not None and not future.done():
                    future.set_result(answer)
        await connection.execute(_SWEEP, (KEPT,))
