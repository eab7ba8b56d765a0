"""The log's protocol: append, read, follow.

A debate is a stream of records with gapless positions from 1.  ``append`` returns when the events are durable, all of
them or none; ``follow`` gives history, then what comes, with no gap and no repeat.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

from events.errors import StoreUnavailable
from events.record import Draft, Envelope, Recorded
from events.store.listing import Summary
from events.types import Event

POSITION_BITS = 24
MAX_POSITION = (1 << POSITION_BITS) - 1
"""The last position that a debate may have."""
PAGE = 200
"""Records read at once while following or exporting."""


class SummaryPage(Struct, frozen=True, kw_only=True):
    """A page of the list of debates, newest first; ``next`` is the cursor of the page after it, or null."""

    debates: tuple[Summary, ...]
    next: str | None


class EventLog(Protocol):
    """Where events are kept.  Every implementation passes ``tests/events/store/log_contract.py``."""

    @property
    def trouble(self) -> StoreUnavailable | None:
        """Why the last attempt to write failed; None once one succeeded, also where nobody asks for one."""
        ...

    @property
    def queued(self) -> tuple[int, int]:
        """Appends that have no answer yet, and their bytes of payload."""
        ...

    @property
    def silence_s(self) -> float:
        """Seconds since this process last heard or looked for what others wrote; 0 where nobody else writes."""
        ...

    def known_head(self, debate: str) -> int | None:
        """The head as far as this process knows it without asking the store."""
        ...

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        """Record ``events`` after position ``expected``, atomically, and return them as recorded.

        Durable on return.  The same event ids at the same positions again give the old answer.
        Raises ``WrongExpectedPosition``, ``StoreUnavailable``.
        """
        ...

    async def adopt(self, records: Sequence[Recorded]) -> None:
        """Take in a whole foreign debate as it is: envelopes, salts and digests unchanged.  The debate must be new.

        Raises ``WrongExpectedPosition`` if it is not, ``BrokenChain``, ``StoreUnavailable``.
        """
        ...

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """Records after position ``after``, in order; empty for an unknown debate."""
        ...

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        """As ``read``, with payloads unread: what export and verify use, so that no payload can stop them."""
        ...

    async def head(self, debate: str) -> int:
        """Position of the last record; 0 for an unknown debate."""
        ...

    async def wait_beyond(self, debate: str, position: int) -> None:
        """Return once the debate's head is beyond ``position``."""
        ...

    async def summaries(self, after: str | None = None, limit: int = 50, query: str = "") -> SummaryPage:
        """The debates, newest first, from the cursor ``after``; ``query`` finds text in motions."""
        ...

    async def unfinished(self) -> tuple[str, ...]:
        """Ids of the debates whose state is ``open``, oldest first: what a server takes up again when it starts."""
        ...

    async def calibrations(self) -> tuple[str, ...]:
        """Ids of the debates of format ``calibration``, oldest first, found without looking at any other."""
        ...

    async def unconcluded(self) -> dict[str, int]:
        """How many debates are in each state other than ``concluded``, found without looking at those."""
        ...

    async def close(self) -> None:
        """Finish what was accepted and let go of the store."""
        ...


async def follow(log: EventLog, debate: str, after: int = 0) -> AsyncIterator[Recorded]:
    """History after ``after``, then live records as they are committed: no gap, no repeat.  Never ends by itself."""
    while True:
        records = await log.read(debate, after, PAGE)
        for record in records:
            yield record
            after = record.position
        if not records:
            await log.wait_beyond(debate, after)


async def read_all(log: EventLog, debate: str) -> AsyncIterator[Recorded]:
    """All records up to now, read a page at a time."""
    async for records in read_pages(log, debate):
        for record in records:
            yield record


async def read_pages(log: EventLog, debate: str, after: int = 0) -> AsyncIterator[tuple[Recorded, ...]]:
    """All records after a position, up to now, in pages: what is folded whole is folded faster in pieces."""
    while records := await log.read(debate, after, PAGE):
        yield records
        after = records[-1].position
