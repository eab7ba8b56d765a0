"""Calls that are gathered, sent as one batch of the vendor, and answered when the batch has ended.

Before a batch is sent, the store keeps which calls it has, and then the vendor's id of it.  A process that begins after
another was killed asks the same calls again by the same names, finds their batch, and waits for it: nothing is sent
twice that the vendor has.
"""

import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, Protocol
from uuid import uuid4

import anyio
import msgspec
import structlog
from msgspec import Struct

from providers.errors import BrokenOff, ProviderError, UnknownModel

logger = structlog.get_logger()

KIND: Final = "vendor-batches"
"""Of the notes in the store."""
GATHER_S: Final = 10.0
"""Seconds for which calls are gathered before they are sent."""
POLL_S: Final = 30.0
"""Seconds after which a batch is asked about again."""
LOOK_S: Final = 1.0
SEND_S: Final = 120.0
"""The most seconds that sending takes; it is not cancelled with the call that began it."""
MAX_CALLS: Final = 5000
"""Calls of one batch; the vendors take more."""
MAX_BYTES: Final = 50_000_000
KEPT_S: Final = 30 * 86_400.0
"""Seconds for which a vendor keeps results; notes of older batches go."""
MAX_TRIES: Final = 2
"""Times that a call is sent whose answer an ended batch does not have."""
SERVER_ERROR: Final = 500


