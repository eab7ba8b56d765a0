"""Connections to PostgreSQL: connecting, detecting lost connections, and the pool for readings and short statements.

A connection that does not answer within ``ANSWER_S`` is closed from our side: with a paused server or a network
partition the socket would stay open for ever.  Statements that wait on it then fail as if the server had gone.
"""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from os import dup
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from events.errors import BadStore, NotMigrated, StoreDamaged, StoreUnavailable
from events.store.address import redacted

CONNECT_S: Final = 5
ANSWER_S: Final = 12.0
"""Seconds without an answer after which a connection counts as lost.  The server cancels a statement earlier."""
STATEMENT_MS: Final = 10_000
READERS: Final = 4
PATIENCE_S: Final = 20.0
"""Seconds to wait for a lost database before statements fail."""
FIRST_PAUSE_S: Final = 0.05
LONGEST_PAUSE_S: Final = 1.0

Connection = AsyncConnection[tuple[Any, ...]]
T = TypeVar("T")

_PASSING: Final = frozenset(
    {
        "40001",
        "40P01",  # rolled back in favour of another transaction
        "57P01",
        "57P02",
        "57P03",
        "57P05",
        "57014",  # stopping, crashed, starting, idle too long, took too long
        "25006",  # a standby: another server is the primary now
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
_DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_S,
    "application_name": "moot",
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Defaults that detect a network partition within seconds; the URL may override them."""


_SECRET: Final = frozenset({"password", "sslpassword"})


class Address:
    """A store's URL: the parameters to connect with, and a name for messages."""

    def __init__(self, url: str) -> None:
        """Raises ``BadStore``; its message holds no part of the password."""
        self.name = redacted(url)
        try:
            self.parameters: dict[str, Any] = _DEFAULTS | conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            # libpq's message quotes the part that it does not understand, which may be a part of the password.
            why = f"{self.name} is no address of a database: write postgres://USER@HOST:PORT/NAME"
            raise BadStore(why) from None
        secrets = {str(value) for name, value in self.parameters.items() if name in _SECRET and value}
        self._secrets = sorted(secrets, key=len, reverse=True)

    def explain(self, error: Exception) -> StoreUnavailable:
        """The error of the database as one sentence without secrets."""
        state = sqlstate(error) or ""
        if state in {"42P01", "3F000"}:
            return NotMigrated(f"the store {self.name} is not ready: run `moot migrate`")
        reason = _REASONS.get(state) or " ".join(str(error).split()) or type(error).__name__
        for secret in self._secrets:
            reason = reason.replace(secret, "…")
        kind = StoreDamaged if state.startswith("XX00") else StoreUnavailable
        return kind(f"the store {self.name} is unavailable: {reason}" + (f" ({state})" if state else ""))


def sqlstate(error: BaseException) -> str | None:
    """The database's error code; None if it gave none."""
    return error.sqlstate if isinstance(error, psycopg.Error) else None


def is_passing(error: Exception) -> bool:
    """Whether a second attempt may succeed: the connection was lost, or the server starts, stops or is overloaded."""
    state = sqlstate(error)
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | OSError)
    return state in _PASSING or state.startswith("08")


def leaves_doubt(error: Exception) -> bool:
    """Whether the statement may have been committed nevertheless: the answer was lost, or the server was stopped."""
    state = sqlstate(error)
    return state is None or state.startswith(("08", "57P"))


def is_spent(connection: Connection, error: BaseException) -> bool:
    """Whether a connection is unusable: closed, inside a transaction, or to a server that takes no writes."""
    return (
        connection.closed
        or connection.broken
        or connection.info.transaction_status is not TransactionStatus.IDLE
        or sqlstate(error) == "25006"
    )


async def connect(address: Address, *settings: LiteralString) -> Connection:
    """A connection on which each statement is a transaction, with further settings.  Raises those of psycopg."""
    connection = await AsyncConnection.connect(**address.parameters, autocommit=True, prepare_threshold=3)
    try:
        with cutting(connection):
            # The role's defaults must not turn off durable commits.
            await connection.execute(
                "SELECT set_config('statement_timeout', %s, false), set_config('synchronous_commit',"
                " CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE"
                " current_setting('synchronous_commit') END, false)",
                (str(STATEMENT_MS),),
            )
            for each in settings:
                await connection.execute(each)
    except BaseException:  # cancelled or failed: no other code would close it
        await connection.close()
        raise
    return connection


@contextmanager
def cutting(connection: Connection) -> Iterator[None]:
    """Within the context, a connection that does not answer in time is closed."""
    timer = asyncio.get_running_loop().call_later(ANSWER_S, cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def cut(connection: Connection) -> None:
    """Shut the connection's socket down, so that statements that wait on it fail; safe at any time."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=dup(connection.fileno())) as same:
        same.shutdown(socket.SHUT_RDWR)


async def with_patience(address: Address, act: Callable[[], Awaitable[T]], patience_s: float) -> T:
    """Repeat ``act`` while the database is unreachable, for at most ``patience_s``.  Raises ``StoreUnavailable``."""
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
    """A pool of connections, made on demand; callers wait for one first come, first served."""

    def __init__(self, address: Address, size: int = READERS, patience_s: float = PATIENCE_S) -> None:
        self.address, self.patience_s = address, patience_s
        self._free: deque[Connection] = deque()
        self._places = asyncio.Semaphore(size)
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def run(self, act: Callable[[Connection], Awaitable[T]]) -> T:
        """Run ``act`` with a connection; if that is lost, again with another one.  So ``act`` must be idempotent.

        If the caller is cancelled, ``act`` still runs to its end: no connection is left in the middle of an answer.
        """
        if self._closed:
            raise StoreUnavailable(f"the store {self.address.name} is closed")

        async def attempt() -> T:
            try:
                async with self._borrow() as connection:
                    with cutting(connection):
                        return await act(connection)
            except (psycopg.Error, OSError) as error:
                if self._closed:
                    raise self.address.explain(error) from error
                raise

        task = asyncio.ensure_future(with_patience(self.address, attempt, self.patience_s))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def rows(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = (), *, binary: bool = False
    ) -> list[tuple[Any, ...]]:
        """Run one statement, as ``run`` does: its rows, none for a statement that gives none."""

        async def act(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(statement, values, binary=binary)
            return await cursor.fetchall() if cursor.description else []

        return await self.run(act)

    async def close(self) -> None:
        """Wait for running calls, then close the connections."""
        self._closed = True
        if self._running:
            await asyncio.wait(self._running)
        while self._free:
            await self._free.pop().close()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved: without this, asyncio warns if the caller was cancelled

    @asynccontextmanager
    async def _borrow(self) -> AsyncIterator[Connection]:
        async with self._places:
            connection = self._free.pop() if self._free else await connect(self.address)
            try:
                yield connection
            except BaseException as error:
                if is_spent(connection, error):
                    self._drop_all()  # the other connections have most likely failed too
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
