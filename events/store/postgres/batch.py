"""A batch: requests for many debates, written by one statement as a whole or not at all.

The statement advances each debate from the position and epoch that this node expects, writes the events, and notifies
the other nodes.  If it cannot advance all debates, it fails by a division by zero: PostgreSQL has no other way to abort
a single statement, and a single statement is one round trip and a transaction of its own.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.record import Recorded, now
from events.store.listing import Summary, searched
from events.store.postgres.pack import bigints, binaries, booleans, integers, nullable_integers, texts
from events.store.postgres.rows import storable
from events.store.requests import MAX_TOGETHER, StreamHead, WriteRequest

MAX_BYTES: Final = 8 << 20
CHANNEL: Final = "moot_log"
MAX_NOTIFIED: Final = 7_900
"""Bytes of a notification: PostgreSQL takes fewer than 8,000."""
LOOK_AGAIN: Final = "*"
MARK_BYTES: Final = 8
_CHANGE_BYTES: Final = MARK_BYTES + 3

WRITE: Final = f"""
WITH moved AS (
    UPDATE moot.debates AS there SET version = here.now, digest = here.digest, lease_until = CASE
        WHEN here.epoch > 0 THEN greatest(there.lease_until, clock_timestamp() + %(lease)s) ELSE there.lease_until END
    FROM unnest(
        %(streams)b::bigint[], %(was)b::integer[], %(now)b::integer[], %(epochs)b::bigint[], %(digests)b::bytea[]
    ) AS here(stream, was, now, epoch, digest)
    WHERE there.stream = here.stream AND there.version = here.was AND CASE
        WHEN here.epoch > 0 THEN there.epoch = here.epoch AND there.owner = %(node)s
        ELSE there.owner IS NULL OR there.owner = %(node)s OR there.lease_until <= clock_timestamp() END
    RETURNING 1
), opened AS (
    INSERT INTO moot.debates (stream, debate, version, digest, epoch, owner, lease_until)
    SELECT stream, debate, now, digest, 1, CASE WHEN claimed THEN %(node)s END,
        CASE WHEN claimed THEN clock_timestamp() + %(lease)s END
    FROM unnest(%(new_streams)b::bigint[], %(new_debates)b::text[], %(new_now)b::integer[], %(new_digests)b::bytea[],
        %(claimed)b::boolean[]) AS here(stream, debate, now, digest, claimed)
    ON CONFLICT (debate) DO NOTHING
    RETURNING 1
), written AS (
    INSERT INTO moot.events (stream, position, id, at, cause, schema, salt, digest, payload)
    SELECT * FROM unnest(%(event_streams)b::bigint[], %(positions)b::integer[], %(ids)b::text[], %(at)b::text[],
        %(causes)b::integer[], %(schemas)b::integer[], %(salts)b::bytea[], %(event_digests)b::bytea[],
        %(payloads)b::bytea[])
), listed AS (
    INSERT INTO moot.listing (stream, opened_at, state, calibrates, folded, summary)
    SELECT * FROM unnest(%(listed)b::bigint[], %(opened_at)b::text[], %(states)b::text[], %(calibrates)b::boolean[],
        %(folded)b::text[], %(summaries)b::bytea[])
    ON CONFLICT (stream) DO UPDATE SET opened_at = excluded.opened_at, state = excluded.state,
        calibrates = excluded.calibrates, folded = excluded.folded, summary = excluded.summary
)
SELECT 1 / ((SELECT count(*) FROM moved) + (SELECT count(*) FROM opened) = %(count)s)::integer,
    pg_notify('{CHANNEL}', %(changed)s)
