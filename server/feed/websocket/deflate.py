"""Compression that a whole audience shares.  Source: RFC 7692 (permessage-deflate), RFC 1951 (deflate).

A reader can read a compressed message if its window, the last ``WINDOW`` bytes that it was told, holds what the message
refers back to.  Those who were told the same ``WINDOW`` bytes may therefore share one compressor, however those bytes
came to each of them.  Who joins is told the same messages from a second compressor, which begins anew after each
arrival and so refers to nothing from before it; once ``WINDOW`` bytes have gone by, the newcomer reads the first one.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final

from server.feed.websocket.wire import TEXT, framed

BITS: Final = 12
WINDOW: Final = 1 << BITS
"""Bytes that a message may refer back: as many as a client with little memory grants."""
LEVEL, MEMORY = 6, 6
TAIL: Final = b"\x00\x00\xff\xff"
ANSWER: Final = f"permessage-deflate; server_max_window_bits={BITS}; client_no_context_takeover"
"""A client that keeps no context either spends less on a server that never opens what it sends."""
_LEAST_BITS, _MOST_BITS = 8, 15


def accepts(offers: str) -> bool:
    """Whether one of a client's offers (its ``Sec-WebSocket-Extensions``) allows the ``ANSWER``."""
    return any(_allows(offer) for offer in offers.split(","))


def _allows(offer: str) -> bool:
    """One offer: a context for the server and a window of ``BITS`` bits must be allowed, all else must make sense."""
    name, *parameters = (part.strip() for part in offer.split(";"))
    if name.lower() != "permessage-deflate":
        return False
    seen = set()
    for parameter in parameters:
        key, equals, value = (part.strip() for part in parameter.partition("="))
        value = value.strip('"')
        if key in seen:
            return False
        seen.add(key)
        match key:
            case "client_no_context_takeover" if not equals:
                pass
            case "client_max_window_bits" if not equals or _bits(value):
                pass
            case "server_max_window_bits" if _bits(value) >= BITS:
                pass
            case _:
                return False
    return True


def _bits(value: str) -> int:
    """A window's size as a client writes it; 0 where it is none."""
    is_number = value.isascii() and value.isdigit() and not value.startswith("0") and len(value) <= len("15")
    return int(value) if is_number and _LEAST_BITS <= int(value) <= _MOST_BITS else 0


class Compressor:
    """Messages one after the other, each able to refer back to those before it."""

    __slots__ = ("_deflate",)

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -BITS, MEMORY)

    def frame(self, message: bytes) -> bytes:
        """The message as a compressed frame."""
        payload = self._deflate.compress(message) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        return framed(TEXT, payload.removesuffix(TAIL), compressed=True)

    def frames(self, messages: Iterable[bytes]) -> bytes:
        """Several messages, joined."""
        return b"".join(map(self.frame, messages))


def alone(messages: Sequence[bytes]) -> bytes:
    """Messages that refer to nothing before them: whoever is told them may have any window."""
    return Compressor().frames(messages)
