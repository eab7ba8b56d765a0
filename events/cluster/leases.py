"""Leases of debates: by the database's clock, with an epoch that grows with every change of owner.

If a node pauses for longer than its lease, its appends raise ``Fenced``.  It must stop its work on the debate and then
``release`` it; a lost debate is only forgotten.
"""

from typing import Protocol

from msgspec import Struct


class Lease(Struct, frozen=True):
    """This node runs ``debate`` in ``epoch``, until it releases the lease or stops to renew it."""

    debate: str
    epoch: int


class Node(Struct, frozen=True):
    """A node that renewed lately.  ``address`` is that of its server, or empty."""

    node: str
    address: str
    debates: int


class ClusterLoad(Struct, frozen=True):
    """The number of ``open`` debates of all nodes, and how many of them are ``free``: without an owner."""

    open: int
    free: int


class Leases(Protocol):
    """The leases of one node.  All methods raise ``StoreUnavailable``."""

    node: str
    """The name of this node, new with every start."""
    address: str
    """Address of its server, which the next ``renew`` publishes; empty if the node takes no forwarded requests."""

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """Claim at most ``most`` open debates that have no owner or whose lease has ended, oldest first."""
        ...

    async def claim_one(self, debate: str) -> Lease | None:
        """Claim this debate in any state, if no other node owns it; a lease that this node has is returned again."""
        ...

    async def renew(self) -> frozenset[str]:
        """Renew all leases of this node, and publish its address.  Returns the lost debates."""
        ...

    async def release(self, debate: str) -> None:
        """End the lease: another node may claim the debate at once.  A lost lease is forgotten."""
        ...

    async def owner(self, debate: str) -> str | None:
        """Address of the debate's owner; None without one."""
        ...

    async def load(self) -> ClusterLoad:
        """Numbers of open and free debates."""
        ...

    async def nodes(self) -> tuple[Node, ...]:
        """The nodes that renewed lately, ordered by address."""
        ...