"""  # noqa: S608 - CHANNEL is a literal above; every value is a parameter


class MarkedHead(StreamHead):
    """``mark`` names the debate in notifications."""

    mark: bytes


class StreamUpdate(Struct, frozen=True):
    """A debate of the batch: its position before, the epoch of its lease (0: no lease), and its head."""

    head: MarkedHead
    was: int
    epoch: int
    is_new: bool
    is_claimed: bool


class WriteBatch:
    """Collects requests until it is sealed."""

    def __init__(self) -> None:
        self._at = ""
        self.requests: list[WriteRequest] = []
        self.answers: list[tuple[Recorded, ...]] = []
        self.moves: dict[str, StreamUpdate] = {}
        self.size = 0
        self.uncertain = False
        """Whether it was sent, but the answer was lost."""
        self.statement: dict[str, Any] = {}
        self.first: tuple[int, Recorded] | None = None
        self._streams: list[int] = []
        self._records: list[Recorded] = []
        self._listed: dict[int, Summary] = {}

    @property
    def at(self) -> str:
        """The time of its events: when the first request came."""
        self._at = self._at or now()
        return self._at

    @property
    def is_full(self) -> bool:
        """Whether it takes no more requests."""
        return len(self.requests) >= MAX_TOGETHER or self.size >= MAX_BYTES

    def take(
        self,
        request: WriteRequest,
        head: MarkedHead,
        records: tuple[Recorded, ...],
        epoch: int,
        *,
        is_new: bool,
        is_claimed: bool,
    ) -> None:
        """Add a request whose ``records`` follow ``head``, and advance the head."""
        if request.debate not in self.moves:
            self.moves[request.debate] = StreamUpdate(head, head.position, epoch, is_new, is_claimed)
        if self.first is None:
            self.first = head.stream, records[0]
        if head.advance(records) and head.summary is not None:
            self._listed[head.stream] = head.summary
        self._streams += [head.stream] * len(records)
        self._records += records
        self.size += request.size
        self.requests.append(request)
        self.answers.append(records)

    def seal(self, node: str, lease: Any) -> None:
        """Make the parameters of the statement.  Later requests go into another batch, since the heads advance."""
        records, rows = self._records, self._listed.values()
        moves = [move for move in self.moves.values() if not move.is_new]
        new = {debate: move for debate, move in self.moves.items() if move.is_new}
        self.statement = {
            "node": node,
            "lease": lease,
            "count": len(self.moves),
            "changed": write_changed(node, [(move.head.mark, move.head.position) for move in self.moves.values()]),
            "streams": bigints([move.head.stream for move in moves]),
            "was": integers([move.was for move in moves]),
            "now": integers([move.head.position for move in moves]),
            "epochs": bigints([move.epoch for move in moves]),
            "digests": binaries([move.head.digest for move in moves]),
            "new_streams": bigints([move.head.stream for move in new.values()]),
            "new_debates": texts(list(new)),
            "new_now": integers([move.head.position for move in new.values()]),
            "new_digests": binaries([move.head.digest for move in new.values()]),
            "claimed": booleans([move.is_claimed for move in new.values()]),
            "event_streams": bigints(self._streams),
            "positions": integers([record.position for record in records]),
            "ids": texts([record.id for record in records]),
            "at": texts([record.at for record in records]),
            "causes": nullable_integers([record.cause for record in records]),
            "schemas": integers([record.schema for record in records]),
            "salts": binaries([record.salt for record in records]),
            "event_digests": binaries([record.digest for record in records]),
            "payloads": binaries([record.payload for record in records]),
            "listed": bigints(list(self._listed)),
            "opened_at": texts([row.opened_at for row in rows]),
            "states": texts([row.state for row in rows]),
            "calibrates": booleans([row.format == "calibration" for row in rows]),
            "folded": texts([storable(searched(row)) for row in rows]),
            "summaries": binaries([msgspec.json.encode(row) for row in rows]),
        }


def write_changed(node: str, changes: Sequence[tuple[bytes, int]]) -> str:
    """The notification of a batch: the node, and each debate's mark and head, or ``LOOK_AGAIN`` if too many."""
    if len(node) + 1 + (_CHANGE_BYTES * len(changes) + 2) // 3 * 4 > MAX_NOTIFIED:
        return f"{node} {LOOK_AGAIN}"
    together = b"".join([mark + position.to_bytes(3, "big") for mark, position in changes])
    return f"{node} {b64encode(together).decode()}"


def read_changed(text: str) -> tuple[str, list[tuple[bytes, int]] | None]:
    """The node, and the debates' marks and heads, or None for ``LOOK_AGAIN``.  Raises ``ValueError``."""
    node, _, rest = text.partition(" ")
    if rest == LOOK_AGAIN:
        return node, None
    together = b64decode(rest, validate=True)
    if len(together) % _CHANGE_BYTES:
        raise ValueError("a notification of another form")
    each = [together[start : start + _CHANGE_BYTES] for start in range(0, len(together), _CHANGE_BYTES)]
    return node, [(one[:MARK_BYTES], int.from_bytes(one[MARK_BYTES:], "big")) for one in each]
