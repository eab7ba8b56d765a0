"""Finds providers by name, through the entry-point group ``moot.providers``, and loads each at its first use.

A model's name is ``provider:model``, split at the first colon.  Importing this module imports no SDK.
"""

import math
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime
from difflib import get_close_matches
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from random import Random
from typing import Any, Final

import anyio
import msgspec

from .base import ModelStatus, Provider
from .catalog.addresses import VENDORS, is_free, is_vendors
from .environment import redacted
from .errors import ProviderError, UnknownModel, Unreachable
from .imports import load, load_now, wait_for_imports
from .limits import DEFAULT_LIMITS, Limit
from .limits.queue import Call, ProviderLoad, ProviderQueue

GROUP = "moot.providers"
FALLBACK = "embedded:smollm2"
BASELINE = "baseline:lexical"
"""The judge where only the embedded model answers."""
CHECK_S = 3.5
"""Short enough for ``moot doctor`` to finish within five seconds."""

KEYED: tuple[tuple[str, str], ...] = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("GEMINI_API_KEY", "gemini:gemini-3.8-flash"),
    ("OPENAI_API_KEY", "openai:gpt-6-luna"),
)
"""(environment variable, model) of each provider with a key, in the order in which a default is chosen."""


BATCHED: Final = (
    EntryPoint("anthropic-batch", "providers.batched.anthropic:AnthropicBatches", GROUP),
    EntryPoint("openai-batch", "providers.batched.openai:OpenAIBatches", GROUP),
)
"""Providers that need the store; no list names them."""


class Registry:
    """One instance of each provider, made at its first use.  ``close`` closes them all.

    ``random`` varies the waits after ``retry-after``.
    """

    def __init__(
        self,
        found: Iterable[EntryPoint] | None = None,
        limits: Mapping[str, Limit] = DEFAULT_LIMITS,
        *,
        random: Random | None = None,
    ) -> None:
        self._entries = {entry.name: entry for entry in (entry_points(group=GROUP) if found is None else found)}
        self._providers: dict[str, Provider] = {}
        self._unlimited: dict[str, Callable[[], Provider]] = {
            entry.name: partial(self._batched, entry) for entry in BATCHED
        }
        self.notes: Any = None
        """The store, in which a provider keeps what it has sent (``batched.queue.Notes``)."""
        self._limits, self._random = limits, random
        self._queues: dict[str, ProviderQueue] = {}

    def _batched(self, entry: EntryPoint) -> Provider:
        load_now(entry.module)
        made: Provider = entry.load()(self)
        return made

    def add(self, name: str, make: Callable[[], Provider]) -> None:
        """Add a provider of this process, which is made when it is first used.

        It has no queue and no breaker, no list names it, and it is no default.
        """
        self._unlimited[name] = make

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the providers, in alphabetical order."""
        return tuple(sorted(self._entries))

    def resolve(self, name: str) -> tuple[Provider, str]:
        """The provider of ``provider:model``, and the model's name there.  Does no I/O except an import.

        Raises ``UnknownModel`` for an unknown name, ``Unreachable`` for a provider that cannot be loaded.
        """
        provider, colon, model = name.partition(":")
        if not colon or not model.strip():
            raise UnknownModel(f"{name!r} is not a model's name: write provider:model.{self._suggest(name)}")
        if provider not in self._entries and provider not in self._unlimited:
            raise UnknownModel(f"there is no provider {provider!r}.{self._suggest(name)}")
        return self.provider(provider), model

    def provider(self, name: str) -> Provider:
        """The provider with this name.  Raises the same errors as ``resolve``."""
        if name in self._unlimited and name not in self._providers:
            self._providers[name] = self._unlimited[name]()
        if name in self._unlimited:
            return self._providers[name]
        if name not in self._entries:
            raise UnknownModel(f"there is no provider {name!r}.{self._suggest(name)}")
        if name not in self._providers:
            try:
                load_now(self._entries[name].module)
                self._providers[name] = self._entries[name].load()()
            except (ImportError, AttributeError) as error:
                raise Unreachable(f"the provider {name!r} cannot be loaded: {error}") from error
        return self._providers[name]

    @asynccontextmanager
    async def call(self, name: str, debate: str, *, patience_s: float = math.inf) -> AsyncIterator[Call]:
        """A place in the provider's queue for one call of ``debate``; the result goes to the provider's breaker.

        Raises the errors of ``resolve``, and those of ``ProviderQueue.call`` for waits that are too long.
        """
        await self._imported(name)
        provider, model = self.resolve(name)
        if provider.name in self._unlimited:
            yield Call(provider, model)
            return
        async with self._queue(provider.name).call(provider, model, debate, patience_s=patience_s) as call:
            yield call

    async def _imported(self, name: str) -> None:
        """Import a provider's module in a thread; ``provider`` raises the error of a module that cannot be imported."""
        provider = name.partition(":")[0]
        if provider in self._entries and provider not in self._providers:
            with suppress(ImportError):
                await load(self._entries[provider].module)

    async def pause(self, name: str, seconds: float) -> None:
        """Wait before a further call to ``provider:model``.  For a provider that rests, its queue waits instead."""
        queue = self._queues.get(name.partition(":")[0])
        if queue is None or not queue.breaker.rests_s:
            await anyio.sleep(seconds)

    def wait(self, name: str, debate: str) -> str:
        """Why a debate's calls to ``provider:model`` wait now, in words; empty if none waits."""
        provider, _, model = name.partition(":")
        return self._queues[provider].wait(model, debate) if provider in self._queues else ""

    def forget(self, debate: str) -> None:
        """Drop the counts of a debate that rests or has ended."""
        for queue in self._queues.values():
            queue.limiter.forget(debate)

    def loads(self) -> tuple[ProviderLoad, ...]:
        """How busy each provider is."""
        return tuple(self._queue(name).load for name in self.names)

    def _queue(self, name: str) -> ProviderQueue:
        if name not in self._queues:
            self._queues[name] = ProviderQueue(name, self._limits.get(name, Limit()), self._random)
        return self._queues[name]

    def _with_breaker(self, status: ModelStatus) -> ModelStatus:
        """A model's status with the state of its provider's breaker, and without our keys.

        A model of a provider that rests is not refused: the calls of a debate wait for the end of the rest.
        """
        status = msgspec.structs.replace(status, detail=redacted(status.detail), hint=redacted(status.hint))
        queue = self._queues.get(status.provider)
        if queue is None or not queue.breaker.rests_s:
            return status
        rest = f"left alone for {queue.breaker.rests_s:.0f} s more after failures, last: {queue.breaker.last}"
        return msgspec.structs.replace(status, detail=f"{status.detail}; {rest}; a debate waits until then")

    async def check(self, name: str) -> ModelStatus:
        """Whether this model answers.  Raises no ``ProviderError``: its message is in ``detail``."""
        await self._imported(name)
        try:
            provider, model = self.resolve(name)
        except ProviderError as error:
            return ModelStatus(name=name, provider=name.partition(":")[0], ok=False, detail=error.message)
        (status, *_) = await _in_time(name, provider.name, provider.check(model))
        if provider.name in VENDORS and not is_free(name):
            from .catalog.pricing import prepare  # noqa: PLC0415 - only a vendor has prices

            await prepare()  # a debate will need its price: import the package now, in a thread
        return _with_notice(self._with_breaker(status))

    async def check_all(self) -> tuple[ModelStatus, ...]:
        """The models of every provider, checked at the same time; each provider has at least one status."""
        found: dict[str, tuple[ModelStatus, ...]] = {}

        async def check_one(name: str) -> None:
            found[name] = await self._statuses(name)

        async with anyio.create_task_group() as group:
            for name in self.names:
                group.start_soon(check_one, name)
        return tuple(_with_notice(self._with_breaker(status)) for name in self.names for status in found[name])

    async def _statuses(self, name: str) -> tuple[ModelStatus, ...]:
        """What a provider says of its models, or why it cannot be asked."""
        await self._imported(name)
        try:
            return await _in_time(name, name, self.provider(name).check())
        except ProviderError as error:
            return (ModelStatus(name=name, provider=name, ok=False, detail=error.message),)

    async def default_model(self, environ: Mapping[str, str] = os.environ) -> str:
        """The default model: the first that answers of Ollama and the providers with a key, else the embedded model."""
        keyed = [model.partition(":")[0] for variable, model in KEYED if environ.get(variable)]
        for name in ("ollama", *keyed):
            if name in self._entries and (found := _default(await self._statuses(name), environ)) != FALLBACK:
                return found
        return FALLBACK

    def default_judge(self, default: str) -> str:
        """The judge of a debate that names none: the default model, or the baseline if that is the embedded model."""
        return BASELINE if default == FALLBACK and BASELINE.partition(":")[0] in self._entries else default

    async def survey(self) -> tuple[tuple[ModelStatus, ...], str]:
        """The results of ``check_all`` and ``default_model`` from one round of checks."""
        statuses = await self.check_all()
        return statuses, _default(statuses, os.environ)

    async def close(self) -> None:
        """Close every provider, even if one of them raises."""
        async with anyio.create_task_group() as group:
            while self._providers:
                group.start_soon(self._providers.popitem()[1].close)

    def _suggest(self, name: str) -> str:
        wanted, colon, model = name.partition(":")
        near = get_close_matches(wanted, self.names, n=1)
        suggestion = FALLBACK if wanted in FALLBACK.split(":") else ""
        if near and colon and model:
            suggestion = f"{near[0]}:{model}"
        meant = f" Did you mean {suggestion!r}?" if suggestion else ""
        return f"{meant} Providers: {', '.join(self.names) or 'none'}."


