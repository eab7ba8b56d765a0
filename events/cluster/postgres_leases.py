"""Leases in the rows of ``moot.debates``; all times are compared by the database.

``renew`` skips rows that a batch is writing at this moment: the batch renews them itself.  So renewing and writing
never deadlock.
"""

from datetime import timedelta
from typing import Final

from events.cluster.leases import ClusterLoad, Lease, Node
from events.store.postgres.connection import Connection
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
    """``Leases`` of the node of ``log``.  The epochs are kept in ``log.epochs``, which appends use."""

    def __init__(self, log: PostgresLog, address: str = "") -> None:
        self.node, self.address = log.node, address
        self._log, self._lease = log, timedelta(seconds=log.lease_s)
        self._lost: set[str] = set()

    async def claim(self, most: int) -> tuple[Lease, ...]:
        """See ``Leases``."""
        held = [debate for debate in self._log.epochs if debate not in self._lost]

        async def act(connection: Connection) -> tuple[Lease, ...]:
            cursor = await connection.execute(
                _CLAIM, {"node": self.node, "held": held, "most": most, "lease": self._lease}
            )
            return tuple([Lease(debate, epoch) async for debate, epoch in cursor])

        leases = await self._log.pool.run(act)
        for lease in leases:
            self._hold(lease)
        return leases

    async def claim_one(self, debate: str) -> Lease | None:
        """See ``Leases``."""
        if not is_storable(debate):
            return None

        async def act(connection: Connection) -> Lease | None:
            cursor = await connection.execute(_CLAIM_ONE, self._named(debate))
            row = await cursor.fetchone()
            return Lease(debate, row[0]) if row is not None else None

        lease = await self._log.pool.run(act)
        if lease is not None:
            self._hold(lease)
        return lease

    async def renew(self) -> frozenset[str]:
        """See ``Leases``."""
        held = {debate: epoch for debate, epoch in self._log.epochs.items() if debate not in self._lost}

        async def act(connection: Connection) -> frozenset[str]:
            cursor = await connection.execute(
                _RENEW,
                {
                    "node": self.node,
                    "address": self.address,
                    "lease": self._lease,
                    "debates": list(held),
                    "epochs": list(held.values()),
                },
            )
            return frozenset([debate async for (debate,) in cursor])

        lost = await self._log.pool.run(act)
        # A debate that was released or claimed while the query ran is not lost.
        lost = frozenset(debate for debate in lost if self._log.epochs.get(debate) == held[debate])
        self._lost |= lost
        return lost

    async def release(self, debate: str) -> None:
        """See ``Leases``."""
        named = self._named(debate)

        async def act(connection: Connection) -> None:
            await connection.execute(_RELEASE, named)

        if is_storable(debate):
            await self._log.pool.run(act)
        if self._log.epochs.get(debate) == named["held"]:
            self._log.epochs.pop(debate, None)
            self._lost.discard(debate)

    async def owner(self, debate: str) -> str | None:
        """See ``Leases``."""
        if not is_storable(debate):
            return None

        async def act(connection: Connection) -> str | None:
            row = await (await connection.execute(_OWNER, (debate,))).fetchone()
            return row[0] if row is not None else None

        return await self._log.pool.run(act)

    async def load(self) -> ClusterLoad:
        """See ``Leases``."""

        async def act(connection: Connection) -> ClusterLoad:
            return ClusterLoad(*(await (await connection.execute(_LOAD)).fetchone() or (0, 0)))

        return await self._log.pool.run(act)

    async def nodes(self) -> tuple[Node, ...]:
        """See ``Leases``."""

        async def act(connection: Connection) -> tuple[Node, ...]:
            return tuple([Node(*row) async for row in await connection.execute(_NODES, (self._lease,))])

        return await self._log.pool.run(act)

    def _hold(self, lease: Lease) -> None:
        self._log.epochs[lease.debate] = lease.epoch
        self._lost.discard(lease.debate)

    def _named(self, debate: str) -> dict[str, object]:
        return {
            "debate": debate,
            "node": self.node,
            "held": self._log.epochs.get(debate, 0),
            "lease": self._lease,
        }
