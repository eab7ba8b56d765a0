"""Requests to write: what SQLite's writer and PostgreSQL's writer take, count and answer in the same way."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from events import codec
from events.errors import StoreUnavailable
from events.record import Draft, Recorded
from events.store import listing
from events.store.listing import MOVED_BY, Summary
from events.types import Event

MAX_REQUESTS: Final = 8192
"""Requests that are accepted and not yet answered; further ones wait."""
MAX_BYTES: Final = 64 << 20
"""The same in bytes of payload."""
MAX_TOGETHER: Final = 256
"""Requests in one transaction: the first of them shall not wait long."""
KEPT_HEADS: Final = 8192
"""Debates whose head a writer remembers."""
PROBE_S: Final = 1.0
"""Seconds between attempts to write to a store that failed, while no request arrives."""

WriteResult = tuple[Recorded, ...] | Exception
"""The answer to a request: the records as written, or why nothing was written."""


class KeptNote(Struct, frozen=True, gc=False):
    """What a part of the server keeps; ``value`` is None to remove it."""

    kind: str
    key: str
    value: bytes | None


class WriteRequest(Struct, gc=False):
    """One ``append`` (``drafts`` with their ``payloads``) or one ``adopt`` (``records`` as they are)."""

    debate: str
    expected: int
    future: asyncio.Future[tuple[Recorded, ...]]
    """Gets the answer, after the commit."""
    since: float
    """Time of the event loop at which the request arrived."""
    size: int
    """Bytes of payload."""
    drafts: Sequence[Draft] = ()
    payloads: Sequence[bytes] = ()
    records: Sequence[Recorded] = ()
    reason: str | None = None
    """Why the debate is to be deleted; None for an append or an import."""
    is_archived: bool = False
    """Whether a debate to be deleted may be written again."""
    note: KeptNote | None = None
    """What is to be kept next to the events; the request writes nothing else."""
    tries: int = 0
    is_repeated: bool = False
    """Whether its answer is an earlier append's, so that it moves no head."""

    def may_repeat(self, head: int) -> bool:
        """Whether the drafts may already stand in the log whose last position is ``head``: all of them have ids."""
        count = len(self.drafts)
        return 0 < count <= head - self.expected and all(draft.id for draft in self.drafts)


def append_request(
    debate: str, expected: int, events: Sequence[Draft | Event], loop: asyncio.AbstractEventLoop
) -> WriteRequest:
    """The request of an ``append``, with its payloads encoded."""
    drafts, payloads, size = [], [], 0
    for item in events:
        draft = item if isinstance(item, Draft) else Draft(event=item)
        payload = codec.encode(draft.event)
        size += len(payload)
        drafts.append(draft)
        payloads.append(payload)
    return WriteRequest(debate, expected, loop.create_future(), loop.time(), size, drafts, payloads)


def adopt_request(records: Sequence[Recorded], loop: asyncio.AbstractEventLoop) -> WriteRequest:
    """The request of an ``adopt``."""
    size = sum([len(record.payload) for record in records])
    return WriteRequest(records[0].debate, 0, loop.create_future(), loop.time(), size, records=records)


def delete_request(
    debate: str, expected: int, reason: str, loop: asyncio.AbstractEventLoop, *, archived: bool
) -> WriteRequest:
    """The request of a ``delete``; its answer has no records."""
    future, since = loop.create_future(), loop.time()
    return WriteRequest(debate, expected, future, since, 0, reason=reason, is_archived=archived)


def note_request(note: KeptNote, loop: asyncio.AbstractEventLoop) -> WriteRequest:
    """The request of a ``note``; its answer has no records."""
    return WriteRequest("", 0, loop.create_future(), loop.time(), len(note.value or b""), note=note)


class StreamHead(Struct):
    """The last position of a debate, with the requests that are accepted and not yet committed."""

    stream: int
    """Number of the debate in the store."""
    position: int
    digest: bytes
    summary: Summary | None
    """The debate's row in the list."""

    def advance(self, records: Sequence[Recorded]) -> bool:
        """Move to the last of ``records``.  Returns whether the debate's row in the list has changed."""
        row = self.summary
        for record in records:
            if type(record.event) in MOVED_BY:
                row = listing.apply(row, record)
        self.position, self.digest = records[-1].position, records[-1].digest
        if row is self.summary:
            return False
        self.summary = row
        return True


class Backlog:
    """Back-pressure: counts the requests that have no answer yet; further ones wait in line, first come, first served.

    A request that is larger than ``most_bytes`` is accepted when no other is there.
    """

    def __init__(self, most_requests: int = MAX_REQUESTS, most_bytes: int = MAX_BYTES) -> None:
        self.most_requests, self.most_bytes = most_requests, most_bytes
        self.requests = self.bytes = 0
        self._line: deque[tuple[int, asyncio.Future[None]]] = deque()

    def take(self, size: int) -> bool:
        """Count a request of ``size`` bytes, if there is a place for it and no other waits."""
        if self._line or not self._has_place(size):
            return False
        self.requests += 1
        self.bytes += size
        return True

    async def wait(self, size: int) -> None:
        """Wait in line for a place; on return the request is counted.  Raises what ``close`` was given."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append((size, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled() or not turn.done():
                self._admit()
            elif turn.exception() is None:
                self.release(1, size)  # it was admitted and cancelled in the same step of the loop
            raise

    def release(self, requests: int, size: int) -> None:
        """Requests of together ``size`` bytes are answered: those in line may take their places."""
        self.requests -= requests
        self.bytes -= size
        if self._line:
            self._admit()

    def close(self, why: StoreUnavailable) -> None:
        """Refuse all that wait in line."""
        for _, turn in self._line:
            if not turn.done():
                turn.set_exception(why)
        self._line.clear()

    def _has_place(self, size: int) -> bool:
        fits = self.bytes + size <= self.most_bytes or not self.bytes
        return fits and self.requests < self.most_requests

    def _admit(self) -> None:
        while self._line:
            size, turn = self._line[0]
            if not turn.done():
                if not self._has_place(size):
                    return
                self.requests += 1  # counted here: another could take the place before the waiting task runs
                self.bytes += size
                turn.set_result(None)
            self._line.popleft()
