"""Format ``batch``: which debates of the plan begin, and what follows when one of them ends.

A debate begins if its providers have room, and if the budget holds its cap besides what has been spent and the caps of
the debates that run.  That it is planned is recorded before it is opened, with its id: so it is opened once, whatever
ends in between.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.record import Draft, Recorded
from events.state.debate import Debate
from events.state.parts.batch import INITIAL as NONE_BEGUN
from events.state.parts.batch import BatchState
from events.text.figures import rounded
from events.types import (
    BatchDebateEnded,
    BatchDebatePlanned,
    BatchPart,
    BatchPlan,
    DebateConcluded,
    DebateOpened,
    DebatePaused,
    Winner,
)
from events.types.batch import BatchDebateState
from judge.live.event_batch import EventBatch
from providers.catalog.addresses import BATCH
from server.debate.formats.batch.opening import labels_of
from server.debate.formats.batch.plan import PlannedDebate, id_of, is_as_planned, judge_of, planned
from server.debate.formats.halts import cost_cap, halt
from server.debate.formats.steps import Open, Step, record

AT_ONCE: Final = 8
"""Debates at the same time with models of one provider, where the plan does not say."""
IN_BATCH: Final = 200
"""Those with a model that answers by a vendor's batches."""
SLACK_USD: Final = 1e-9
"""Sums of decimal fractions are not exact."""
GONE: Final = frozenset({"deleted", "refused"})
"""Ends of a debate that cannot be read: what it cost before still counts."""
OTHER_PLAN: Final = (
    "this version of Moot would plan other debates than those that the batch began with. Go on with the version that"
    " began it, or begin a new batch."
)


