"""The one writer of a debate's log: appends that are requested at the same time are written as one batch.

While one append is under way, the next ones wait in a list and are then written together.  Each is built from the
debate as it stands after the one before it, so that the log reads as if they had been appended one by one.

The log may hold an append that the store did not answer.  So the log is read again before anything else is built.  What
the log holds is not written a second time, and an act that its sender repeats gets its answer then.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Final

import anyio
import msgspec
import structlog

from events.clock import SYSTEM, Clock
from events.errors import StoreUnavailable, WrongExpectedPosition
from events.record import Draft, Recorded, is_repeat
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import EventLog, read_pages
from judge.live.event_batch import EventBatch
from server.errors import MootError
from server.process import observe

logger = structlog.get_logger()

Build = Callable[[Debate], Sequence[Draft]]
"""Makes the events to append from the debate as it stands; none if there is nothing to append."""
Waiting = Callable[[str, Callable[[], str]], AbstractContextManager[None]]
"""Shows the spectators of a debate why it waits, as long as the context is open."""
STORE_WAIT_S = 1.0
"""Wait before a failed append is tried again."""
REPEATED_S: Final = 60.0
"""Seconds, once the log was read again, within which an act equal to one without answer counts as its repetition."""


class _PendingAppend:
    """An append that was requested, and its records once it is written."""

    __slots__ = ("build", "records", "written")

    def __init__(self, build: Build, written: Callable[[], None] = lambda: None) -> None:
        self.build, self.written = build, written
        self.records: tuple[Recorded, ...] | None = None


class _Batch:
    """What is sent to the store at once: the drafts of some requests, built from the debate ``before``."""

    __slots__ = ("before", "drafts", "ends", "found_at", "requests")

    def __init__(
        self, before: Debate, requests: Sequence[_PendingAppend], drafts: Sequence[Draft], ends: Sequence[int]
    ) -> None:
        self.before, self.requests, self.drafts, self.ends = before, requests, drafts, ends
        """``ends``: for each request the index at which its drafts end."""
        self.found_at: float | None = None
        """Time of the event loop at which the batch was found in the log, after its answer was lost."""

    def answer(self, records: Sequence[Recorded]) -> None:
        """Give each request its records."""
        start = 0
        for request, end in zip(self.requests, self.ends, strict=True):
            request.records = tuple(records[start:end])
            request.written()
            start = end


class StreamWriter:
    """Folds one debate and appends to its log."""

    def __init__(
        self,
        debate: str,
        log: EventLog,
        waiting: Waiting,
        clock: Clock = SYSTEM,
        evolve: Callable[[Debate, Recorded], Debate] = debates.evolve,
    ) -> None:
        self.id = debate
        self.debate: Debate = debates.INITIAL
        self._log, self._waiting, self._clock, self._evolve = log, waiting, clock, evolve
        self._writing = anyio.Lock()
        self._pending: list[_PendingAppend] = []
        self._outage: StoreUnavailable | None = None
        self._impatient: set[anyio.CancelScope] = set()
        """Acts of people that wait for the lock: they are refused when an outage begins."""
        self.is_in_doubt = False
        """Whether the log may hold more than the fold, because an append got no answer."""
        self._unanswered: _Batch | None = None
        """The last batch if it got no answer.  It may even be written after the log was read again."""
        self._reported: _Batch | None = None
        """The last act of a person that was reported as unanswered."""

    async def load(self) -> None:
        """Fold the log up to now."""
        async with self._writing:
            await self._read_on(debates.INITIAL)

    async def settle(self) -> None:
        """If the fold is in doubt, read the log again, as soon as the store answers."""
        async with self._writing:
            await self._patiently(self._settle)

    async def append(self, build: Build, written: Callable[[], None] = lambda: None) -> tuple[Recorded, ...]:
        """Append what ``build`` makes of the debate.  While the store fails, wait and try again, without a time limit.

        ``written`` is called when the log holds it, also if the caller is cancelled in that moment.
        """
        request = _PendingAppend(build, written)
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
        """Append as ``append`` does, but raise ``StoreUnavailable`` instead of waiting: for commands of people.

        The error says if the events may be recorded nevertheless.  An equal append gets their records then.
        """
        request = _PendingAppend(build)
        await self._take_lock_unless_outage()
        try:
            await self._settle()
            request.records = self._records_of_first(build)
            if request.records is None:
                await self._write([request])
        except StoreUnavailable as error:
            observe.STORE_FAILURES.inc()
            if self._unanswered is None or self._unanswered.requests != [request]:
                raise
            self._reported = self._unanswered
            raise error.in_doubt() from error
        finally:
            self._writing.release()
        assert request.records is not None, "it was written"
        return request.records

    async def _take_lock_unless_outage(self) -> None:
        """Take the lock, or raise ``StoreUnavailable`` if appends wait for the store or begin to."""
        while self._outage is None:
            with anyio.CancelScope() as scope:
                self._impatient.add(scope)
                try:
                    await self._writing.acquire()
                    return
                finally:
                    self._impatient.discard(scope)
        raise self._outage

    async def _write_pending(self) -> None:
        """Write everything that is pending now, as one batch."""
        requests, self._pending = self._pending, []
        try:
            await self._patiently(lambda: self._write(requests))
        except BaseException:  # this task may be cancelled: another one writes the appends of the others
            self._pending = [each for each in requests if each.records is None] + self._pending
            raise

    async def _patiently(self, act: Callable[[], Awaitable[None]]) -> None:
        """Try ``act`` until the store is available; the spectators are shown why the debate waits."""
        with ExitStack() as waits:
            try:
                while True:
                    try:
                        return await act()
                    except StoreUnavailable as error:
                        observe.STORE_FAILURES.inc()
                        if self._outage is None:
                            logger.warning("store_unavailable", debate=self.id, message=str(error))
                            waits.enter_context(self._waiting(self.id, self._why))
                        self._outage = error
                        for scope in self._impatient:
                            scope.cancel()
                        await anyio.sleep(STORE_WAIT_S)
            finally:
                self._outage = None

    def _why(self) -> str:
        return f"waiting for the store: {self._outage.reason}" if self._outage else ""

    async def _write(self, requests: Sequence[_PendingAppend]) -> None:
        """Write the requests that have no records yet.  Raises ``StoreUnavailable``: then the log may hold them."""
        while True:
            await self._settle()
            batch = self._batch([each for each in requests if each.records is None])
            if not batch.drafts:
                batch.answer(())
                return
            try:
                await self._send(batch)
            except WrongExpectedPosition as conflict:
                if self._unanswered is None or conflict.found <= self.debate.position:
                    raise
                self.is_in_doubt = True  # the batch without an answer was written after the log was read again
            else:
                return

    def _batch(self, requests: Sequence[_PendingAppend]) -> _Batch:
        """The requests as one batch: the one without an answer if it is the same, so that its drafts keep their ids."""
        same = self._unanswered
        if same is not None and same.before is self.debate and same.requests == requests:
            return same
        if len(requests) == 1:
            drafts = self._with_ids(requests[0].build(self.debate))
            return _Batch(self.debate, requests, drafts, [len(drafts)])
        together, ends = EventBatch(self.debate, at=self._clock.now()), []
        for request in requests:
            for draft in request.build(together.debate):
                together.add(draft.event, draft.cause)
            ends.append(len(together.drafts))
        return _Batch(self.debate, requests, self._with_ids(together.drafts), ends)

    async def _send(self, batch: _Batch) -> None:
        with anyio.CancelScope(shield=True):  # what is committed must be folded
            try:
                with observe.APPEND_SECONDS.time():
                    records = await self._log.append(self.id, batch.before.position, batch.drafts)
            except StoreUnavailable:
                self.is_in_doubt, self._unanswered = True, batch
                raise
            observe.EVENTS.inc(len(records))
            for record in records:
                self.debate = self._evolve(self.debate, record)
        self._unanswered = None
        batch.answer(records)

    async def _settle(self) -> None:
        """Read the log again if the fold is in doubt.  Raises ``StoreUnavailable``."""
        if self.is_in_doubt:
            await self._read_on(self.debate)

    async def _read_on(self, debate: Debate) -> None:
        """Fold what the log holds after ``debate``.  If that has the batch without an answer, the batch is answered."""
        batch, found = self._unanswered, list[Recorded]()
        async for records in read_pages(self._log, self.id, debate.position):
            for record in records:
                debate = debates.evolve(debate, record)
                if batch is not None and 0 < record.position - batch.before.position <= len(batch.drafts):
                    found.append(record)
        self.debate, self.is_in_doubt = debate, False
        if batch is not None and is_repeat(found, batch.drafts):
            observe.EVENTS.inc(len(found))
            self._unanswered, batch.found_at = None, anyio.current_time()
            batch.answer(found)

    def _records_of_first(self, build: Build) -> tuple[Recorded, ...] | None:
        """The records of an act that was reported as unanswered and is recorded, if this is its repetition."""
        first = self._reported
        if first is None or first.found_at is None:
            return None
        if anyio.current_time() - first.found_at > REPEATED_S:
            self._reported = None
            return None
        try:
            drafts = build(first.before)
        except MootError:  # another act
            return None
        if [draft.event for draft in drafts] != [draft.event for draft in first.drafts]:
            return None
        self._reported = None
        return first.requests[0].records

    def _with_ids(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with an id each, so that the store recognises an append that is repeated."""
        return [msgspec.structs.replace(draft, id=self._clock.new_id()) for draft in drafts]
