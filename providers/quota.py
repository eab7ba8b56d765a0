"""What a provider may be asked for, as data: places, calls a minute, tokens a minute."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct

Most = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class Limit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one provider may be asked for; None is no limit."""

    concurrent: Most | None = None
    calls_per_minute: Most | None = None
    tokens_per_minute: Most | None = None

    def __str__(self) -> str:
        said = [f"{getattr(self, name)} {words}" for name, words in _WORDS.items() if getattr(self, name) is not None]
        return ", ".join(said) or "no limit"


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
"""Of the providers that come with Moot; ``scripted`` and those of others have none."""
