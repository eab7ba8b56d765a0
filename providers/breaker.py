"""A circuit breaker: a provider in trouble is left alone for a while, and then tried by one call.

Closed: calls go through.  After ``FAILURES`` failures in a row it opens for ``REST_S``, doubled each time that the
trial fails, up to ``LONGEST_REST_S``.  Then one call is let through; if it succeeds the breaker closes.
Source: Nygard, Release It!, 2nd ed., section 5.2.
"""

import time
from collections.abc import Callable
from typing import Final

from .errors import NotAuthorised, Overloaded, ProviderError, RateLimited, TimedOut, Unreachable

FAILURES: Final = 5
REST_S: Final = 15.0
LONGEST_REST_S: Final = 240.0
TROUBLE: Final = (Unreachable, Overloaded, TimedOut, NotAuthorised)
"""Failures that say something of the provider and not of the one question."""


class Breaker:
    """One provider's."""

    def __init__(self, name: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._name, self._clock = name, clock
        self._failures, self._rest_s, self._opens_at = 0, REST_S, 0.0
        self._trial = False
        self._kind: type[ProviderError] = Unreachable
        self.last = ""
        """What went wrong last."""

    @property
    def rests_s(self) -> float:
        """Seconds until the next trial; 0 while calls go through."""
        return max(0.0, self._opens_at - self._clock()) if self._failures >= FAILURES else 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are held back, but for one trial once the rest is over."""
        return self._failures >= FAILURES

    @property
    def is_tried(self) -> bool:
        """Whether a trial is under way."""
        return self._trial

    @property
    def may_mend(self) -> bool:
        """Whether the last failure is one that passes by itself: a wrong key does not."""
        return self._kind.retryable

    def check(self) -> None:
        """Let a call through, or raise ``Unreachable`` with the time to wait; after a wrong key ``NotAuthorised``."""
        if not self.is_open:
            return
        if (left_s := self.rests_s) > 0 or self._trial:
            wait_s = round(left_s or REST_S, 1)
            raise self._kind(
                f"{self._name} is left alone for {wait_s:g} s after {self._failures} failures, last: {self.last}",
                retry_after_s=wait_s,
            )
        self._trial = True

    def succeeded(self) -> None:
        """A call came back: whatever was wrong is over."""
        self._failures, self._rest_s, self._trial, self.last = 0, REST_S, False, ""

    def failed(self, error: ProviderError) -> None:
        """A call failed.  Only trouble of the provider itself counts."""
        if not isinstance(error, TROUBLE):
            if not isinstance(error, RateLimited):
                self.succeeded()  # it answered, if not to our liking
            self._trial = False
            return
        self.last = error.message
        self._kind = Unreachable if error.retryable else type(error)
        self._failures += 1
        if self._trial:
            self._rest_s = min(self._rest_s * 2, LONGEST_REST_S)
        if self._failures >= FAILURES:
            self._opens_at = self._clock() + self._rest_s
        self._trial = False

    def abandoned(self) -> None:
        """A call was cut off by us: it says nothing."""
        self._trial = False
