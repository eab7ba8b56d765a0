"""Limits on the number of requests that one client may send in a minute."""

import math
import time

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import Request

from server.errors import TooMany


class RateLimit:
    """At most ``per_minute`` requests of one client in a moving window.  ``what`` is counted, for the message."""

    def __init__(self, per_minute: int, what: str) -> None:
        self._limit = parse(f"{per_minute}/minute")
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._what = what

    def check_address(self, request: Request) -> None:
        """Count a request of this address.  Raises ``TooMany``."""
        self.check(request.client.host if request.client else "", "this address")

    def check(self, client: str, named: str) -> None:
        """Count a request of ``client``, which the message calls ``named``.  Raises ``TooMany``."""
        if not self._limiter.hit(self._limit, client):
            wait_s = self._limiter.get_window_stats(self._limit, client).reset_time - time.time()
            raise TooMany(
                f"too many {self._what} from {named} in a minute: the limit is {self._limit.amount}",
                retry_after_s=max(1, math.ceil(wait_s)),
            )
