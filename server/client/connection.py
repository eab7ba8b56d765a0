"""Requests to a server, and the feed of a debate over any number of connections."""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Literal, Self
from urllib.parse import quote, urlencode

import anyio
import httpx
import msgspec
import structlog
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from events.view.readable import read
from events.view.view import View
from providers.environment import trusted
from server.client.messages import Delta, Frame
from server.errors import ERROR_CLASSES, CannotServe, ErrorReport, Relayed
from server.export.argument_audit import ArgumentAudit
from server.export.audit import Audit
from server.feed import frames

logger = structlog.get_logger()

ADDRESS: Final = "http://127.0.0.1:8484"
TIMEOUT_S: Final = 60
SILENT_S: Final = 12.0
"""Seconds without a message after which a line is dead: a heartbeat comes every 5 s."""
PATIENCE_S: Final = 60.0
"""Seconds for which ``follow`` tries to reach a server that has gone."""
WAIT_S: Final = 0.5
"""Seconds between two of these attempts."""
MAX_MESSAGE: Final = 1 << 26
"""Bytes of a message on the socket."""
MIN_SERVER_ERROR: Final = 500
"""The least HTTP status that may be another one at the next attempt."""
AWAY: Final = "does not answer any more; the debate continues when it is back"
EXPORTS: Final = {"html": "export.html", "json": "export.json", "md": "export.md", "ndjson": "events.ndjson"}
EXIT_CODE_OF: Final = {each.code: each.exit_code for each in ERROR_CLASSES.values()}
"""Exit codes by the ``code`` of an error."""
Export = Literal["html", "json", "md", "ndjson"]
Feed = Callable[[str, int, bool], AsyncGenerator[str]]
"""The messages of a debate after a position, for the director or not, without a socket."""


