"""Where a model runs: on this machine, at a vendor, or at another address that the environment names."""

import hashlib
from typing import Final

from providers.environment import is_local, variable

VENDORS: Final = {"anthropic": "anthropic", "gemini": "google", "openai": "openai"}
"""The package's names for our providers."""
BATCH: Final = {"anthropic-batch": "anthropic", "openai-batch": "openai"}
"""Providers that answer by a vendor's batches, and those that answer at once."""
_ADDRESSES: Final = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "anthropic-batch": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
    "openai-batch": "OPENAI_BASE_URL",
}
VENDOR: Final = "vendor"
"""In place of the digest of an address: the vendor's own."""
DIGITS: Final = 12
_DEFAULT_ADDRESSES = {"ollama": "127.0.0.1"}


def is_batched(name: str) -> bool:
    """Whether ``provider:model`` answers by a vendor's batches: within a day, at half the price."""
    return name.partition(":")[0] in BATCH


def is_free(name: str) -> bool:
    """Whether ``provider:model`` costs nothing as far as is known here; third-party providers report their own cost."""
    return runs_here(name) or name.partition(":")[0] not in _ADDRESSES


def runs_here(name: str) -> bool:
    """Whether ``provider:model`` runs on this machine or is a person, at no cost."""
    provider, _, model = name.partition(":")
    address = _ADDRESSES.get(provider)
    if address is None:
        return provider in {"embedded", "person"}
    is_here = is_local(variable(address) or _DEFAULT_ADDRESSES.get(provider, "https://vendor.invalid"))
    return is_here and not model.endswith("cloud")


def server_of(name: str) -> str:
    """Which server answers ``provider:model``: ``vendor``, or the beginning of the SHA-256 of another address.

    Empty for a provider without addresses.  The digest tells servers apart and names no host.
    """
    provider = name.partition(":")[0]
    if provider not in _ADDRESSES:
        return ""
    address = variable(_ADDRESSES[provider]) or _DEFAULT_ADDRESSES.get(provider, "")
    if not address:
        return VENDOR
    return hashlib.sha256(address.rstrip("/").casefold().encode()).hexdigest()[:DIGITS]


def is_vendors(provider: str) -> bool:
    """Whether a provider uses the vendor's own address, not a gateway or a compatible server."""
    return provider in VENDORS and not variable(_ADDRESSES[provider])
