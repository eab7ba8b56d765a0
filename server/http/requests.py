"""What every resource reads from a request, and the JSON and the long answers that it answers with."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import msgspec
from anyio.lowlevel import checkpoint
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from server.errors import BadQuery
from server.export.kept import GzipText
from server.service import Service

PRIVATE = {"cache-control": "no-store", "referrer-policy": "no-referrer"}
"""Headers of an answer that may hold a secret link."""
MAX_DIGITS = 15
"""Digits of a number in a query; no position has more."""


def service_of(request: Request) -> Service:
    """The service that the application was started with."""
    service: Service = request.app.state.service
    return service


def base_of(request: Request) -> str:
    """The address of this server's pages for links that others keep: that of the settings, or of the request."""
    return (service_of(request).settings.public_url or str(request.base_url)).rstrip("/")


def json_response(value: Any, status: int = 200) -> Response:
    """A JSON answer, encoded by msgspec: structs and raw payloads are sent as they are."""
    return Response(msgspec.json.encode(value), status_code=status, media_type="application/json")


def packed_response(
    request: Request, packed: GzipText, media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    """A compressed text, sent in pieces; without compression to a client that does not accept gzip."""
    is_gzip = "gzip" in request.headers.get("accept-encoding", "")
    response = StreamingResponse(_in_turn(packed.pieces(is_gzip=is_gzip)), media_type=media_type, headers=headers)
    response.headers["content-length"] = str(len(packed.body) if is_gzip else packed.length)
    response.headers["vary"] = "accept-encoding"
    if is_gzip:
        response.headers["content-encoding"] = "gzip"
    return response


async def _in_turn(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces, with other tasks between them: a fast client never makes the server wait."""
    for piece in pieces:
        yield piece
        await checkpoint()


def whole_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A query parameter that is a whole number within bounds.  Raises ``BadQuery`` naming the parameter."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise BadQuery(f"{name} must be a whole number, not {text[:40]!r}", field=name)
    value = int(text)
    if not least <= value <= most:
        raise BadQuery(f"{name} must be between {least} and {most}", field=name)
    return value


def turn_number(request: Request) -> int:
    """The number of a turn in the path; 0, which no turn has, for any other text."""
    text = request.path_params["turn"]
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 0
