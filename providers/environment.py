"""Keys and addresses from the environment, and the removal of keys from text."""

import ipaddress
import os
import ssl
from typing import Final
from urllib.parse import urlsplit

SECRET_ENDINGS: Final = ("_API_KEY", "_AUTH_TOKEN", "_ACCESS_TOKEN", "_SECRET_KEY")
SECRET_NAMES: Final = frozenset({"MOOT_TOKEN"})
SHORTEST_SECRET: Final = 6
"""A shorter value is probably a common word: removing it would damage text and protect nothing."""


def is_local(url: str) -> bool:
    """Whether an address belongs to this machine."""
    name = urlsplit(url if "://" in url else f"//{url}").hostname or "localhost"
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost"
    return address.is_loopback or address.is_unspecified


def trusted(url: str) -> ssl.SSLContext | bool:
    """The ``verify`` of an HTTP client: a server on this machine without TLS needs no certificates.

    To load all certificates takes 45 ms of CPU for each client.
    """
    return not is_local(url) or urlsplit(url).scheme == "https" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def variable(*names: str) -> str:
    """The first of these environment variables that is not empty, else the empty string."""
    return next((value for name in names if (value := os.environ.get(name, "").strip())), "")


def redacted(text: str) -> str:
    """The text with every key of the environment replaced by an ellipsis.

    A vendor may repeat the key that it was sent, and a traceback may show it.
    """
    for name, value in os.environ.items():
        secret = value.strip()
        if (name.endswith(SECRET_ENDINGS) or name in SECRET_NAMES) and len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "…")
    return text
