"""Access control: hosts, origins, the token and its session cookie, and the headers of every response.

An act of an operator is a line ``operator_act`` in the server's log: who did what, from where, and with which result.
"""

import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, wraps
from typing import Final
from urllib.parse import urlsplit

import structlog
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from events.errors import UnknownDebate
from server.errors import BadHeader, CannotServe, MootError, NotAllowed, TokenMissing, error_body, report_of
from server.http.body import (
    MAX_BODY,
    MAX_IMPORT,
    MAX_SUPPLIED,
    MAX_TRANSCRIPT,
    BoundedReceive,
    check_length,
)
from server.http.limits import RateLimit, address_of
from server.people.links import digest_of_link
from server.process import observe
from server.service import Service
from server.settings import LOOPBACK, Settings

logger = structlog.get_logger()

COOKIE: Final = "moot_session"
Endpoint = Callable[[Request], Awaitable[Response]]
MAX_LINK: Final = 64
"""Characters of a link's token."""
COOKIE_AGE_S: Final = 12 * 3600
FORBIDDEN: Final = 4403
MIN_TOKEN: Final = 16
"""Characters of a token beyond loopback."""
WRONG_TOKENS_PER_MINUTE: Final = 10
"""Wrong tokens of one address; then none of its tokens is compared for a while."""
ROLE: Final = "moot.role"
"""Where the scope of a request keeps by what it is an operator's; empty for a spectator."""
ACT: Final = "moot.act"
"""Where the scope of a request keeps what the line ``operator_act`` says of it, once it is an act."""
_HOST: Final = re.compile(
    r"(?P<name>[a-z0-9_.~%!$&'()*+;=-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII
)
"""A ``Host`` header.  Source: RFC 3986, section 3.2, without user and without future addresses."""
SEAT_PATHS: Final = ("/seat/", "/api/seats/")
"""Beginnings of paths that a token follows."""
IMPORT: Final = "/api/import"
PREVIEW: Final = "/api/transcripts/preview"
LONG_BODIES: Final = {
    IMPORT: MAX_IMPORT,
    PREVIEW: MAX_TRANSCRIPT,
    "/api/debates": MAX_SUPPLIED,
    "/api/estimate": MAX_SUPPLIED,
    "/api/evidence": MAX_SUPPLIED,
    "/mcp": MAX_SUPPLIED,
}
"""Bytes of a body that only operators may send, by path."""
BUG: Final = "an error inside Moot: the server's log has the details"
POLICY: Final = "; ".join(  # noqa: FLY002 - one line for each rule is easier to read
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "media-src blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@cache
def signing_key(token: str, purpose: str) -> bytes:
    """A key for cookies.  scrypt derives it, so that a cookie does not help to guess the token."""
    return hashlib.scrypt((token or "loopback").encode(), salt=purpose.encode(), n=1 << 14, r=8, p=1)


class Access:
    """The access rules of one server.

    Raises ``CannotServe`` for an address beyond loopback, or further host names, with a token that is easy to guess.
    """

    def __init__(self, settings: Settings, *, logs_acts: bool = True) -> None:
        """``logs_acts``: whether acts of operators are lines of the log."""
        self.logs_acts = logs_acts
        if not (settings.is_loopback and not settings.hosts.strip()) and len(settings.token) < MIN_TOKEN:
            why = f"{settings.host} can be reached from other machines"
            if settings.is_loopback:
                why = "MOOT_HOSTS lets other machines reach this server through a proxy"
            raise CannotServe(
                f"{why}: set MOOT_TOKEN to {MIN_TOKEN} or more random characters (and keep it secret), "
                "or serve on 127.0.0.1 without MOOT_HOSTS"
            )
        self._token = settings.token
        named = {name.strip().lower() for name in settings.hosts.split(",") if name.strip()}
        self._by_address = settings.host in {"0.0.0.0", "::"} and not named  # noqa: S104 - compared with, not bound to
        self._hosts = {*LOOPBACK, "[::1]", settings.host.lower(), *named}
        self._sessions = URLSafeTimedSerializer(signing_key(settings.token, "moot.session"), salt="moot.session")
        self._closed: dict[str, float] = {}
        """Sessions that were closed in this process, with the times after which their cookies have expired."""
        self._wrong_tokens = RateLimit(WRONG_TOKENS_PER_MINUTE, "wrong tokens came")

    @property
    def needs_token(self) -> bool:
        """Whether requests that change something need the token."""
        return bool(self._token)

    def check_host(self, headers: Headers) -> None:
        """Check the host (DNS rebinding) and the origin (cross-site requests).

        Raises ``NotAllowed``; ``BadHeader`` for a host that is none.
        """
        hosts = headers.getlist("host")
        host = hosts[0] if hosts else ""
        is_valid = _HOST.fullmatch(host)
        if len(hosts) > 1 or (host and not is_valid):
            raise BadHeader("the header Host must be one name or address, with a port or without")
        name = is_valid["name"].strip("[]").lower() if is_valid else ""
        if name not in self._hosts and not (self._by_address and _is_address(name)):
            raise NotAllowed(f"this server does not answer for the host {host!r}; MOOT_HOSTS adds a name")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            raise NotAllowed(f"requests from {origin} are refused")

    def token_matches(self, connection: HTTPConnection, token: str) -> bool:
        """Whether this is the token.  Raises ``TooMany`` for an address that has sent too many wrong ones."""
        address = address_of(connection)
        self._wrong_tokens.refuse_beyond(address, "this address")
        if hmac.compare_digest(token.encode(), self._token.encode()):
            return True
        self._wrong_tokens.count(address)
        path = shown_path(connection.url.path)
        logger.warning(
            "wrong_token", address=client_address(connection), method=connection.scope.get("method", "WS"), path=path
        )
        return False

    def open_session(self) -> tuple[str, str]:
        """The name of a new session, and its cookie."""
        name = secrets.token_hex(4)
        return name, self._sessions.dumps(name)

    def close_session(self, connection: HTTPConnection) -> None:
        """Refuse this request's cookie from now on, in this process."""
        now = time.monotonic()
        self._closed = {name: until for name, until in self._closed.items() if until > now}
        if name := self._session_of(connection):
            self._closed[name] = now + COOKIE_AGE_S

    def _session_of(self, connection: HTTPConnection) -> str:
        """The name of the request's session; empty without one."""
        try:
            name = str(self._sessions.loads(connection.cookies.get(COOKIE, ""), max_age=COOKIE_AGE_S))
        except BadSignature:
            return ""
        return "" if name in self._closed else name

    def role_of(self, connection: HTTPConnection) -> str:
        """By what the request is an operator's: ``loopback``, ``token``, or ``session`` and its name; else empty.

        Raises ``TooMany`` for an address that has sent too many wrong tokens.
        """
        if ROLE not in connection.scope:
            connection.scope[ROLE] = self._role_of(connection)
        return str(connection.scope[ROLE])

    def _role_of(self, connection: HTTPConnection) -> str:
        if not self._token:
            return "loopback"
        if session := self._session_of(connection):
            return f"session {session}"
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        return "token" if scheme.lower() == "bearer" and self.token_matches(connection, token.strip()) else ""

    def is_operator(self, connection: HTTPConnection) -> bool:
        """Whether this request may change things: any request if no token is set, else only one with the token."""
        return bool(self.role_of(connection))

    def require_operator(self, connection: HTTPConnection) -> None:
        """Raises ``TokenMissing`` for a request that may not change things."""
        if not self.is_operator(connection):
            raise TokenMissing("this needs the token: Authorization: Bearer …, or POST /api/session")

    def begin_act(self, connection: HTTPConnection) -> None:
        """Like ``require_operator``, for a request that changes something: its end is logged."""
        self.require_operator(connection)
        note_act(connection, by=self.role_of(connection))


def _is_address(name: str) -> bool:
    """Whether a host is given as an IP address, which no other site's name can lead to."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def note_act(connection: HTTPConnection, **facts: str) -> None:
    """Add facts to what is logged of an operator's request."""
    connection.scope.setdefault(ACT, {}).update(facts)


def client_address(connection: HTTPConnection) -> str:
    """The address of the client, as the proxy names it."""
    return connection.client.host if connection.client else ""


def is_local(connection: HTTPConnection) -> bool:
    """Whether the client is on this machine.  A proxy names the address of its client."""
    try:
        return connection.client is not None and ipaddress.ip_address(connection.client.host).is_loopback
    except ValueError:
        return False


def access_of(connection: HTTPConnection) -> Access:
    """The access rules that the application was started with."""
    access: Access = connection.app.state.access
    return access


def is_director(connection: HTTPConnection) -> bool:
    """Whether an operator asks for the director's view: ``?director=1``.  Raises ``TokenMissing`` for other clients."""
    if connection.query_params.get("director", "0") in {"0", ""}:
        return False
    access_of(connection).require_operator(connection)
    return True


async def check_link(connection: HTTPConnection, debate: str) -> None:
    """Raise ``UnknownDebate`` for an unlisted debate, unless the client is an operator or has the link's token."""
    if access_of(connection).is_operator(connection):
        return
    service: Service = connection.app.state.service
    if link := await service.hub.link(debate):
        given = (connection.query_params.get("link"), connection.cookies.get(link_cookie(debate)))
        if not any(hmac.compare_digest(link, digest_of_link(token)) for token in given if token):
            raise UnknownDebate(debate)


def link_cookie(debate: str) -> str:
    """The name of the cookie that keeps the token of a debate's link."""
    return f"moot_link_{hashlib.sha256(debate.encode()).hexdigest()[:16]}"


def keep_link(request: Request, response: Response) -> None:
    """Keep the token of a page's address in a cookie, for the requests of the page."""
    if token := request.query_params.get("link", "")[:MAX_LINK]:
        response.set_cookie(
            link_cookie(_debate_of(request)),
            token,
            max_age=COOKIE_AGE_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )


def _debate_of(request: Request) -> str:
    """The debate, or the lab run, that the address of a route names."""
    given = request.path_params
    return str(given["debate"] if "debate" in given else given["lab"])


def behind_link(endpoint: Endpoint) -> Endpoint:
    """The endpoint of a route with a debate, which an unlisted debate answers for clients with its link only."""

    @wraps(endpoint)
    async def checked(request: Request) -> Response:
        await check_link(request, _debate_of(request))
        return await endpoint(request)

    vars(checked)["has_link"] = True
    return checked


class AccessMiddleware:
    """ASGI middleware: checks host, origin and the size of the body, adds the headers, counts the responses."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._access.check_host(headers)
            most = self._most(scope)
            check_length(headers, most)
        except MootError as error:
            await self._refuse(error, scope, receive, send)
            return
        except ValueError as error:
            await self._refuse(BadHeader(str(error)), scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return

        await self._serve(scope, BoundedReceive(receive, most), send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request: count it, and log what is a bug."""
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                headers_out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers_out.setdefault(name, value)  # the page for frames has its own
                observe.count_request(scope["method"], message["status"])
                if ACT in scope and self._access.logs_acts:
                    _log_act(scope, message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            logger.debug("request_broken_off", method=scope["method"], path=shown_path(scope["path"]))
        except Exception:
            logger.exception("request_failed", method=scope["method"], path=shown_path(scope["path"]))
            if not has_begun:  # the web server cuts an answer that has begun
                await self._refuse(MootError(BUG), scope, receive, send_with_headers)

    def _most(self, scope: Scope) -> int:
        """Bytes that the body of a request may have: an operator may import a log and supply a transcript."""
        most = LONG_BODIES.get(scope["path"], MAX_BODY) if scope["type"] == "http" else MAX_BODY
        return most if most == MAX_BODY or self._access.is_operator(HTTPConnection(scope)) else MAX_BODY

    async def _refuse(self, error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})  # only an open socket can carry a close code of ours
            await send({"type": "websocket.close", "code": FORBIDDEN, "reason": str(error)[:100]})
            return
        await error_response(error)(scope, receive, send)


def _log_act(scope: Scope, status: int) -> None:
    """The trail of operators' acts, which ``moot log`` reads."""
    observe.always().info(
        "operator_act",
        address=client_address(HTTPConnection(scope)),
        method=scope["method"],
        path=shown_path(scope["path"]),
        status=status,
        **scope[ACT],
    )


def shown_path(path: str) -> str:
    """The path of a request as log lines show it: without the token of a seat's link."""
    for prefix in SEAT_PATHS:
        if path.startswith(prefix):
            return f"{prefix}…"
    return path


def error_response(error: Exception) -> Response:
    """An error as a response, in the one JSON shape of errors."""
    headers = dict(HEADERS)
    report = report_of(error)
    if report.retry_after_s is not None:
        headers["retry-after"] = str(int(report.retry_after_s) or 1)
    return JSONResponse(error_body(error), status_code=report.status, headers=headers)