def _default(statuses: tuple[ModelStatus, ...], environ: Mapping[str, str]) -> str:
    answering = [status for status in statuses if status.ok]
    local = [status.name for status in answering if status.provider == "ollama"]
    providers = {status.provider for status in answering}
    keyed = [model for variable, model in KEYED if environ.get(variable) and model.partition(":")[0] in providers]
    return next(iter([*local, *keyed]), FALLBACK)


async def _in_time(name: str, provider: str, check: Awaitable[tuple[ModelStatus, ...]]) -> tuple[ModelStatus, ...]:
    detail = f"no answer within {CHECK_S:g} s"
    await wait_for_imports()
    with anyio.move_on_after(CHECK_S):
        if statuses := await check:
            return statuses
        detail = "it lists no model"
    return (ModelStatus(name=name, provider=provider, ok=False, detail=detail),)


def today() -> date:
    """Today's date in UTC."""
    return datetime.now(UTC).date()


def _with_notice(status: ModelStatus) -> ModelStatus:
    """A model's status with the catalog's notice and window, if its provider gave none."""
    provider, colon, _ = status.name.partition(":")
    if not colon or provider not in VENDORS:
        return status
    from .catalog.models import known_model, model_notice  # noqa: PLC0415 - only a vendor's models are in it

    found = known_model(status.name)
    from_catalog = model_notice(status.name, today(), is_vendors=status.ok and is_vendors(provider))
    window = status.window
    if window is None and found is not None and found.vendor == provider and is_vendors(provider):
        window = found.window
    return msgspec.structs.replace(status, notice=status.notice or from_catalog, window=window)
