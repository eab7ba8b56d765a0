"""The list of a vendor's models, and the status rows that ``moot doctor`` makes of it."""

import json
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from providers.base import ModelStatus
from providers.environment import variable
from providers.errors import BrokenOff, NotAuthorised, ProviderError, Unreachable

from .connection import as_text, connection_error, http_client, status_error

NO_SUCH_ROUTE: Final = frozenset({404, 405, 501})
"""Statuses with which servers answer a request that they do not know."""
BAD_KEY: Final = "API key not valid"
"""Gemini answers a wrong key with 400 and this message."""


async def get_json(vendor: str, url: str, headers: Mapping[str, str], *, key: str, address: str) -> Any:
    """The JSON object at ``url``.  A plain GET needs no SDK, which takes seconds to import.

    ``key`` and ``address`` name the variables that hold the key and the address.  Raises ``ProviderError``.
    """
    try:
        async with http_client(url, address=address) as client:
            response = await client.get(url, headers={**headers, "accept": "application/json"})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise connection_error(vendor, url, error) from error
    except UnicodeEncodeError as error:
        raise NotAuthorised(f"{key} contains characters that a key cannot have") from error
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    if response.is_error:
        fault = body.get("error", body) if isinstance(body, dict) else body
        message = as_text(fault.get("message") if isinstance(fault, dict) else fault)
        message = message or f"status {response.status_code}"
        status = httpx2.codes.UNAUTHORIZED if BAD_KEY in message else response.status_code
        raise status_error(vendor, status, message, response.headers, key=key, secret=variable(key), body=body)
    if not isinstance(body, dict):
        raise BrokenOff(f"{vendor} sent a response that does not follow its protocol")
    return body


def hint_for(error: ProviderError, *, key_hint: str, address: str) -> str:
    """What the user can do when a vendor lists nothing.  ``address`` names the variable that holds the address."""
    if isinstance(error, NotAuthorised):
        return key_hint
    if isinstance(error, Unreachable):
        return f"check whether this machine can reach it; {address} sets another address"
    return ""


def status_of(
    provider: str, model: str, *, ok: bool, detail: str, hint: str = "", window: int | None = None
) -> ModelStatus:
    """Whether a model answers, under its full name."""
    return ModelStatus(name=f"{provider}:{model}", provider=provider, ok=ok, detail=detail, hint=hint, window=window)


def listed_statuses(provider: str, url: str, windows: Mapping[str, int | None]) -> tuple[ModelStatus, ...]:
    """A status for each model that a vendor lists, with the context window that the vendor gives."""
    return tuple(
        status_of(provider, model, ok=True, detail=f"listed at {url}", window=window)
        for model, window in windows.items()
    )


def window_of(value: Any) -> int | None:
    """A context window in tokens, if a vendor's value is one."""
    return value if isinstance(value, int) and value > 0 else None
