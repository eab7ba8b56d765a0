"""Connections to PostgreSQL: how they are made, when one is lost, and the pool that reads and short acts share.

A connection that does not answer within ``ANSWER_S`` is cut from our side: a paused server and a partition keep a
socket open for ever.  Cutting ends whoever waits on it with the library's own error, as if the server had gone.
"""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from os import dup
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from events.errors import NotMigrated, StoreDamaged, StoreUnavailable
from events.store.address import redacted
from events.store.postgres.address import ANSWER_S, STATEMENT_MS, parameters, secrets_of

READERS: Final = 4
PATIENCE_S: Final = 20.0
"""How long a lost database is waited for before whoever waits is told."""
FIRST_PAUSE_S: Final = 0.05
LONGEST_PAUSE_S: Final = 1.0

Connection = AsyncConnection[tuple[Any, ...]]
T = TypeVar("T")

_PASSING: Final = frozenset(
    {
        "40001",
        "40P01",  # lost against another transaction: nothing was done
        "57P01",
        "57P02",
        "57P03",
        "57P05",
        "57014",  # stopping, crashed, starting, idle too long, took too long
        "25006",  # a standby: the primary is elsewhere by now
        "53300",  # no connection is free
        "55P03",
    }
)
_REASONS: Final = {
    "53100": "the disk is full",
    "53200": "its memory is exhausted",
    "42501": "the role lacks a right on Moot's tables",
    "28P01": "the password is wrong",
    "28000": "the role is not admitted",
    "3D000": "there is no such database",
}


class Address:
    """A store's URL: what to connect with, and what to call it."""

    def __init__(self, url: str) -> None:
        self.parameters = parameters(url)
        self.name = redacted(url)
        self._secrets = secrets_of(self.parameters)

    def explain(self, error: Exception) -> StoreUnavailable:
        """What the database says, in one sentence and without a password."""
        state = sqlstate(error) or ""
        if state in {"42P01", "3F000"}:
            return NotMigrated(f"the store {self.name} is not ready: run `moot migrate`")
        said = _REASONS.get(state) or " ".join(str(error).split()) or type(error).__name__
        for secret in self._secrets:
            said = said.replace(secret, "…")
        kind = StoreDamaged if state.startswith("XX00") else StoreUnavailable
        return kind(f"the store {self.name} is unavailable: {said}" + (f" ({state})" if state else ""))


def sqlstate(error: BaseException) -> str | None:
    """The database's code of an error; None where it said nothing."""
    return error.sqlstate if isinstance(error, psycopg.Error) else None


def is_passing(error: Exception) -> bool:
    """Whether the same may succeed in a moment: the connection was lost, or the server was busy with itself."""
    state = sqlstate(error)
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | OSError)
    return state in _PASSING or state.startswith("08")


def leaves_doubt(error: Exception) -> bool:
    """Whether what was sent may have been done all the same: the answer got lost, or the server was stopped."""
    state = sqlstate(error)
    return state is None or state.startswith(("08", "57P"))


def is_spent(connection: Connection, error: BaseException) -> bool:
    """Whether a connection is of no more use: gone, in the middle of something, or to a server that takes no writes."""
    return (
        connection.closed
        or connection.broken
        or connection.info.transaction_status is not TransactionStatus.IDLE
        or sqlstate(error) == "25006"
    )


async def connect(address: Address) -> Connection:
    """One connection, each statement its own transaction.  Raises what the library raises."""
    connection = await AsyncConnection.connect(**address.parameters, autocommit=True, prepare_threshold=3)
    try:
        with cutting(connection):
            # The role's own defaults must not make what is acknowledged less than durable.
            await connection.execute(
                "SELECT set_config('statement_timeout', %s, false), set_config('synchronous_commit',"
                " CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE"
                " current_setting('synchronous_commit') END, false)",
                (str(STATEMENT_MS),),
            )
    except BaseException:  # cancelled or failed: nobody else has it, and nobody would close it
        await connection.close()
        raise
    return connection


@contextmanager
def cutting(connection: Connection) -> Iterator[None]:
    """Within it, a connection that does not answer in time is cut."""
    timer = asyncio.get_running_loop().call_later(ANSWER_S, cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def cut(connection: Connection) -> None:
    """End the connection under whoever waits for it; safe at any time."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=dup(connection.fileno())) as same:
        same.shutdown(socket.SHUT_RDWR)


async def patiently(address: Address, act: Callable[[], Awaitable[T]], patience_s: float) -> T:
    """Do ``act`` again while the database is away, for ``patience_s`` at most.  Raises ``StoreUnavailable``."""
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + patience_s, FIRST_PAUSE_S
    while True:
        try:
            return await act()
        except (psycopg.Error, OSError) as error:
            if not is_passing(error) or loop.time() + pause > deadline:
                raise address.explain(error) from error
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


class Pool:
    """A few connections, made when they are needed, and those who wait for one in the order in which they came."""

    def __init__(self, address: Address, size: int = READERS, patience_s: float = PATIENCE_S) -> None:
        self.address, self.patience_s = address, patience_s
        self._free: deque[Connection] = deque()
        self._places = asyncio.Semaphore(size)
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def run(self, act: Callable[[Connection], Awaitable[T]]) -> T:
        """``act`` with a connection, again with another one when that is lost, so it must bear being done twice.

        A caller that is cancelled leaves it to end by itself, so no connection is left in the middle of an answer.
        """
        if self._closed:
            raise StoreUnavailable(f"the store {self.address.name} is closed")

        async def lent() -> T:
            try:
                async with self._lending() as connection:
                    with cutting(connection):
                        return await act(connection)
            except (psycopg.Error, OSError) as error:
                if self._closed:
                    raise self.address.explain(error) from error
                raise

        task = asyncio.ensure_future(patiently(self.address, lent, self.patience_s))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Let those end who were there, then let go of the connections."""
        self._closed = True
        if self._running:
            await asyncio.wait(self._running)
        while self._free:
            await self._free.pop().close()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen: whoever left owes nobody a warning

    @asynccontextmanager
    async def _lending(self) -> AsyncIterator[Connection]:
        async with self._places:
            connection = self._free.pop() if self._free else await connect(self.address)
            try:
                yield connection
            except BaseException as error:
                if is_spent(connection, error):
                    self._drop_all()  # what happened to one has most likely happened to the others
                    await connection.close()
                else:
                    self._free.append(connection)
                raise
            if connection.closed:
                return
            self._free.append(connection)

    def _drop_all(self) -> None:
        for connection in self._free:
            cut(connection)
            connection.pgconn.finish()
        self._free.clear()
