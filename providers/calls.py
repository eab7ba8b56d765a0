"""One call to a model: its provider, a fair place in that provider's queue, and a breaker that hears how it went.

Waiting is done here, before a call and never during one: for a place, for a minute that has room, for a model that
asked to be left alone (``retry-after``), for a provider whose breaker is open.  Who would wait for too long is told so.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random, SystemRandom
from typing import Final

import anyio
from msgspec import Struct

from .base import Outcome, Provider
from .breaker import Breaker
from .errors import Overloaded, ProviderError, RateLimited
from .gate import Gate
from .quota import Limit

PATIENCE_S: Final = 120.0
"""Longest that a call waits for a provider that rests; places in the queue are waited for without end."""
IN_PROCESS: Final = frozenset({"scripted"})
"""Providers that no rest can mend: nobody is there to be left alone."""


class Load(Struct, frozen=True, kw_only=True):
    """How busy a provider is.  ``rests_s`` above 0: its breaker is open."""

    provider: str
    running: int
    waiting: int
    rests_s: float
    last: str
    limit: Limit


class Call:
    """What a caller has while its call is under way."""

    def __init__(self, provider: Provider, model: str, gate: Gate) -> None:
        self.provider, self.model, self._gate = provider, model, gate

    def used(self, outcome: Outcome) -> None:
        """Count the tokens of an answer against the minute's."""
        self._gate.spend(outcome.tokens.input + outcome.tokens.output)


class Guard:
    """One provider's gate and breaker, and the times until which its models want to be left alone."""

    def __init__(self, name: str, limit: Limit, random: Random | None = None) -> None:
        self.name, self.limit = name, limit
        self._random = random or SystemRandom()
        self.gate, self.breaker = Gate(limit), Breaker(name)
        self._spared_until: dict[str, float] = {}
        self._tried = anyio.Event()

    @asynccontextmanager
    async def call(
        self, provider: Provider, model: str, debate: str, *, patience_s: float = PATIENCE_S
    ) -> AsyncIterator[Call]:
        """A place for one call of ``debate``.  Raises where the provider rests for longer than ``patience_s``."""
        while True:
            await self._spared(model, patience_s)
            async with self.gate.place(debate):
                if self._spared_s(model) > 0:  # another call was told so while this one waited for its place
                    continue
                await self._rested(patience_s)
                async with self._heard(model):
                    yield Call(provider, model, self.gate)
                return

    @asynccontextmanager
    async def _heard(self, model: str) -> AsyncIterator[None]:
        """Tell the breaker how the call goes, and remember how long the model wants to be left alone."""
        try:
            yield
        except ProviderError as error:
            self.breaker.failed(error)
            if isinstance(error, RateLimited | Overloaded) and error.retry_after_s:
                self._spared_until[model] = anyio.current_time() + error.retry_after_s
            raise
        except BaseException:
            self.breaker.abandoned()
            raise
        else:
            self.breaker.succeeded()
            self._spared_until.pop(model, None)
        finally:
            self._tried.set()
            self._tried = anyio.Event()

    def _spared_s(self, model: str) -> float:
        return max(0.0, self._spared_until.get(model, 0.0) - anyio.current_time())

    async def _spared(self, model: str, patience_s: float) -> None:
        """Wait as long as the model's provider has asked for, and a little more, each call another little."""
        while (left_s := self._spared_s(model)) > 0:
            if left_s > patience_s:
                raise RateLimited(
                    f"{self.name}:{model} asked to be left alone for {left_s:.0f} s more", retry_after_s=left_s
                )
            await anyio.sleep(left_s * self._random.uniform(1, 1.1))

    async def _rested(self, patience_s: float) -> None:
        """Wait while the breaker is open, or while another call finds out whether it may close."""
        if self.name in IN_PROCESS:
            return
        with anyio.move_on_after(patience_s):
            while self.breaker.is_open and self.breaker.may_mend and self.breaker.rests_s <= patience_s:
                if self.breaker.rests_s > 0:
                    await anyio.sleep(self.breaker.rests_s)
                elif self.breaker.is_tried:
                    await self._tried.wait()
                else:
                    break
        self.breaker.check()

    def wait(self, model: str, debate: str) -> str:
        """Why calls of a debate to a model wait now, in words; empty where none does."""
        if (left_s := max(self.breaker.rests_s, self._spared_s(model))) > 0:
            return f"{self.name} rests for {left_s:.0f} s"
        if (ahead := self.gate.ahead(debate)) is not None:
            if ahead == 0:
                return f"waiting for {self.name}: next in line"
            return f"waiting for {self.name}: {ahead} call{'s' if ahead > 1 else ''} ahead"
        if self.gate.is_paced(debate):
            return f"waiting for {self.name}: its minute is used up"
        return ""

    @property
    def load(self) -> Load:
        """How busy it is now."""
        return Load(
            provider=self.name,
            running=self.gate.running,
            waiting=self.gate.waiting,
            rests_s=round(self.breaker.rests_s, 1),
            last=self.breaker.last,
            limit=self.limit,
        )
