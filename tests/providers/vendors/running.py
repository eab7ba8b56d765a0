"""All four fake vendors on the loopback, with the environment for them.

async with running_vendors(monkeypatch, thought=600) as vendors:
    vendors["openai"].faults.append(Fault("429 with RetryInfo", times=2))
    vendors["gemini"].models["gemini-2.5-flash"]   # its behaviour; replace it to change it
    vendors["ollama"].bills                        # the tokens of each call
"""

import dataclasses
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.providers.vendors.anthropic import Anthropic
from tests.providers.vendors.gemini import Gemini, GeminiProxy
from tests.providers.vendors.ollama import Ollama
from tests.providers.vendors.openai import Gateway, OpenAI
from tests.providers.vendors.vendor import FakeVendor

KEY = "the-key-of-{}"
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For the clients of tests: loading certificates takes 0.25 s each, and nothing here uses TLS."""


VENDORS: tuple[type[FakeVendor], ...] = (OpenAI, Anthropic, Gemini, Ollama)


class Vendors(dict[str, Any]):
    """The vendors by name; each attribute has its own class, so that mypy knows ``vendors.openai.gateway``."""

    openai: OpenAI
    anthropic: Anthropic
    gemini: Gemini
    ollama: Ollama

    def __init__(self, fakes: Mapping[str, FakeVendor]) -> None:
        super().__init__(fakes)
        for name, fake in fakes.items():
            setattr(self, name, fake)

    @property
    def environment(self) -> dict[str, str]:
        return {name: value for fake in self.values() for name, value in fake.environment.items()}


@asynccontextmanager
async def running_vendors(
    monkeypatch: pytest.MonkeyPatch | None = None,
    *,
    key: str = KEY,
    gateway: Gateway | None = None,
    proxy: GeminiProxy | None = None,
    ports: Mapping[str, int] | None = None,
    latency_s: float = 0.0,
    **behaviour: Any,
) -> AsyncIterator[Vendors]:
    """Run all four; ``behaviour`` changes every model (``thought=900``, ``words=20``).

    ``latency_s``: seconds before each response; calls within this time do not share what they put into the cache.
    """
    fakes: list[FakeVendor] = [
        OpenAI(key.format("openai"), gateway),
        Anthropic(key.format("anthropic")),
        Gemini(key.format("gemini"), proxy),
        Ollama(key.format("ollama")),
    ]
    vendors = Vendors({fake.name: fake for fake in fakes})
    try:
        for fake in fakes:
            fake.port, fake.latency_s = (ports or {}).get(fake.name, 0), latency_s
            fake.models = {name: dataclasses.replace(each, **behaviour) for name, each in fake.models.items()}
            await fake.listen()
            for name, value in fake.environment.items():
                if monkeypatch is not None:
                    monkeypatch.setenv(name, value)
        yield vendors
    finally:
        for fake in fakes:
            await fake.close()
