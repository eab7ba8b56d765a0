"""A client of the server that holds the store."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Self

import click
import httpx
import msgspec
import structlog
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from providers.environment import trusted
from server.cli.options import find_debate, open_store, server_address
from server.cli.output import emit
from server.debate.acting.operator_acts import ACTS, OperatorRequest
from server.errors import ERROR_CLASSES, CannotServe, ErrorReport, Relayed
from server.feed import frames
from server.service import running
from server.settings import Settings

logger = structlog.get_logger()

TIMEOUT_S: Final = 60
MAX_MESSAGE: Final = 1 << 26
"""Bytes of a message on the socket."""
EXIT_CODE_OF: Final = {each.code: each.exit_code for each in ERROR_CLASSES.values()}
"""Exit codes by the ``code`` of an error."""


class ServerClient:
    """Requests to a server, by the token of the settings.

    A request raises ``Relayed`` for what the server refuses, with the server's own code, message and field, and
    ``CannotServe`` if the server does not answer.
    """

    def __init__(
        self,
        settings: Settings,
        address: str,
        *,
        headers: dict[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """``headers`` stand in place of the token; ``transport`` leads to a server of this process."""
        self.address = self._address = address
        self._headers = {"authorization": f"Bearer {settings.token}"} if settings.token else {}
        if headers is not None:
            self._headers = headers
        self._http = httpx.AsyncClient(
            base_url=address,
            headers=self._headers,
            timeout=TIMEOUT_S,
            verify=trusted(address),
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, traceback)

    async def get(self, path: str) -> Any:
        """The decoded answer to a GET."""
        return await self._send(self._http.build_request("GET", path))

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The decoded answer to a POST."""
        return await self.send(path, msgspec.json.encode(body))

    async def request(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """The decoded answer to a request with a JSON body; a DELETE has none."""
        content = None if method == "DELETE" else msgspec.json.encode(body)
        return await self._send(self._http.build_request(method, path, content=content))

    async def send(self, path: str, body: bytes) -> Any:
        """The decoded answer to a POST of bytes."""
        return await self._send(self._http.build_request("POST", path, content=body))

    async def text(self, path: str) -> str:
        """The text of an export."""
        return (await self._response(self._http.build_request("GET", path))).text

    async def _send(self, request: httpx.Request) -> Any:
        try:
            return msgspec.json.decode((await self._response(request)).content)
        except msgspec.DecodeError as error:
            raise self._silent(error) from error

    async def _response(self, request: httpx.Request) -> httpx.Response:
        try:
            response = await self._http.send(request)
            if response.is_success:
                return response
            refusal = msgspec.json.decode(response.content)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            raise self._silent(error) from error
        raise _refusal(refusal["error"], response.status_code)

    def _silent(self, error: Exception) -> CannotServe:
        return CannotServe(f"the server at {self._address} holds this store but does not answer: {error}")

    async def messages(self, debate: str, after: int) -> AsyncGenerator[str]:
        """The messages of a debate's feed after a position, over any number of connections.

        The frames that a snapshot stands for are fetched, so that no frame is left out.
        """
        url = f"{self._address.replace('http', 'ws', 1)}/ws/debates/{debate}?after="
        while True:
            try:
                async with connect(
                    url + str(after),
                    additional_headers=self._headers,
                    subprotocols=[Subprotocol(frames.SUBPROTOCOL)],
                    max_size=MAX_MESSAGE,
                    proxy=None,
                ) as socket:
                    async for raw in socket:
                        message = raw if isinstance(raw, str) else raw.decode()
                        content = msgspec.json.decode(message)
                        if content["kind"] == "error":
                            raise _refusal(content)
                        if content["kind"] == "snapshot":
                            async for frame in self._frames(debate, after, content["position"]):
                                yield frame
                            after = content["position"]
                            continue
                        if content["kind"] == "frame":
                            after = content["position"]
                        yield message
            except ConnectionClosed as error:
                logger.info("reconnecting", code=error.code)
            except (OSError, InvalidHandshake) as error:
                gone = f"the server at {self._address} does not answer any more; the debate continues when it is back"
                raise CannotServe(f"{gone}: {error}") from error

    async def _frames(self, debate: str, after: int, until: int) -> AsyncIterator[str]:
        following: int | None = after
        while following is not None and following < until:
            page = await self.get(f"/api/debates/{debate}/frames?after={following}")
            for frame in page["frames"]:
                if frame["position"] <= until:
                    yield msgspec.json.encode(frame).decode()
            following = page["next"]


async def act_on(
    settings: Settings, prefix: str, path: str, fields: dict[str, Any], *, method: str = "POST", **place: str
) -> dict[str, Any]:
    """Carry out an operator's act (``server.debate.acting.operator_acts``), by the server that holds the store or here.

    Returns its answer, and the debate's ``id``.  Raises the refusal, and ``UnknownDebate``.
    """
    async with open_store(settings) as log:
        found = await find_debate(log, prefix)
    if address := asked_server(settings):
        async with ServerClient(settings, address) as client:
            answer = await client.request(method, f"/api/debates/{found}/{path.format(**place)}", fields)
        link = {"link": f"{address}{answer['link']}"} if "link" in answer else {}
        return {"id": found, **answer, **link}
    act = ACTS[method, path](OperatorRequest(fields=fields, place={"debate": found, **place}, by="operator"))
    async with running(settings) as service:
        return {"id": found, "position": await service.moderators.act(found, act.command), **act.answer}


def show_act(answer: dict[str, Any], *, as_json: bool, more: str = "") -> None:
    """Print the answer to an act: its position, and then the link that it made, or the debate's id."""
    if as_json:
        emit(answer)
        return
    click.echo(f"recorded at position {answer['position']}{more}", err=True)
    click.echo(answer.get("link", answer["id"]))


def asked_server(settings: Settings) -> str:
    """The address of the server that holds the store, which the terminal then names; empty without one."""
    if address := server_address(settings):
        click.echo(f"a server holds this store: asking {address}", err=True)
    return address


def _refusal(error: Mapping[str, Any], status: int = HTTPStatus.INTERNAL_SERVER_ERROR) -> Relayed:
    """A refusal of the server as an error of ours, with everything that the server says of it."""
    code, message = error["code"], error["message"]
    if status == HTTPStatus.UNAUTHORIZED:
        message = "the server that holds this store needs its token: set MOOT_TOKEN to that with which it was started"
    return Relayed(
        ErrorReport(
            code=code,
            status=status,
            exit_code=EXIT_CODE_OF.get(code, 1),
            message=message,
            field=error.get("field"),
        )
    )
