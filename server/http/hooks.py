"""The webhooks of the server, for operators: what waits, what is dead, and another try."""

from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.hooks.deliveries import HookState, retry, states_of
from server.http.access import access_of
from server.http.contract import answers
from server.http.requests import json_response, service_of


class Hooks(Struct, frozen=True):
    """The hooks of the settings, with what waits and what is dead."""

    hooks: tuple[HookState, ...]


@answers(Hooks, needs_operator=True)
async def list_hooks(request: Request) -> Response:
    """GET /api/hooks."""
    access_of(request).require_operator(request)
    service = service_of(request)
    return json_response(Hooks(await states_of(service.log, service.settings.hooks)))


@answers(dict[str, int], needs_operator=True)
async def retry_hook(request: Request) -> Response:
    """POST /api/hooks/{hook}/retry."""
    access_of(request).begin_act(request)
    service = service_of(request)
    retried = await retry(service.log, service.settings.hooks, request.path_params["hook"])
    return json_response({"retried": retried})


ROUTES: Final = (
    Route("/api/hooks", list_hooks),
    Route("/api/hooks/{hook}/retry", retry_hook, methods=["POST"]),
)
