"""How many calls a provider gets: a queue that is fair between debates, limits per minute, and a circuit breaker.

The limits themselves are defined here, so that the settings can read them without importing the queue.
"""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct

AtLeastOne = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class Limit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one provider; None means no limit."""

    concurrent: AtLeastOne | None = None
    calls_per_minute: AtLeastOne | None = None
    tokens_per_minute: AtLeastOne | None = None

    def __str__(self) -> str:
        parts = [f"{getattr(self, name)} {words}" for name, words in _WORDS.items() if getattr(self, name) is not None]
        return ", ".join(parts) or "no limit"


_WORDS: Final = {
    "concurrent": "calls at once",
    "calls_per_minute": "calls a minute",
    "tokens_per_minute": "tokens a minute",
}

DEFAULT_LIMITS: Final[Mapping[str, Limit]] = {
    "anthropic": Limit(concurrent=16),
    "embedded": Limit(concurrent=8),
    "gemini": Limit(concurrent=16),
    "ollama": Limit(concurrent=8),
    "openai": Limit(concurrent=16),
}
"""For the providers that come with Moot; ``scripted`` and third-party providers have no limit."""
