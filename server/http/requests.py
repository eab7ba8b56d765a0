"""What every resource reads from a request, and the JSON that it answers with."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from server.errors import BadQuery
from server.service import Service

MAX_DIGITS = 15
"""Digits of a number in a query; no position has more."""


def service_of(request: Request) -> Service:
    """The service that the application was started with."""
    service: Service = request.app.state.service
    return service


def json_response(value: Any, status: int = 200) -> Response:
    """A JSON answer, encoded by msgspec: structs and raw payloads are sent as they are."""
    return Response(msgspec.json.encode(value), status_code=status, media_type="application/json")


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
