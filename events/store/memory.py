"""A log in memory, for tests and trials.  Its debates end with the process."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Self

from anyio import to_thread
from msgspec import structs

from events import codec
from events.clock import SYSTEM, Clock
from events.errors import BrokenChain, StoreUnavailable, UnknownDebate, WrongExpectedPosition
from events.record import Draft, Envelope, Recorded, as_draft, digest_before_first, first_break, is_repeat, stamp
from events.store import listing
from events.store.listing import ALL, FINDABLE, Limits, Summary, fold_text, read_cursor, searched, write_cursor
from events.store.log import SearchPage, SummaryPage, read_search_cursor, search_page
from events.store.tombstone import ARCHIVED, Tombstone, withheld_lines
from events.store.wakeups import Wakeups
from events.text.said import Term, excerpt_of, terms_of, text_of
from events.types import Event


class MemoryLog:
    """``EventLog`` over lists."""

    trouble: StoreUnavailable | None = None
    """See ``EventLog``; set by tests only."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._debates: dict[str, list[Recorded]] = {}
        self._summaries: dict[str, tuple[int, Summary]] = {}
        self._numbers: dict[str, int] = {}
        self._calibrations: set[tuple[str, int, str]] = set()
        self._tombstones: dict[str, Tombstone] = {}
        self._notes: dict[tuple[str, str], bytes] = {}
        self._wakeups = Wakeups()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    @property
    def queued(self) -> tuple[int, int]:
        """See ``EventLog``."""
        return 0, 0

    @property
    def silence_s(self) -> float:
        """See ``EventLog``."""
        return 0.0

    def known_head(self, debate: str) -> int | None:
        """See ``EventLog``."""
        return len(self._debates.get(debate, ()))

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        self._check_open()
        drafts = [as_draft(item) for item in events]
        payloads = [codec.encode(draft.event) for draft in drafts]
        self._check_not_deleted(debate)
        records = self._debates.get(debate, [])
        if len(records) != expected:
            there = records[expected : expected + len(drafts)]
            if there and is_repeat(there, drafts):
                return tuple(there)
            raise WrongExpectedPosition(debate, expected, len(records))
        previous = records[-1].digest if records else digest_before_first(debate)
        new = stamp(debate, expected, previous, drafts, self._clock.now(), payloads, self._clock)
        self._take(debate, new)
        await asyncio.sleep(0)  # like other logs: other tasks may run before the answer
        return new

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """See ``EventLog``."""
        self._check_open()
        debate = records[0].debate
        if broken := first_break(records, debate):
            raise BrokenChain(debate, *broken)
        if self._notes.get((ARCHIVED, debate)) == records[-1].digest:
            del self._notes[ARCHIVED, debate], self._tombstones[debate]
        self._check_not_deleted(debate)
        if debate in self._debates:
            raise WrongExpectedPosition(debate, 0, len(self._debates[debate]))
        self._take(debate, tuple(records))

    async def delete(self, debate: str, expected: int, reason: str, *, archived: bool = False) -> Tombstone:
        """See ``EventLog``."""
        self._check_open()
        self._check_not_deleted(debate)
        records = self._debates.get(debate, [])
        if not records:
            raise UnknownDebate(debate)
        if len(records) != expected:
            raise WrongExpectedPosition(debate, expected, len(records))
        left = self._tombstones[debate] = Tombstone(
            debate=debate,
            deleted_at=self._clock.now(),
            reason=reason,
            events=len(records),
            is_erased=True,
            lines=withheld_lines(records),
        )
        if archived:
            self._notes[ARCHIVED, debate] = records[-1].digest
        del self._debates[debate]
        self._summaries.pop(debate, None)
        self._calibrations = {each for each in self._calibrations if each[-1] != debate}
        self._wakeups.end(debate)
        return left

    async def tombstones(self, prefix: str = "") -> tuple[Tombstone, ...]:
        """See ``EventLog``."""
        self._check_open()
        return tuple(left for debate, left in self._tombstones.items() if debate.startswith(prefix))

    def _check_not_deleted(self, debate: str) -> None:
        if debate in self._tombstones:
            raise self._tombstones[debate].refusal()

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """See ``EventLog``."""
        self._check_open()
        end = None if limit is None else after + limit
        return tuple(self._debates.get(debate, [])[after:end])

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """See ``EventLog``."""
        return await self.read(debate, after, limit)

    async def head(self, debate: str) -> int:
        """See ``EventLog``."""
        self._check_open()
        return len(self._debates.get(debate, []))

    async def wait_beyond(self, debate: str, position: int) -> None:
        """See ``EventLog``."""
        with self._wakeups.waiting(debate, position) as beyond:
            head = len(self._debates.get(debate, []))
            self._check_not_deleted(debate)
            if head <= position:
                await beyond

    async def summaries(
        self, after: str | None = None, limit: int = 50, query: str = "", limits: Limits = ALL
    ) -> SummaryPage:
        """See ``EventLog``."""
        self._check_open()
        wanted = (fold_text(query), *limits.marks())
        before = read_cursor(after) if after is not None else None
        rows = sorted(((row.opened_at, number, row) for number, row in self._summaries.values()), reverse=True)
        found = [
            (opened_at, number, row)
            for opened_at, number, row in rows
            if (before is None or (opened_at, number) < before) and _fits(searched(row), wanted, limits)
        ]
        page = found[:limit]
        return SummaryPage(
            debates=tuple(structs.replace(row, position=len(self._debates[row.id])) for _, _, row in page),
            next=write_cursor(*page[-1][:2]) if len(found) > len(page) and page else None,
        )

    async def search(self, query: str, after: str | None = None, limit: int = 20) -> SearchPage:
        """See ``EventLog``."""
        self._check_open()
        terms, before = terms_of(query), read_search_cursor(after)
        if not terms:
            return SearchPage(hits=(), next=None)
        rows = sorted(self._summaries.values(), key=lambda each: -each[0])
        return await to_thread.run_sync(self._search, rows, terms, before, limit)

    def _search(
        self, rows: Sequence[tuple[int, Summary]], terms: Sequence[Term], before: tuple[int, int] | None, limit: int
    ) -> SearchPage:
        """Reads every text.  Runs in a thread: appends meanwhile only add to the lists."""
        found: list[tuple[int, int, Summary, Recorded]] = []
        for number, row in rows:
            if not _fits(searched(row), (), FINDABLE):
                continue
            for record in reversed(self._debates.get(row.id, [])):
                is_next = before is None or (number, record.position) < before
                if is_next and excerpt_of(text_of(record.event), terms) is not None:
                    found.append((number, record.position, row, record))
                if len(found) > limit:
                    return search_page(found, terms, limit)
        return search_page(found, terms, limit)

    async def unfinished(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        self._check_open()
        everything = self._summaries.values()
        rows = sorted((row.opened_at, number, row.id) for number, row in everything if row.state == "open")
        return tuple(debate for _, _, debate in rows)

    async def calibrations(self) -> tuple[str, ...]:
        """See ``EventLog``."""
        self._check_open()
        return tuple(debate for _, _, debate in sorted(self._calibrations))

    async def unconcluded(self) -> dict[str, int]:
        """See ``EventLog``."""
        self._check_open()
        return dict(Counter(row.state for _, row in self._summaries.values() if row.state != "concluded"))

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """See ``EventLog``."""
        self._check_open()
        return {at: value for (of, at), value in self._notes.items() if of == kind and key in {None, at}}

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """See ``EventLog``."""
        self._check_open()
        self._notes.pop((kind, key), None)
        if value is not None:
            self._notes[kind, key] = value

    async def close(self) -> None:
        """See ``EventLog``."""
        self._closed = True
        self._wakeups.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _take(self, debate: str, records: tuple[Recorded, ...]) -> None:
        if not records:
            return
        self._debates.setdefault(debate, []).extend(records)
        number = self._numbers.setdefault(debate, len(self._numbers) + 1)
        _, row = self._summaries.get(debate, (number, None))
        for record in records:
            row = listing.apply(row, record)
        if row is not None:
            self._summaries[debate] = number, row
            if row.format == "calibration":
                self._calibrations.add((row.opened_at, number, debate))
        self._wakeups.advance(debate, records[-1].position)


def _fits(row: str, wanted: Sequence[str], limits: Limits) -> bool:
    return all(each in row for each in wanted) and not any(each in row for each in limits.absent_marks())
