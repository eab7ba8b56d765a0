"""How the debates of a batch change its state."""

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.parts.batch import FAILED, INITIAL, BatchItem, BatchState
from events.types import BatchDebateEnded, BatchDebatePlanned, DebateResumed


def apply(before: BatchState | None, record: Recorded) -> BatchState:
    """The state after ``record``; the same object if no debate of the batch moved."""
    batch = before or INITIAL
    match record.event:
        case BatchDebatePlanned() as event:
            return _planned(batch, event)
        case BatchDebateEnded() as event:
            return _ended(batch, event)
        case DebateResumed() if batch.failed or batch.failed_in_a_row:
            again = (*batch.again, *(key for key in batch.failed if key not in batch.again))
            return replace(batch, again=again, failed_in_a_row={})
        case _:
            return batch


def _planned(batch: BatchState, event: BatchDebatePlanned) -> BatchState:
    before = batch.items.get(event.key)
    item = BatchItem(
        debate=event.debate,
        attempt=event.attempt,
        state="running",
        after=event.after,
        reserved_usd=event.reserved_usd,
        ended=before.ended if before is not None and before.debate == event.debate else None,
    )
    return replace(
        _moved(batch, event.key, before, item),
        running={**batch.running, event.key: item},
        failed={key: each for key, each in batch.failed.items() if key != event.key},
        again=tuple(key for key in batch.again if key != event.key),
    )


def _ended(batch: BatchState, event: BatchDebateEnded) -> BatchState:
    before = batch.items.get(event.key)
    item = BatchItem(debate=event.debate, attempt=event.attempt, state=event.state, ended=event)
    earlier = None if before is None else before.ended
    winner = event.winner
    return replace(
        _moved(batch, event.key, before, item),
        running={key: each for key, each in batch.running.items() if key != event.key},
        failed={**batch.failed, event.key: item} if event.state in FAILED else batch.failed,
        failed_in_a_row=_in_a_row(batch, event),
        unpriced=batch.unpriced + _is_unpriced(event) - _is_unpriced(earlier),
        calls=batch.calls + event.calls - (earlier.calls if earlier else 0),
        tokens=batch.tokens + event.tokens - (earlier.tokens if earlier else 0),
        seconds=batch.seconds + event.seconds - (earlier.seconds if earlier else 0),
        winners=batch.winners if winner is UNSET else {**batch.winners, winner: batch.winners.get(winner, 0) + 1},
    )


def _is_unpriced(ended: BatchDebateEnded | None) -> bool:
    return ended is not None and ended.unpriced is not UNSET


def _moved(batch: BatchState, key: str, before: BatchItem | None, after: BatchItem) -> BatchState:
    """The sums and counts when an item is replaced; a new debate in place of a deleted one adds to its cost."""
    counts = {**batch.counts, after.state: batch.counts.get(after.state, 0) + 1}
    spent, reserved = batch.spent_usd, batch.reserved_usd
    if before is not None:
        counts[before.state] -= 1
        if before.state == "running":
            reserved -= before.charged_usd
        elif before.debate == after.debate:
            spent -= before.cost_usd
    if after.state == "running":
        reserved += after.charged_usd
    else:
        spent += after.cost_usd
    return replace(
        batch,
        items=batch.items.with_({key: after}),
        counts=counts,
        spent_usd=round(spent, 9),
        reserved_usd=round(reserved, 9),
    )


def _in_a_row(batch: BatchState, event: BatchDebateEnded) -> dict[str, int]:
    """Failures in a row by provider: one that concludes a debate anywhere answers again."""
    failed = batch.failed_in_a_row
    if event.state in FAILED and event.provider is not UNSET:
        return {**failed, event.provider: failed.get(event.provider, 0) + 1}
    if event.state != "concluded" or not failed:
        return failed
    answering = set(event.providers)
    return {name: number for name, number in failed.items() if name not in answering}
