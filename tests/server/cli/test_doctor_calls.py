"""``moot doctor --call``: one model of each provider is called; a failure is a row and no crash."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

import anyio.from_thread
import msgspec
import pytest

from providers.answers.neutral import neutral
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import RateLimited
from providers.limits import Limit
from providers.limits.queue import ProviderLoad
from providers.registry import GROUP, Registry
from server.cli.measure.doctor import MANY, MAX_SHOWN, ModelCheck, _shown, try_models
from server.cli.measure.trials import candidates, try_out
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import running_vendors
from tests.server.children import Cli, said
from tests.server.harness import shipped_registry

pytestmark = pytest.mark.anyio
T = TypeVar("T")


class OneChunkStream:
    """A stream of one chunk."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    async def __aiter__(self) -> AsyncIterator[str]:
        yield "Trams."


class Vendor:
    """A provider that thinks, and that caches prompts."""

    name = "openai"
    has_quota = True
    asked: list[Request]

    def __init__(self) -> None:
        type(self).asked = []

    def _outcome(self, model: str, request: Request) -> Outcome:
        again = [each.prompt for each in self.asked].count(request.prompt)
        self.asked.append(request)
        read = sum(len(piece.text) for piece in request.prompt) // 4
        return Outcome(
            model=f"{model}-2026-04-14",
            latency_ms=5,
            cost_usd=0.001,
            parameters={"structured_output": "json_schema"},
            tokens=Tokens(input=read, output=40, cached=1024 if again and read > 1024 else 0, thought=30),
        )

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator[TextStream]:
        yield OneChunkStream(self._outcome(model, request))

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        if not self.has_quota:
            raise RateLimited("nothing is left for today")
        outcome = self._outcome(model, request)
        return Answer(value=msgspec.convert(neutral(type_), type_), raw="{}", outcome=outcome)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        return (ModelStatus(name=f"openai:{model or 'gpt-4.1'}", provider="openai", ok=True, detail="listed"),)

    async def close(self) -> None:
        """Nothing."""


class NoCreditVendor(Vendor):
    has_quota = False


class FakeEntryPoint(EntryPoint):
    module = "providers"  # already imported

    def load(self) -> Any:
        return globals()[self.value]


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("MOOT_PRICES", raising=False)
    return Registry([FakeEntryPoint("openai", "Vendor", GROUP)], {})


async def test_what_a_call_shows(ours: Registry) -> None:
    trial = await try_out(ours, "openai:gpt-6-luna")

    assert (True, 30, "json_schema", 1024) == (
        trial.ok,
        trial.thought_tokens,
        trial.structured_output,
        trial.cached_tokens,
    )
    assert "it speaks and answers, and thinks" == trial.detail
    assert "gpt-6-luna-2026-04-14" == trial.answered_by
    assert 0.003 == pytest.approx(trial.cost_usd)
    assert trial.tokens_per_s
    assert 3 == len(Vendor.asked)
    assert all(each.max_tokens <= 150 for each in Vendor.asked)


@pytest.mark.parametrize("name", ["openai:unheard-of", "openai:gpt-6-astra"])
async def test_a_cache_is_tried_only_if_that_is_known_to_be_cheap(ours: Registry, name: str) -> None:
    trial = await try_out(ours, name)

    assert None is trial.cached_tokens
    assert 2 == len(Vendor.asked)


async def test_a_failed_call_is_a_row_with_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    trial = await try_out(Registry([FakeEntryPoint("openai", "NoCreditVendor", GROUP)], {}), "openai:gpt-5-mini")

    assert (False, "rate_limit: nothing is left for today", 0.001) == (trial.ok, trial.detail, trial.cost_usd)
    assert trial.notice.startswith("is announced to end on 2026-12-11")


async def test_an_unknown_name_is_a_row(ours: Registry) -> None:
    (trial,) = await try_models(ours, ("nobody:x",))

    assert not trial.ok
    assert "there is no provider 'nobody'" in trial.detail


def test_one_model_of_each_provider_that_answers_is_called_and_no_script() -> None:
    states = [
        ("ollama:qwen3", True), ("ollama:gemma3", True), ("openai:whisper-1", True), ("anthropic:MODEL", False),
        ("scripted:cars", True),
    ]  # fmt: skip
    statuses = [ModelStatus(name=name, provider=name.partition(":")[0], ok=ok, detail="") for name, ok in states]

    assert ("ollama:qwen3", "openai:gpt-6-luna") == candidates(statuses)


@pytest.mark.slow
async def test_the_four_vendors_are_called_at_once_and_one_in_trouble_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("anthropic:claude-haiku-5-5", "gemini:gemini-3.8-flash", "ollama:qwen3", "openai:gpt-6-luna")
    async with running_vendors(monkeypatch) as vendors:
        vendors["gemini"].faults.append(Fault("500", times=99))
        found = {each.name: each for each in await try_models(shipped_registry(), names)}

    assert names == tuple(found)
    assert [True, False, True, True] == [each.ok for each in found.values()]
    assert found["gemini:gemini-3.8-flash"].detail.startswith("overloaded: ")
    assert all(each.cost_usd == 0 for each in found.values())


@pytest.mark.slow
def test_the_command_says_in_advance_that_it_costs(moot: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running_vendors(monkeypatch)),
    ):
        shown = moot("doctor", "--call", "openai:gpt-6-luna")
        lines = moot("doctor", "--call", "openai:gpt-6-luna", "nobody:x", "--json").stdout

    assert b"at the vendors' prices" in shown.stderr
    assert b"it speaks and answers" in shown.stdout
    assert [True, False] == [each["ok"] for each in json.loads(lines)]


def test_models_without_a_call_are_a_mistake(moot: Cli) -> None:
    said(moot("doctor", "openai:gpt-6-luna"), 2, "--call")


# a vendor that lists hundreds


def check_of(name: str) -> ModelCheck:
    load = ProviderLoad(provider="openai", running=0, waiting=0, rests_s=0, last="", limit=Limit())
    return ModelCheck(
        name=f"openai:{name}",
        provider="openai",
        ok=True,
        detail="listed",
        hint="",
        caveat="",
        window=None,
        notice="",
        load=load,
    )


def test_of_hundreds_only_the_current_chat_models_are_shown() -> None:
    names = ["gpt-6-luna", "gpt-5-mini", "gpt-5.2", *(f"whisper-{number}" for number in range(300))]

    assert ["openai:gpt-6-luna", "openai:gpt-5.2"] == [each.name for each in _shown([check_of(name) for name in names])]


def test_every_provider_has_a_row() -> None:
    unknown = [check_of(f"whisper-{number}") for number in range(MANY + 1)]

    assert 1 == len(_shown(unknown))
    assert MANY == len(_shown(unknown[:MANY]))
    assert MAX_SHOWN == len(_shown([check_of("gpt-6-luna")] * 50))
