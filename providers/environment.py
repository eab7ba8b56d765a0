"""Keys and addresses, as the environment has them."""

import ipaddress
import os
from urllib.parse import urlsplit


def is_local(url: str) -> bool:
    """Whether an address is this machine's."""
    name = urlsplit(url if "://" in url else f"//{url}").hostname or "localhost"
    try:
        found = ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost"
    return found.is_loopback or found.is_unspecified


def variable(*names: str) -> str:
    """The first of these environment variables that says something; the empty string where none does."""
    return next((said for name in names if (said := os.environ.get(name, "").strip())), "")
