"""Bodies of requests: their largest size, and the JSON in them."""

from typing import Any, Final

import msgspec
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive

from server.errors import BadQuery, TooLarge

MAX_BODY: Final = 1 << 20
"""Bytes."""
MAX_SUPPLIED: Final = 96 << 20
"""Bytes of a request with which an operator opens a debate: it may hold a transcript or documents."""
MAX_IMPORT: Final = 256 << 20
"""Bytes of a log that an operator imports."""
MAX_TRANSCRIPT: Final = 72 << 20
"""Bytes of a request with a transcript: 50 MiB of a file, as base64 in JSON."""


async def read_json(request: Request, *, empty: Any = None) -> Any:
    """The body as builtins; or ``empty``, if it is given and the body is empty.

    Raises ``BadQuery`` for a body that is not JSON.
    """
    body = await request.body()
    if empty is not None and not body.strip():
        return empty
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadQuery(f"the body is not JSON: {error}") from error


async def read_object(request: Request, *, empty: dict[str, Any] | None = None) -> dict[str, Any]:
    """The body as a dictionary; otherwise like ``read_json``.  Raises ``BadQuery``."""
    value = await read_json(request, empty=empty)
    if not isinstance(value, dict):
        raise BadQuery("the body must be a JSON object")
    return value


def check_length(headers: Headers, most: int = MAX_BODY) -> None:
    """Check the announced length of a body.  Raises ``TooLarge``, and ``ValueError`` for a length that is no number."""
    if int(headers.get("content-length") or 0) > most:
        raise _too_large(most)


class BoundedReceive:
    """An ASGI ``receive`` that stops reading a body beyond ``most`` bytes, whatever length was announced."""

    def __init__(self, receive: Receive, most: int = MAX_BODY) -> None:
        self._receive, self._most, self._size = receive, most, 0

    async def __call__(self) -> Message:
        """The next message.  Raises ``TooLarge``."""
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            raise _too_large(self._most)
        return message


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"a body may have {most} bytes")
