"""A circuit breaker for one provider: after repeated failures it stops calls for a while, then lets one call try.

Closed: calls go through.  After ``FAILURES`` failures in a row it opens for ``REST_S``.  Then it lets one call through
as a trial.  If the trial succeeds, the breaker closes; if it fails, the rest doubles, up to ``LONGEST_REST_S``.  A
provider that is seen to answer again is tried at once.
Source: Nygard, Release It!, 2nd ed., section 5.2.
"""

from collections.abc import Callable
from typing import Final

from providers.errors import FORBIDDEN, NotAuthorised, Overloaded, ProviderError, RateLimited, TimedOut, Unreachable

FAILURES: Final = 5
REST_S: Final = 15.0
LONGEST_REST_S: Final = 240.0
LASTING_S: Final = 180.0
"""Seconds without an answer after which the failures of a provider are lasting ones."""
PROVIDER_FAILURES: Final = (Unreachable, Overloaded, TimedOut, NotAuthorised)
"""Failures of the provider as a whole, not of one question or of one model."""


class Breaker:
    """The breaker of one provider.  ``clock`` gives seconds since any moment."""

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        self._name, self._clock = name, clock
        self._failures, self._rest_s, self._opens_at, self._open_since = 0, REST_S, 0.0, 0.0
        self._trial = False
        self.last = ""
        """The message of the last failure."""

    @property
    def rests_s(self) -> float:
        """Seconds until the next trial; 0 if the breaker is closed."""
        return max(0.0, self._opens_at - self._clock()) if self._failures >= FAILURES else 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are held back, except for one trial after the rest."""
        return self._failures >= FAILURES

    @property
    def is_tried(self) -> bool:
        """Whether a trial is under way."""
        return self._trial

    def check(self) -> None:
        """Let a call through, or raise ``Unreachable`` with the time to wait.

        So a refusal here can pass, also after a wrong key: who was not asked has not refused.
        """
        if not self.is_open:
            return
        if (left_s := self.rests_s) > 0 or self._trial:
            wait_s = round(left_s or REST_S, 1)
            refusal = Unreachable(
                f"{self._name} is left alone for {wait_s:g} s after {self._failures} failures, last: {self.last}",
                retry_after_s=wait_s,
            )
            refusal.is_lasting = self._is_lasting()
            raise refusal
        self._trial = True

    def _is_lasting(self) -> bool:
        return self._clock() - self._open_since >= LASTING_S

    def end_rest(self) -> None:
        """The provider answers again: the next call is the trial."""
        self._opens_at = self._clock()

    def succeeded(self) -> None:
        """Record a call that succeeded: the breaker closes."""
        self._failures, self._rest_s, self._trial, self.last = 0, REST_S, False, ""

    def failed(self, error: ProviderError) -> None:
        """Record a call that failed.  Only failures of the provider itself count: status 403 is about one model."""
        if not isinstance(error, PROVIDER_FAILURES) or error.http_status == FORBIDDEN:
            if not isinstance(error, RateLimited):
                self.succeeded()  # the provider did answer
            self._trial = False
            return
        self.last = error.message
        self._failures += 1
        if self._trial:
            self._rest_s = min(self._rest_s * 2, LONGEST_REST_S)
        if self._failures >= FAILURES:
            if self._failures == FAILURES or self._clock() - self._opens_at > LASTING_S:  # nobody has tried since
                self._open_since = self._clock()
            self._opens_at = self._clock() + self._rest_s
            error.is_lasting = self._is_lasting()
        self._trial = False

    def abandoned(self) -> None:
        """Record a call that we cancelled: it shows nothing."""
        self._trial = False
