"""HTTP connections to a vendor: the client and its hooks, and the errors of a call that failed.

The hooks do two things: a key is never sent to another origin, and JSON survives its transport.  They fit the clients
of httpx and of httpx2, also a client that a vendor's SDK makes for itself.
"""

import codecs
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from providers.environment import is_local, redacted, trusted
from providers.errors import BadRequest, BrokenOff, ProviderError, TimedOut, Unreachable

Hooks = dict[str, list[Callable[..., Awaitable[None]]]]
CONNECT_S: Final = 4.0
"""Below the five seconds that a check may take."""
LONGEST_MESSAGE: Final = 400
_PORTS: Final = {"http": 80, "https": 443}
_LINE_BREAKS: Final = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Characters at which Python ends a line and JSON does not."""


def http_client(url: str, *, address: str, is_text: bool = True) -> httpx2.AsyncClient:
    """A client for the vendor at ``url``.  ``address`` names the variable that holds ``url``.

    ``is_text``: whether it answers with JSON or other text, which is repaired.

    It has no read timeout: the stream has its own.  It uses no proxy for this machine.  It follows a redirect within
    the origin only.  On this machine it keeps no connection alive: small servers such as llama.cpp's close them at any
    time, and a new one costs nothing.
    """
    local = is_local(url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_S),
        verify=trusted(url),
        trust_env=not local,
        follow_redirects=True,
        limits=httpx2.Limits(max_keepalive_connections=0) if local else httpx2.Limits(),
        event_hooks=hooks(url, httpx2.AsyncByteStream if is_text else None, address),
    )


def shortened(message: str) -> str:
    """A vendor's message without the keys of the environment, cut to ``LONGEST_MESSAGE`` characters."""
    message = redacted(message)
    return message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + "…"


def connection_error(vendor: str, url: str, error: Exception) -> ProviderError:
    """The error of a connection that could not be made or that broke."""
    if isinstance(error.__cause__, ProviderError):  # raised by a hook of ours, within the SDK
        return error.__cause__
    match error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return Unreachable(f"{vendor} does not answer at {url}")
        case httpx2.TimeoutException():
            return TimedOut(f"{vendor} was silent for too long")
        case _:
            return BrokenOff(f"{vendor} broke off ({type(error).__name__})")


def objects(value: Any) -> list[dict[str, Any]]:
    """The JSON objects in a value that should be a list of objects."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """A vendor's value if it is text, else the empty string."""
    return value if isinstance(value, str) else ""


def count_in(usage: Any, name: str) -> int:
    """A number of tokens in a vendor's usage, 0 if it does not say."""
    value = getattr(usage, name, None)
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def hooks(address: str, stream: type[Any] | None, variable: str) -> Hooks:
    """Hooks for a client of the API at ``address``.

    ``stream`` is the library's ``AsyncByteStream``, None where the answers are no text; ``variable`` names the setting
    that holds the address.
    """
    safe_stream = type("JsonSafeStream", (_JsonSafeStream, *([stream] if stream else [])), {})
    origin = _origin(address)

    async def check_origin(request: Any) -> None:
        """Refuse a redirect to another origin: the key would be sent there."""
        request.headers["accept-encoding"] = "identity"  # compressed bytes could not be repaired below
        if (target := _origin(str(request.url))) != origin:
            raise BadRequest(
                f"{origin} redirects to {target}, where no key is sent: set {variable} to the right address"
            )

    async def repair_json(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") == "identity":
            response.stream = safe_stream(response.stream)

    return {"request": [check_origin], "response": [repair_json] if stream else []}


def _origin(address: str) -> str:
    """Source: RFC 6454, section 4."""
    parts = urlsplit(address if "://" in address else f"http://{address}")
    name = parts.hostname or ""
    return f"{parts.scheme}://{name}:{parts.port or _PORTS.get(parts.scheme, 0)}"


class _JsonSafeStream:
    r"""A stream of bytes that is valid UTF-8 and in which only a line feed ends a line.

    A server may cut a character between two JSON strings.  A byte that is not valid UTF-8 becomes the escape of a lone
    surrogate (``\udcf0``); ``streaming.CharacterJoiner`` joins the bytes again.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = codecs.getincrementaldecoder("utf-8")("moot.escaped")
        async for chunk in self._stream:
            if text := decoder.decode(chunk):
                yield _LINE_BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()
        if text := decoder.decode(b"", final=True):
            yield text.encode()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()


def _escape_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"\\udc{byte:02x}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("moot.escaped", _escape_bytes)
