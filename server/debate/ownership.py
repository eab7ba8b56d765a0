"""Whose debate it is: what a process must hold before it may run a debate or act on one."""

from typing import Final, Protocol

from server.debate.commands import Command
from server.errors import Elsewhere


class Ownership(Protocol):
    """A process and the debates that it may write."""

    @property
    def runs_what_is_open(self) -> bool:
        """Whether an open debate that somebody acts on here is run here from then on."""
        ...

    async def take(self, debate: str) -> bool:
        """Hold a debate, again if it is held; False where another node does.  Raises ``StoreUnavailable``."""
        ...

    def let_go(self, debate: str) -> None:
        """The debate is needed no more: give it back in a moment, unless somebody needs it until then."""
        ...

    async def forward(self, debate: str, errand: Command, until: float) -> int | None:
        """Have the debate's node do it; the position of the event, or None where it has no node any more.

        ``until`` is a time of the loop.  Raises what the node refuses, ``Unanswered``, ``StoreUnavailable``.
        """
        ...


class Alone:
    """A process that has its store for itself: every debate is its own."""

    runs_what_is_open = False

    async def take(self, debate: str) -> bool:
        """Nobody else is there."""
        del debate
        return True

    def let_go(self, debate: str) -> None:
        """Nobody waits for it."""

    async def forward(self, debate: str, errand: Command, until: float) -> int | None:
        """There is nowhere to send it to."""
        del errand, until
        raise Elsewhere(debate)


ALONE: Final = Alone()
