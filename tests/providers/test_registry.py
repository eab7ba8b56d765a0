"""The registry: each provider is made once, at its first use, and an unknown name gets a suggestion."""

import subprocess
import sys
from datetime import date
from importlib.metadata import EntryPoint
from typing import Any

import anyio
import pytest

from providers.base import ModelStatus
from providers.errors import UnknownModel, Unreachable
from providers.registry import BASELINE, FALLBACK, GROUP, Registry

pytestmark = pytest.mark.anyio


class Fake:
    name = "fake"
    made = 0
    ok = True

    def __init__(self) -> None:
        type(self).made += 1
        self.closed = 0

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        name = f"{self.name}:{model or 'first'}"
        return (ModelStatus(name=name, provider=self.name, ok=self.ok, detail="said so"),)

    async def close(self) -> None:
        self.closed += 1


class Down(Fake):
    name = "ollama"
    ok = False


class Refused(Fake):
    ok = False


class Up(Fake):
    name = "ollama"


class Stuck(Fake):
    name = "stuck"

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        await anyio.sleep_forever()
        raise AssertionError


class Empty(Fake):
    name = "empty"

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        return ()


class Vendor(Fake):
    """A vendor that lists the models given here."""

    name = "openai"
    lists: tuple[str, ...] = ()

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        names = (model,) if model else self.lists
        return tuple(
            ModelStatus(name=f"{self.name}:{each}", provider=self.name, ok=True, detail="listed") for each in names
        )


class Given(EntryPoint):
    """An entry point with its object."""

    module = "providers"  # already imported

    def load(self) -> Any:
        return globals()[self.value]


def registry_of(**entries: str) -> Registry:
    return Registry([Given(name, value, GROUP) for name, value in entries.items()])


def test_the_providers_of_this_project_are_found() -> None:
    assert {"embedded", "ollama", "scripted"} <= set(Registry().names)


def test_a_name_splits_at_its_first_colon() -> None:
    provider, model = registry_of(fake="Fake").resolve("fake:a/b:c:d")

    assert isinstance(provider, Fake)
    assert "a/b:c:d" == model


def test_each_provider_is_made_once_at_its_first_use() -> None:
    before = Fake.made
    registry = registry_of(fake="Fake")

    assert before == Fake.made
    assert registry.resolve("fake:a")[0] is registry.resolve("fake:b")[0] is registry.provider("fake")
    assert before + 1 == Fake.made


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "write provider:model"), ("fake", "write provider:model"), ("fake:", "write provider:model"),
        ("smollm2", "Did you mean 'embedded:smollm2'"), ("embeded:x", "Did you mean 'embedded:x'"),
        ("nobody:x", "no provider 'nobody'. Providers: embedded, fake"),
    ],
)  # fmt: skip
async def test_an_unknown_name_gets_a_suggestion(name: str, complaint: str) -> None:
    registry = registry_of(fake="Fake", embedded="Fake")

    with pytest.raises(UnknownModel, match=complaint) as unknown:
        registry.resolve(name)
    status = await registry.check(name)

    assert "Providers: embedded, fake." in unknown.value.message
    assert (False, unknown.value.message) == (status.ok, status.detail)


async def test_a_provider_that_cannot_be_loaded_is_unreachable_and_the_others_answer() -> None:
    registry = Registry([EntryPoint("gone", "no_such_module:Gone", GROUP), Given("fake", "Fake", GROUP)])

    with pytest.raises(Unreachable, match="'gone' cannot be loaded: No module named"):
        registry.resolve("gone:x")
    statuses = await registry.check_all()

    assert [("fake:first", True), ("gone", False)] == [(status.name, status.ok) for status in statuses]


async def test_a_provider_that_does_not_answer_in_time_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.registry.CHECK_S", 0.05)

    (status,) = await registry_of(stuck="Stuck").check_all()

    assert (False, "no answer within 0.05 s") == (status.ok, status.detail)


async def test_a_provider_that_lists_nothing_has_a_row_with_the_reason() -> None:
    registry = registry_of(empty="Empty")

    (status,), one = await registry.check_all(), await registry.check("empty:x")

    assert ("empty", False, "it lists no model") == (status.name, status.ok, status.detail)
    assert ("empty:x", False) == (one.name, one.ok)


@pytest.mark.parametrize(
    ("address", "model", "expected"),
    [
        ("", "gpt-5-mini", "is announced to end on 2026-12-11"),
        ("", "gpt-6-luna", ""),
        ("", "unheard-of", "not among the models that Moot knows"),
        ("https://gateway.example/v1", "unheard-of", ""),
        ("http://127.0.0.1:8080/v1", "gpt-5-mini", "is announced to end on 2026-12-11"),
        ("https://gateway.example/v1", "openai/gpt-5-mini", "is announced to end on 2026-12-11"),
    ],
)
async def test_a_status_says_what_is_known_of_a_vendors_model(
    monkeypatch: pytest.MonkeyPatch, address: str, model: str, expected: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setattr(Vendor, "lists", (model,))
    monkeypatch.setattr("providers.registry.today", lambda: date(2026, 11, 22))
    registry = registry_of(openai="Vendor")

    one, (listed,) = await registry.check(f"openai:{model}"), await registry.check_all()

    assert one.notice == listed.notice
    assert one.notice.startswith(expected)
    assert bool(expected) == bool(one.notice)


async def test_the_catalog_gives_the_window_that_a_vendor_does_not_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    registry = registry_of(openai="Vendor")

    assert 1_050_000 == (await registry.check("openai:gpt-6-luna")).window
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.example/v1")
    assert None is (await registry.check("openai:gpt-6-luna")).window


async def test_close_ends_each_once() -> None:
    registry = registry_of(fake="Fake", ollama="Up")
    made = [registry.provider("fake"), registry.provider("ollama")]

    await registry.close()
    await registry.close()

    assert [1, 1] == [provider.closed for provider in made]


@pytest.mark.parametrize(
    ("entries", "environ", "chosen"),
    [
        ({"ollama": "Up"}, {"A_KEY": "k"}, "ollama:first"),
        ({"ollama": "Down", "fake": "Fake"}, {"A_KEY": "k"}, "fake:keyed"),
        ({"ollama": "Down", "fake": "Refused"}, {"A_KEY": "k"}, FALLBACK),
        ({"ollama": "Down"}, {"A_KEY": "k"}, FALLBACK),
        ({"ollama": "Down", "fake": "Fake"}, {"A_KEY": ""}, FALLBACK),
        ({}, {}, FALLBACK),
    ],
)
async def test_the_default_is_the_first_that_answers(
    monkeypatch: pytest.MonkeyPatch, entries: dict[str, str], environ: dict[str, str], chosen: str
) -> None:
    monkeypatch.setattr("providers.registry.KEYED", (("A_KEY", "fake:keyed"),))

    assert chosen == await registry_of(**entries).default_model(environ)


@pytest.mark.parametrize(
    ("entries", "default", "judge"),
    [
        ({"baseline": "Up"}, FALLBACK, BASELINE),
        ({"baseline": "Up"}, "ollama:first", "ollama:first"),
        ({}, FALLBACK, FALLBACK),
    ],
)
def test_the_baseline_judges_where_only_the_embedded_model_answers(
    entries: dict[str, str], default: str, judge: str
) -> None:
    assert judge == registry_of(**entries).default_judge(default)


@pytest.mark.slow
def test_importing_the_registry_imports_no_sdk() -> None:
    code = "import sys, providers.registry; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert "providers" in loaded
    assert not {"ollama", "httpx", "xllamacpp", "anthropic", "google", "pydantic"} & set(loaded)
