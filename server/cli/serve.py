"""``moot serve``: the page, the API, and every debate that was open."""

import asyncio
import contextlib
import socket
import webbrowser

import click
import structlog
import uvicorn

from events.sqlite import SqliteLog
from server import observe
from server.access import Access
from server.app import make_app
from server.cli.options import with_store
from server.cli.output import run_async, settings_of
from server.detached.upgrade import Detachable
from server.errors import CannotServe
from server.service import Service, running
from server.settings import Settings

logger = structlog.get_logger()
GRACE_S = 4


@click.command()
@click.option("--host", help="Address to bind; beyond loopback MOOT_TOKEN must be set.  [127.0.0.1]")
@click.option("--port", type=int, help="0 takes any free port.  [8484]")
@with_store
@click.option("--open", "open_page", is_flag=True, help="Open the page in your browser.")
@click.pass_context
def serve(context: click.Context, host: str | None, port: int | None, store: str | None, *, open_page: bool) -> None:
    r"""Serve the page and the API, and go on with debates that were open.

    \b
      moot serve
      moot serve --port 9000 --store sqlite:debates.db --open
    """
    settings = settings_of(context, host=host, port=port, store=store)
    observe.configure_logging(settings.log_level)
    run_async(lambda: serve_until_stopped(settings, open_page=open_page), uvloop=True)


async def serve_until_stopped(settings: Settings, *, open_page: bool = False) -> None:
    """Bind, open the store, serve until a signal."""
    access = Access(settings)
    with contextlib.closing(_bind(settings.host, settings.port)) as listening:
        address = _address(settings.host, listening.getsockname()[1])
        async with running(settings) as service:
            if isinstance(service.log, SqliteLog):
                service.log.set_address(address)
            server = _Server(web_config(service, access), address, open_page=open_page)
            await server.serve([listening])


def web_config(service: Service, access: Access) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        make_app(service, access), ws=Detachable, ws_max_size=1 << 16, ws_ping_interval=20,
        ws_ping_timeout=30, ws_per_message_deflate=False, log_config=None, access_log=False,
        timeout_graceful_shutdown=GRACE_S, server_header=False, date_header=False,
    )


class _Server(uvicorn.Server):
    """Says where it answers once it does."""

    def __init__(self, config: uvicorn.Config, address: str, *, open_page: bool) -> None:
        super().__init__(config)
        self._address, self._open_page = address, open_page

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        click.echo(f"Moot answers at {self._address}  (Ctrl-C ends it)", err=True)
        if self._open_page:
            await asyncio.to_thread(webbrowser.open, self._address)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        where = f"cannot listen on {host} port {port}: {error.strerror}"
        raise CannotServe(f"{where}; --port 0 takes a free one") from error
    return listening


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{shown}:{port}"
