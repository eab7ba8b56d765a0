"""Sessions of browsers: the token is exchanged for a cookie once, and the cookie is given up."""

from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server.errors import NotAllowed
from server.export.receipt.keys import has_keys
from server.http.access import COOKIE, COOKIE_AGE_S, access_of, note_act
from server.http.body import read_object
from server.http.contract import answers
from server.http.requests import service_of


class Token(Struct):
    """The token, where the server needs one."""

    token: str = ""


@answers(dict[str, str | bool | int])
async def show_session(request: Request) -> Response:
    """GET /api/session: what this client may do, whether by a session; the server's voice, receipts, keep_days."""
    role, voice = access_of(request).role_of(request), request.app.state.speaker.voice
    shown: dict[str, str | bool | int] = {
        "role": "operator" if role else "spectator",
        "signed_in": role.startswith("session "),
    }
    if voice is not None:
        shown["voice"] = voice.label
    if await to_thread.run_sync(has_keys, service_of(request).settings):
        shown["receipts"] = True
    if days := service_of(request).settings.keep_days:
        shown["keep_days"] = days
    return JSONResponse(shown, headers={"cache-control": "no-store"})


@answers(dict[str, bool], body=Token)
async def open_session(request: Request) -> Response:
    """POST /api/session: exchanges the token for a session cookie."""
    access = access_of(request)
    token = (await read_object(request, empty={})).get("token")
    if access.needs_token and not (isinstance(token, str) and access.token_matches(request, token)):
        raise NotAllowed("this is not the token")
    name, cookie = access.open_session()
    note_act(request, by=f"session {name}")
    response = JSONResponse({"ok": True})
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


@answers(dict[str, bool])
async def close_session(request: Request) -> Response:
    """DELETE /api/session: the cookie is deleted, and its value is refused from now on."""
    access = access_of(request)
    if role := access.role_of(request):
        note_act(request, by=role)
    access.close_session(request)
    response = JSONResponse({"ok": True})
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return response
