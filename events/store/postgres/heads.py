"""Last positions of debates, from this node's commits and from the notifications of other nodes.

A known head is right while notifications arrive without a gap, since each batch of each node names its debates.  When
the connection is lost, all heads are forgotten; once it is back, and every few seconds, the heads of debates with
waiting readers are read from the database.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from events.record import digest_before_first
from events.store.postgres.batch import CHANNEL, MARK_BYTES, read_changed
from events.store.postgres.connection import Connection
from events.store.postgres.listener import ChannelHandler, NotificationListener
from events.store.postgres.rows import read_heads
from events.store.wakeups import KNOWN_HEADS, Wakeups


class HeadTracker:
    """The heads that this node knows.  ``node`` is its own name: it ignores its own notifications."""

    def __init__(self, listener: NotificationListener, node: str) -> None:
        self._listener, self._node = listener, node
        self._wakeups = Wakeups()
        self._names: dict[bytes, str] = {}
        self._listens = False

    def known(self, debate: str) -> int | None:
        """The head, or None if it must be read."""
        return self._wakeups.known(debate) if self._listener.is_live else None

    def committed(self, debate: str, mark: bytes, head: int) -> None:
        """Set the head after a commit of this node."""
        if self._listens:
            self._name(mark, debate)
        self._wakeups.advance(debate, head)

    def end(self, debate: str) -> None:
        """The debate is deleted: its waiting readers get ``UnknownDebate``."""
        self._wakeups.end(debate)

    def _learn_or_end(self, debate: str, head: int) -> None:
        if head:
            self.learn(debate, head)
        else:
            self.end(debate)

    def learn(self, debate: str, head: int) -> None:
        """Set the head that was read from the database, unless a newer one is known."""
        known = self._wakeups.known(debate)
        if known is None or head > known:
            self._wakeups.advance(debate, head)

    @contextmanager
    def waiting(self, debate: str, position: int) -> Iterator[asyncio.Future[None]]:
        """A future that is done once there are records after ``position``; fails when the log closes."""
        if not self._listens:
            self._listens = True
            self._listener.listen(
                CHANNEL, ChannelHandler(receive=self._receive, look_up=self._look_up, lost=self._wakeups.forget)
            )
        self._name(digest_before_first(debate)[:MARK_BYTES], debate)
        with self._wakeups.waiting(debate, position) as beyond:
            yield beyond

    def close(self) -> None:
        """Fail all waiting readers."""
        self._wakeups.close()

    def _name(self, mark: bytes, debate: str) -> None:
        if mark not in self._names and len(self._names) >= KNOWN_HEADS:
            self._wakeups.forget()
            self._names = {digest_before_first(name)[:MARK_BYTES]: name for name in self._wakeups.waited_for()}
        self._names[mark] = debate

    def _receive(self, payload: str) -> bool:
        """Read a notification.  If it names no debates, the heads with waiting readers are looked up.

        A deleted debate has the head 0.
        """
        try:
            node, changes = read_changed(payload)
        except ValueError:
            node, changes = "", None
        if node == self._node:
            return True
        if changes is None:
            self._wakeups.forget()
            return False
        for mark, head in changes:
            if (debate := self._names.get(mark)) is not None:
                self._learn_or_end(debate, head)
        return True

    async def _look_up(self, connection: Connection) -> None:
        """Read the heads of debates with waiting readers."""
        if names := self._wakeups.waited_for():
            for debate, head in (await read_heads(connection, names)).items():
                self._learn_or_end(debate, head)
