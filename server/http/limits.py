"""Limits on the number of requests that one client may send in a minute."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

from msgspec import Struct
from starlette.requests import Request

from server.errors import TooMany

WINDOW_S: Final = 60.0
SPARE_S: Final = 1.0
"""Seconds by which a client that waits as long as it is told is served the more surely."""
MOST_CLIENTS: Final = 10_000
"""Clients that are remembered; beyond that the one that asked least recently is forgotten."""
NETWORK_BITS: Final = 64
"""Bits of an IPv6 address that one client shares: a provider gives each of its customers at least so many addresses."""


class Count(Struct):
    """The requests of a client in a window that began at ``since``, and in the window before."""

    since: float
    now: int = 0
    before: int = 0


class RateLimit:
    """At most ``per_minute`` requests of one client in any minute.  ``what`` is counted, for the message.

    A minute is the part that has passed of the client's present window, and as much as is missing of the one before,
    whose requests count as if they were spread evenly.  So each client takes the same memory whatever it sends.
    """

    def __init__(self, per_minute: int, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._what, self._clock = per_minute, what, clock
        self._counts: OrderedDict[str, Count] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def check_address(self, request: Request) -> None:
        """Count a request of this address.  Raises ``TooMany``."""
        self.check(address_of(request), "this address")

    def check(self, client: str, named: str, *, most: int = 0) -> None:
        """Count a request of ``client``, which the message calls ``named``.  Raises ``TooMany``.

        ``most``: another limit for this client.
        """
        at, most = self._clock(), most or self._most
        count = self._counts.setdefault(client, Count(at))
        self._counts.move_to_end(client)
        if len(self._counts) > MOST_CLIENTS:
            self._counts.popitem(last=False)
        if (windows := int((at - count.since) / WINDOW_S)) > 0:
            count.since += windows * WINDOW_S
            count.before, count.now = count.now if windows == 1 else 0, 0
        passed_s = at - count.since
        share = max(0.0, 1 - (passed_s + SPARE_S) / WINDOW_S)
        if count.now + count.before * share >= most:
            raise TooMany(
                f"too many {self._what} from {named} in a minute: the limit is {most}",
                retry_after_s=max(1, math.ceil(_free_after_s(count, most) - passed_s)),
            )
        count.now += 1


def _free_after_s(count: Count, most: int) -> float:
    """Seconds after the window began after which one more request is allowed."""
    if count.now >= most:
        return WINDOW_S
    return math.nextafter(WINDOW_S * (1 - (most - count.now) / count.before), math.inf)


def address_of(request: Request) -> str:
    """The name under which the requests of this client's address are counted."""
    return client_of(request.client.host if request.client else "")


def client_of(address: str) -> str:
    """The name under which the requests of an address are counted: its network, if it is an IPv6 address."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return f"{int(known) >> (128 - NETWORK_BITS):x}/{NETWORK_BITS}"
