"""The one writer of a debate's log: what its steps have to record at the same time becomes durable together.

While one append is under way the next ones gather, and go as one.  Each is made of the debate as it stands after the
ones before it, so that the log reads as if they had been appended one by one.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

import anyio
import msgspec
import structlog

from events.errors import StoreUnavailable
from events.record import Draft, Recorded, new_id, now
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import EventLog, read_all
from judge.live.event_batch import EventBatch
from server import observe

logger = structlog.get_logger()

Build = Callable[[Debate], Sequence[Draft]]
Waiting = Callable[[str, Callable[[], str]], AbstractContextManager[None]]
STORE_WAIT_S = 1.0
"""Wait before a failed append is tried again."""


class _Wish:
    """Something to append, and what came of it."""

    __slots__ = ("build", "records")

    def __init__(self, build: Build) -> None:
        self.build = build
        self.records: tuple[Recorded, ...] | None = None


class StreamWriter:
    """Folds one debate and writes it.  ``waiting`` tells those who watch why nothing goes on."""

    def __init__(self, debate: str, log: EventLog, waiting: Waiting) -> None:
        self.id = debate
        self.debate: Debate = debates.INITIAL
        self._log, self._waiting = log, waiting
        self._writing = anyio.Lock()
        self._wishes: list[_Wish] = []
        self._outage: StoreUnavailable | None = None

    async def load(self) -> None:
        """Fold the log up to now."""
        debate = debates.INITIAL
        async for record in read_all(self._log, self.id):
            debate = debates.evolve(debate, record)
        self.debate = debate

    async def append(self, build: Build) -> tuple[Recorded, ...]:
        """Append what ``build`` makes of the debate; nothing where that is nothing.

        While the store fails, wait and try again: what a model said is not lost.
        """
        wish = _Wish(build)
        self._wishes.append(wish)
        try:
            async with self._writing:
                if wish.records is None:
                    await self._fulfil()
        finally:
            if wish in self._wishes:
                self._wishes.remove(wish)
        assert wish.records is not None, "who holds the pen writes every wish"
        return wish.records

    async def append_at_once(self, build: Build) -> tuple[Recorded, ...]:
        """As ``append``, for a person's act: recorded now, or refused with ``StoreUnavailable``."""
        if self._outage is not None:
            raise self._outage
        async with self._writing:
            drafts = _named(build(self.debate))
            if not drafts:
                return ()
            try:
                return await self._append_now(drafts)
            except StoreUnavailable:
                observe.STORE_FAILURES.inc()
                raise

    async def _fulfil(self) -> None:
        """Write all that is wished for by now."""
        wishes, self._wishes = self._wishes, []
        try:
            drafts, ends = self._drafts(wishes)
            records = await self._append_patiently(drafts) if drafts else ()
        except BaseException:  # whose task holds the pen may be cancelled: the others' wishes stay
            self._wishes = wishes + self._wishes
            raise
        start = 0
        for wish, end in zip(wishes, ends, strict=True):
            wish.records = records[start:end]
            start = end

    def _drafts(self, wishes: Sequence[_Wish]) -> tuple[Sequence[Draft], list[int]]:
        """What is to be appended, and where each wish ends in it."""
        if len(wishes) == 1:
            drafts = _named(wishes[0].build(self.debate))
            return drafts, [len(drafts)]
        batch, ends = EventBatch(self.debate, at=now()), []
        for wish in wishes:
            for draft in wish.build(batch.debate):
                batch.add(draft.event, draft.cause)
            ends.append(len(batch.drafts))
        return _named(batch.drafts), ends

    async def _append_patiently(self, drafts: Sequence[Draft]) -> tuple[Recorded, ...]:
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


def _named(drafts: Sequence[Draft]) -> list[Draft]:
    """With an id each: an append that is repeated is the same one."""
    return [msgspec.structs.replace(draft, id=new_id()) for draft in drafts]
