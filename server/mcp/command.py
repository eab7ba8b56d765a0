"""``moot mcp``: the tools of Moot for another program, over standard input and output."""

import os
import signal
from collections.abc import Callable
from typing import Final

import anyio
import anyio.abc
import click
from msgspec.structs import replace

from events.errors import StoreBusy
from server.cli.options import server_address, with_store
from server.cli.output import run_async, settings_of
from server.cli.serve import serve_until_stopped
from server.errors import NotFound
from server.process import observe
from server.process.extras import is_installed, needed
from server.settings import Settings

OTHER_S: Final = 20.0
"""Seconds that a process which has the store gets until its server answers."""
LOOK_S: Final = 0.2


@click.command()
@with_store
@click.option("--allow-runs", is_flag=True, default=None, help="Let tools start what costs money.  [MOOT_MCP_RUNS]")
@click.option("--call-cap", type=float, metavar="USD", help="The most that one call may cost.  [1.00]")
@click.option("--day-cap", type=float, metavar="USD", help="The most that all calls of a day (UTC) may cost.  [5.00]")
@click.pass_context
def mcp(
    context: click.Context, store: str | None, *, allow_runs: bool | None, call_cap: float | None, day_cap: float | None
) -> None:
    r"""Give the tools of Moot to another program.

    It speaks the Model Context Protocol over standard input and output, and the other program starts it: docs/mcp.md
    has the configuration.  If a server holds the store, it is asked.  Otherwise this process serves the store and its
    page, on a free port of this machine, from the first tool on that needs it.

    \b
      moot mcp
      moot mcp --allow-runs --call-cap 0.50 --day-cap 3
    """
    settings = settings_of(context, store=store, mcp_runs=allow_runs, mcp_call_usd=call_cap, mcp_day_usd=day_cap)
    if not is_installed("mcp"):
        raise NotFound(f"moot mcp {needed('mcp')}")
    observe.configure_logging(settings.log_level)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread reads the input, and would outlast an interrupt
    run_async(lambda: serve_tools(settings))


async def serve_tools(settings: Settings) -> None:
    """Answer the other program until it closes the input."""
    from server.mcp.reach import ByAddress  # noqa: PLC0415 - the SDK takes half a second, and the help needs none of it
    from server.mcp.server import make_server  # noqa: PLC0415 - as above

    async with anyio.create_task_group() as tasks:
        own = OwnServer(settings, tasks)
        await make_server(settings, ByAddress(settings, own.address)).run_stdio_async()
        own.stop()


class OwnServer:
    """The server of this process, if it had to become one."""

    def __init__(self, settings: Settings, tasks: anyio.abc.TaskGroup) -> None:
        self._settings = replace(settings, host="127.0.0.1", port=0, hosts="", workers=1)
        self._tasks, self._address, self._is_leaving = tasks, "", False
        self._stop_serving: Callable[[], None] | None = None

    async def address(self) -> str:
        """Its address; started by the first call.  Raises what keeps it from starting.

        Where another process has the store, its address, once it serves: two programs may begin at the same moment.
        """
        until = anyio.current_time() + OTHER_S
        while not self._address:
            if other := server_address(self._settings):
                return other
            try:
                self._address = await self._tasks.start(self._run)
            except StoreBusy:
                if anyio.current_time() > until:
                    raise
                await anyio.sleep(LOOK_S)
        return self._address

    async def _run(self, *, task_status: anyio.abc.TaskStatus[str]) -> None:
        def ready(address: str, stop: Callable[[], None]) -> None:
            self._stop_serving = stop
            task_status.started(address)

        await serve_until_stopped(self._settings, ready=ready)
        if not self._is_leaving:  # a signal: everything is closed, but a thread still reads the input
            os._exit(0)

    def stop(self) -> None:
        """Close it, if it runs."""
        self._is_leaving = True
        if self._stop_serving is not None:
            self._stop_serving()
