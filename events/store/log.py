"""The log's protocol: append, read, follow.

A debate is a stream of records with positions 1, 2, 3 … without gaps.  ``append`` is atomic and returns when the events
are durable.  ``follow`` gives the history, then new records, without gap or repeat.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

from events.errors import BadCursor, StoreUnavailable, UnknownDebate
from events.record import Draft, Envelope, Recorded
from events.store.listing import ALL, Limits, Summary
from events.store.tombstone import Tombstone
from events.text.said import Excerpt, Term, excerpt_of, text_of
from events.types import Event

POSITION_BITS = 24
MAX_POSITION = (1 << POSITION_BITS) - 1
"""The last position that a debate may have."""
PAGE = 200
"""Records or rows that are read at once while following, exporting or listing."""


class SummaryPage(Struct, frozen=True, kw_only=True):
    """A page of the list of debates, newest first; ``next`` is the cursor of the page after it, or null."""

    debates: tuple[Summary, ...]
    next: str | None


class SearchHit(Struct, frozen=True, kw_only=True):
    """A text that has all terms of a query: the debate's row, the record, and the excerpt with the terms."""

    row: Summary
    record: Recorded
    excerpt: Excerpt


class SearchPage(Struct, frozen=True, kw_only=True):
    """A page of hits, the newest debate first; ``next`` is the cursor of the page after it, or null."""

    hits: tuple[SearchHit, ...]
    next: str | None


def search_page(found: Sequence[tuple[int, int, Summary, Recorded]], terms: Sequence[Term], limit: int) -> SearchPage:
    """The page of records that a store has found, each with the number of its debate and its position.

    ``found`` has one record more than ``limit`` if there is a next page.  An index ignores the order of words, so a
    record may not have the terms after all.
    """
    page = [(row, record, excerpt_of(text_of(record.event), terms)) for _, _, row, record in found[:limit]]
    cursor = "-".join(map(str, found[limit - 1][:2])) if len(found) > limit else None
    hits = [SearchHit(row=row, record=record, excerpt=excerpt) for row, record, excerpt in page if excerpt is not None]
    return SearchPage(hits=tuple(hits), next=cursor)


def read_search_cursor(cursor: str | None) -> tuple[int, int] | None:
    """The number of the debate and the position of the last hit before the page.  Raises ``BadCursor``."""
    if cursor is None:
        return None
    number, dash, position = cursor.partition("-")
    if not (dash and all(each.isascii() and each.isdigit() and len(each) <= 15 for each in (number, position))):  # noqa: PLR2004 - digits of a number that fits
        raise BadCursor(cursor)
    return int(number), int(position)


