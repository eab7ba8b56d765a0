"""The fake's count of tokens, and its caches.

One rule for prompts and answers: four characters for each token, or 1.4 if the script has no spaces (from U+2E80 on,
such as Chinese), rounded up.  A prompt is its messages one after the other, each as role and text.  Schemas and tools
cost nothing here, unlike at the vendors.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

UNITS = 28  # a token; a Latin character is 7 of them (a fourth), a Chinese one 20 (1 / 1.4)
DENSE = "\u2e80"
Message = tuple[str, str]
"""Role and text."""


def weight(character: str) -> int:
    return 20 if character >= DENSE else 7


def tokens(text: str) -> int:
    """The tokens of a text."""
    units = 7 * len(text) if text.isascii() else sum(map(weight, text))
    return math.ceil(units / UNITS)


def cut(text: str, room: int) -> str:
    """The longest beginning of a text that has no more than ``room`` tokens."""
    units = 0
    for place, character in enumerate(text):
        units += weight(character)
        if units > room * UNITS:
            return text[:place]
    return text


def written_out(messages: Iterable[Message]) -> str:
    """A prompt as one text."""
    return "\n".join(f"{role}: {text}" for role, text in messages)


def steps(text: str, size: int) -> Iterator[tuple[int, bytes]]:
    """Each whole multiple of ``size`` tokens in a text, with the digest of the text up to there."""
    digest, units, reached, begun = hashlib.sha256(), 0, 0, 0
    for place, character in enumerate(text):
        units += weight(character)
        if units >= (reached + size) * UNITS:
            digest.update(text[begun : place + 1].encode("utf-8", "surrogatepass"))
            begun, reached = place + 1, reached + size
            yield reached, digest.digest()


class CacheEntries(set[Any]):
    """The beginnings in a vendor's cache; ``clear`` ends their time.

    An entry that is ``put`` is found from ``settle`` on, when the response to the call that wrote it has begun: calls
    at the same time do not find each other's.  Source: platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """

    def __init__(self) -> None:
        super().__init__()
        self._put: set[Any] = set()

    def put(self, entry: Any) -> None:
        self._put.add(entry)

    def settle(self) -> None:
        self.update(self._put)
        self._put.clear()


@dataclass
class PrefixCache:
    """An automatic cache: it knows each beginning that it has read, from ``minimum`` tokens on.

    It never expires by itself; ``seen.clear()`` empties it.
    """

    seen: CacheEntries = field(default_factory=CacheEntries)

    def read(self, model: str, text: str, *, minimum: int, step: int) -> int:
        """Tokens of the longest beginning that was read before; the text is in the cache from now on."""
        known = 0
        for count, digest in steps(text, step):
            if count < minimum:
                continue
            if (model, digest) in self.seen:
                known = count
            self.seen.put((model, digest))
        return known
