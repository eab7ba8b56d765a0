"""Calls, tokens and cost of a debate so far."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.text.figures import rounded
from events.types import Missing, ModelAnswered, ModelFailed


class UsageTotals(Struct, frozen=True, kw_only=True, gc=False):
    """Totals.  ``unpriced_calls`` counts calls whose cost is unknown or known in part: ``cost_usd`` is then a minimum.

    ``cached_tokens`` were read from a vendor's cache, ``thought_tokens`` were spent on thinking; both are part of
    ``tokens`` and absent if there are none.
    """

    tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0
    failed_calls: int = 0
    unpriced_calls: int = 0
    cached_tokens: int | UnsetType = UNSET
    thought_tokens: int | UnsetType = UNSET


def in_usd(totals: UsageTotals) -> str:
    """The cost as a sum of the terminal and of exports: a minimum if the cost of a call is unknown."""
    return f"{'at least ' if totals.unpriced_calls else ''}{rounded(totals.cost_usd, 4)} USD"


INITIAL = UsageTotals()
MOVED_BY: Final = frozenset({ModelAnswered, ModelFailed})


def apply(totals: UsageTotals, record: Recorded) -> UsageTotals:
    """The totals after ``record``."""
    event = record.event
    if not isinstance(event, ModelAnswered | ModelFailed):
        return totals
    used, cost = event.usage, event.cost_usd
    has_failed = isinstance(event, ModelFailed) and not event.is_cut_off
    unpriced = isinstance(cost, Missing) or (isinstance(event, ModelFailed) and event.at_least is True)
    return UsageTotals(
        tokens=totals.tokens + used.input_tokens + used.output_tokens,
        cost_usd=totals.cost_usd if isinstance(cost, Missing) else round(totals.cost_usd + cost, 6),
        calls=totals.calls + 1,
        failed_calls=totals.failed_calls + has_failed,
        unpriced_calls=totals.unpriced_calls + unpriced,
        cached_tokens=_sum(totals.cached_tokens, used.cached_tokens),
        thought_tokens=_sum(totals.thought_tokens, used.thought_tokens),
    )


def _sum(*counts: int | UnsetType) -> int | UnsetType:
    return sum(each for each in counts if each is not UNSET) or UNSET
