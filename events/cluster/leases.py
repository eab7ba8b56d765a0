"""Who runs a debate: a lease on the database's clock, and an epoch that grows with every change of hands.

A node that paused for longer than its lease finds its appends ``Fenced``: it must stop what it does for that debate,
and then ``release`` it, which for a lost debate means no more than to forget it.
"""

from typing import Protocol

from msgspec import Struct


class Lease(Struct, frozen=True):
    """This node runs ``debate``, in ``epoch``, until it says otherwise or falls silent."""

    debate: str
    epoch: int


class Node(Struct, frozen=True):
    """A node that gave a sign of life lately.  ``address`` is where its server answers, or empty."""

    node: str
    address: str
    debates: int


class ClusterLoad(Struct, frozen=True):
    """``open`` debates of all nodes, and how many of them are ``free``: nobody runs them."""

    open: int
    free: int


class Leases(Protocol):
    """The leases of one node.  All methods raise ``StoreUnavailable``."""

    node: str
    """Names this node; new with every start."""
    address: str
    """Where its server answers, as the others are told with the next sign of life; empty where it takes nothing on."""

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """Take at most ``most`` open debates that nobody runs or whose lease has ended, oldest first."""
        ...

    async def claim_one(self, debate: str) -> Lease | None:
        """Take this debate, whatever its state, if nobody else runs it; what is held already is given again."""
        ...

    async def renew(self) -> frozenset[str]:
        """Hold on to everything that is held, and give a sign of life.  Gives the debates that are lost."""
        ...

    async def release(self, debate: str) -> None:
        """Let go: another node may take it at once.  What was lost is forgotten."""
        ...

    async def owner(self, debate: str) -> str | None:
        """Address of the node that runs the debate now; None where nobody does."""
        ...

    async def load(self) -> ClusterLoad:
        """How much there is to run."""
        ...

    async def nodes(self) -> tuple[Node, ...]:
        """The nodes that are alive, in the order of their addresses."""
        ...
