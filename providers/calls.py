"""One call to a model: its provider, a fair place in that provider's queue, and a breaker that hears how it went."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct

from .base import Outcome, Provider
from .breaker import Breaker
from .errors import ProviderError
from .gate import Gate, Limit

DEFAULT_LIMITS: Final[Mapping[str, Limit]] = {
    "anthropic": Limit(concurrent=16), "embedded": Limit(concurrent=8), "gemini": Limit(concurrent=16),
    "ollama": Limit(concurrent=8), "openai": Limit(concurrent=16),
}
"""Of the providers that come with Moot; ``scripted`` and those of others have none."""


IN_PROCESS: Final = frozenset({"scripted"})
"""Providers that no rest can mend: nobody is there to be left alone."""


class Load(Struct, frozen=True, kw_only=True):
    """How busy a provider is.  ``rests_s`` above 0: its breaker is open."""

    provider: str
    running: int
    waiting: int
    rests_s: float
    last: str


class Call:
    """What a caller has while its call is under way."""

    def __init__(self, provider: Provider, model: str, gate: Gate) -> None:
        self.provider, self.model, self._gate = provider, model, gate

    def used(self, outcome: Outcome) -> None:
        """Count the tokens of an answer against the minute's."""
        self._gate.spend(outcome.tokens.input + outcome.tokens.output)


class Guard:
    """One provider's gate and breaker."""

    def __init__(self, name: str, limit: Limit) -> None:
        self.name, self.gate, self.breaker = name, Gate(limit), Breaker(name)

    @asynccontextmanager
    async def call(self, provider: Provider, model: str, debate: str) -> AsyncIterator[Call]:
        """A place for one call of ``debate``.  Raises ``Unreachable`` at once while the breaker is open."""
        if self.name not in IN_PROCESS:
            self.breaker.check()
        try:
            async with self.gate.place(debate):
                yield Call(provider, model, self.gate)
        except ProviderError as error:
            self.breaker.failed(error)
            raise
        except BaseException:
            self.breaker.abandoned()
            raise
        self.breaker.succeeded()

    @property
    def load(self) -> Load:
        """How busy it is now."""
        return Load(
            provider=self.name, running=self.gate.running, waiting=self.gate.waiting,
            rests_s=round(self.breaker.rests_s, 1), last=self.breaker.last,
        )
