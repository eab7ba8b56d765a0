"""What a debate can be opened with: models, archetypes and exhibitions."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from personalities.archetypes import archetypes
from server.http.requests import json_response, service_of
from server.opening.exhibitions import exhibitions


async def list_models(request: Request) -> Response:
    """GET /api/models."""
    registry = service_of(request).registry
    models, default = await registry.survey()
    return json_response({"models": models, "default": default, "load": registry.loads()})


async def list_exhibitions(request: Request) -> Response:
    """GET /api/exhibitions."""
    del request
    return json_response(
        {"exhibitions": [{"name": name, **msgspec.structs.asdict(each)} for name, each in exhibitions().items()]}
    )


async def list_archetypes(request: Request) -> Response:
    """GET /api/archetypes."""
    del request
    known = [
        {"name": name, "title": each.title, "manner": each.manner, "traits": each.traits}
        for name, each in archetypes().items()
    ]
    return json_response({"archetypes": known})
