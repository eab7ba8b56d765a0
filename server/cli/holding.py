"""Holding a debate for somebody at a terminal: here, or by the server that holds the store.

Whoever listens is fed with the same messages that the page gets.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Protocol

import click
import httpx
import msgspec
import structlog
from msgspec import Struct
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from server.cli.options import reading, server_of, whole_id
from server.cli.output import emit
from server.errors import (
    ERROR_CLASSES,
    BadField,
    CannotServe,
    MootError,
    NotAllowed,
    NotFound,
    NotNow,
    NotOwner,
    TokenMissing,
)
from server.feed import frames
from server.feed.reader import Reader
from server.opening import opening
from server.opening.estimate import estimate, in_words
from server.opening.records import records_for
from server.service import Service, running
from server.settings import Settings

logger = structlog.get_logger()


class Listener(Protocol):
    """Takes a debate's messages and prints what it makes of them."""

    ended: dict[str, Any] | None
    """The event that ended the debate."""

    def take(self, message: str) -> None:
        """One message of the feed."""
        ...

    def finish(self) -> None:
        """How it stands at the end."""
        ...


class Resumption(Struct, frozen=True, kw_only=True):
    """A debate to go on with, by the beginning of its id, and its new cap where one is given."""

    debate: str
    max_cost_usd: float | None = None


async def hold(
    settings: Settings, body: dict[str, Any] | None, resume: Resumption | None, listener: Listener, *, as_json: bool
) -> None:
    """Hold the debate that ``body`` asks for, or go on with ``resume``; its id comes last.

    Exits 1 where the debate was halted.
    """
    if body is not None:
        opening.as_request(body)  # a wrong wish fails before anything is started
    if server := server_of(settings):
        click.echo(f"a server holds this store: asking {server}", err=True)
        debate = await _remote(settings, server, body, resume, listener)
    else:
        debate = await _here(settings, body, resume, listener)
    listener.finish()
    if as_json:
        emit({"id": debate})
    else:
        click.echo(debate)
    if listener.ended and listener.ended["type"] == "debate_halted":
        click.echo(f"moot: halted: {listener.ended['reason']}", err=True)
        raise click.exceptions.Exit(1)


async def _here(settings: Settings, body: dict[str, Any] | None, resume: Resumption | None, listener: Listener) -> str:
    async with running(settings) as service:
        if body is not None:
            wish = opening.as_request(body)
            records = await records_for(service.log, wish)
            opened = await opening.opened(wish, service.registry, settings, records)
            click.echo(in_words(estimate(opened)), err=True)
            debate, after = await service.moderators.open(opened), 0
        else:
            assert resume is not None
            debate = await whole_id(service.log, resume.debate)
            after = await service.log.head(debate)
            listener.take(frames.snapshot((await service.hub.view_at(debate, after)).view, None))
            await _go_on(service, debate, resume.max_cost_usd)
        click.echo(f"debate {debate}", err=True)
        try:
            await _watch(_messages(service, debate, after), listener)
        except BaseException:
            click.echo(f"\ninterrupted; go on with: moot run --resume {debate}", err=True)
            raise
        return debate


async def _go_on(service: Service, debate: str, max_cost_usd: float | None) -> None:
    """Resume a debate that rests; take up one that was cut off."""
    view = (await service.hub.view_at(debate, None)).view
    if view.state == "concluded":
        raise BadField("resume", f"debate {debate} has concluded")
    if view.state == "open":
        with suppress(NotOwner):  # another node has it: then it is watched
            await service.moderators.take_up_one(debate)
    else:
        await service.moderators.resume(debate, "resumed from the command line", "operator", max_cost_usd)


async def _messages(service: Service, debate: str, after: int) -> AsyncGenerator[str]:
    channel = await service.hub.channel(debate)
    async with Reader(service.hub, channel, after, every_frame=True) as reader, aclosing(reader.messages()) as batches:
        async for batch in batches:
            for message in batch:
                yield message


async def _watch(messages: Any, listener: Listener) -> None:
    async with aclosing(messages):
        async for message in messages:
            listener.take(message)
            if listener.ended is not None:
                return


