"""What a debate has cost so far."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.types import Missing, ModelAnswered, ModelFailed


class UsageTotals(Struct, frozen=True, kw_only=True, gc=False):
    """Calls, tokens, money.  ``unpriced_calls`` counts those whose cost nobody knows.

    Of the tokens, ``cached_tokens`` were read from a vendor's cache and ``thought_tokens`` spent on thinking; absent
    where there are none.
    """

    tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0
    failed_calls: int = 0
    unpriced_calls: int = 0
    cached_tokens: int | UnsetType = UNSET
    thought_tokens: int | UnsetType = UNSET


INITIAL = UsageTotals()
MOVED_BY: Final = frozenset({ModelAnswered, ModelFailed})


def apply(tally: UsageTotals, record: Recorded) -> UsageTotals:
    """The tally after ``record``."""
    event = record.event
    if not isinstance(event, ModelAnswered | ModelFailed):
        return tally
    used, cost = event.usage, event.cost_usd
    unpriced = isinstance(cost, Missing)
    return UsageTotals(
        tokens=tally.tokens + used.input_tokens + used.output_tokens,
        cost_usd=tally.cost_usd if isinstance(cost, Missing) else round(tally.cost_usd + cost, 6),
        calls=tally.calls + 1,
        failed_calls=tally.failed_calls + isinstance(event, ModelFailed),
        unpriced_calls=tally.unpriced_calls + unpriced,
        cached_tokens=_sum(tally.cached_tokens, used.cached_tokens),
        thought_tokens=_sum(tally.thought_tokens, used.thought_tokens),
    )


def _sum(*counts: int | UnsetType) -> int | UnsetType:
    return sum(each for each in counts if each is not UNSET) or UNSET
