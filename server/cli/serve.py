"""``moot serve``: the page, the API, and the debates that are open."""

import asyncio
import contextlib
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any, cast

import anyio
import click
import msgspec
import structlog
import uvicorn

from events.store.sqlite.log import SqliteLog
from server.cli.options import with_store
from server.cli.output import INTERRUPTED, run_async, settings_of, unwrapped
from server.cli.workers import bind, reserve_port, serve_with_workers
from server.errors import EXPECTED, report_of
from server.feed.websocket.upgrade import DetachableProtocol
from server.http.access import Access
from server.http.app import make_app
from server.http.connection import OTHERS, BoundedProtocol
from server.process import observe
from server.service import Service, running
from server.settings import Settings

logger = structlog.get_logger()
EVERY_INTERFACE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - what is bound is the choice of the person
"""Hosts that bind every interface, each with the one by which this machine reaches itself."""
GRACE_S = 4
"""Seconds that requests have to end after a signal."""


@click.command()
@click.option("--host", help="Address to bind; other addresses than loopback need MOOT_TOKEN.  [127.0.0.1]")
@click.option("--port", type=int, help="Port; 0 is any free port.  [8484]")
@with_store
@click.option("--bus", metavar="URL", help="Bus between nodes, as nats://HOST:PORT.  [the PostgreSQL store]")
@click.option("--workers", type=int, help="Processes on one port; more than one needs a PostgreSQL store.  [1]")
@click.option("--voice", metavar="SPEC", help="Speak turns: openai:MODEL or openai:MODEL@URL.  [MOOT_VOICE]")
@click.option("--open", "open_page", is_flag=True, help="Open the page in your browser.")
@click.pass_context
def serve(
    context: click.Context,
    host: str | None,
    port: int | None,
    store: str | None,
    bus: str | None,
    workers: int | None,
    voice: str | None,
    *,
    open_page: bool,
) -> None:
    r"""Serve the page and the API, and continue the debates that are open.

    \b
      moot serve
      moot serve --port 9000 --store sqlite:debates.db --open
    """
    with _logged_end():
        settings = settings_of(context, host=host, port=port, store=store, bus=bus, workers=workers, voice=voice)
        observe.configure_logging(settings.log_level)
        if settings.workers == 1:
            _serve(settings, open_page=open_page)
            return
        with contextlib.closing(reserve_port(settings)) as reserved:
            many = msgspec.structs.replace(settings, port=reserved.getsockname()[1])
            code = serve_with_workers(many, lambda number: _serve(many, open_page=open_page, worker=number))
    context.exit(code)


@contextlib.contextmanager
def _logged_end() -> Iterator[None]:
    """Where log lines are JSON, the error that ends a server is one too."""
    observe.configure_logging("info")
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not observe.has_json_lines():
            raise
        cause = unwrapped(error) if isinstance(error, Exception) else error
        if isinstance(cause, KeyboardInterrupt):
            observe.always().info("interrupted")
            sys.exit(INTERRUPTED)
        if not isinstance(cause, EXPECTED):
            logger.exception("server_failed")
            sys.exit(1)
        report = report_of(cause)
        field = {"field": report.field} if report.field else {}
        logger.error("server_ended", message=report.message, **field)  # noqa: TRY400 - an expected failure has no traceback
        sys.exit(report.exit_code)


def _serve(settings: Settings, *, open_page: bool, worker: int | None = None) -> None:
    run_async(lambda: serve_until_stopped(settings, open_page=open_page, worker=worker), uvloop=True)


async def serve_until_stopped(
    settings: Settings,
    *,
    open_page: bool = False,
    worker: int | None = None,
    ready: Callable[[str, Callable[[], None]], None] | None = None,
) -> None:
    """Serve until a signal.  ``worker`` is the number of a worker, if several share the port.

    ``ready`` gets the address once the server answers, and what stops it; without it the address is printed.
    """
    with _stopped_by_sigterm() as stop:
        told = None if ready is None else lambda address: ready(address, stop.request)
        await _serve_within(settings, stop, open_page=open_page, worker=worker, told=told)