class AsyncClient:
    """Requests to a server.

    A request raises ``Relayed`` for what the server refuses, with the server's own code, message and field, and
    ``CannotServe`` if the server does not answer.
    """

    def __init__(
        self,
        address: str = ADDRESS,
        token: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        feed: Feed | None = None,
    ) -> None:
        """``token``: without it, ``MOOT_TOKEN`` of the environment; ``headers`` stand in its place.

        ``transport`` and ``feed`` lead to a server of this process.
        """
        token = os.environ.get("MOOT_TOKEN", "") if token is None else token
        self.address = address
        self._headers = dict(headers if headers is not None else {"authorization": f"Bearer {token}"} if token else {})
        self._feed = feed
        self._http = httpx.AsyncClient(
            base_url=address,
            headers=self._headers,
            timeout=TIMEOUT_S,
            verify=trusted(address),
            trust_env=False,
            transport=transport,
        )

    @classmethod
    def in_process(cls, store: str = "memory:", **settings: Any) -> AbstractAsyncContextManager[Self]:
        """A client of a Moot that runs in this process without a socket.  ``settings`` are those of docs/settings.md.

        The context ends the debates that run; those of a store on disk continue when it is opened again.
        """
        from server.client.in_process import in_process  # noqa: PLC0415 - a client of a server needs none of it

        return in_process(cls, {"store": store, **settings})

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, traceback)

    # debates

    async def open(self, motion: str = "", **fields: Any) -> str:
        """Open and start a debate; its id.  ``fields`` are those of docs/http.md#opening-a-debate."""
        body = {"motion": motion, **fields} if motion else fields
        return str((await self.post("/api/debates", body))["id"])

    async def view(self, debate: str, at: int | None = None, *, director: bool = False) -> View:
        """The view of a debate, at a position or now."""
        return read(await self.get(_path(debate, "", at=at, director=director or None)), View)

    async def audit(self, debate: str, turn: int) -> Audit:
        """Every score entry of a turn, in order."""
        return read(await self.get(_path(debate, f"/audit/turns/{turn}")), Audit)

    async def audit_argument(self, debate: str, argument: str) -> ArgumentAudit:
        """What every score of an argument of format ``protocol`` is made of."""
        return read(await self.get(_path(debate, f"/audit/arguments/{quote(argument)}")), ArgumentAudit)

    async def export(self, debate: str, form: Export = "md", **query: Any) -> str:
        """An export as text.  ``query``: ``calls``, ``evidence``, ``director``, as in docs/http.md."""
        return await self.text(_path(debate, f"/{EXPORTS[form]}", **query))

    async def follow(
        self, debate: str, after: int = 0, *, director: bool = False, patience_s: float = PATIENCE_S
    ) -> AsyncGenerator[Frame | Delta]:
        """Every frame after a position, each once and in order, and the text in flight between them.

        Ends when the debate has concluded or is halted and everything recorded so far was given.  A line that is cut
        or silent is opened again, for ``patience_s`` without an answer; then ``CannotServe``.
        """
        state = (await self.view(debate, after)).state if after else "open"
        is_live = False
        async with aclosing(self.messages(debate, after, director=director, patience_s=patience_s)) as messages:
            async for message in messages:
                content = msgspec.json.decode(message)
                kind = content.pop("kind")
                if kind == "frame":
                    state = content["patch"].get("state", state)
                    yield msgspec.convert(content, Frame)
                elif kind == "delta":
                    yield msgspec.convert(content, Delta)
                is_live = is_live or kind == "live"
                if is_live and state in {"concluded", "halted"}:
                    return

    async def messages(
        self, debate: str, after: int, *, director: bool = False, patience_s: float = 0.0
    ) -> AsyncGenerator[str]:
        """The messages of a debate's feed after a position as JSON texts, over any number of connections.

        The frames that a snapshot stands for are fetched, so that no frame is left out.
        """
        deadline: float | None = None
        while True:
            try:
                async with aclosing(self._line(debate, after, director=director)) as line:
                    async for position, message in line:
                        deadline, after = None, max(after, position)
                        yield message
            except ConnectionClosed as error:
                logger.info("reconnecting", reason=str(error))
            except (OSError, InvalidHandshake, CannotServe) as error:
                now = anyio.current_time()
                deadline = now + patience_s if deadline is None else deadline
                refused = isinstance(error, InvalidStatus) and error.response.status_code < MIN_SERVER_ERROR
                if refused or now >= deadline:
                    raise CannotServe(f"the server at {self.address} {AWAY}: {error}") from error
                await anyio.sleep(WAIT_S)

    async def _line(self, debate: str, after: int, *, director: bool) -> AsyncGenerator[tuple[int, str]]:
        """The messages of one connection, each with its position; 0 for one that has none.

        Raises ``ConnectionClosed``, ``OSError``, ``InvalidHandshake`` and what ``get`` raises.
        """
        async with aclosing(self._raw(debate, after, director)) as line:
            async for message in line:
                content = msgspec.json.decode(message)
                if content["kind"] == "error":
                    if "come back with after=" in content["message"]:
                        continue  # the close follows
                    raise self._refusal(content)
                if content["kind"] not in {"snapshot", "frame"}:
                    yield 0, message
                    continue
                position, is_frame = content["position"], content["kind"] == "frame"
                async for missed in self._frames(debate, after, position - is_frame, director=director):
                    yield missed
                if is_frame and position > after:
                    yield position, message
                if not is_frame and (speaking := content["speaking"]):
                    yield 0, frames.delta(speaking["turn"], speaking["attempt"], 0, speaking["text"])
                after = max(after, position)

    async def _raw(self, debate: str, after: int, director: bool) -> AsyncGenerator[str]:
        if self._feed is not None:
            async with aclosing(self._feed(debate, after, director)) as feed:
                async for message in feed:
                    yield message
            return
        query = urlencode({"after": after, **({"director": 1} if director else {})})
        url = f"{self.address.replace('http', 'ws', 1)}/ws/debates/{quote(debate)}?{query}"
        async with connect(
            url,
            additional_headers=self._headers,
            subprotocols=[Subprotocol(frames.SUBPROTOCOL)],
            max_size=MAX_MESSAGE,
            proxy=None,
        ) as socket:
            while True:
                with anyio.move_on_after(SILENT_S) as waiting:
                    raw = await socket.recv(decode=True)
                if waiting.cancelled_caught:
                    logger.info("reconnecting", silent_s=SILENT_S)
                    return
                yield raw

    async def _frames(self, debate: str, after: int, until: int, *, director: bool) -> AsyncIterator[tuple[int, str]]:
        following: int | None = after
        while following is not None and following < until:
            page = await self.get(_path(debate, "/frames", after=following, director=director or None))
            for frame in page["frames"]:
                if frame["position"] <= until:
                    yield frame["position"], msgspec.json.encode(frame).decode()
            following = page["next"]

    # any route

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
        raise self._refusal(refusal["error"], response.status_code)

    def _silent(self, error: Exception) -> CannotServe:
        return CannotServe(f"the server at {self.address} does not answer: {error}")

    def _refusal(self, error: Mapping[str, Any], status: int = HTTPStatus.INTERNAL_SERVER_ERROR) -> Relayed:
        """A refusal of the server as an error of ours, with everything that the server says of it."""
        code, message = error["code"], error["message"]
        if status == HTTPStatus.UNAUTHORIZED:
            message = f"the server at {self.address} needs its token: set MOOT_TOKEN to that with which it was started"
        return Relayed(
            ErrorReport(
                code=code,
                status=status,
                exit_code=EXIT_CODE_OF.get(code, 1),
                message=message,
                field=error.get("field"),
            )
        )


def _path(debate: str, path: str, **query: Any) -> str:
    """The path of a debate's route; a member of the query that is None is left out, a boolean is 1 or 0."""
    given = {name: int(each) if isinstance(each, bool) else each for name, each in query.items() if each is not None}
    return f"/api/debates/{quote(debate)}{path}{'?' if given else ''}{urlencode(given)}"