class Notes(Protocol):
    """Where it is kept what was sent: the log of events."""

    async def notes(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """All notes of a kind, by key."""
        ...

    async def note(self, kind: str, key: str, value: bytes | None) -> None:
        """Keep a note, or remove it."""
        ...


class SentBatch(Struct, frozen=True, kw_only=True):
    """What the store keeps of a batch.  ``batch`` is empty until the vendor has given its id."""

    vendor: str
    calls: tuple[str, ...]
    at: float
    """Seconds since 1970."""
    batch: str = ""


class BatchAPI(Protocol):
    """A vendor's interface.  Each method raises ``ProviderError``."""

    async def create(self, bodies: Mapping[str, dict[str, Any]], mark: str) -> str:
        """Send a batch of calls by their names; its id."""
        ...

    async def found(self, sent: SentBatch, mark: str) -> str:
        """The id of a batch that was perhaps accepted though the vendor's answer was lost; empty if it was not."""
        ...

    async def is_over(self, batch: str) -> bool:
        """Whether a batch has ended, with whatever results."""
        ...

    def results(self, batch: str) -> AsyncIterator[tuple[str, Any]]:
        """The result of each call of an ended batch: what the vendor answered, or a ``ProviderError``."""
        ...


class _Waiting:
    """A call that waits for its answer."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body, self.since = body, time.time()
        self.size = len(msgspec.json.encode(body))
        self.batch = ""
        self.is_known = False
        """Whether the store was asked if the call was sent before."""
        self.sent = 0
        self.done = anyio.Event()
        self.result: Any = None

    def finish(self, result: Any) -> None:
        self.result = result
        self.done.set()


def name_of(*parts: Any) -> str:
    """The name of a call: the same in every process, by what it is asked for and what is sent."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:48]


class CallBatches:
    """The batches of one vendor.  The work is done by one of the calls that wait."""

    def __init__(self, vendor: str, api: BatchAPI) -> None:
        self.vendor, self._api = vendor, api
        self._waiting: dict[str, _Waiting] = {}
        self._lock = anyio.Lock()
        self._asked_at: dict[str, float] = {}
        """When each batch was last asked about."""
        self._not_before = 0.0

    async def result(self, notes: Notes, name: str, body: dict[str, Any]) -> Any:
        """What the vendor answers to a call.  Raises ``ProviderError``."""
        waiting = self._waiting.setdefault(name, _Waiting(body))
        try:
            while not waiting.done.is_set():
                if not self._lock.locked():
                    async with self._lock:
                        await self._round(notes)
                with anyio.move_on_after(LOOK_S):
                    await waiting.done.wait()
        finally:
            self._waiting.pop(name, None)
        if isinstance(waiting.result, ProviderError):
            raise waiting.result
        return waiting.result

    async def _round(self, notes: Notes) -> None:
        """Take up what was sent before, send what is due, and ask about what the vendor has."""
        now, unsent = time.time(), [each for each in self._waiting.values() if not each.batch]
        is_due = len(unsent) >= MAX_CALLS or any(now - each.since >= GATHER_S for each in unsent)
        if is_due and now >= self._not_before:
            await self._recognise(notes)
            known = {name: each for name, each in self._waiting.items() if each.is_known and not each.batch}
            for part in _parts(known):
                with anyio.move_on_after(SEND_S, shield=True):
                    await self._send(notes, part)
        for batch in {each.batch for each in self._waiting.values()} - {""}:
            if time.time() - self._asked_at.get(batch, 0.0) >= POLL_S:
                self._asked_at[batch] = time.time()
                await self._ask_about(notes, batch)

    async def _recognise(self, notes: Notes) -> None:
        """Find the batches that have the calls that wait; forget those that are too old."""
        new = {name: each for name, each in self._waiting.items() if not each.is_known}
        if not new:
            return
        for mark, value in (await notes.notes(KIND)).items():
            sent = msgspec.json.decode(value, type=SentBatch)
            if time.time() - sent.at > KEPT_S:
                await notes.note(KIND, mark, None)
                continue
            own = [name for name in sent.calls if name in new]
            if sent.vendor != self.vendor or not own:
                continue
            try:
                batch = sent.batch or await self._api.found(sent, mark)
            except ProviderError as error:
                logger.warning("batch_not_found_out", vendor=self.vendor, message=error.message)
                self._not_before = time.time() + POLL_S
                return  # it is asked again: what was perhaps sent is not sent again
            if not batch:
                await notes.note(KIND, mark, None)
                continue
            if not sent.batch:
                await notes.note(KIND, mark, _encoded(sent, batch))
            for name in own:
                new[name].batch = batch
        for each in new.values():
            each.is_known = True

    async def _send(self, notes: Notes, part: Mapping[str, _Waiting]) -> None:
        mark, sent = uuid4().hex, SentBatch(vendor=self.vendor, calls=tuple(part), at=time.time())
        await notes.note(KIND, mark, msgspec.json.encode(sent))
        for each in part.values():
            each.sent += 1
        try:
            batch = await self._api.create({name: each.body for name, each in part.items()}, mark)
        except ProviderError as error:
            logger.warning("batch_not_sent", vendor=self.vendor, calls=len(part), message=error.message)
            if error.http_status is not None and error.http_status < SERVER_ERROR:
                await notes.note(KIND, mark, None)
                for each in part.values():
                    each.finish(error)
                return
            self._not_before = time.time() + POLL_S
            for each in part.values():  # the vendor may have it: the note says so
                each.is_known = False
            return
        for each in part.values():
            each.batch = batch
        await notes.note(KIND, mark, _encoded(sent, batch))
        logger.info("batch_sent", vendor=self.vendor, batch=batch, calls=len(part))

    async def _ask_about(self, notes: Notes, batch: str) -> None:
        own = {name: each for name, each in self._waiting.items() if each.batch == batch}
        failed = set[str]()
        try:
            if not await self._api.is_over(batch):
                return
            async for name, result in self._api.results(batch):
                if name in own:
                    failed |= {name} if isinstance(result, ProviderError) else set()
                    own.pop(name).finish(result)
        except UnknownModel:
            logger.warning("batch_is_gone", vendor=self.vendor, batch=batch)
        except ProviderError as error:
            logger.warning("batch_not_read", vendor=self.vendor, batch=batch, message=error.message)
            return
        await self._forget(notes, batch, failed | own.keys())
        for each in own.values():
            each.batch = ""
            if each.sent >= MAX_TRIES:
                each.finish(BrokenOff("the vendor's batch ended without an answer to this call"))
        self._asked_at.pop(batch, None)

    async def _forget(self, notes: Notes, batch: str, names: AbstractSet[str]) -> None:
        """Keep no longer that these calls are in a batch."""
        if not names:
            return
        for mark, value in (await notes.notes(KIND)).items():
            sent = msgspec.json.decode(value, type=SentBatch)
            if sent.vendor == self.vendor and sent.batch == batch:
                left = tuple(name for name in sent.calls if name not in names)
                kept = msgspec.structs.replace(sent, calls=left)
                await notes.note(KIND, mark, msgspec.json.encode(kept) if left else None)


def _encoded(sent: SentBatch, batch: str) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(sent, batch=batch))


def _parts(unsent: Mapping[str, _Waiting]) -> Iterator[dict[str, _Waiting]]:
    """Batches within the bounds, each with calls of one model."""
    by_model: dict[str, dict[str, _Waiting]] = {}
    for name, each in unsent.items():
        by_model.setdefault(str(each.body.get("model")), {})[name] = each
    for calls in by_model.values():
        part: dict[str, _Waiting] = {}
        size = 0
        for name, each in calls.items():
            if part and (len(part) >= MAX_CALLS or size + each.size > MAX_BYTES):
                yield part
                part, size = {}, 0
            part[name] = each
            size += each.size
        yield part
