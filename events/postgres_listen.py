"""Who waits for a debate's head to move, fed by what this node commits and by the other nodes' notifications.

A head that is known stays true while the notifications come without a gap: every flush of every node names its debates.
When the connection is lost all heads are forgotten, and once it is back those who wait are looked up; the same look-up,
now and then, stands behind the notifications.
"""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Final

import psycopg
from psycopg import Notify

from events.postgres_connection import LONGEST_PAUSE_S, Address, Connection, connect, cutting
from events.postgres_flush import CHANNEL, MARK_BYTES, read_changed
from events.postgres_rows import read_heads
from events.record import digest_before_first
from events.wakeups import KNOWN_HEADS, Wakeups

POLL_S: Final = 3.0
"""How often those who wait are looked up though nothing was heard."""


class Listener:
    """One connection that listens for all who wait on this node."""

    def __init__(self, address: Address, node: str) -> None:
        self._address, self._node = address, node
        self._wakeups = Wakeups()
        self._names: dict[bytes, str] = {}
        self._task: asyncio.Task[None] | None = None
        self.is_live = False
        """Whether notifications are heard now."""
        self.lookups = 0

    def known(self, debate: str) -> int | None:
        """The head, or None when it must be read."""
        return self._wakeups.known(debate) if self.is_live else None

    def committed(self, debate: str, mark: bytes, head: int) -> None:
        """This node committed."""
        if self._task is not None:
            self._name(mark, debate)
        self._wakeups.advance(debate, head)

    def learn(self, debate: str, head: int) -> None:
        """The database says so; what was heard meanwhile may be newer."""
        known = self._wakeups.known(debate)
        if known is None or head > known:
            self._wakeups.advance(debate, head)

    @contextmanager
    def waiting(self, debate: str, position: int) -> Iterator[asyncio.Future[None]]:
        """A future that is done once the head is beyond ``position``; fails when the log closes."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="moot-postgres-listener")
        self._name(digest_before_first(debate)[:MARK_BYTES], debate)
        with self._wakeups.waiting(debate, position) as beyond:
            yield beyond

    async def close(self) -> None:
        """Whoever waits is told; the connection goes."""
        self._wakeups.close()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _name(self, mark: bytes, debate: str) -> None:
        if mark not in self._names and len(self._names) >= KNOWN_HEADS:
            self._wakeups.forget()
            self._names = {digest_before_first(name)[:MARK_BYTES]: name for name in self._wakeups.waited_for()}
        self._names[mark] = debate

    async def _run(self) -> None:
        while True:
            with suppress(psycopg.Error, OSError):
                connection = await connect(self._address)
                try:
                    await self._listen(connection)
                finally:
                    self.is_live = False
                    self._wakeups.forget()
                    connection.pgconn.finish()
            await asyncio.sleep(LONGEST_PAUSE_S / 4)

    async def _listen(self, connection: Connection) -> None:
        with cutting(connection):
            await connection.execute(f"LISTEN {CHANNEL}")
        self._wakeups.forget()   # what was heard from here on is whole; what was known before may have been passed
        self.is_live = True
        while True:
            await self._look_up(connection)
            async with aclosing(connection.notifies(timeout=POLL_S)) as heard:
                async for notify in heard:
                    if not self._hear(notify):
                        break

    def _hear(self, notify: Notify) -> bool:
        """Whether the notification said what changed; one of another form says no more than that something did."""
        try:
            node, changes = read_changed(notify.payload)
        except ValueError:
            node, changes = "", None
        if node == self._node:
            return True
        if changes is None:
            self._wakeups.forget()
            return False
        for mark, head in changes:
            if (debate := self._names.get(mark)) is not None:
                self.learn(debate, head)
        return True

    async def _look_up(self, connection: Connection) -> None:
        """Read the heads of those who are waited for."""
        if names := self._wakeups.waited_for():
            self.lookups += 1
            with cutting(connection):
                heads = await read_heads(connection, names)
            for debate, head in heads.items():
                self.learn(debate, head)
