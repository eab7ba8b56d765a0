"""The state of one schedule that all its parts share: clock, log, nodes, the trace, and how far it has come."""

import asyncio
import random
from collections.abc import Awaitable
from hashlib import blake2b
from typing import Any, Final

from server.settings import Settings
from tests.simulation.client import Oracle
from tests.simulation.clock import virtual_clock
from tests.simulation.loop import VirtualLoop
from tests.simulation.node import RandomProvider, SimulatedNode
from tests.simulation.plan import Plan
from tests.simulation.shared_log import NodeLog, SharedLog

IDLE_S: Final = 4.0


class World:
    """The log, the nodes and the trace of one schedule."""

    def __init__(self, seed: int, loop: VirtualLoop, plan: Plan, rng: random.Random, *, keep: bool) -> None:
        """``keep``: whether the lines of the trace are kept beside their digest."""
        self.seed, self.loop, self.plan, self.rng = seed, loop, plan, rng
        self.shared = SharedLog(loop, plan.lease_s, virtual_clock(loop, random.Random(seed)))
        self.shared.committed = self._committed
        self.oracle = Oracle(self.shared, "")
        self.debate = ""
        self.is_calm = False
        """Whether nothing goes wrong any more."""
        self.is_over = False
        """Whether the clients leave."""
        self.messages = self.resumes = self.slow = 0
        self.lines: list[str] = []
        self._digest, self._keep = blake2b(digest_size=8), keep
        settings = Settings(store="memory:", tick_ms=plan.tick_ms, slow_reader_s=plan.slow_reader_s)
        provider = RandomProvider(self.oracle, self.fork(), longest=plan.longest, break_rate=plan.break_rate)
        self.nodes = [
            SimulatedNode(
                NodeLog(self.shared, f"node{number}", self.fork(), lag_s=plan.lag_s),
                provider,
                settings,
                idle_s=IDLE_S,
                ping_s=20.0,
                ring=plan.ring,
                recent=plan.recent,
                page=plan.page,
            )
            for number in range(plan.nodes)
        ]

    def fork(self) -> random.Random:
        """A generator of its own for one part of the schedule."""
        return random.Random(self.rng.random())

    @property
    def digest(self) -> str:
        """The digest of the trace."""
        return self._digest.hexdigest()

    def note(self, *what: object) -> None:
        """Add a line to the trace."""
        line = f"{self.loop.now:.6f} {what}"
        self._digest.update(line.encode())
        if self._keep:
            self.lines.append(line)

    def start(self, work: Awaitable[Any]) -> None:
        """Start a task.  An error of it ends the schedule."""

        def done(task: asyncio.Task[Any]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self.loop.fail(error)

        asyncio.ensure_future(work).add_done_callback(done)

    def _committed(self, node: str, epoch: int, head: int) -> None:
        self.note(node, "commits", epoch, head)