class Rested(Struct, frozen=True, kw_only=True):
    """How a debate ended, and what it took."""

    state: BatchDebateState
    position: int = 0
    winner: Winner | UnsetType = UNSET
    by_rule: str | UnsetType = UNSET
    reason: str = ""
    provider: str = ""
    cost_usd: float = 0.0
    unpriced: str = ""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now."""
    opened, batch = debate.opened, debate.batch or NONE_BEGUN
    if opened is None or opened.batch is UNSET or debate.status.state != "open":
        return ()
    if not is_as_planned(opened.batch):
        return (halt(OTHER_PLAN, debate.course),)
    if begin := begun(debate, opened, opened.batch):
        return record([Draft(event=each, cause=debate.course) for each in begin])
    if batch.running:
        return tuple(_open(debate, opened.batch, key) for key in batch.running)
    if next(_due(batch, opened.batch), None) is not None:
        return (halt(_unaffordable(debate, opened, opened.batch), debate.course),)
    if batch.failed:
        return (halt(_failed(batch), debate.course),)
    return record([Draft(event=DebateConcluded(winner="neither", by_rule="batch"), cause=debate.course)])


def begun(debate: Debate, opened: DebateOpened, plan: BatchPlan) -> list[BatchDebatePlanned]:
    """The debates that begin now, in the order of the plan."""
    batch, budget, found = debate.batch or NONE_BEGUN, cost_cap(debate, opened), list[BatchDebatePlanned]()
    debates = planned(plan)
    room = Counter(name for key in batch.running for name in debates[key].providers)
    cap = plan.each.get("max_cost_usd") or 0.0
    committed = batch.spent_usd + batch.reserved_usd
    limits = {name: most_at_once(plan, name) for each in plan.models for name in _providers(each.pro, each.con)}
    limits |= {name: most_at_once(plan, name) for each in plan.judges for name in _providers(judge_of(each))}
    for each in _due(batch, plan):
        if all(room[name] >= most for name, most in limits.items()):
            break
        if any(room[name] >= limits[name] for name in each.providers):
            continue
        before = batch.items.get(each.key)
        ended = before.ended if before is not None else None
        further = max(cap - (ended.cost_usd if ended is not None else 0.0), 0.0)
        if budget is not None and committed + further > budget + SLACK_USD:
            break
        committed += further
        room.update(each.providers)
        found.append(
            BatchDebatePlanned(
                key=each.key,
                attempt=1 if before is None else before.attempt + 1,
                debate=id_of(debate.id, each.key),
                after=0 if ended is None else ended.position,
                reserved_usd=cap,
            )
        )
    return found


def most_at_once(plan: BatchPlan, provider: str) -> int:
    """The most debates at the same time with models of a provider."""
    return plan.at_once.get(provider, IN_BATCH if provider in BATCH else AT_ONCE)


def _providers(*models: str) -> Iterator[str]:
    return (each.partition(":")[0] for each in models)


def _due(batch: BatchState, plan: BatchPlan) -> Iterator[PlannedDebate]:
    """The debates that have not begun, in the order of the plan, then those that are tried again."""
    debates = planned(plan)
    yield from (each for key, each in debates.items() if key not in batch.items)
    yield from (debates[key] for key in batch.again)


def _open(debate: Debate, plan: BatchPlan, key: str) -> Open:
    item = (debate.batch or NONE_BEGUN).running[key]
    return Open(
        debate=item.debate,
        request=partial(planned(plan)[key].body, plan),
        part_of=BatchPart(batch=debate.id, key=key),
        labels=labels_of(plan, debate.labels.link),
        after=item.after,
        follows=partial(_ended, key=key, debate_id=item.debate),
        then=partial(_then, plan),
    )


def _then(plan: BatchPlan, debate: Debate, records: Sequence[Recorded]) -> Sequence[Open]:
    """The debates that these records have planned."""
    fresh = [each.event.key for each in records if isinstance(each.event, BatchDebatePlanned)]
    return [_open(debate, plan, key) for key in fresh if key in (debate.batch or NONE_BEGUN).running]


def _ended(debate: Debate, rested: Rested, *, key: str, debate_id: str) -> Sequence[Draft]:
    """The end of a debate, and the debates that begin now: one batch of events, so that the sums are never behind."""
    opened, item = debate.opened, (debate.batch or NONE_BEGUN).running.get(key)
    if opened is None or opened.batch is UNSET or item is None or item.debate != debate_id:
        return []
    before = item.ended if item.ended is not None and rested.state in GONE else None
    ended = BatchDebateEnded(
        key=key,
        attempt=item.attempt,
        debate=item.debate,
        state=rested.state,
        position=rested.position,
        winner=rested.winner,
        by_rule=rested.by_rule,
        reason=rested.reason or UNSET,
        provider=rested.provider or UNSET,
        providers=planned(opened.batch)[key].providers if rested.state == "concluded" else (),
        cost_usd=rested.cost_usd if before is None else before.cost_usd,
        unpriced=rested.unpriced or UNSET,
        calls=rested.calls if before is None else before.calls,
        tokens=rested.tokens if before is None else before.tokens,
        seconds=rested.seconds if before is None else before.seconds,
    )
    after = EventBatch(debate)
    after.add(ended, debate.course)
    if debate.status.state != "open":
        return after.drafts
    if why := _why_paused(after.debate, opened.batch, ended):
        after.add(DebatePaused(reason=why, by="moot"), debate.position + 1)
        return after.drafts
    for each in begun(after.debate, opened, opened.batch):
        after.add(each, debate.position + 1)
    return after.drafts


def _why_paused(debate: Debate, plan: BatchPlan, ended: BatchDebateEnded) -> str:
    """Why no further debate begins: a provider does not answer any more.  Empty if it does."""
    provider = ended.provider
    if provider is UNSET or (debate.batch or NONE_BEGUN).failed_in_a_row.get(provider, 0) < plan.in_a_row:
        return ""
    last = "" if ended.reason is UNSET else f", last: {ended.reason}"
    return f"{plan.in_a_row} debates in a row failed at {provider}{last}. Mend the cause and resume the batch."


def _unaffordable(debate: Debate, opened: DebateOpened, plan: BatchPlan) -> str:
    budget, left = cost_cap(debate, opened), plan.debates - _begun(debate.batch or NONE_BEGUN)
    spent, cap = (debate.batch or NONE_BEGUN).spent_usd, plan.each.get("max_cost_usd") or 0.0
    which = "1 debate has" if left == 1 else f"{left} debates have"
    if not left:
        which = "debates that failed have"
    return (
        f"the budget is spent: {rounded(spent, 4)} of {rounded(budget or 0.0, 4)} USD, and {which} no room for a cap of"
        f" {rounded(cap, 4)} USD; resume the batch with a higher budget"
    )


def _begun(batch: BatchState) -> int:
    return sum(batch.counts.values())


def _failed(batch: BatchState) -> str:
    key, item = next(iter(batch.failed.items()))
    why = "" if item.ended is None or item.ended.reason is UNSET else f" ({key}: {item.ended.reason})"
    of = _begun(batch)
    which = f"1 of {of} debates" if len(batch.failed) == 1 else f"{len(batch.failed)} of {of} debates"
    return f"{which} failed{why}; all others have ended. Mend the cause and resume the batch: it tries them again."
