"""Commands that arrive at another node than the debate's owner: they are forwarded to the owner, which answers.

A command is given out once.  If the owner dies between taking and answering it, the sender gets ``Unanswered``, which
says that it may have been done; it is never done twice.
"""

from typing import Final

from msgspec import Struct

WITHIN_S: Final = 10.0
"""Seconds that a sender waits for an answer."""


class ForwardedCommand(Struct, frozen=True):
    """A command for a debate that this node runs; ``act`` holds the sender's bytes."""

    id: int
    debate: str
    act: bytes
    key: str
