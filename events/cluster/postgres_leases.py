"""Leases in the rows of ``moot.debates``; all times are compared by the database.

``renew`` skips rows that a batch is writing at this moment: the batch renews them itself.  So renewing and writing
never deadlock.
"""

from datetime import timedelta
from typing import Final

from events.cluster.leases import ClusterLoad, Lease, Node
from events.store.postgres.log import PostgresLog
from events.store.postgres.rows import is_storable

_CLAIM: Final = """
WITH free AS (
    SELECT stream FROM moot.listing JOIN moot.debates AS there USING (stream)
    WHERE state = 'open' AND (owner IS NULL OR lease_until <= clock_timestamp()
        OR owner = %(node)s AND debate <> ALL(%(held)s::text[]))
    ORDER BY opened_at, stream LIMIT %(most)s FOR UPDATE OF there SKIP LOCKED
), taken AS (
    UPDATE moot.debates SET owner = %(node)s, epoch = epoch + 1, lease_until = clock_timestamp() + %(lease)s
    WHERE stream IN (SELECT stream FROM free)
    RETURNING stream, debate, epoch
)
SELECT debate, epoch FROM taken JOIN moot.listing USING (stream) ORDER BY opened_at, stream
"""
_CLAIM_ONE: Final = """
UPDATE moot.debates SET lease_until = clock_timestamp() + %(lease)s, owner = %(node)s,
    epoch = CASE WHEN owner = %(node)s AND epoch = %(held)s THEN epoch ELSE epoch + 1 END
WHERE debate = %(debate)s AND (owner IS NULL OR owner = %(node)s OR lease_until <= clock_timestamp())
RETURNING epoch
"""
_RENEW: Final = """
WITH alive AS (
    INSERT INTO moot.nodes (node, address, seen_at) VALUES (%(node)s, %(address)s, clock_timestamp())
    ON CONFLICT (node) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at
), gone AS (
    DELETE FROM moot.nodes WHERE node IN (
        SELECT node FROM moot.nodes WHERE seen_at < clock_timestamp() - 10 * %(lease)s::interval FOR UPDATE SKIP LOCKED
    )
), mine AS (
    SELECT stream FROM moot.debates WHERE owner = %(node)s FOR UPDATE SKIP LOCKED
), renewed AS (
    UPDATE moot.debates SET lease_until = clock_timestamp() + %(lease)s WHERE stream IN (SELECT stream FROM mine)
)
SELECT debate FROM unnest(%(debates)s::text[], %(epochs)s::bigint[]) AS held(debate, epoch)
WHERE NOT EXISTS (
    SELECT FROM moot.debates AS there
    WHERE there.debate = held.debate AND there.owner = %(node)s AND there.epoch = held.epoch
)
"""
_RELEASE: Final = """
UPDATE moot.debates SET owner = NULL, lease_until = NULL
WHERE debate = %(debate)s AND owner = %(node)s AND epoch = %(held)s
"""
_OWNER: Final = """
SELECT coalesce(address, '') FROM moot.debates LEFT JOIN moot.nodes ON node = owner
WHERE debate = %s AND lease_until > clock_timestamp()
"""
_LOAD: Final = """
SELECT count(*), count(*) FILTER (WHERE owner IS NULL OR lease_until <= clock_timestamp())
FROM moot.listing JOIN moot.debates USING (stream) WHERE state = 'open'
"""
_NODES: Final = """
SELECT node, address, (SELECT count(*) FROM moot.debates WHERE owner = node AND lease_until > clock_timestamp())
FROM moot.nodes WHERE seen_at > clock_timestamp() - %s::interval ORDER BY address, node
"""


class PostgresLeases:
    """The leases of the node of ``log``.  The epochs are kept in ``log.epochs``, which appends use.

    ``address``: that of its server, which the next ``renew`` publishes; empty if the node takes no forwarded requests.
    All methods raise ``StoreUnavailable``.
    """

    def __init__(self, log: PostgresLog, address: str = "") -> None:
        self.node, self.address = log.node, address
        self._log, self._lease = log, timedelta(seconds=log.lease_s)
        self._lost: set[str] = set()

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """Claim at most ``most`` open debates that have no owner or whose lease has ended, oldest first."""
        held = [debate for debate in self._log.epochs if debate not in self._lost]
        named = {"node": self.node, "held": held, "most": most, "lease": self._lease}
        leases = tuple([Lease(debate, epoch) for debate, epoch in await self._log.pool.rows(_CLAIM, named)])
        for lease in leases:
            self._hold(lease)
        return leases

    async def claim_one(self, debate: str) -> Lease | None:
        """Claim this debate in any state, if no other node owns it; a lease that this node has is returned again."""
        if not is_storable(debate):
            return None
        for (epoch,) in await self._log.pool.rows(_CLAIM_ONE, self._named(debate)):
            lease = Lease(debate, epoch)
            self._hold(lease)
            return lease
        return None

    async def renew(self) -> frozenset[str]:
        """Renew all leases of this node, and publish its address.  Returns the lost debates."""
        held = {debate: epoch for debate, epoch in self._log.epochs.items() if debate not in self._lost}

        named = {
            "node": self.node,
            "address": self.address,
            "lease": self._lease,
            "debates": list(held),
            "epochs": list(held.values()),
        }
        gone = await self._log.pool.rows(_RENEW, named)
        # A debate that was released or claimed while the query ran is not lost.
        lost = frozenset(debate for (debate,) in gone if self._log.epochs.get(debate) == held[debate])
        self._lost |= lost
        return lost

    async def release(self, debate: str) -> None:
        """End the lease: another node may claim the debate at once.  A lost lease is forgotten."""
        named = self._named(debate)
        if is_storable(debate):
            await self._log.pool.rows(_RELEASE, named)
        if self._log.epochs.get(debate) == named["held"]:
            self._log.epochs.pop(debate, None)
            self._lost.discard(debate)

    async def owner(self, debate: str) -> str | None:
        """Address of the debate's owner; None without one."""
        if not is_storable(debate):
            return None
        rows = await self._log.pool.rows(_OWNER, (debate,))
        return rows[0][0] if rows else None

    async def load(self) -> ClusterLoad:
        """Numbers of open and free debates."""
        ((debates, free),) = await self._log.pool.rows(_LOAD)
        return ClusterLoad(debates, free)

    async def nodes(self) -> tuple[Node, ...]:
        """The nodes that renewed lately, ordered by address."""
        return tuple([Node(*row) for row in await self._log.pool.rows(_NODES, (self._lease,))])

    def _hold(self, lease: Lease) -> None:
        self._log.epochs[lease.debate] = lease.epoch
        self._lost.discard(lease.debate)

    def _named(self, debate: str) -> dict[str, object]:
        return {"debate": debate, "node": self.node, "held": self._log.epochs.get(debate, 0), "lease": self._lease}
