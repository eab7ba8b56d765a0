"""A batch as the page shows it: how many debates are done, run, failed and wait, and what they cost."""

from itertools import islice
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.parts.batch import INITIAL as NONE_BEGUN

MAX_FAILURES: Final = 50
"""Failed debates that the view names; all are in the log."""


class BatchDebateView(Struct, frozen=True, kw_only=True, gc=False):
    """One debate that runs or has failed."""

    debate: str
    attempt: int
    reason: str | UnsetType = UNSET
    """Why it cannot go on."""


class BatchView(Struct, frozen=True, kw_only=True, gc=False):
    """The whole batch.  Each planned debate is counted once, by its state."""

    name: str
    debates: int
    waiting: int
    running: int
    concluded: int
    failed: int
    """Halted or refused: they are tried again when the batch is resumed."""
    deleted: int
    spent_usd: float
    reserved_usd: float
    """The caps of the debates that run."""
    budget_usd: float | UnsetType = UNSET
    unpriced: int | UnsetType = UNSET
    """Debates with a call of unknown cost, if there are any: ``spent_usd`` is then a minimum."""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """Sum of the times of all debates that have ended."""
    winners: dict[str, int] = {}
    runs: dict[str, BatchDebateView] = {}
    """The debates that run, by key."""
    failures: dict[str, BatchDebateView] = {}
    """At most ``MAX_FAILURES`` of those that failed, by key."""


def batch_view(debate: Debate) -> BatchView | UnsetType:
    """The view of the batch; unset in other formats."""
    if debate.opened is None or debate.opened.batch is UNSET:
        return UNSET
    plan, batch = debate.opened.batch, debate.batch or NONE_BEGUN
    counts, again = batch.counts, set(batch.again)
    failed = {key: each for key, each in batch.failed.items() if key not in again}
    cap = debate.status.max_cost_usd
    return BatchView(
        name=plan.name,
        debates=plan.debates,
        waiting=plan.debates - sum(counts.values()) + len(again),
        running=counts.get("running", 0),
        concluded=counts.get("concluded", 0),
        failed=len(failed),
        deleted=counts.get("deleted", 0),
        spent_usd=batch.spent_usd,
        reserved_usd=batch.reserved_usd,
        budget_usd=debate.opened.settings.max_cost_usd if cap is None else cap,
        unpriced=batch.unpriced or UNSET,
        calls=batch.calls,
        tokens=batch.tokens,
        seconds=round(batch.seconds, 1),
        winners=batch.winners,
        runs={key: BatchDebateView(debate=each.debate, attempt=each.attempt) for key, each in batch.running.items()},
        failures={
            key: BatchDebateView(
                debate=each.debate, attempt=each.attempt, reason=UNSET if each.ended is None else each.ended.reason
            )
            for key, each in islice(failed.items(), MAX_FAILURES)
        },
    )
