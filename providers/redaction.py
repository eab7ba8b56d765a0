"""Our keys, kept out of everything that is said: a vendor may repeat what it was sent, a traceback may show it."""

import os
from typing import Final

ENDINGS: Final = ("_API_KEY", "_AUTH_TOKEN", "_ACCESS_TOKEN", "_SECRET_KEY")
NAMES: Final = frozenset({"MOOT_TOKEN"})
SHORTEST: Final = 6
"""A key of fewer characters is a word; hiding it would spoil sentences and keep no secret."""


def redacted(text: str) -> str:
    """The text with every key of the environment replaced by an ellipsis."""
    for name, value in os.environ.items():
        secret = value.strip()
        if (name.endswith(ENDINGS) or name in NAMES) and len(secret) >= SHORTEST and secret in text:
            text = text.replace(secret, "…")
    return text
