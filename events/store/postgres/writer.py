"""The one writer of a node: a task that sends a batch while the next batch collects requests.

A request that follows a head that this node knows is stamped at once.  In all other cases (unknown debate, conflict,
repeat, failed batch) the debate is in doubt: it is looked up first, and its later requests wait behind.

If the answer to a batch is lost, the writer looks for the digest of the batch's first event, which no other node can
have written.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Final, TypeVar

import msgspec
import psycopg

from events.errors import BadTransfer, Fenced, LogError, StoreUnavailable, WrongExpectedPosition
from events.record import digest_before_first, is_repeat, stamp
from events.store.log import MAX_POSITION
from events.store.postgres.batch import MARK_BYTES, WRITE, MarkedHead, WriteBatch
from events.store.postgres.connection import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    Address,
    Connection,
    connect,
    cutting,
    is_passing,
    is_spent,
    leaves_doubt,
)
from events.store.postgres.pack import register
from events.store.postgres.rows import StoredStream, is_storable, read_records, read_standings, read_tombstones
from events.store.requests import KEPT_HEADS, PROBE_S, Backlog, WriteRequest, WriteResult

BLOCK: Final = 64
"""Stream numbers that the sequence gives out at once."""
MAX_TRIES: Final = 8
_PROBE: Final = "DELETE FROM moot.nodes WHERE node = ''"
_PLAN: Final = (
    # The plan is made once and must suit tables of any size: always by index, whatever the statistics say then.
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;"
    "SET enable_mergejoin = off"
)
T = TypeVar("T")


class PostgresWriter:
    """The writer task.  ``committed(debate, mark, head)`` is called before a request gets its answer."""

    def __init__(
        self,
        address: Address,
        node: str,
        epochs: dict[str, int],
        *,
        lease_s: float,
        patience_s: float,
        committed: Callable[[str, bytes, int], None],
    ) -> None:
        self.trouble: StoreUnavailable | None = None  # why the last attempt to write failed; None once one succeeded
        self._address, self._node, self._epochs, self._committed = address, node, epochs, committed
        self._lease, self._patience_s = timedelta(seconds=lease_s), patience_s
        self.loop = asyncio.get_running_loop()
        self.backlog = Backlog()
        self._connection: Connection | None = None
        self._heads: dict[str, MarkedHead] = {}
        self._open, self._ready = WriteBatch(), list[WriteBatch]()
        self._doubtful: dict[str, list[WriteRequest]] = {}
        self._numbers: list[int] = []
        self._wake = asyncio.Event()
        self._closed = False
        self._task = self.loop.create_task(self._run(), name="moot-postgres-writer")

    def submit(self, request: WriteRequest) -> None:
        """Take a request that the backlog has counted.  Raises ``StoreUnavailable`` once closed."""
        if self._closed:
            self.backlog.release(1, request.size)
            raise StoreUnavailable(f"the store {self._address.name} is closed")
        self._accept(request)
        self._wake.set()

    async def close(self) -> None:
        """Write the accepted requests, then end the task."""
        self._closed = True
        self.backlog.close(StoreUnavailable(f"the store {self._address.name} is closed"))
        self._wake.set()
        await asyncio.shield(self._task)

    def _accept(self, request: WriteRequest) -> None:
        debate = request.debate
        if debate in self._doubtful:
            self._doubtful[debate].append(request)
            return
        head = self._heads.pop(debate, None)
        if (
            head is None
            and not request.expected
            and self._numbers
            and debate not in self._epochs
            and is_storable(debate)
        ):
            head = self._new_head(debate)
        if head is not None:
            self._heads[debate] = head  # least recently used heads are forgotten first
        if head is None or head.position != request.expected or not (request.drafts or request.records):
            self._doubtful[debate] = [request]
        else:
            self._stamp(request, head)

    def _new_head(self, debate: str) -> MarkedHead:
        first = digest_before_first(debate)
        return MarkedHead(self._numbers.pop(), 0, first, None, first[:MARK_BYTES])

    def _stamp(self, request: WriteRequest, head: MarkedHead) -> None:
        """Add the request to the open batch, or answer why it cannot be written."""
        try:
            _check(request, head.position)
            records = tuple(request.records) or stamp(
                request.debate, head.position, head.digest, request.drafts, self._open.at, request.payloads
            )
        except (ValueError, TypeError, msgspec.EncodeError, LogError) as error:
            if not head.position:
                self._heads.pop(request.debate, None)
            self._answer(request, error)
            return
        is_new = head.position == 0
        claimed = is_new and not request.records  # an imported debate has no owner yet
        if claimed:
            self._epochs[request.debate] = 1
        self._open.take(request, head, records, self._epochs.get(request.debate, 0), is_new=is_new, is_claimed=claimed)
        if self._open.is_full:
            self._seal()

    def _seal(self) -> None:
        self._open.seal(self._node, self._lease)
        self._ready.append(self._open)
        self._open = WriteBatch()

    async def _run(self) -> None:
        try:
            while True:
                if not (self._ready or self._open.requests or self._doubtful):
                    if self._closed:
                        return
                    self._wake.clear()
                    await self._idle()
                if not self._ready and self._open.requests:
                    self._seal()
                if self._ready:
                    await self._write(self._ready[0])
                if self._doubtful:
                    await self._look_up()
        finally:
            self._closed = True
            for request in self._withdrawn(0):
                self._answer(request, StoreUnavailable(f"the store {self._address.name} is closed"))
            await self._drop_connection()

    async def _idle(self) -> None:
        """Wait for a request; meanwhile probe a store that failed."""
        try:
            async with asyncio.timeout(PROBE_S if self.trouble else None):
                await self._wake.wait()
        except TimeoutError:
            with suppress(StoreUnavailable):  # the trouble goes on
                await self._repeat(lambda connection: connection.execute(_PROBE), 0)

    async def _write(self, batch: WriteBatch) -> None:
        try:
            written = await self._send(batch)
        except StoreUnavailable as error:
            self._withdraw(1)
            for debate in batch.moves:
                self._forget(debate, batch)
            for request in batch.requests:
                self._answer(request, error)
            return
        if not written:
            self._withdraw(0)
            return
        del self._ready[0]
        for request, records in zip(batch.requests, batch.answers, strict=True):
            self._committed(request.debate, batch.moves[request.debate].head.mark, records[-1].position)
            self._answer(request, records)
        if len(self._heads) > KEPT_HEADS:
            self._forget_oldest()

    async def _send(self, batch: WriteBatch) -> bool:
        """Send the batch.  Returns False if a debate is not at the expected position or epoch."""
        deadline = batch.requests[0].since + self._patience_s
        refused = False

        async def attempt(connection: Connection) -> bool:
            nonlocal refused
            if batch.uncertain:
                if await self._is_there(connection, batch):
                    return True
                if refused:
                    return False
            try:
                await connection.execute(WRITE, batch.statement, prepare=True)
            except psycopg.errors.DivisionByZero:
                refused = True
                return await self._is_there(connection, batch) if batch.uncertain else False
            except (psycopg.Error, OSError) as error:
                batch.uncertain = batch.uncertain or leaves_doubt(error)
                raise
            return True

        return await self._repeat(attempt, deadline)

    async def _is_there(self, connection: Connection, batch: WriteBatch) -> bool:
        assert batch.first is not None
        stream, record = batch.first
        cursor = await connection.execute(
            "SELECT digest FROM moot.events WHERE stream = %s AND position = %s", (stream, record.position), binary=True
        )
        return await cursor.fetchone() == (record.digest,)

    async def _look_up(self) -> None:
        """Look up the debates in doubt that are in no batch."""
        under_way = {debate for batch in (*self._ready, self._open) for debate in batch.moves}
        names = [debate for debate in self._doubtful if debate not in under_way]
        if not names:
            return
        deadline = min(self._doubtful[debate][0].since for debate in names) + self._patience_s

        async def looked_up(connection: Connection) -> dict[str, StoredStream]:
            standings = await read_standings(connection, names)
            if (missing := len(names) - len(standings) - len(self._numbers)) >= 0:
                cursor = await connection.execute(
                    "SELECT nextval('moot.streams') FROM generate_series(1, %s)", (missing // BLOCK + 1,)
                )
                firsts = [first for (first,) in await cursor.fetchall()]
                self._numbers = [
                    first + step for first in reversed(firsts) for step in reversed(range(BLOCK))
                ] + self._numbers
            return standings

        try:
            standings = await self._repeat(looked_up, deadline)
            heads = {debate: self._head(debate, standings.get(debate)) for debate in names}
            for debate in names:
                await self._decide(debate, heads[debate], standings.get(debate), deadline)
        except StoreUnavailable as error:
            for debate in names:
                for request in self._doubtful.pop(debate, ()):
                    self._answer(request, error)

    async def _decide(
        self, debate: str, head: MarkedHead | None, standing: StoredStream | None, deadline: float
    ) -> None:
        """Answer or stamp the waiting requests of a debate, as far as possible before the next batch."""
        line = self._doubtful[debate]
        stamped = False
        while line:
            request = line[0]
            found = head.position if head is not None else 0
            if head is not None and request.expected == found and (request.drafts or request.records):
                if standing is not None and (fenced := self._fenced(standing)):
                    self._answer(line.pop(0), fenced)
                    continue
                self._heads[debate] = head
                self._stamp(line.pop(0), head)
                stamped = head.position > found
            elif stamped:
                return  # it depends on the next batch
            else:
                answer = await self._old_answer(request, standing, found, deadline)
                self._answer(line.pop(0), answer)
        del self._doubtful[debate]

    async def _old_answer(
        self, request: WriteRequest, standing: StoredStream | None, found: int, deadline: float
    ) -> WriteResult:
        """The records of an earlier append with the same ids, else why the request cannot be written."""
        asked = (request.debate, request.expected, len(request.drafts))
        if found < 0:
            try:
                left = await self._repeat(lambda connection: read_tombstones(connection, request.debate), deadline)
            except StoreUnavailable as error:
                return error
            return next(each.refusal() for each in left if each.debate == request.debate)
        if request.may_repeat(found):
            try:
                records = await self._repeat(lambda connection: read_records(connection, *asked), deadline)
            except LogError as error:
                return error
            if is_repeat(records, request.drafts):
                return records
        if standing is not None and request.expected and (fenced := self._fenced(standing)):
            return fenced
        if not is_storable(request.debate):
            return ValueError(f"{request.debate!r} is no id of a debate")
        if request.expected == found:
            return ()
        return WrongExpectedPosition(request.debate, request.expected, found)

    def _head(self, debate: str, standing: StoredStream | None) -> MarkedHead | None:
        if standing is not None:
            mark = digest_before_first(debate)[:MARK_BYTES]
            return MarkedHead(standing.stream, standing.version, standing.digest, standing.summary, mark)
        return self._new_head(debate) if is_storable(debate) else None

    def _fenced(self, standing: StoredStream) -> Fenced | None:
        held = self._epochs.get(standing.debate)
        if held is None:
            free = standing.owner in {None, self._node} or not standing.live
        else:
            free = standing.owner == self._node and standing.epoch == held
        return None if free else Fenced(standing.debate, held, standing.owner, standing.epoch)

    def _withdraw(self, first: int) -> None:
        """Undo the stamps from batch ``first`` on: the requests are in doubt again, before those that wait already."""
        later, self._doubtful = self._doubtful, {}
        for request in self._withdrawn(first, keep_doubtful=True):
            request.tries += 1
            if request.tries > MAX_TRIES:
                self._answer(request, StoreUnavailable(f"debate {request.debate} is written by too many at once"))
            else:
                self._doubtful.setdefault(request.debate, []).append(request)
        for debate, requests in later.items():
            self._doubtful.setdefault(debate, []).extend(requests)

    def _withdrawn(self, first: int, *, keep_doubtful: bool = False) -> list[WriteRequest]:
        batches = [*self._ready[first:], self._open]
        for batch in batches:
            for debate in batch.moves:
                self._forget(debate, batch)
        requests = [request for batch in batches for request in batch.requests]
        if not keep_doubtful:
            requests += [request for line in self._doubtful.values() for request in line]
            self._doubtful.clear()
        self._ready, self._open = [], WriteBatch()
        return requests

    def _forget(self, debate: str, batch: WriteBatch) -> None:
        self._heads.pop(debate, None)
        if batch.moves[debate].is_claimed:
            self._epochs.pop(debate, None)

    def _forget_oldest(self) -> None:
        under_way = {debate for batch in (*self._ready, self._open) for debate in batch.moves}
        for debate in [debate for debate in self._heads if debate not in under_way][: len(self._heads) - KEPT_HEADS]:
            del self._heads[debate]

    def _answer(self, request: WriteRequest, answer: WriteResult) -> None:
        self.backlog.release(1, request.size)
        if request.future.done():
            return
        if isinstance(answer, Exception):
            request.future.set_exception(answer)
        else:
            request.future.set_result(answer)

    async def _repeat(self, attempt: Callable[[Connection], Awaitable[T]], deadline: float) -> T:
        """Repeat ``attempt`` until it succeeds or the deadline passes.  Raises ``StoreUnavailable``."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                connection = await self._connected()
                with cutting(connection):
                    done = await attempt(connection)
            except (psycopg.Error, OSError) as error:
                if self._connection is not None and is_spent(self._connection, error):
                    await self._drop_connection()
                if not is_passing(error) or self.loop.time() + pause > deadline:
                    self.trouble = self._address.explain(error)
                    raise self.trouble from error
            else:
                self.trouble = None
                return done
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _connected(self) -> Connection:
        if self._connection is None:
            connection = await connect(self._address, _PLAN)
            register(connection)
            self._connection = connection
        return self._connection

    async def _drop_connection(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with suppress(psycopg.Error, OSError):
                await connection.close()


def _check(request: WriteRequest, position: int) -> None:
    """Refuse a request that the tables cannot store unchanged."""
    if position + len(request.drafts) + len(request.records) > MAX_POSITION:
        raise StoreUnavailable(f"debate {request.debate} is full")
    for draft in request.drafts:
        if "\0" in draft.id:
            raise ValueError(f"{draft.id!r} is no id of an event")
    for record in request.records:
        if "\0" in record.id or "\0" in record.at or not 0 <= record.schema < 1 << 31:
            raise BadTransfer(f"position {record.position}: this store cannot hold its envelope unchanged")
