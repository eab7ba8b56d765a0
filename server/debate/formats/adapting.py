"""Which failures count, how many are too many, and how long is waited before the next attempt.

A failure that shows how a model must be asked is nobody's the first time, and is made good at once.  A vendor's outage
passes: more attempts are made, further apart.
"""

from collections.abc import Collection, Sequence
from typing import Final

from events.state.transcript import OUTAGES
from events.types.opening import DebateSettings
from providers.errors import PromptCut, Starved, ThoughtAloud

ADAPTED: Final = frozenset(each.kind for each in (Starved, ThoughtAloud, PromptCut))


def is_forgiven(kind: str, earlier: Collection[str]) -> bool:
    """Whether a failure does not count: of a kind that shows how to ask, and none of that kind came before it."""
    return kind in ADAPTED and kind not in earlier


def counted(kinds: Sequence[str]) -> int:
    """How many failures count as tries; ``kinds`` in their order."""
    return sum(not is_forgiven(kind, kinds[:number]) for number, kind in enumerate(kinds))


def is_over(tries: int, outages: int, attempts: int, settings: DebateSettings) -> bool:
    """Whether so many failures are too many; ``outages`` of them were the vendor's."""
    return tries - outages >= attempts or tries >= max(attempts, settings.outage_attempts)


def outages_in(kinds: Sequence[str]) -> int:
    """How many failures were the vendor's."""
    return sum(kind in OUTAGES for kind in kinds)


def delay_ms(tries: int, settings: DebateSettings) -> int:
    """Milliseconds before the next attempt: twice as many each time, up to half a minute."""
    return min(settings.retry_ms * 2 ** (tries - 1), LONGEST_DELAY_MS) if tries else 0


LONGEST_DELAY_MS: Final = 30_000
