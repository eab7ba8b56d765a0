"""The one writer of a debate's log: appends that are requested at the same time are written as one batch.

While one append is under way, the next ones wait in a list and are then written together.  Each is built from the
debate as it stands after the one before it, so that the log reads as if they had been appended one by one.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

import anyio
import msgspec
import structlog

from events.clock import SYSTEM, Clock
from events.errors import StoreUnavailable
from events.record import Draft, Recorded
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import EventLog, read_all
from judge.live.event_batch import EventBatch
from server import observe

logger = structlog.get_logger()

Build = Callable[[Debate], Sequence[Draft]]
"""Makes the events to append from the debate as it stands; none if there is nothing to append."""
Waiting = Callable[[str, Callable[[], str]], AbstractContextManager[None]]
"""Shows the spectators of a debate why it waits, as long as the context is open."""
STORE_WAIT_S = 1.0
"""Wait before a failed append is tried again."""


class _PendingAppend:
    """An append that was requested, and its records once it is written."""

    __slots__ = ("build", "records")

    def __init__(self, build: Build) -> None:
        self.build = build
        self.records: tuple[Recorded, ...] | None = None


class StreamWriter:
    """Folds one debate and appends to its log."""

    def __init__(self, debate: str, log: EventLog, waiting: Waiting, clock: Clock = SYSTEM) -> None:
        self.id = debate
        self.debate: Debate = debates.INITIAL
        self._log, self._waiting, self._clock = log, waiting, clock
        self._writing = anyio.Lock()
        self._pending: list[_PendingAppend] = []
        self._outage: StoreUnavailable | None = None

    async def load(self) -> None:
        """Fold the log up to now."""
        debate = debates.INITIAL
        async for record in read_all(self._log, self.id):
            debate = debates.evolve(debate, record)
        self.debate = debate

    async def append(self, build: Build) -> tuple[Recorded, ...]:
        """Append what ``build`` makes of the debate.  While the store fails, wait and try again."""
        request = _PendingAppend(build)
        self._pending.append(request)
        try:
            async with self._writing:
                if request.records is None:
                    await self._write_pending()
        finally:
            if request in self._pending:
                self._pending.remove(request)
        assert request.records is not None, "the holder of the lock writes every pending append"
        return request.records

    async def append_at_once(self, build: Build) -> tuple[Recorded, ...]:
        """Append as ``append`` does, but raise ``StoreUnavailable`` instead of waiting: for commands of people."""
        if self._outage is not None:
            raise self._outage
        async with self._writing:
            drafts = self._with_ids(build(self.debate))
            if not drafts:
                return ()
            try:
                return await self._append_now(drafts)
            except StoreUnavailable:
                observe.STORE_FAILURES.inc()
                raise

    async def _write_pending(self) -> None:
        """Write everything that is pending now, as one batch."""
        requests, self._pending = self._pending, []
        try:
            drafts, ends = self._build_all(requests)
            records = await self._append_patiently(drafts) if drafts else ()
        except BaseException:  # this task may be cancelled: another one writes the appends of the others
            self._pending = requests + self._pending
            raise
        start = 0
        for request, end in zip(requests, ends, strict=True):
            request.records = records[start:end]
            start = end

    def _build_all(self, requests: Sequence[_PendingAppend]) -> tuple[Sequence[Draft], list[int]]:
        """The drafts of all requests, and for each request the index at which its drafts end."""
        if len(requests) == 1:
            drafts = self._with_ids(requests[0].build(self.debate))
            return drafts, [len(drafts)]
        batch, ends = EventBatch(self.debate, at=self._clock.now()), []
        for request in requests:
            for draft in request.build(batch.debate):
                batch.add(draft.event, draft.cause)
            ends.append(len(batch.drafts))
        return self._with_ids(batch.drafts), ends

    async def _append_patiently(self, drafts: Sequence[Draft]) -> tuple[Recorded, ...]:
        """Append, and try again until the store is available; the spectators are shown why the debate waits."""
        with ExitStack() as waits:
            try:
                while True:
                    try:
                        return await self._append_now(drafts)
                    except StoreUnavailable as error:
                        observe.STORE_FAILURES.inc()
                        if self._outage is None:
                            logger.warning("store_unavailable", debate=self.id, message=str(error))
                            waits.enter_context(self._waiting(self.id, self._why))
                        self._outage = error
                        await anyio.sleep(STORE_WAIT_S)
            finally:
                self._outage = None

    def _why(self) -> str:
        return f"waiting for the store: {self._outage.reason}" if self._outage else ""

    async def _append_now(self, drafts: Sequence[Draft]) -> tuple[Recorded, ...]:
        with anyio.CancelScope(shield=True):  # what is committed must be folded
            with observe.APPEND_SECONDS.time():
                records = await self._log.append(self.id, self.debate.position, drafts)
            observe.EVENTS.inc(len(records))
            for record in records:
                self.debate = debates.evolve(self.debate, record)
        return records

    def _with_ids(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with an id each, so that the store recognises an append that is repeated."""
        return [msgspec.structs.replace(draft, id=self._clock.new_id()) for draft in drafts]
