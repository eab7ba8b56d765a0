"""One log that several nodes share, each through a line of its own: slow, failing, cut off, and fenced.

The log is the real one in memory.  A node's epochs and leases are held against the log's row of the debate in the
very step in which it is written, as the database does; who hears of a commit when is drawn at random.
"""

import asyncio
import random
from collections.abc import Callable, Sequence

from events.clock import Clock
from events.cluster.leases import Lease, Node
from events.errors import Fenced, StoreUnavailable
from events.record import Draft, Envelope, Recorded
from events.store.log import SummaryPage
from events.store.memory import MemoryLog
from events.store.wakeups import Wakeups
from events.types import Event
from events.view import view as views
from events.view.view import Fold
from tests.simulation.loop import Loop


class Row:
    """Who runs a debate."""

    def __init__(self) -> None:
        self.owner: str | None = None
        self.epoch = 0
        self.until = 0.0


class Shared(MemoryLog):
    """The log behind all lines, with what a witness writes down beside it."""

    def __init__(self, loop: Loop, lease_s: float, clock: Clock) -> None:
        super().__init__(clock)
        self.loop, self.lease_s, self.clock = loop, lease_s, clock
        self.lines: list[Line] = []
        self.rows: dict[str, Row] = {}
        self.writing: tuple[str, int] = ("", 0)
        """Node and epoch of the append that is being done."""
        self.claims: list[tuple[str, int]] = [("", 0)]
        self.strays: list[str] = []
        """Appends that were accepted of somebody who had lost the debate."""
        self.fenced = 0
        self.committed: Callable[[str, int, int], None] = lambda *_: None
        """Told of each commit: node, epoch, head."""
        self._folds: list[Fold] = [views.INITIAL]

    def records(self, debate: str) -> Sequence[Recorded]:
        """All that was committed."""
        return self._debates.get(debate, [])

    def fold(self, debate: str, position: int) -> Fold:
        """The witness's own fold at a position.  There is one debate."""
        records = self._debates[debate]
        while len(self._folds) <= position:
            self._folds.append(views.apply(self._folds[-1], records[len(self._folds) - 1]))
        return self._folds[position]

    def row(self, debate: str) -> Row:
        """The debate's row."""
        return self.rows.setdefault(debate, Row())

    def claim(self, debate: str, node: str) -> int:
        """Take the debate over: its new epoch."""
        row = self.row(debate)
        row.owner, row.epoch, row.until = node, row.epoch + 1, self.loop.now + self.lease_s
        self.claims.append((node, row.epoch))
        return row.epoch

    def refusal(self, debate: str, node: str, held: int | None) -> Fenced | None:
        """Why a node may not write."""
        row = self.row(debate)
        if not row.epoch or (row.owner == node and row.epoch == held):
            return None
        return Fenced(debate, held, row.owner, row.epoch)

    def _take(self, debate: str, records: tuple[Recorded, ...]) -> None:
        if records and self.writing != self.claims[-1]:
            self.strays.append(f"{self.writing} wrote {records[0].position} while {self.claims[-1]} had the debate")
        super()._take(debate, records)
        self.committed(*self.writing, len(self._debates[debate]))
        for line in self.lines:
            line.tell(debate, len(self._debates[debate]))


