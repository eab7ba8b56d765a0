"""Compression that a whole group of sockets shares.  Source: RFC 7692 (permessage-deflate), RFC 1951 (deflate).

A client can read a compressed message if its window, the last ``WINDOW`` bytes that it was sent, holds everything that
the message refers back to.  Clients that were sent the same ``WINDOW`` bytes can therefore share one compressor.
Newcomers get the same messages from a second compressor.  It starts again after each newcomer, so it refers to nothing
from before that.  Once a newcomer was sent ``WINDOW`` bytes, it reads from the first compressor.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final

from websockets.exceptions import InvalidHandshake, NegotiationError
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Opcode
from websockets.headers import parse_extension

from server.feed.websocket.wire import serialize

BITS: Final = 12
WINDOW: Final = 1 << BITS
"""Bytes that a message may refer back: few enough for a client with little memory."""
LEVEL, MEMORY = 6, 6
TAIL: Final = b"\x00\x00\xff\xff"
ANSWER: Final = f"permessage-deflate; server_max_window_bits={BITS}; client_no_context_takeover"
"""A client that keeps no context saves memory: the server does not decompress what it sends."""
_factory: Final = ServerPerMessageDeflateFactory(client_no_context_takeover=True, server_max_window_bits=BITS)


def accepts(offers: str) -> bool:
    """Whether one of a client's offers (its ``Sec-WebSocket-Extensions``) allows the ``ANSWER``."""
    try:
        return any(_allows(parameters) for name, parameters in parse_extension(offers) if name == _factory.name)
    except InvalidHandshake:
        return False


def _allows(offer: Sequence[tuple[str, str | None]]) -> bool:
    """Whether an offer allows the server a context and a window of ``BITS`` bits."""
    try:
        _, agreed = _factory.process_request_params(offer, [])
    except NegotiationError:
        return False
    return not agreed.local_no_context_takeover and agreed.local_max_window_bits == BITS


class Compressor:
    """Compresses messages one after the other; each may refer back to those before it.

    Takes half the time of ``websockets``' extension and frame: a delta is compressed for each group at each tick.
    """

    __slots__ = ("_deflate",)

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -BITS, MEMORY)

    def frame(self, message: bytes) -> bytes:
        """The message as a compressed frame."""
        payload = self._deflate.compress(message) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        return serialize(Opcode.TEXT, payload.removesuffix(TAIL), compressed=True)

    def frames(self, messages: Iterable[bytes]) -> bytes:
        """Several messages as joined frames."""
        return b"".join(map(self.frame, messages))


def alone(messages: Sequence[bytes]) -> bytes:
    """Compressed frames that refer to nothing before them: a client with any window can read them."""
    return Compressor().frames(messages)
