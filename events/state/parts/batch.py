"""The debates of a batch: those that run, those that have ended, and what they cost."""

from typing import Final, Literal

from msgspec import Struct

from events.state.growing import GrowingMap
from events.types import BatchDebateEnded
from events.types.batch import BatchDebateState

FAILED: Final = frozenset({"halted", "refused"})
"""States of a debate that is tried again when the batch is resumed."""


class BatchItem(Struct, frozen=True, kw_only=True, gc=False):
    """One debate of the plan."""

    debate: str
    attempt: int
    state: Literal["running"] | BatchDebateState
    after: int = 0
    reserved_usd: float = 0.0
    ended: BatchDebateEnded | None = None
    """How its last attempt ended."""

    @property
    def cost_usd(self) -> float:
        """What it has cost when it last ended."""
        return 0.0 if self.ended is None else self.ended.cost_usd

    @property
    def charged_usd(self) -> float:
        """What counts against the budget: of a debate that runs, all that it may cost."""
        return max(self.reserved_usd, self.cost_usd) if self.state == "running" else self.cost_usd


class BatchState(Struct, frozen=True, kw_only=True, gc=False):
    """All debates of the batch so far."""

    items: GrowingMap[str, BatchItem] = GrowingMap()
    """By key, without those that have not begun."""
    counts: dict[str, int] = {}
    """Items by state."""
    running: dict[str, BatchItem] = {}
    failed: dict[str, BatchItem] = {}
    """Those that are tried again when the batch is resumed."""
    again: tuple[str, ...] = ()
    """The keys of those that are due again."""
    failed_in_a_row: dict[str, int] = {}
    """By provider, since a debate with one of its models concluded or the batch was resumed."""
    spent_usd: float = 0.0
    """Sum of the costs of the debates that have ended."""
    reserved_usd: float = 0.0
    """The most that those that run cost in all."""
    unpriced: int = 0
    """Debates of which a cost is unknown."""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """Sum of the times of all debates that have ended."""
    winners: dict[str, int] = {}


INITIAL = BatchState()
