"""Several processes that serve on one port: each binds it for itself, and the system spreads the connections."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final

import structlog

from events.store.address import is_postgres
from server.errors import BadField, CannotServe
from server.settings import Settings

logger = structlog.get_logger()

PAUSE_S: Final = 1.0
"""Wait before a worker that ended by itself is started anew."""


def bind(settings: Settings, *, is_shared: bool, is_listening: bool) -> socket.socket:
    """The socket to serve on, ``is_shared`` with other processes, not listening unless ``is_listening``.

    Raises ``CannotServe``.
    """
    host, port = settings.host, settings.port
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind((host, port))
        if is_listening:
            listening.listen(2048)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        where = f"cannot listen on {host} port {port}: {error.strerror}"
        raise CannotServe(f"{where}; --port 0 takes a free one") from error
    return listening


def reserve_port(settings: Settings) -> socket.socket:
    """Keeps the port for the workers, and takes no connection.  Raises ``BadField`` where there can be only one."""
    if not is_postgres(settings.store):
        raise BadField("workers", "more than one worker needs a PostgreSQL store: one process writes any other")
    if not hasattr(socket, "SO_REUSEPORT"):
        raise BadField("workers", "this system does not share a port between processes: start one server a port")
    return bind(settings, is_shared=True, is_listening=False)


def serve_with_workers(settings: Settings, serve: Callable[[int], None]) -> int:
    """Run ``serve`` in so many processes until a signal; the exit code.  One that is killed is started anew."""
    workers: dict[int, int] = {}
    started_at: dict[int, float] = {}
    ending: list[int] = []

    def pass_on(sign: int, frame: FrameType | None) -> None:
        del frame
        ending.append(sign)
        for process in workers:
            with suppress(ProcessLookupError):
                os.kill(process, sign)

    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, pass_on)
    alive, living = os.pipe()
    for number in range(settings.workers):
        workers[_forked(serve, number, alive, living)], started_at[number] = number, time.monotonic()
    code = 0
    while workers:
        process, status = os.wait()
        if (number := workers.pop(process, -1)) < 0:
            continue
        ended = os.waitstatus_to_exitcode(status)
        if ending:
            code = max(code, ended)
        elif ended > 0 and time.monotonic() - started_at[number] < PAUSE_S:
            code = ended  # it said why it cannot serve
            pass_on(signal.SIGTERM, None)
        else:
            logger.error("worker_ended", worker=number, code=ended)
            time.sleep(PAUSE_S)
            workers[_forked(serve, number, alive, living)], started_at[number] = number, time.monotonic()
    return code


def _forked(serve: Callable[[int], None], number: int, alive: int, living: int) -> int:
    """A process that serves, and ends as a server of its own would; its id."""
    process = os.fork()
    if process:
        return process
    for sign, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        signal.signal(sign, usual)
    os.close(living)
    threading.Thread(target=_exit_with_parent, args=(alive,), name="moot-parent", daemon=True).start()
    serve(number)
    raise SystemExit(0)


def _exit_with_parent(alive: int) -> None:
    """Wait until nobody holds the other end any more, then leave: whoever would have passed signals on was killed."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
