"""Tables of many debates: several processes read and fold them, one writes the rows in the order of the debates."""

import os
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from events.store.log import EventLog
from events.store.open import opened_log
from server.errors import CannotServe
from server.export.tables import TABLES
from server.export.tables.forms import writer_of
from server.export.tables.read import rows_of
from server.export.tables.table import TableRow

CHUNK_EVENTS: Final = 10_000
"""Events of the debates that a process reads at once.  One debate is never split."""
PACKED_ROWS: Final = 20_000
MAX_PROCESSES: Final = 8


class ChosenDebate(NamedTuple):
    """A debate to read, and how many events it has, as far as that is known."""

    id: str
    events: int


class PackedRows(NamedTuple):
    """Rows of one table, as its writer takes them."""

    table: str
    rows: int
    packed: Any


class _Chunk:
    """Debates that a process reads, and what it made of them."""

    def __init__(self, debates: Sequence[str]) -> None:
        self.debates = debates
        self.is_done = anyio.Event()
        self.rows: Sequence[PackedRows] = ()

    async def read(self, store: str, form: str, names: Sequence[str], limiter: CapacityLimiter) -> None:
        """Read the debates in another process.  Raises what that raised; ``CannotServe`` if it was ended."""
        try:
            given = store, form, names, self.debates
            self.rows = await to_process.run_sync(_read_here, *given, limiter=limiter, cancellable=True)
        except BrokenWorkerProcess as error:
            raise CannotServe("a process that read debates was ended: there may be too little memory") from error
        self.is_done.set()


def usual_processes(store: str) -> int:
    """Processes that read a store: one for each core; for a store in memory only this one, as 1."""
    return 1 if store.startswith("memory:") else min(len(os.sched_getaffinity(0)), MAX_PROCESSES)


async def write_tables(
    log: EventLog,
    form: str,
    targets: Mapping[str, BinaryIO],
    debates: AsyncIterator[ChosenDebate],
    *,
    store: str = "",
    processes: int = 1,
) -> tuple[int, dict[str, int]]:
    """Write tables, by name, of debates; the number of these debates, and of the rows of each table.

    With more than one of ``processes`` they read ``store``, if there is more than one chunk of debates.
    """
    writers = {name: writer_of(form, TABLES[name]) for name in targets}
    names, counts, read = tuple(targets), dict.fromkeys(targets, 0), 0

    def add(rows: PackedRows) -> None:
        counts[rows.table] += rows.rows
        targets[rows.table].write(writers[rows.table].add(rows.packed))

    waiting, limiter = deque[_Chunk](), CapacityLimiter(processes)
    async with anyio.create_task_group() as tasks:

        async def take() -> None:
            chunk = waiting.popleft()
            await chunk.is_done.wait()
            for rows in chunk.rows:
                add(rows)

        async for chunk, is_only in _chunks(debates):
            read += len(chunk)
            if is_only or processes == 1:
                async for rows in packed_rows(log, form, names, chunk):
                    add(rows)
                continue
            waiting.append(_Chunk(chunk))
            tasks.start_soon(waiting[-1].read, store, form, names, limiter)
            if len(waiting) > processes + 1:
                await take()
        while waiting:
            await take()
    for name, writer in writers.items():
        targets[name].write(writer.end())
        targets[name].flush()
    return read, counts


async def packed_rows(
    log: EventLog, form: str, names: Sequence[str], debates: Sequence[str]
) -> AsyncIterator[PackedRows]:
    """The rows of these debates, packed together so far as they are not many."""
    tables = {name: TABLES[name] for name in names}
    writers = {name: writer_of(form, table) for name, table in tables.items()}
    found: dict[str, list[TableRow]] = {name: [] for name in names}
    for debate in debates:
        async for name, rows in rows_of(log, debate, tables):
            found[name] += rows
            if len(found[name]) >= PACKED_ROWS:
                yield PackedRows(name, len(found[name]), writers[name].pack(found[name]))
                found[name] = []
    for name, left in found.items():
        yield PackedRows(name, len(left), writers[name].pack(left))


def _read_here(store: str, form: str, names: Sequence[str], debates: Sequence[str]) -> list[PackedRows]:
    """The rows of debates, in a process that has nothing else to do."""
    return anyio.run(_read, store, form, names, debates)


async def _read(store: str, form: str, names: Sequence[str], debates: Sequence[str]) -> list[PackedRows]:
    async with opened_log(store, read_only=True) as log:
        return [each async for each in packed_rows(log, form, names, debates)]


async def _chunks(debates: AsyncIterator[ChosenDebate]) -> AsyncIterator[tuple[list[str], bool]]:
    """The debates in chunks, each with whether it is the only one."""
    chunk, events, is_first = list[str](), 0, True
    async for debate in debates:
        if chunk and events + debate.events > CHUNK_EVENTS:
            yield chunk, False
            chunk, events, is_first = [], 0, False
        chunk.append(debate.id)
        events += debate.events
    if chunk:
        yield chunk, is_first
