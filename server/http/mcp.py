"""The route ``/mcp``: who may use it, and whether it is there.  What serves it is imported with the first request."""

from typing import Any, Final

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from events.table import LazyTable
from providers.imports import load
from server.errors import EXPECTED, NotFound
from server.http.access import access_of, error_response
from server.http.requests import service_of
from server.process.extras import is_installed, needed

MODULE: Final = "server.mcp.mounted"
MOUNTED: Final = LazyTable[Any]({"mcp": "server.mcp.mounted:Mounted"})
OFF: Final = "MCP is off here: MOOT_MCP=on lets operators use it"


class McpRoute:
    """The endpoint of ``/mcp``, for operators."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        request = Request(scope)
        try:
            access_of(request).require_operator(request)
            endpoint = await _endpoint(request)
        except EXPECTED as error:
            await error_response(error)(scope, receive, send)
            return
        await endpoint(scope, receive, send)


async def _endpoint(request: Request) -> ASGIApp:
    """What serves it; started by the first request.  Raises ``NotFound`` where it is off or not installed."""
    app: Starlette = request.app
    settings = service_of(request).settings
    is_local = settings.is_loopback and not settings.hosts.strip()
    if settings.mcp == "off" or (settings.mcp == "loopback" and not is_local):
        raise NotFound(OFF)
    if not is_installed("mcp"):
        raise NotFound(f"MCP {needed('mcp')}")
    async with app.state.mcp_lock:
        if app.state.mcp is None:
            await load(MODULE)
            mounted = MOUNTED["mcp"](app, settings)
            tasks: anyio.abc.TaskGroup = app.state.tasks
            await tasks.start(mounted.run)
            app.state.mcp = mounted
    found: ASGIApp = app.state.mcp
    return found