class EventLog(Protocol):
    """A store of events.  Every implementation passes ``tests/events/store/log_contract.py``."""

    @property
    def trouble(self) -> StoreUnavailable | None:
        """Why the last attempt to write failed; None once one succeeded, or a probe did."""
        ...

    @property
    def queued(self) -> tuple[int, int]:
        """The number of appends that have no answer yet, and their bytes of payload."""
        ...

    @property
    def silence_s(self) -> float:
        """Seconds since this process last heard of writes by other processes; 0 if no other process writes."""
        ...

    def known_head(self, debate: str) -> int | None:
        """The last position, if this process knows it without asking the store."""
        ...

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """Record ``events`` after position ``expected``, atomically, and return them as recorded.

        The events are durable on return.  A repeated append with the same event ids returns the records of the first.
        While the store has as many unanswered requests as it takes, the call waits for its place, without a time limit.
        An append that is cancelled may still be recorded.  Raises ``WrongExpectedPosition``, ``DebateDeleted``,
        ``StoreUnavailable``, and ``Fenced`` if another node owns the debate.
        """
        ...

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """Write a whole debate of another store, with envelopes, salts and digests unchanged.

        One that was deleted here as archived comes back, in place of its tombstone, if the log is the same to the last
        digest.  Raises ``WrongExpectedPosition`` if the debate is in this store, ``DebateDeleted``, ``BrokenChain``,
        ``StoreUnavailable``.
        """
        ...

    async def delete(self, debate: str, expected: int, reason: str, *, archived: bool = False) -> Tombstone:
        """Replace a debate, whose last position is ``expected``, by its tombstone, in one transaction.

        ``archived``: its log is in a file, from which ``adopt`` may write it again.  A note of the kind ``ARCHIVED``
        has the last digest then.  From then on the debate is unknown to every reading; waiting readers get
        ``UnknownDebate``.  Raises ``WrongExpectedPosition``, ``UnknownDebate``, ``DebateDeleted``,
        ``StoreUnavailable``.
        """
        ...

    async def tombstones(self, prefix: str = "") -> tuple[Tombstone, ...]:
        """What is left of the deleted debates whose ids begin with ``prefix``, the first deleted one first."""
        ...

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """Records after position ``after``, in order; empty for an unknown debate.

        Without ``limit`` the whole rest is in memory at once.  Raises ``UnknownEvent``, ``StoreUnavailable``.
        """
        ...

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """Like ``read``, but payloads are not decoded: export and verify also work with unreadable payloads."""
        ...

    async def head(self, debate: str) -> int:
        """Position of the last record; 0 for an unknown debate."""
        ...

    async def wait_beyond(self, debate: str, position: int) -> None:
        """Return once the debate has records after ``position``, without a time limit.  Raises ``StoreUnavailable``."""
        ...

    async def summaries(
        self, after: str | None = None, limit: int = 50, query: str = "", limits: Limits = ALL
    ) -> SummaryPage:
        """A page of debates, newest first, after the cursor ``after``; ``query`` is searched in motions.

        Raises ``BadCursor``, ``StoreUnavailable``.
        """
        ...

    async def search(self, query: str, after: str | None = None, limit: int = 20) -> SearchPage:
        """A page of what was said that has all terms of ``query``, after ``after``; see ``events.text.said``.

        Hits are ordered by time and not ranked.  Raises ``BadCursor``, ``StoreUnavailable``.
        """
        ...

    async def unfinished(self) -> tuple[str, ...]:
        """Ids of debates in state ``open``, oldest first, whoever runs them: a server continues them at its start."""
        ...

    async def calibrations(self) -> tuple[str, ...]:
        """Ids of debates of format ``calibration``, oldest first, found by an index."""
        ...

    async def unconcluded(self) -> dict[str, int]:
        """Number of debates in each state other than ``concluded``, found by an index."""
        ...

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """What a part of the server keeps next to the events, by key: all, or one.  Raises ``StoreUnavailable``."""
        ...

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """Keep one value under a key, or remove it; durable on return.  Raises ``StoreUnavailable``."""
        ...

    async def close(self) -> None:
        """Write the accepted requests, then close the store."""
        ...


async def follow(log: EventLog, debate: str, after: int = 0) -> AsyncIterator[Recorded]:
    """Records after ``after``, then new records as they are committed.  Never ends by itself.

    Nothing is queued for a slow reader: the next page is read when the caller has taken the last one.  Raises as
    ``read``, and ``StoreUnavailable`` when the log is closed.
    """
    while True:
        records = await log.read(debate, after, PAGE)
        for record in records:
            yield record
            after = record.position
        if not records:
            await log.wait_beyond(debate, after)


async def not_there(log: EventLog, debate: str) -> UnknownDebate:
    """The error for a debate without records: ``DebateDeleted`` if it was deleted."""
    found = [each for each in await log.tombstones(debate) if each.debate == debate]
    return found[0].refusal() if found else UnknownDebate(debate)


async def read_rows(log: EventLog, limits: Limits = ALL, query: str = "") -> AsyncIterator[Summary]:
    """All rows of the list with ``query`` in their motion, newest first, read in pages."""
    after = None
    while True:
        page = await log.summaries(after, PAGE, query, limits)
        for row in page.debates:
            yield row
        if (after := page.next) is None:
            return


async def read_all(log: EventLog, debate: str) -> AsyncIterator[Recorded]:
    """All records up to now, read in pages."""
    async for records in read_pages(log, debate):
        for record in records:
            yield record


async def read_pages(log: EventLog, debate: str, after: int = 0) -> AsyncIterator[tuple[Recorded, ...]]:
    """All records after a position, up to now, in pages: folding a page at once is faster."""
    while records := await log.read(debate, after, PAGE):
        yield records
        after = records[-1].position
