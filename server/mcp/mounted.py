"""MCP at ``/mcp`` of a server, by streamable HTTP, without sessions: any worker may answer any request."""

import anyio
import anyio.abc
from starlette.types import ASGIApp, Receive, Scope, Send

from server.mcp.reach import Within
from server.mcp.server import make_server
from server.settings import Settings


class Mounted:
    """The handler of ``/mcp``.  ``run`` holds its tasks."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        server = make_server(settings, Within(app, settings))
        server.streamable_http_app(stateless_http=True, transport_security=None, host="")  # hosts are checked already
        self._manager = server.session_manager

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Hold the tasks of requests until it is cancelled."""
        async with self._manager.run():
            task_status.started()
            await anyio.sleep_forever()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._manager.handle_request(scope, receive, send)
