"""Retries of a failed call: which failures count, how many are allowed, and the wait before the next attempt.

Some failures show how a model must be asked (``ADAPTED``).  The first one of each such kind does not count, and the
call is repeated at once.  An outage of the vendor passes: such calls get more attempts, further apart.
"""

from collections.abc import Collection, Sequence
from typing import Final

from events.state.transcript import OUTAGES
from events.types.opening import DebateSettings
from providers.errors import PromptCut, Starved, ThinkingAsText

ADAPTED: Final = frozenset(each.kind for each in (Starved, ThinkingAsText, PromptCut))
LONGEST_DELAY_MS: Final = 30_000


def is_forgiven(kind: str, earlier: Collection[str]) -> bool:
    """Whether a failure does not count: its kind shows how to ask, and it is the first failure of this kind."""
    return kind in ADAPTED and kind not in earlier


def count_tries(kinds: Sequence[str]) -> int:
    """The failures that count as tries.  ``kinds`` in the order of the failures."""
    return sum(not is_forgiven(kind, kinds[:number]) for number, kind in enumerate(kinds))


def count_outages(kinds: Sequence[str]) -> int:
    """The failures that were the vendor's."""
    return sum(kind in OUTAGES for kind in kinds)


def is_exhausted(tries: int, outages: int, attempts: int, settings: DebateSettings) -> bool:
    """Whether no attempt is left after so many tries, ``outages`` of them the vendor's."""
    return tries - outages >= attempts or tries >= max(attempts, settings.outage_attempts)


def delay_ms(tries: int, settings: DebateSettings) -> int:
    """Milliseconds before the next attempt: doubled with each try, at most ``LONGEST_DELAY_MS``."""
    return min(settings.retry_ms * 2 ** (tries - 1), LONGEST_DELAY_MS) if tries else 0
