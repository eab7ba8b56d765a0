"""Finds providers by name, through the entry-point group ``moot.providers``, and loads each when it is first used.

A model is named ``provider:model``, split at the first colon.  Importing this module imports no SDK.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from random import Random

import anyio
import msgspec

from .base import ModelStatus, Provider
from .calls import PATIENCE_S, Call, Guard, Load
from .errors import ProviderError, UnknownModel, Unreachable
from .imports import load, load_here, settled
from .models import known, notice
from .pricing import VENDORS, is_free, is_vendors, prepare
from .quota import DEFAULT_LIMITS, Limit
from .redaction import redacted

GROUP = "moot.providers"
FALLBACK = "embedded:smollm2"
CHECK_S = 3.5
"""So that a whole ``moot doctor`` says within five seconds what is wrong."""

KEYED: tuple[tuple[str, str], ...] = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("GEMINI_API_KEY", "gemini:gemini-3.8-flash"),
    ("OPENAI_API_KEY", "openai:gpt-6-luna"),
)
"""(environment variable, model) of each provider that answers to a key, in the order in which a default is sought."""


class Registry:
    """One instance of each provider, made when first asked for.  ``close`` ends them all.

    ``random``: what a wait after ``retry-after`` is varied with.
    """

    def __init__(
        self,
        found: Iterable[EntryPoint] | None = None,
        limits: Mapping[str, Limit] = DEFAULT_LIMITS,
        *,
        random: Random | None = None,
    ) -> None:
        self._entries = {entry.name: entry for entry in (entry_points(group=GROUP) if found is None else found)}
        self._made: dict[str, Provider] = {}
        self._limits, self._random = limits, random
        self._guards: dict[str, Guard] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The providers that can be named, in order of the alphabet."""
        return tuple(sorted(self._entries))

    def resolve(self, name: str) -> tuple[Provider, str]:
        """The provider of ``provider:model``, and the model's name there.  Does no I/O beyond an import.

        Raises ``UnknownModel`` for a name that means nothing, ``Unreachable`` for a provider that cannot be loaded.
        """
        provider, colon, model = name.partition(":")
        if not colon or not model.strip():
            raise UnknownModel(f"{name!r} is not a model's name: write provider:model.{self._suggest(name)}")
        if provider not in self._entries:
            raise UnknownModel(f"there is no provider {provider!r}.{self._suggest(name)}")
        return self.provider(provider), model

    def provider(self, name: str) -> Provider:
        """One provider by its own name.  Raises as ``resolve`` does."""
        if name not in self._entries:
            raise UnknownModel(f"there is no provider {name!r}.{self._suggest(name)}")
        if name not in self._made:
            try:
                load_here(self._entries[name].module)
                self._made[name] = self._entries[name].load()()
            except (ImportError, AttributeError) as error:
                raise Unreachable(f"the provider {name!r} cannot be loaded: {error}") from error
        return self._made[name]

    @asynccontextmanager
    async def call(self, name: str, debate: str, *, patience_s: float = PATIENCE_S) -> AsyncIterator[Call]:
        """A fair place for one call of ``debate`` to ``provider:model``; the provider's breaker hears how it goes.

        Raises what ``resolve`` raises, and at once where the provider rests for longer than ``patience_s``.
        """
        await self._imported(name)
        provider, model = self.resolve(name)
        async with self._guard(provider.name).call(provider, model, debate, patience_s=patience_s) as call:
            yield call

    async def _imported(self, name: str) -> None:
        """Import a provider's module in the thread of all imports; ``provider`` tells where it cannot be imported."""
        provider = name.partition(":")[0]
        if provider in self._entries and provider not in self._made:
            with suppress(ImportError):
                await load(self._entries[provider].module)

    def wait(self, name: str, debate: str) -> str:
        """Why a debate's calls to ``provider:model`` wait now, in words; empty where none does."""
        provider, _, model = name.partition(":")
        return self._guards[provider].wait(model, debate) if provider in self._guards else ""

    def forget(self, debate: str) -> None:
        """A debate rests or has ended: no provider counts its calls any more."""
        for guard in self._guards.values():
            guard.gate.forget(debate)

    def loads(self) -> tuple[Load, ...]:
        """How busy each provider is."""
        return tuple(self._guard(name).load for name in self.names)

    def _guard(self, name: str) -> Guard:
        if name not in self._guards:
            self._guards[name] = Guard(name, self._limits.get(name, Limit()), self._random)
        return self._guards[name]

    def _rested(self, status: ModelStatus) -> ModelStatus:
        """A model's status, with what its provider's breaker knows and without our keys."""
        status = msgspec.structs.replace(status, detail=redacted(status.detail), hint=redacted(status.hint))
        guard = self._guards.get(status.provider)
        if guard is None or not guard.breaker.rests_s:
            return status
        detail = f"left alone for {guard.breaker.rests_s:.0f} s more after failures, last: {guard.breaker.last}"
        hint = status.hint or "it is tried again by itself"
        return msgspec.structs.replace(status, ok=False, detail=detail, hint=hint)

    async def check(self, name: str) -> ModelStatus:
        """Whether this one model answers.  Never raises a ``ProviderError``: what it would say is in ``detail``."""
        await self._imported(name)
        try:
            provider, model = self.resolve(name)
        except ProviderError as error:
            return ModelStatus(name=name, provider=name.partition(":")[0], ok=False, detail=error.message)
        (status, *_) = await _in_time(name, provider.name, provider.check(model))
        if provider.name in VENDORS and not is_free(name):
            await prepare()  # a debate will ask for its price: the import is no business of its loop
        return _noticed(self._rested(status))

    async def check_all(self) -> tuple[ModelStatus, ...]:
        """What every provider says of its models, asked at the same time: of each at least one row, with its reason."""
        said: dict[str, tuple[ModelStatus, ...]] = {}

        async def ask(name: str) -> None:
            await self._imported(name)
            try:
                said[name] = await _in_time(name, name, self.provider(name).check())
            except ProviderError as error:
                said[name] = (ModelStatus(name=name, provider=name, ok=False, detail=error.message),)

        async with anyio.create_task_group() as group:
            for name in self.names:
                group.start_soon(ask, name)
        return tuple(_noticed(self._rested(status)) for name in self.names for status in said[name])

    async def default_model(self, environ: Mapping[str, str] = os.environ) -> str:
        """With none given, the first that answers: Ollama on this machine, a key in the environment, else embedded."""
        keyed = [model.partition(":")[0] for variable, model in KEYED if environ.get(variable)]
        for name in ("ollama", *keyed):
            if name in self._entries:
                await self._imported(name)
                statuses = await _in_time(name, name, self.provider(name).check())
                if (found := self._default(statuses, environ)) != FALLBACK:
                    return found
        return FALLBACK

    async def survey(self) -> tuple[tuple[ModelStatus, ...], str]:
        """What ``check_all`` and ``default_model`` say, from asking once."""
        statuses = await self.check_all()
        return statuses, self._default(statuses, os.environ)

    def _default(self, statuses: Iterable[ModelStatus], environ: Mapping[str, str]) -> str:
        statuses = tuple(statuses)
        for status in statuses:
            if status.provider == "ollama" and status.ok:
                return status.name
        answering = {status.provider for status in statuses if status.ok}
        for variable, model in KEYED:
            if environ.get(variable) and model.partition(":")[0] in answering:
                return model
        return FALLBACK

    async def close(self) -> None:
        """End every provider that was made, whatever one of them raises on the way."""
        async with anyio.create_task_group() as group:
            while self._made:
                group.start_soon(self._made.popitem()[1].close)

    def _suggest(self, name: str) -> str:
        wanted, colon, model = name.partition(":")
        near = get_close_matches(wanted, self.names, n=1)
        meant = f"{near[0]}:{model}" if near and colon and model else FALLBACK if wanted in FALLBACK.split(":") else ""
        return (f" Did you mean {meant!r}?" if meant else "") + f" Providers: {', '.join(self.names) or 'none'}."


async def _in_time(name: str, provider: str, asked: Awaitable[tuple[ModelStatus, ...]]) -> tuple[ModelStatus, ...]:
    detail = f"no answer within {CHECK_S:g} s"
    await settled()
    with anyio.move_on_after(CHECK_S):
        if said := await asked:
            return said
        detail = "it lists no model"
    return (ModelStatus(name=name, provider=provider, ok=False, detail=detail),)


def today() -> date:
    """The day, everywhere alike."""
    return datetime.now(UTC).date()


def _noticed(status: ModelStatus) -> ModelStatus:
    """A model's status, with what our data say of a vendor's model where its provider says nothing."""
    provider, colon, _ = status.name.partition(":")
    if not colon or provider not in VENDORS:
        return status
    found = known(status.name)
    told = notice(status.name, today(), is_vendors=status.ok and is_vendors(provider))
    window = status.window
    if window is None and found is not None and found.vendor == provider and is_vendors(provider):
        window = found.window
    return msgspec.structs.replace(status, notice=status.notice or told, window=window)
