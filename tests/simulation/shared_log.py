"""A log that several nodes share.  Each node has its own access to it, which is slow, fails, or lags behind.

The log is the real one in memory.  A node's epoch is checked against the debate's lease in the same step as the append,
as the database does it.  Each node learns of a commit after a random delay.
"""

import asyncio
import random
from collections.abc import Callable, Sequence

from events.clock import Clock
from events.cluster.leases import Lease, Node
from events.errors import Fenced, StoreUnavailable
from events.record import Draft, Envelope, Recorded
from events.store.listing import ALL, Limits
from events.store.log import SearchPage, SummaryPage
from events.store.memory import MemoryLog
from events.store.tombstone import Tombstone
from events.store.wakeups import Wakeups
from events.types import Event
from events.view import view as views
from events.view.view import Fold
from tests.simulation.loop import VirtualLoop


class DebateLease:
    """The node that runs a debate, and until when."""

    def __init__(self) -> None:
        self.owner: str | None = None
        self.epoch = 0
        self.until = 0.0


class SharedLog(MemoryLog):
    """The log behind all nodes.  It also records what the checks need."""

    def __init__(self, loop: VirtualLoop, lease_s: float, clock: Clock) -> None:
        super().__init__(clock)
        self.loop, self.lease_s, self.clock = loop, lease_s, clock
        self.logs: list[NodeLog] = []
        self.leases: dict[str, DebateLease] = {}
        self.writing: tuple[str, int] = ("", 0)
        """Node and epoch of the current append."""
        self.claims: list[tuple[str, int]] = [("", 0)]
        self.stale_appends: list[str] = []
        """Appends that were accepted from a node that had lost the debate."""
        self.fenced = 0
        self.committed: Callable[[str, int, int], None] = lambda *_: None
        """Called at each commit with node, epoch and head."""
        self._folds: list[Fold] = [views.INITIAL]

    def records(self, debate: str) -> Sequence[Recorded]:
        """All committed records."""
        return self._debates.get(debate, [])

    def fold(self, debate: str, position: int) -> Fold:
        """The fold at a position.  There is only one debate."""
        records = self._debates[debate]
        while len(self._folds) <= position:
            self._folds.append(views.apply(self._folds[-1], records[len(self._folds) - 1]))
        return self._folds[position]

    def lease(self, debate: str) -> DebateLease:
        """The debate's lease."""
        return self.leases.setdefault(debate, DebateLease())

    def claim(self, debate: str, node: str) -> int:
        """Give the debate to a node; the new epoch."""
        lease = self.lease(debate)
        lease.owner, lease.epoch, lease.until = node, lease.epoch + 1, self.loop.now + self.lease_s
        self.claims.append((node, lease.epoch))
        return lease.epoch

    def refusal(self, debate: str, node: str, held: int | None) -> Fenced | None:
        """Why a node may not append; None if it may."""
        lease = self.lease(debate)
        if not lease.epoch or (lease.owner == node and lease.epoch == held):
            return None
        return Fenced(debate, held, lease.owner, lease.epoch)

    def _take(self, debate: str, records: tuple[Recorded, ...]) -> None:
        if records and self.writing != self.claims[-1]:
            self.stale_appends.append(
                f"{self.writing} wrote {records[0].position} while {self.claims[-1]} had the debate"
            )
        super()._take(debate, records)
        self.committed(*self.writing, len(self._debates[debate]))
        for log in self.logs:
            log.announce(debate, len(self._debates[debate]))


