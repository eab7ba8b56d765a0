"""One POST to an address that may not lead into the server's own network.

The name is resolved here, every address that it has is checked, and the connection is made to one of these: a name that
resolves differently the second time (DNS rebinding) gains nothing.  No redirect is followed and no proxy is used.
"""

import ipaddress
import socket
import ssl
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

import anyio
import httpcore

from server.hooks.hook import Hook

TIMEOUT_S: Final = 15.0
"""Seconds for connection and answer together."""
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses as IPv6-only networks write them.  Source: RFC 6052, section 2.1."""


class NotDelivered(Exception):
    """No answer came; the message says why in a few words."""


class AddressRefused(OSError):
    """The name leads into the server's own network."""


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public internet, also where an IPv6 address holds an IPv4 one."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        held = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            held = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if held is not None:
            address = held
        elif address.is_site_local or address.teredo is not None:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connections to addresses that were checked."""

    def __init__(self, *, private: bool) -> None:
        self._private, self._inner = private, httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of httpcore
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of ``host`` that answers.  Raises ``AddressRefused`` if one is not public."""
        found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = tuple(dict.fromkeys(str(address[0]) for *_, address in found))
        if not self._private and (inside := [each for each in addresses if not is_public(each)]):
            raise AddressRefused(f"{host} is {inside[0]}, inside a network: private = true allows it")
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """See httpcore; used between its own attempts, of which there are none."""
        await anyio.sleep(seconds)


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


async def post(hook: Hook, headers: Mapping[str, str], body: bytes) -> int:
    """The status of the answer; its body is not read.  Raises ``NotDelivered``."""
    try:
        with anyio.fail_after(TIMEOUT_S):
            async with (
                httpcore.AsyncConnectionPool(
                    ssl_context=_certificates(), network_backend=CheckedNetwork(private=hook.private)
                ) as pool,
                pool.stream(
                    "POST", hook.url, headers=[*headers.items(), ("content-type", "application/json")], content=body
                ) as response,
            ):
                return int(response.status)
    except AddressRefused as error:
        raise NotDelivered(str(error)) from error
    except TimeoutError as error:
        raise NotDelivered(f"no answer within {TIMEOUT_S:g} s") from error
    except (OSError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
        raise NotDelivered(" ".join(f"{type(error).__name__} {error}".split())[:200]) from error
