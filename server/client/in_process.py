"""A Moot in the process of its client: the application without a socket, and the feed without the network."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

import httpx

from server.client.connection import AsyncClient
from server.feed.reader import Reader
from server.http.access import Access
from server.http.app import make_app
from server.process import observe
from server.service import running
from server.settings import load

C = TypeVar("C", bound=AsyncClient)


@asynccontextmanager
async def in_process(kind: type[C], given: dict[str, Any]) -> AsyncIterator[C]:
    """A client of a Moot with these settings.  Only errors are logged, if the settings do not ask for more."""
    settings = load(given)
    observe.configure_logging("error" if settings.log_level == "info" else settings.log_level)
    async with running(settings) as service:

        async def feed(debate: str, after: int, director: bool) -> AsyncGenerator[str]:
            channel = await service.hub.channel(debate)
            async with (
                Reader(service.hub, channel, after, every_frame=True, director=director) as reader,
                aclosing(reader.messages()) as batches,
            ):
                async for batch in batches:
                    for message in batch:
                        yield message

        app = make_app(service, Access(settings, logs_acts=False))
        await service.take_up()
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with kind("http://127.0.0.1", settings.token, transport=transport, feed=feed) as client:
            yield client