@contextlib.contextmanager
def _stopped_by_sigterm() -> Iterator["_Stop"]:
    """SIGTERM stops what runs inside.  While the web server runs, it handles the signal itself."""
    stop, loop = _Stop(), asyncio.get_running_loop()

    def cancel(sign: int, frame: FrameType | None) -> None:
        del sign, frame
        loop.call_soon_threadsafe(stop.request)

    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread receives signals
        return
    before = signal.signal(signal.SIGTERM, cancel)
    try:
        with stop.scope:
            yield stop
    finally:
        signal.signal(signal.SIGTERM, before)


class _Stop:
    """A request to stop: it cancels the start, or ends the web server, which then closes what it has opened."""

    def __init__(self) -> None:
        self.scope = anyio.CancelScope()
        self.server: uvicorn.Server | None = None

    def request(self) -> None:
        """Stop.  Without effect while the store is closed."""
        if self.server is None:
            self.scope.cancel()
        else:
            self.server.should_exit = True


async def _serve_within(
    settings: Settings, stop: _Stop, *, open_page: bool, worker: int | None, told: Callable[[str], None] | None
) -> None:
    access = Access(settings)
    with contextlib.closing(bind(settings, is_shared=worker is not None, is_listening=True)) as listening:
        address = _address(settings.host, listening.getsockname()[1])
        async with running(settings, address=address) as service:
            if isinstance(service.log, SqliteLog):
                service.log.set_address(address)
            kind = _Server if service.node is None else _NodeServer
            server = kind(web_config(service, access), service, address, open_page=open_page)
            server.is_first, server.told = not worker, told
            stop.server = server
            await server.serve([listening])


def web_config(service: Service, access: Access) -> uvicorn.Config:
    """The configuration of the web server."""
    return uvicorn.Config(
        make_app(service, access),
        http=cast(Any, partial(BoundedProtocol, most=service.settings.max_spectators + OTHERS)),
        ws=DetachableProtocol,
        ws_max_size=1 << 16,
        ws_ping_interval=20,
        ws_ping_timeout=30,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        date_header=False,
    )


class _Server(uvicorn.Server):
    """A web server that prints its address when it is ready."""

    is_first = True
    """Whether this one of several workers prints the address."""
    told: Callable[[str], None] | None = None
    """What is told the address, in place of the terminal."""

    def __init__(self, config: uvicorn.Config, service: Service, address: str, *, open_page: bool) -> None:
        super().__init__(config)
        self._service, self._address, self._open_page = service, address, open_page

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs.  SIGTERM is not raised again, so that the store is closed."""
        with super().capture_signals():
            try:
                yield
            finally:
                self._captured_signals = [sign for sign in self._captured_signals if sign != signal.SIGTERM]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.told is not None:
            self.told(self._address)
        elif self.is_first:
            if observe.has_json_lines():
                observe.always().info("server_started", address=self._address, **self._elsewhere())
            else:
                others = "".join(f", for other machines at {each}" for each in self._elsewhere().values())
                click.echo(f"Moot answers at {self._address}{others}  (Ctrl-C stops it)", err=True)
        if self._open_page and self.is_first:
            await asyncio.to_thread(webbrowser.open, self._address)

    def _elsewhere(self) -> dict[str, str]:
        """The address by which other machines reach a server that listens on every interface; else empty."""
        host = self._service.settings.host
        if host not in EVERY_INTERFACE:
            return {}
        return {"network": _address(_outward(host), int(self._address.rpartition(":")[2]))}


class _NodeServer(_Server):
    """Hands its debates over to other nodes before it stops; a second signal stops it at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._leaving: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal: the first SIGTERM starts the handover."""
        if sig != signal.SIGTERM or self._leaving is not None:
            super().handle_exit(sig, frame)
        else:
            self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        if self._leaving is None:
            logger.info("node_leaving", debates=self._service.moderators.running)
            self._leaving = asyncio.ensure_future(self._hand_over())

    async def _hand_over(self) -> None:
        try:
            await self._service.drain()
        finally:
            self.should_exit = True


def _outward(host: str) -> str:
    """The address of this machine in its network; its name without a network."""
    family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((far, 9))  # a datagram socket chooses its interface and sends nothing
        return str(probe.getsockname()[0])
    return socket.gethostname()


def _address(host: str, port: int) -> str:
    shown = EVERY_INTERFACE.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"
