"""Acts that reach a node which does not run the debate: sent to the one that does, and answered by it.

An act is handed out once.  A node that dies between taking an act and answering it leaves the sender without an answer,
told that the act may have been done; it is never done a second time.
"""

from typing import Final, Protocol

from msgspec import Struct

WITHIN_S: Final = 10.0


class ForwardedCommand(Struct, frozen=True):
    """What somebody wants done in a debate that this node runs; ``act`` is whatever the sender wrote."""

    id: int
    debate: str
    act: bytes
    key: str


class Inbox(Protocol):
    """Both ends of the line between the nodes.  All methods raise ``StoreUnavailable``."""

    async def send(self, debate: str, act: bytes, within_s: float = WITHIN_S) -> bytes:
        """Have the debate's node do ``act``, and give its answer.  Raises ``Unanswered``."""
        ...

    async def take(self) -> tuple[ForwardedCommand, ...]:
        """Wait for acts in debates that this node runs, in the order in which they were sent.  One caller at a time."""
        ...

    def look_again(self) -> None:
        """This node has come to run more: acts may lie there that the node before it did not take."""
        ...

    async def answer(self, act: ForwardedCommand, answer: bytes) -> None:
        """Tell the sender what came of it."""
        ...
