"""A provider of Moot connected to a fake vendor: what each scenario of the table gets."""

import dataclasses
import importlib
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpcore2
import pytest

from providers.base import Answer, ModelStatus, Outcome, Provider, Request, Segment, Tokens
from providers.catalog import pricing
from providers.errors import Adapted, Malformed, ProviderError
from providers.limits.queue import Call
from providers.registry import Registry
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.openai import FIRST, LATEST, Gateway, OpenAIModel
from tests.providers.vendors.running import PLAIN, Vendors, running_vendors
from tests.providers.vendors.vendor import Bill
from tests.server.harness import shipped_registry

SPEECH: Final = "A tram carries more people than the lane beside it. So the square has room again, even in January."
WORDS: Final = 328
"""The limit of tokens of a turn: enough for the text, with no room for thinking."""
HELLO: Final = (Segment("system", "You debate."), Segment("user", "Speak."))


@dataclass(frozen=True, kw_only=True)
class Column:
    """A provider with a fake vendor.  ``thinker`` thinks by default, ``plain`` does not think."""

    name: str
    provider: str
    thinker: str
    plain: str
    is_gateway: bool = False


COLUMNS: Final = (
    Column(name="openai", provider="openai", thinker="gpt-5-mini", plain="gpt-4.1"),
    Column(name="anthropic", provider="anthropic", thinker="claude-sonnet-5-5", plain="claude-haiku-4-5"),
    Column(name="gemini", provider="gemini", thinker="gemini-2.5-flash", plain="gemini-2.5-flash-lite"),
    Column(name="ollama", provider="ollama", thinker="qwen3", plain="llama3.2"),
    Column(name="openai at a gateway", provider="openai", thinker="openai/gpt-5-mini", plain="openai/gpt-4.1",
           is_gateway=True),
)  # fmt: skip


class ProviderSession:
    """Makes calls to a provider.  ``model`` is the default model."""

    def __init__(self, provider: Provider, model: str) -> None:
        self.provider, self.model = provider, model

    async def speak(self, model: str = "", *, again: int = 0, **changes: Any) -> tuple[str, Outcome]:
        """The text and the outcome of a turn.  A call that fails with ``Adapted`` is repeated, as in a debate."""
        try:
            call = Call(self.provider, model or self.model)
            text = "".join([chunk async for chunk in call.stream(request(**changes))])
        except Adapted:
            if not again:
                raise
            return await self.speak(model, again=again - 1, **changes)
        return text, call.outcome

    async def ask(self, type_: Any, model: str = "", *, again: int = 0, **changes: Any) -> Answer[Any]:
        """A typed answer; ``again`` as in ``speak``."""
        given = {"key": "score:1", "max_tokens": 1600} | changes
        try:
            return await Call(self.provider, model or self.model).answer(request(**given), type_)
        except Adapted:
            if not again:
                raise
            return await self.ask(type_, model, again=again - 1, **changes)

    async def outcome_of(self, type_: Any, model: str = "", **changes: Any) -> Outcome:
        """The outcome of a question, also if its answer cannot be read."""
        try:
            return (await self.ask(type_, model, **changes)).outcome
        except Malformed as error:
            if error.outcome is None:
                raise
            return error.outcome

    async def check(self, model: str = "") -> ModelStatus:
        """The status that ``moot doctor`` shows for a model."""
        (status, *_) = await self.provider.check(model or self.model)
        return status

    async def fails(self, *errors: type[ProviderError], type_: Any = None, model: str = "", **changes: Any) -> Any:
        """The error of a call that must fail with one of ``errors``."""
        try:
            await (self.speak(model, **changes) if type_ is None else self.ask(type_, model, **changes))
        except ProviderError as error:
            if not isinstance(error, errors):
                raise
            return error
        raise AssertionError(f"no {' or '.join(each.__name__ for each in errors)}: the call succeeded")

    async def check_speech(self, model: str = "", **changes: Any) -> None:
        """Check that the next call works and that its text is exactly the expected one."""
        text, _ = await self.speak(model, **changes)

        assert SPEECH == text


class VendorSession(ProviderSession):
    """One provider, made by the registry, connected to one fake vendor."""

    def __init__(self, column: Column, vendors: Vendors, patch: pytest.MonkeyPatch, providers: Registry) -> None:
        super().__init__(providers.provider(column.provider), column.thinker)
        self.column, self.vendor, self.patch = column, vendors[column.provider], patch
        self.module = importlib.import_module(f"providers.{column.provider}")

    def as_compatible_server(self) -> None:
        """Treat the address as that of a compatible server, not the vendor's own."""
        self.patch.setattr(self.module, "URL", "https://vendor.example", raising=False)

    def as_remote_server(self) -> None:
        """Treat the address as one outside this machine, where calls cost money."""
        place = self.module if self.column.provider == "ollama" else pricing
        self.patch.setattr(place, "is_local", lambda _: False)

    def change_gateway(self, **rules: Any) -> None:
        """Change the rules of the gateway."""
        self.vendor.gateway = dataclasses.replace(self.vendor.gateway, **rules)

    def add_model(self, model: str, **behaviour: Any) -> str:
        """Add a model to the vendor: a copy of ``thinker`` with this ``behaviour``."""
        if self.column.is_gateway:
            like = self.vendor.gateway.model
        else:
            like = self.vendor.models.get(self.column.thinker) or self.vendor.models[f"{self.column.thinker}:latest"]
        self.vendor.models[model] = dataclasses.replace(like, **{"billed_as": "", **behaviour})
        return model

    def add_fault(self, kind: str, **more: Any) -> None:
        """Add a fault to the vendor: for the next call, or as ``Fault`` says."""
        self.vendor.faults.append(Fault(kind, **more))


def request(**changes: Any) -> Request:
    given: dict[str, Any] = {
        "key": "speak:pro",
        "turn": 1,
        "attempt": 1,
        "prompt": HELLO,
        "max_tokens": WORDS,
        "temperature": 0.7,
        "seed": 7,
        "idle_timeout_s": 5.0,
    }
    return Request(**(given | changes))


def billed(bill: Bill) -> Tokens:
    """The tokens of a bill, as an outcome has them."""
    return Tokens(input=bill.input, output=bill.output, cached=bill.cached, written=bill.written, thought=bill.thought)


def without_certificates(patch: pytest.MonkeyPatch) -> None:
    """Make clients without certificates: loading them takes 0.25 s each, and nothing here uses TLS."""
    patch.setattr(ssl, "create_default_context", lambda *_, **__: PLAIN)
    patch.setattr(httpcore2, "default_ssl_context", lambda **_: PLAIN)


@asynccontextmanager
async def vendor_session(column: Column, behaviour: Mapping[str, Any]) -> AsyncIterator[VendorSession]:
    """A session for one column.  All fake vendors run; everything is closed at the end."""
    own = OpenAIModel(efforts=LATEST | FIRST, **{"says": SPEECH, **behaviour})
    gateway = Gateway(model=own, is_strict=True) if column.is_gateway else None
    with pytest.MonkeyPatch.context() as patch:
        without_certificates(patch)
        async with running_vendors(patch, gateway=gateway, **{"says": SPEECH, **behaviour}) as vendors:
            providers = shipped_registry()
            session = VendorSession(column, vendors, patch, providers)
            if not column.is_gateway:
                patch.setattr(session.module, "URL", session.vendor.url, raising=False)  # the vendor's own address
            try:
                yield session
            finally:
                await providers.close()
