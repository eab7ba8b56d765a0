"""The four vendors at once, on the loopback, with the environment that leads to them.

async with selling(monkeypatch, thought=600) as vendors:
    vendors["openai"].faults.append(Fault("429 with RetryInfo", times=2))
    vendors["gemini"].models["gemini-2.5-flash"]   # how it behaves; replace it to change that
    vendors["ollama"].books                        # what each call costs, as the wire told it
"""

import dataclasses
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.providers.vendors.anthropic import Anthropic
from tests.providers.vendors.gemini import Door, Gemini
from tests.providers.vendors.house import House
from tests.providers.vendors.ollama import Ollama
from tests.providers.vendors.openai import Gateway, OpenAI

KEY = "the-key-of-{}"
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For the clients of tests: to load certificates takes each of them a quarter of a second, and nothing here is TLS."""


class Vendors(dict[str, Any]):
    """The vendors by name; each attribute is its own class, so that a checker knows ``vendors.openai.gateway``."""

    openai: OpenAI
    anthropic: Anthropic
    gemini: Gemini
    ollama: Ollama

    def __init__(self, houses: Mapping[str, House]) -> None:
        super().__init__(houses)
        for name, house in houses.items():
            setattr(self, name, house)

    @property
    def environment(self) -> dict[str, str]:
        return {name: value for house in self.values() for name, value in house.environment.items()}


@asynccontextmanager
async def selling(
    monkeypatch: pytest.MonkeyPatch | None = None,
    *,
    key: str = KEY,
    gateway: Gateway | None = None,
    door: Door | None = None,
    ports: Mapping[str, int] | None = None,
    **behaviour: Any,
) -> AsyncIterator[Vendors]:
    """Open all four; ``behaviour`` changes each model of each (``thought=900``, ``words=20``)."""
    houses: list[House] = [
        OpenAI(key.format("openai"), gateway),
        Anthropic(key.format("anthropic")),
        Gemini(key.format("gemini"), door),
        Ollama(key.format("ollama")),
    ]
    vendors = Vendors({house.name: house for house in houses})
    try:
        for house in houses:
            house.port = (ports or {}).get(house.name, 0)
            house.models = {name: dataclasses.replace(each, **behaviour) for name, each in house.models.items()}
            await house.listen()
            for name, value in house.environment.items():
                if monkeypatch is not None:
                    monkeypatch.setenv(name, value)
        yield vendors
    finally:
        for house in houses:
            await house.close()