class NodeLog:
    """The ``EventLog`` of one node."""

    def __init__(self, shared: SharedLog, node: str, rng: random.Random, *, lag_s: float) -> None:
        self.shared, self.node, self.lag_s = shared, node, lag_s
        self.epochs: dict[str, int] = {}
        self.trouble: StoreUnavailable | None = None
        self.fails_until = self.paused_until = 0.0
        self.loss_rate = 0.0
        """Share of the appends whose request or answer is lost."""
        self._rng, self._wakeups = rng, Wakeups()
        self._known: dict[str, int] = {}
        shared.logs.append(self)

    def announce(self, debate: str, head: int) -> None:
        """Let the node notice a commit a while later."""
        later = self.lag_s * self._rng.random() + max(0.0, self.paused_until - self.shared.loop.now)
        self.shared.loop.call_later(later, self._notice, debate, head)

    def _notice(self, debate: str, head: int) -> None:
        if head > self._known.get(debate, 0):
            self._known[debate] = head
            self._wakeups.advance(debate, head)

    @property
    def queued(self) -> tuple[int, int]:
        """See ``EventLog``."""
        return 0, 0

    @property
    def silence_s(self) -> float:
        """See ``EventLog``."""
        return 0.0

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return self._known.get(debate)

    @property
    def waited_for(self) -> tuple[str, ...]:
        """Debates that a reader waits for."""
        return self._wakeups.waited_for()

    async def _travel(self, most_s: float) -> None:
        """The way to the log, or back.  Raises ``StoreUnavailable`` while the node's access fails."""
        loop = self.shared.loop
        if self._rng.random() < 0.5:
            await asyncio.sleep(most_s * self._rng.random())
        while (left := self.paused_until - loop.now) > 0:  # noqa: ASYNC110 - it waits for time to pass
            await asyncio.sleep(left)
        if self.fails_until > loop.now:
            raise StoreUnavailable("the disk failed")

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``.  Raises ``Fenced``."""
        await self._travel(0.02)
        lost = self._rng.random() < self.loss_rate
        if lost and self._rng.random() < 0.5:
            raise StoreUnavailable("the request got lost")
        if not expected and debate not in self.epochs:
            self.epochs[debate] = self.shared.claim(debate, self.node)
        held = self.epochs.get(debate)
        if refusal := self.shared.refusal(debate, self.node, held):
            self.shared.fenced += 1
            raise refusal
        self.shared.writing = self.node, held or 0
        records = await self.shared.append(debate, expected, events)
        self._notice(debate, records[-1].position)
        if lost:
            raise StoreUnavailable("the answer got lost")
        await self._travel(0.005)
        return records

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        await self._travel(0.003)
        return await self.shared.read(debate, after, limit)

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        await self._travel(0.002)
        return await self.shared.head(debate)

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        with self._wakeups.waiting(debate, position) as beyond:
            if self._known.get(debate, 0) <= position:
                await beyond

    async def unfinished(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        return await self.shared.unfinished()

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """Not used in a schedule."""
        raise NotImplementedError

    async def delete(self, debate: str, expected: int, reason: str, *, archived: bool = False) -> Tombstone:
        """Not used in a schedule."""
        raise NotImplementedError

    async def tombstones(self, prefix: str = "") -> tuple[Tombstone, ...]:
        """See ``EventLog``."""
        return await self.shared.tombstones(prefix)

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """Not used in a schedule."""
        raise NotImplementedError

    async def summaries(
        self, after: str | None = None, limit: int = 50, query: str = "", limits: Limits = ALL
    ) -> SummaryPage:
        """Not used in a schedule."""
        raise NotImplementedError

    async def search(self, query: str, after: str | None = None, limit: int = 20) -> SearchPage:
        """Not used in a schedule."""
        raise NotImplementedError

    async def calibrations(self) -> tuple[str, ...]:
        """Not used in a schedule."""
        raise NotImplementedError

    async def unconcluded(self) -> dict[str, int]:
        """Not used in a schedule."""
        raise NotImplementedError

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """Not used in a schedule."""
        raise NotImplementedError

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """Not used in a schedule."""
        raise NotImplementedError

    async def close(self) -> None:
        """See ``EventLog``."""
        self._wakeups.close()


class NodeLeases:
    """The ``Leases`` of one node.  Held epochs are kept in ``NodeLog.epochs``, with which the node appends."""

    def __init__(self, line: NodeLog) -> None:
        self.node, self._log, self._shared = line.node, line, line.shared

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """See ``Leases``."""
        taken: list[Lease] = []
        for debate in await self._log.unfinished():
            if len(taken) < most and (lease := await self.claim_one(debate)):
                taken.append(lease)
        return tuple(taken)

    async def claim_one(self, debate: str) -> Lease | None:
        """See ``Leases``."""
        await self._log._travel(0.01)
        lease, held = self._shared.lease(debate), self._log.epochs.get(debate)
        if lease.owner == self.node and lease.epoch == held:
            return Lease(debate, lease.epoch)
        if lease.owner is not None and lease.owner != self.node and lease.until > self._shared.loop.now:
            return None
        self._log.epochs[debate] = self._shared.claim(debate, self.node)
        return Lease(debate, self._log.epochs[debate])

    async def renew(self) -> frozenset[str]:
        """See ``Leases``."""
        await self._log._travel(0.01)
        lost = set()
        for debate, epoch in self._log.epochs.items():
            lease = self._shared.lease(debate)
            if lease.owner == self.node and lease.epoch == epoch:
                lease.until = self._shared.loop.now + self._shared.lease_s
            else:
                lost.add(debate)
        return frozenset(lost)

    async def release(self, debate: str) -> None:
        """See ``Leases``."""
        epoch, lease = self._log.epochs.pop(debate, None), self._shared.lease(debate)
        if lease.owner == self.node and lease.epoch == epoch:
            lease.owner, lease.until = None, 0.0

    async def owner(self, debate: str) -> str | None:
        """See ``Leases``."""
        lease = self._shared.lease(debate)
        return lease.owner if lease.until > self._shared.loop.now else None

    async def nodes(self) -> tuple[Node, ...]:
        """Not used in a schedule."""
        raise NotImplementedError
