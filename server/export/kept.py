"""Long answers: each is made once for a position of a debate, kept compressed, and sent in pieces.

While an export is made it takes several times its size, and a client may read it slowly.  So one is made at a time, all
who ask for it share it, and each answer decompresses a piece when its client has read the one before.
"""

import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from typing import Final
from weakref import WeakValueDictionary

import anyio
from anyio import to_thread
from msgspec import Struct

from server.errors import TooMany

MAX_BYTES: Final = 32 << 20
"""Bytes of all answers together, compressed: those that are kept, and those that are being sent."""
MAX_KEPT: Final = 256
PIECE: Final = 1 << 16
"""Bytes that are sent at once."""
_READ: Final = 1 << 14
"""Compressed bytes that are read at once: what they hold beyond a piece is copied for each piece."""
_GZIP: Final = 31
"""The window of zlib with which it reads and writes the format gzip."""
_LEVEL: Final = 4
"""Frames and prompts become hardly smaller with the levels above, which take up to four times as long."""
BUSY: Final = "this server sends as many long answers as it can"
BUSY_S: Final = 10

Key = tuple[Hashable, ...]
Make = Callable[[], AsyncIterator[bytes]]
"""Makes an answer, in parts that follow one another."""


class GzipText(Struct, frozen=True, weakref=True):
    """A text in the format gzip, and its length without it."""

    body: bytes
    length: int

    def pieces(self, *, is_gzip: bool) -> Iterator[bytes]:
        """The text in pieces, as gzip or without it."""
        step = PIECE if is_gzip else _READ
        parts = (self.body[start : start + step] for start in range(0, len(self.body), step))
        return parts if is_gzip else _plain(parts)


def _plain(parts: Iterable[bytes]) -> Iterator[bytes]:
    unpacking = zlib.decompressobj(_GZIP)
    for part in parts:
        left = part
        while left:
            yield unpacking.decompress(left, PIECE)
            left = unpacking.unconsumed_tail
    yield unpacking.flush()


async def pack(parts: AsyncIterator[bytes]) -> GzipText:
    """Compress a text, given in parts, in threads."""
    packing, packed, length = zlib.compressobj(_LEVEL, wbits=_GZIP), list[bytes](), 0
    async for part in parts:
        packed.append(await to_thread.run_sync(packing.compress, part))
        length += len(part)
    return GzipText(b"".join([*packed, packing.flush()]), length)


async def whole(text: bytes) -> AsyncIterator[bytes]:
    """A text in one part."""
    yield text


class KeptAnswers:
    """A cache of the answers that were asked for last.  One is made at a time."""

    def __init__(self, most_bytes: int = MAX_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[Key, GzipText] = OrderedDict()
        self._alive: WeakValueDictionary[Key, GzipText] = WeakValueDictionary()
        """The kept ones, and those that are still being sent."""
        self._making = anyio.Lock()

    async def answer(self, key: Key, make: Make) -> GzipText:
        """The answer with this key; ``make`` is called if there is none.

        Raises ``TooMany`` if the answers that are being sent take all the room, and what ``make`` raises.
        """
        found = self._alive.get(key)
        if found is None:
            async with self._making:
                found = self._alive.get(key)
                if found is None:
                    self._forget(0)
                    if self.size > self._most:
                        raise TooMany(BUSY, retry_after_s=BUSY_S)
                    found = self._alive[key] = await pack(make())
        self._kept[key] = found
        self._kept.move_to_end(key)
        self._forget(1)
        return found

    def forget(self, debate: str) -> None:
        """Forget the answers about a deleted debate."""
        for key in [key for key in self._kept if debate in key]:
            del self._kept[key]

    @property
    def size(self) -> int:
        """Bytes of all answers."""
        return sum(len(each.body) for each in self._alive.values())

    def _forget(self, least: int) -> None:
        """Make room: forget the answers that were asked for least recently.  Those that are being sent stay alive."""
        while len(self._kept) > least and (self.size > self._most or len(self._kept) > MAX_KEPT):
            self._kept.popitem(last=False)
