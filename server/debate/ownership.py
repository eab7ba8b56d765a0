"""Ownership of debates: a process must own a debate before it may write its log."""

from typing import TYPE_CHECKING, Final, Protocol

from server.errors import NotOwner

if TYPE_CHECKING:
    from server.debate.commands import Done, Forwarded


class Ownership(Protocol):
    """The debates that this process may write."""

    @property
    def runs_what_is_open(self) -> bool:
        """Whether this process goes on running an open debate after it has carried out a command on it."""
        ...

    async def acquire(self, debate: str) -> bool:
        """Own a debate, or keep owning it; False if another node owns it.  Raises ``StoreUnavailable``."""
        ...

    def release(self, debate: str) -> None:
        """The debate is not needed any more: give it up in a moment, unless it is needed again until then."""
        ...

    async def forward(self, debate: str, command: "Forwarded", until: float) -> "Done | None":
        """Let the owner of the debate carry out a command; what it answers, or None without an owner.

        ``until`` is a time of the event loop.  Raises the owner's refusal, ``Unanswered``, ``StoreUnavailable``.
        """
        ...


class SoleOwner:
    """A process that has its store for itself owns every debate."""

    runs_what_is_open = False

    async def acquire(self, debate: str) -> bool:
        """True: there is no other node."""
        del debate
        return True

    def release(self, debate: str) -> None:
        """Nothing to do: no other node waits for the debate."""

    async def forward(self, debate: str, command: "Forwarded", until: float) -> "Done | None":
        """Raises ``NotOwner``: there is no node to forward to."""
        del command, until
        raise NotOwner(debate)


SOLE_OWNER: Final = SoleOwner()
