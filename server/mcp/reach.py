"""How a tool reaches the API of Moot: over the network, or within the server that serves ``/mcp``."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol
from urllib.parse import quote

import anyio
import httpx
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from starlette.requests import Request
from starlette.types import ASGIApp

from server.cli.options import server_address
from server.client.connection import AsyncClient
from server.errors import EXPECTED, report_of
from server.settings import Settings

FORWARDED: Final = ("authorization", "cookie", "host")
"""Headers of the caller that a request to the API keeps: they decide what the caller may do."""


def at_debate(debate: str, rest: str = "") -> str:
    """The path of a debate in the API, with ``rest`` after it: an id is one segment, whatever a caller gives."""
    return f"/api/debates/{quote(debate, safe='').replace('.', '%2E')}{rest}"


class Reach(Protocol):
    """Gives a client of the API for the time of a tool call."""

    def client(self, ctx: Context[Any, Any]) -> Any:
        """An asynchronous context manager with a ``AsyncClient``; its refusals become errors of the tool."""
        ...


class ByAddress:
    """The API of the server that holds the store; ``start`` makes this process that server where there is none."""

    def __init__(self, settings: Settings, start: Callable[[], Awaitable[str]]) -> None:
        self._settings, self._start, self._lock = settings, start, anyio.Lock()

    @asynccontextmanager
    async def client(self, ctx: Context[Any, Any]) -> AsyncIterator[AsyncClient]:
        """As in ``Reach``."""
        del ctx
        async with _refusals(), self._lock:
            address = server_address(self._settings) or await self._start()
        async with _refusals(), AsyncClient(address, self._settings.token) as client:
            yield client


class Within:
    """The API of the application that serves ``/mcp``, with the address and the rights of the caller."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    @asynccontextmanager
    async def client(self, ctx: Context[Any, Any]) -> AsyncIterator[AsyncClient]:
        """As in ``Reach``."""
        request = ctx.request_context.request
        assert isinstance(request, Request)
        headers = {name: request.headers[name] for name in FORWARDED if name in request.headers}
        address = request.client
        transport = httpx.ASGITransport(self._app, client=(address.host, address.port) if address else ("", 0))
        base = str(request.base_url).rstrip("/")
        async with _refusals(), AsyncClient(base, self._settings.token, headers=headers, transport=transport) as client:
            yield client


@asynccontextmanager
async def _refusals() -> AsyncIterator[None]:
    """An expected failure as an error that the caller's model reads: its code, its field and its message."""
    try:
        yield
    except EXPECTED as error:
        report = report_of(error)
        field = f" ({report.field})" if report.field else ""
        raise ToolError(f"{report.code}{field}: {report.message}") from error
