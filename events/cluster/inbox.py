"""Commands that arrive at another node than the debate's owner: they are forwarded to the owner, which answers.

A command is given out once.  If the owner dies between taking and answering it, the sender gets ``Unanswered``, which
says that it may have been done; it is never done twice.
"""

from typing import Final, Protocol

from msgspec import Struct

WITHIN_S: Final = 10.0
"""Seconds that a sender waits for an answer."""


class ForwardedCommand(Struct, frozen=True):
    """A command for a debate that this node runs; ``act`` holds the sender's bytes."""

    id: int
    debate: str
    act: bytes
    key: str


class Inbox(Protocol):
    """Both ends: sending node and owner.  All methods raise ``StoreUnavailable``."""

    async def send(self, debate: str, act: bytes, within_s: float = WITHIN_S) -> bytes:
        """Send ``act`` to the debate's owner, and return its answer.  Raises ``Unanswered``."""
        ...

    async def take(self) -> tuple[ForwardedCommand, ...]:
        """Wait for commands for debates that this node runs, in the order of sending.  One caller at a time."""
        ...

    def look_again(self) -> None:
        """Let ``take`` look again: this node runs more debates now, and their last owner may have left commands."""
        ...

    async def answer(self, act: ForwardedCommand, answer: bytes) -> None:
        """Send the answer to the sender."""
        ...
