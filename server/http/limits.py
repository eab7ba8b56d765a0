"""Limits on the number of requests that one client may send in a minute."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

from starlette.requests import HTTPConnection

from providers.limits.minute import MinuteCount
from server.errors import TooMany

MAX_CLIENTS: Final = 10_000
"""Clients that are remembered; beyond that the one that asked least recently is forgotten."""
NETWORK_BITS: Final = 64
"""Bits of an IPv6 address that one client shares: a provider gives each of its customers at least so many addresses."""


class RateLimit:
    """At most ``per_minute`` requests of one client in any minute.  ``what`` is counted, for the message.

    Each process counts for itself and forgets with its end, so several processes allow several times as many.
    """

    def __init__(self, per_minute: int, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._what, self._clock = per_minute, what, clock
        self._counts: OrderedDict[str, MinuteCount] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def check_address(self, request: HTTPConnection) -> None:
        """Count a request of this address.  Raises ``TooMany``."""
        self.check(address_of(request), "this address")

    def check(self, client: str, named: str, *, most: int = 0) -> None:
        """Count a request of ``client``, which the message calls ``named``.  Raises ``TooMany``.

        ``most``: another limit for this client.
        """
        self.refuse_beyond(client, named, most=most)
        self.count(client)

    def refuse_beyond(self, client: str, named: str, *, most: int = 0) -> None:
        """Count nothing.  Raises ``TooMany`` if one more is too many."""
        at, most = self._clock(), most or self._most
        count = self._counts.get(client)
        if count is None:
            return
        self._counts.move_to_end(client)
        if wait_s := count.wait_s(at, most):
            raise TooMany(
                f"too many {self._what} from {named} in a minute: the limit is {most}",
                retry_after_s=max(1, math.ceil(wait_s)),
            )

    def count(self, client: str) -> None:
        """Count a request."""
        count = self._counts.setdefault(client, MinuteCount(self._clock()))
        if len(self._counts) > MAX_CLIENTS:
            self._counts.popitem(last=False)
        count.now += 1


def address_of(request: HTTPConnection) -> str:
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