async def _remote(
    settings: Settings, server: str, body: dict[str, Any] | None, resume: Resumption | None, listener: Listener
) -> str:
    headers = _headers(settings)
    async with _client(settings, server) as client:
        if body is not None:
            debate, after = str((await _post(client, "/api/debates", body))["id"]), 0
        else:
            assert resume is not None
            async with reading(settings) as log:
                debate = await whole_id(log, resume.debate)
            view = await _get(client, f"/api/debates/{debate}")
            after = int(view["position"])
            standing = {"kind": "snapshot", "position": after, "view": view, "speaking": None}
            listener.take(msgspec.json.encode(standing).decode())
            if view["state"] == "concluded":
                raise BadField("resume", f"debate {debate} has concluded")
            if view["state"] in {"paused", "halted"}:
                asked: dict[str, Any] = {"reason": "resumed from the command line"}
                if resume.max_cost_usd is not None:
                    asked["max_cost_usd"] = resume.max_cost_usd
                await _post(client, f"/api/debates/{debate}/resume", asked)
        click.echo(f"debate {debate}", err=True)
        await _watch(_remote_messages(client, server, headers, debate, after), listener)
        return debate


async def post(settings: Settings, server: str, path: str, body: dict[str, Any]) -> Any:
    """Ask the server that holds the store for an act.  Raises what it refuses as our own errors."""
    async with _client(settings, server) as client:
        return await _post(client, path, body)


def _client(settings: Settings, server: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server, headers=_headers(settings), timeout=60, trust_env=False)


def _headers(settings: Settings) -> dict[str, str]:
    return {"authorization": f"Bearer {settings.token}"} if settings.token else {}


async def _remote_messages(
    client: httpx.AsyncClient, server: str, headers: dict[str, str], debate: str, after: int
) -> AsyncIterator[str]:
    """Frames by the socket; what it gives as a snapshot is fetched as frames."""
    address = server.replace("http", "ws", 1) + f"/ws/debates/{debate}?after="
    while True:
        try:
            async with connect(
                address + str(after),
                additional_headers=headers,
                subprotocols=[Subprotocol(frames.SUBPROTOCOL)],
                max_size=1 << 26,
                proxy=None,
            ) as socket:
                async for raw in socket:
                    message = raw if isinstance(raw, str) else raw.decode()
                    said = msgspec.json.decode(message)
                    if said["kind"] == "error":
                        raise MootError(said["message"])
                    if said["kind"] == "snapshot":
                        async for frame in _frames(client, debate, after, said["position"]):
                            yield frame
                        after = said["position"]
                        continue
                    if said["kind"] == "frame":
                        after = said["position"]
                    yield message
        except ConnectionClosed as error:
            logger.info("reconnecting", code=error.code)
        except (OSError, InvalidHandshake) as error:
            gone = f"the server at {server} has gone; the debate goes on when it is back"
            raise CannotServe(f"{gone}: {error}") from error


async def _frames(client: httpx.AsyncClient, debate: str, after: int, until: int) -> AsyncIterator[str]:
    following: int | None = after
    while following is not None and following < until:
        page = await _get(client, f"/api/debates/{debate}/frames?after={following}")
        for frame in page["frames"]:
            if frame["position"] <= until:
                yield msgspec.json.encode(frame).decode()
        following = page["next"]


async def _post(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    return await _asked(client, client.build_request("POST", path, content=msgspec.json.encode(body)))


async def _get(client: httpx.AsyncClient, path: str) -> Any:
    return await _asked(client, client.build_request("GET", path))


async def _asked(client: httpx.AsyncClient, request: httpx.Request) -> Any:
    try:
        response = await client.send(request)
        said = msgspec.json.decode(response.content)
    except (httpx.HTTPError, msgspec.DecodeError) as error:
        raise CannotServe(f"the server at {client.base_url} holds this store but does not answer: {error}") from error
    if response.is_success:
        return said
    field, message = said["error"]["field"], said["error"]["message"]
    if field:
        raise BadField(field, message)
    kinds: dict[int, type[MootError]] = {
        ERROR_CLASSES[each].status: each for each in (TokenMissing, NotAllowed, NotFound, NotNow)
    }
    raise kinds.get(response.status_code, MootError)(message)
