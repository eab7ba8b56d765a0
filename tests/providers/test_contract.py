"""Every provider passes the contract: the script from a file, the others over a loopback server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from providers.anthropic import AnthropicProvider
from providers.embedded import provider as embedded
from providers.embedded.provider import EmbeddedProvider
from providers.gemini import GeminiProvider
from providers.ollama import OllamaProvider
from providers.openai import OpenAIProvider
from providers.scripted.provider import ScriptedProvider
from providers.testing.contract import PointsAnswer, ProviderContract, WireStage
from providers.testing.wire import Scene, llama_frames, playing
from tests.providers.vendor_frames import anthropic_frames, gemini_frames, ollama_frames

pytestmark = pytest.mark.anyio


class ScriptStage:
    """Writes each scene as a file."""

    wire = None
    by_status = {401: "auth", 403: "auth", 429: "rate_limit", 500: "overloaded", 503: "overloaded"}  # noqa: RUF012
    by_end = {"silence": "timeout", "reset": "reset", "quit": "reset"}  # noqa: RUF012

    def __init__(self, folder: Path) -> None:
        self.provider, self._path = ScriptedProvider(), folder / "scene.json"

    def play(self, scene: Scene) -> str:
        text = "".join(scene.texts)
        say: dict[str, Any] = {"text": text, "finish": "length" if scene.end == "length" else "stop"}
        kind = self.by_status.get(scene.status) or self.by_end.get(scene.end)
        fault = {"kind": kind, "after_chars": len(text), "retry_after_s": 3}
        if kind:
            say["fault"] = fault | ({"after_chars": 0} if scene.status != 200 else {})
        try:
            given = json.loads(text)
        except ValueError:
            given = {"fault": {"kind": "timeout" if scene.end == "silence" else "bad_json"}}
        pace = {"chunk_chars": 5}
        self._path.write_text(json.dumps({"says": {"pro": [say]}, "answers": {"score:1": given}, "pace": pace}))
        return str(self._path)


class Child:
    """Replaces the child process; its server is the wire."""

    pid = 1

    def __init__(self, path: Path, url: str) -> None:
        self._client = httpx.AsyncClient(base_url=url, timeout=None)
        self.free_slots = anyio.Semaphore(2)

    async def client(self) -> httpx.AsyncClient:
        return self._client

    async def has_died(self) -> bool:
        return False

    async def stop(self) -> None:
        await self._client.aclose()


class TestScripted(ProviderContract):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> ScriptStage:
        return ScriptStage(tmp_path)


class TestOllama(ProviderContract):
    @pytest.fixture
    async def stage(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WireStage]:
        async with playing(ollama_frames) as wire:
            monkeypatch.setenv("OLLAMA_HOST", wire.url)
            wire.fixed["/api/tags"] = {"models": [{"model": "smollm2:latest"}]}
            stage = WireStage(OllamaProvider(), wire)
            yield stage
            await stage.provider.close()


class TestAnthropic(ProviderContract):
    @pytest.fixture
    async def stage(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WireStage]:
        async with playing(anthropic_frames) as wire:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", wire.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key")
            listed = {"id": "smollm2", "type": "model", "display_name": "m", "created_at": "2026-01-01T00:00:00Z"}
            wire.fixed["/v1/models"] = {"data": [listed], "has_more": False}
            wire.fixed["/v1/models/smollm2"] = listed
            stage = WireStage(AnthropicProvider(), wire)
            yield stage
            await stage.provider.close()


class TestOpenAI(ProviderContract):
    @pytest.fixture
    async def stage(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WireStage]:
        async with playing(llama_frames) as wire:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{wire.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
            wire.fixed["/v1/models"] = {"object": "list", "data": [{"id": "smollm2", "object": "model"}]}
            stage = WireStage(OpenAIProvider(), wire)
            yield stage
            await stage.provider.close()


class TestGemini(ProviderContract):
    @pytest.fixture
    async def stage(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WireStage]:
        async with playing(gemini_frames) as wire:
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", wire.url)
            monkeypatch.setenv("GEMINI_API_KEY", "secret-key")
            wire.fixed["/v1beta/models/smollm2"] = {"name": "models/smollm2"}
            wire.fixed["/v1beta/models"] = {"models": [{"name": "models/smollm2"}]}
            stage = WireStage(GeminiProvider(), wire)
            yield stage
            await stage.provider.close()


class TestEmbedded(ProviderContract):
    @pytest.fixture
    async def stage(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[WireStage]:
        async with playing(llama_frames) as wire:
            monkeypatch.setattr(embedded, "LlamaProcess", lambda path: Child(path, wire.url))
            monkeypatch.setattr(embedded, "locate", lambda _: tmp_path)
            stage = WireStage(EmbeddedProvider(), wire)
            yield stage
            await stage.provider.close()

    async def test_the_call_is_as_llama_reads_it(self, stage: WireStage, ask: Any) -> None:
        model = stage.play(Scene(texts=('{"points":7,"quote":""}',)))

        await stage.provider.answer(model, ask("score:1", seed=None), PointsAnswer)
        (body,) = stage.wire.asked

        assert [{"role": "system", "content": "You debate."}, {"role": "user", "content": "Speak."}] == body["messages"]
        assert (64, 0.0, True) == (body["max_tokens"], body["temperature"], body["stream"])
        assert "seed" not in body
        assert '"{" "\\"points\\":"' in body["grammar"]

    async def test_line_separators_inside_json_cut_nothing(self, stage: WireStage, ask: Any) -> None:
        text = "a\u2028b\u2029c\x85d"
        async with stage.provider.stream(stage.play(Scene(texts=(text,))), ask()) as stream:
            chunks = [chunk async for chunk in stream]

        assert [text] == chunks
