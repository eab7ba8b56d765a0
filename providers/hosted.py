"""What providers over a vendor's SDK share: connections, patience, errors by status."""

import json
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from .environment import is_local, variable
from .errors import BrokenOff, NotAuthorised, ProviderError, TimedOut, Unreachable, by_status

CONNECT_S: Final = 4.0   # below the five seconds that a check may take
MOST_SAID: Final = 400
FAILED: Final = 400
NOT_AUTHORISED: Final = 401
BAD_KEY: Final = "API key not valid"
"""Gemini calls a wrong key a bad request."""
THINKING_TOKENS: Final = 4096
"""Room for the thoughts of a model that thinks: vendors count them among the tokens of an answer."""


def client_for(url: str) -> httpx2.AsyncClient:
    """The connections to a vendor.  Patience is the caller's; a proxy has no business on the loopback.

    On this machine a connection costs nothing and is not used twice: small servers (llama.cpp's) hang up as they like.
    """
    local = is_local(url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_S), trust_env=not local, follow_redirects=True,
        limits=httpx2.Limits(max_keepalive_connections=0) if local else httpx2.Limits(),
    )


def secretless(message: str, *secrets: str) -> str:
    """A vendor's sentence without our keys in it, of a length that a person reads."""
    for secret in secrets:
        if secret:
            message = message.replace(secret, "…")
    return message if len(message) <= MOST_SAID else message[:MOST_SAID] + "…"


def refused(vendor: str, status: int, said: str, headers: Mapping[str, str], *, key: str, secret: str) -> ProviderError:
    """The error of a call that was answered with a status.  ``key`` names the variable that holds the key."""
    found = by_status(status, f"{vendor} says: {secretless(said, secret)}", headers.get("retry-after", ""))
    if isinstance(found, NotAuthorised):
        return NotAuthorised(f"{found.message} (is {key} right?)")
    return found


def broken(vendor: str, url: str, error: Exception) -> ProviderError:
    """The error of a connection that was never there, or that died."""
    match error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return Unreachable(f"{vendor} does not answer at {url}")
        case httpx2.TimeoutException():
            return TimedOut(f"{vendor} was silent for too long")
        case _:
            return BrokenOff(f"{vendor} broke off ({type(error).__name__})")


def hint_for(error: ProviderError, *, key: str, address: str) -> str:
    """What to do about a vendor that lists nothing: ``key`` says how to give one, ``address`` which variable it is."""
    if isinstance(error, NotAuthorised):
        return key
    if isinstance(error, Unreachable):
        return f"see whether this machine reaches it; {address} names another address"
    return ""


async def listing(vendor: str, address: str, headers: Mapping[str, str], *, key: str) -> Any:
    """What a vendor lists at an address, as JSON: a GET needs no SDK, which takes seconds to import.

    ``key`` names the variable that holds the key.  Raises ``ProviderError``.
    """
    try:
        async with client_for(address) as client:
            response = await client.get(address, headers={**headers, "accept": "application/json"})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise broken(vendor, address, error) from error
    except UnicodeEncodeError as error:
        raise NotAuthorised(f"{key} holds characters that no key has") from error
    try:
        said = json.loads(response.content)
    except ValueError:
        said = None
    if response.status_code >= FAILED:
        fault = said.get("error", said) if isinstance(said, dict) else said
        words = as_text(fault.get("message") if isinstance(fault, dict) else fault) or f"status {response.status_code}"
        status = NOT_AUTHORISED if BAD_KEY in words else response.status_code
        raise refused(vendor, status, words, response.headers, key=key, secret=variable(key))
    if not isinstance(said, dict):
        raise BrokenOff(f"{vendor} sent what is not of its protocol")
    return said


def room_for(thinks: bool) -> int:
    """Tokens beside those that the answer may have."""
    return THINKING_TOKENS if thinks else 0


def objects(value: Any) -> list[dict[str, Any]]:
    """The JSON objects of what should be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def window_of(value: Any) -> int | None:
    """A window that a vendor tells, in tokens."""
    return value if isinstance(value, int) and value > 0 else None


def as_text(value: Any) -> str:
    """What a vendor sent, as text; nothing for nothing."""
    return value if isinstance(value, str) else ""
