"""Leases of debates: by the database's clock, with an epoch that grows with every change of owner.

If a node pauses for longer than its lease, its appends raise ``Fenced``.  It must stop its work on the debate and then
``release`` it; a lost debate is only forgotten.
"""

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
