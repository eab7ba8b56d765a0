"""What Moot does to every connection to a vendor: keys stay at their address, and JSON survives its transport.

The hooks fit the clients of httpx and of httpx2 alike, also one that a vendor's SDK makes for itself.
"""

import codecs
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final
from urllib.parse import urlsplit

from .errors import BadRequest

Hooks = dict[str, list[Callable[..., Awaitable[None]]]]
_PORTS: Final = {"http": 80, "https": 443}
_BREAKS: Final = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Characters at which Python ends a line and JSON does not."""


def hooks(address: str, stream: type[Any], variable: str) -> Hooks:
    """Hooks for a client of the API at ``address``.

    ``stream`` is the library's ``AsyncByteStream``; ``variable`` names the setting that holds the address.
    """
    mended = type("Mended", (_Mended, stream), {})
    home = _origin(address)

    async def stays(request: Any) -> None:
        """Refuse to follow a redirect to another origin: the key would go there."""
        request.headers["accept-encoding"] = "identity"  # so that what comes can be mended
        if (there := _origin(str(request.url))) != home:
            raise BadRequest(f"{home} redirects to {there}, where no key is sent: set {variable} to the right address")

    async def survives(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") == "identity":
            response.stream = mended(response.stream)

    return {"request": [stays], "response": [survives]}


def _origin(address: str) -> str:
    """Source: RFC 6454, section 4."""
    parts = urlsplit(address if "://" in address else f"http://{address}")
    name = parts.hostname or ""
    return f"{parts.scheme}://{name}:{parts.port or _PORTS.get(parts.scheme, 0)}"


class _Mended:
    r"""A stream of bytes in which every byte is UTF-8 and no line ends but at a line feed.

    A byte that is no UTF-8, because a server cut a character between two JSON strings, becomes the escape of a lone
    surrogate (``\udcf0``), and whoever joins the strings joins the bytes (``streaming.Whole``).
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = codecs.getincrementaldecoder("utf-8")("moot.escaped")
        async for chunk in self._stream:
            if text := decoder.decode(chunk):
                yield _BREAKS.sub(_escape, text).encode()
        if text := decoder.decode(b"", final=True):
            yield text.encode()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"\\udc{byte:02x}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("moot.escaped", _escaped)
