"""The receipt of a debate, and the public keys of this server."""

from collections.abc import AsyncIterator
from typing import Final

from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from providers.imports import load
from server.errors import NotNow
from server.export.receipt.keys import read_keys
from server.export.receipt.statement import receipt_of
from server.http.access import access_of, behind_link
from server.http.contract import answers
from server.http.exports import attachment
from server.http.limits import RateLimit
from server.http.requests import json_response, packed_response, service_of

MEDIA_TYPE: Final = "application/json"


class SignedReceipt(Struct, frozen=True):
    """A DSSE envelope; each signature has ``keyid`` and ``sig``."""

    payload: str
    payloadType: str  # noqa: N815 - the name of the standard
    signatures: tuple[dict[str, str], ...]


@answers(SignedReceipt)
async def show_receipt(request: Request) -> Response:
    """GET /api/debates/{id}/receipt: the signed statement of how a debate ended; 409 before its end."""
    service, debate = service_of(request), request.path_params["debate"]
    view = await service.hub.view(debate)
    if view.state != "concluded":
        raise NotNow("the debate has not ended: there is a receipt of what has ended only")
    known = await to_thread.run_sync(read_keys, service.settings)
    await load("cryptography.hazmat.primitives.asymmetric.ed25519")
    rate: RateLimit = request.app.state.export_rate

    async def made() -> AsyncIterator[bytes]:
        if not access_of(request).is_operator(request):
            rate.check_address(request)
        yield await receipt_of(service.log, debate, known.signer())

    key = ("receipt", view.id, view.position, known.keys[0]["kid"])
    headers = attachment(view.motion, view.id, "dsse.json")
    return packed_response(request, await request.app.state.exports.answer(key, made), MEDIA_TYPE, headers)


async def show_keys(request: Request) -> Response:
    """GET /.well-known/jwks.json: the public keys that sign receipts, the newest first, and how they were rotated."""
    known = await to_thread.run_sync(read_keys, service_of(request).settings)
    return json_response(known.jwks)


ROUTES: Final = (
    Route("/api/debates/{debate}/receipt", behind_link(show_receipt)),
    Route("/.well-known/jwks.json", show_keys),
)