class Line:
    """``EventLog`` and ``Leases`` as one node has them."""

    def __init__(self, shared: Shared, node: str, chance: random.Random, *, lag_s: float) -> None:
        self.shared, self.node, self.lag_s = shared, node, lag_s
        self.epochs: dict[str, int] = {}
        self.trouble: StoreUnavailable | None = None
        self.fails_until = self.paused_until = 0.0
        self.loses_answers = 0.0
        """Share of the appends whose answer, or whose very request, gets lost."""
        self._chance, self._wakeups = chance, Wakeups()
        self._known: dict[str, int] = {}
        shared.lines.append(self)

    def tell(self, debate: str, head: int) -> None:
        """A commit: heard a while later."""
        later = self.lag_s * self._chance.random() + max(0.0, self.paused_until - self.shared.loop.now)
        self.shared.loop.call_later(later, self._hear, debate, head)

    def _hear(self, debate: str, head: int) -> None:
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
        """Debates that somebody waits for."""
        return self._wakeups.waited_for()

    async def _way(self, most_s: float) -> None:
        """To the log, or back."""
        loop = self.shared.loop
        if self._chance.random() < 0.5:
            await asyncio.sleep(most_s * self._chance.random())
        while (left := self.paused_until - loop.now) > 0:  # noqa: ASYNC110 - it is time that is waited for
            await asyncio.sleep(left)
        if self.fails_until > loop.now:
            raise StoreUnavailable("the disk failed")

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``.  Raises ``Fenced``, too."""
        await self._way(0.02)
        lost = self._chance.random() < self.loses_answers
        if lost and self._chance.random() < 0.5:
            raise StoreUnavailable("the request got lost")
        if not expected and debate not in self.epochs:
            self.epochs[debate] = self.shared.claim(debate, self.node)
        held = self.epochs.get(debate)
        if refusal := self.shared.refusal(debate, self.node, held):
            self.shared.fenced += 1
            raise refusal
        self.shared.writing = self.node, held or 0
        records = await self.shared.append(debate, expected, events)
        self._hear(debate, records[-1].position)
        if lost:
            raise StoreUnavailable("the answer got lost")
        await self._way(0.005)
        return records

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        await self._way(0.003)
        return await self.shared.read(debate, after, limit)

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        await self._way(0.002)
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
        """Nobody imports in a schedule."""
        raise NotImplementedError

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """Nor exports."""
        raise NotImplementedError

    async def summaries(self, after: str | None = None, limit: int = 50, query: str = "") -> SummaryPage:
        """Nor lists."""
        raise NotImplementedError

    async def calibrations(self) -> tuple[str, ...]:
        """Nor measures raters."""
        raise NotImplementedError

    async def unconcluded(self) -> dict[str, int]:
        """Nobody counts here."""
        raise NotImplementedError

    async def close(self) -> None:
        """See ``EventLog``."""
        self._wakeups.close()


class LineLeases:
    """``Leases`` of a node; what is held is written to ``line.epochs``, with which it appends."""

    def __init__(self, line: Line) -> None:
        self.node, self._line, self._shared = line.node, line, line.shared

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """See ``Leases``."""
        taken: list[Lease] = []
        for debate in await self._line.unfinished():
            if len(taken) < most and (lease := await self.claim_one(debate)):
                taken.append(lease)
        return tuple(taken)

    async def claim_one(self, debate: str) -> Lease | None:
        """See ``Leases``."""
        await self._line._way(0.01)
        row, held = self._shared.row(debate), self._line.epochs.get(debate)
        if row.owner == self.node and row.epoch == held:
            return Lease(debate, row.epoch)
        if row.owner is not None and row.owner != self.node and row.until > self._shared.loop.now:
            return None
        self._line.epochs[debate] = self._shared.claim(debate, self.node)
        return Lease(debate, self._line.epochs[debate])

    async def renew(self) -> frozenset[str]:
        """See ``Leases``."""
        await self._line._way(0.01)
        lost = set()
        for debate, epoch in self._line.epochs.items():
            row = self._shared.row(debate)
            if row.owner == self.node and row.epoch == epoch:
                row.until = self._shared.loop.now + self._shared.lease_s
            else:
                lost.add(debate)
        return frozenset(lost)

    async def release(self, debate: str) -> None:
        """See ``Leases``."""
        epoch, row = self._line.epochs.pop(debate, None), self._shared.row(debate)
        if row.owner == self.node and row.epoch == epoch:
            row.owner, row.until = None, 0.0

    async def owner(self, debate: str) -> str | None:
        """See ``Leases``."""
        row = self._shared.row(debate)
        return row.owner if row.until > self._shared.loop.now else None

    async def nodes(self) -> tuple[Node, ...]:
        """Nobody asks."""
        raise NotImplementedError
