"""Several worker processes on one port: each binds the port, and the system distributes the connections."""

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

RESTART_S: Final = 1.0
"""Seconds before a worker that ended unexpectedly is started again."""


def bind(settings: Settings, *, is_shared: bool, is_listening: bool) -> socket.socket:
    """Bind a socket, which listens if ``is_listening``.  ``is_shared`` lets other processes bind the same port.

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
        raise CannotServe(f"{where}; --port 0 takes a free port") from error
    return listening


def reserve_port(settings: Settings) -> socket.socket:
    """Bind the port for the workers without listening.  Raises ``BadField`` if there can be only one worker."""
    if not is_postgres(settings.store):
        raise BadField(
            "workers", "more than one worker needs a PostgreSQL store: any other store has a single writing process"
        )
    if not hasattr(socket, "SO_REUSEPORT"):
        raise BadField("workers", "on this system, processes cannot share a port: start one server for each port")
    return bind(settings, is_shared=True, is_listening=False)


def serve_with_workers(settings: Settings, serve: Callable[[int], None]) -> int:
    """Run ``serve`` in the workers until a signal, and return the exit code.  A worker that is killed is restarted."""
    workers: dict[int, int] = {}
    started_at: dict[int, float] = {}
    received: list[int] = []

    def forward(sign: int, frame: FrameType | None) -> None:
        del frame
        received.append(sign)
        for process in workers:
            with suppress(ProcessLookupError):
                os.kill(process, sign)

    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, forward)
    worker_end, parent_end = os.pipe()
    for number in range(settings.workers):
        workers[_forked(serve, number, worker_end, parent_end)], started_at[number] = number, time.monotonic()
    code = 0
    while workers:
        process, status = os.wait()
        if (number := workers.pop(process, -1)) < 0:
            continue
        ended = os.waitstatus_to_exitcode(status)
        if received:
            code = max(code, ended)
        elif ended > 0 and time.monotonic() - started_at[number] < RESTART_S:
            code = ended  # it has printed why it cannot serve
            forward(signal.SIGTERM, None)
        else:
            logger.error("worker_ended", worker=number, code=ended)
            time.sleep(RESTART_S)
            workers[_forked(serve, number, worker_end, parent_end)], started_at[number] = number, time.monotonic()
    return code


def _forked(serve: Callable[[int], None], number: int, worker_end: int, parent_end: int) -> int:
    """Fork a process that serves like a single server; its id."""
    process = os.fork()
    if process:
        return process
    for sign, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        signal.signal(sign, usual)
    os.close(parent_end)
    threading.Thread(target=_exit_with_parent, args=(worker_end,), name="moot-parent", daemon=True).start()
    serve(number)
    raise SystemExit(0)


def _exit_with_parent(worker_end: int) -> None:
    """Wait until the parent has ended, which closes the other end of the pipe, and then stop this worker."""
    os.read(worker_end, 1)
    os.kill(os.getpid(), signal.SIGTERM)
