"""Ollama's protocol, errors, thinking and cost."""

import ssl
from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from providers import errors
from providers.answers.thinking import ThinkingFilter
from providers.environment import is_local, trusted
from providers.ollama import OllamaProvider, translate
from providers.testing.wire import Scene, Wire, playing
from tests.providers.vendor_frames import ollama_frames
from tests.providers.vendors.running import running_vendors

pytestmark = pytest.mark.anyio


@pytest.fixture
async def wire(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    async with playing(ollama_frames) as wire:
        monkeypatch.setenv("OLLAMA_HOST", wire.url)
        monkeypatch.setenv("OLLAMA_API_KEY", "secret")
        yield wire


@pytest.fixture
async def ollama() -> AsyncIterator[OllamaProvider]:
    provider = OllamaProvider()
    yield provider
    await provider.close()


async def test_the_call_is_as_ollama_reads_it(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    wire.scene = Scene(texts=('{"pro":1}',))

    await ollama.answer("llama3.2:1b", ask(seed=None), dict[str, int])
    (body,) = wire.asked

    assert ("llama3.2:1b", True) == (body["model"], body["stream"])
    assert {"type": "object", "additionalProperties": {"type": "integer"}} == body["format"]
    assert {"num_predict": 64, "temperature": 0.0, "num_ctx": 8192} == body["options"]
    assert "Bearer secret" == wire.headers[0]["authorization"]


async def test_a_long_prompt_gets_a_window_that_holds_it(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    from providers.base import Segment  # noqa: PLC0415

    async with ollama.stream("m", ask(prompt=(Segment("user", "word " * 8000),))) as stream:
        _ = [chunk async for chunk in stream]

    assert 16384 == wire.asked[0]["options"]["num_ctx"] == stream.outcome.parameters["num_ctx"]


async def test_tokens_and_model_are_as_ollama_says(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    async with ollama.stream("m", ask()) as stream:
        _ = [chunk async for chunk in stream]

    assert ("m:1", 11, 3) == (stream.outcome.model, stream.outcome.tokens.input, stream.outcome.tokens.output)


async def test_a_cloud_model_has_no_known_price(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    async with ollama.stream("gpt-oss:120b-cloud", ask()) as stream:
        _ = [chunk async for chunk in stream]

    assert stream.outcome.cost_usd is None


async def test_inline_thinking_is_kept_out_of_the_text(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    wire.scene = Scene(texts=("<th", "ink>Hm, <b>", "</thi", "nk>\n\nCars ", "are loud."))

    async with ollama.stream("m", ask()) as stream:
        chunks = [chunk async for chunk in stream]

    assert ["Cars ", "are loud."] == chunks
    assert "Hm, <b>" == stream.outcome.reasoning


@pytest.mark.parametrize(
    ("fed", "speech", "thought"),
    [
        (["a <think>b</think>"], "a ", "b"), (["a <think>"], "a <think>", ""), (["<thin", "g> is"], "<thing> is", ""),
        ([" ", "\n", "x"], " \nx", ""), (["<think>never", " closed"], "", "never closed"), (["<thi"], "<thi", ""),
        (["<think></think>x"], "x", ""), ([], "", ""),
    ],
)  # fmt: skip
def test_thinking_is_kept_out_of_speech(fed: list[str], speech: str, thought: str) -> None:
    thinking = ThinkingFilter()
    text = "".join(map(thinking.feed, fed)) + thinking.end()

    assert (speech, thought) == (text, thinking.thinking)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (404, "model 'm' not found", errors.UnknownModel), (400, "bad", errors.BadRequest),
        (400, "exceeds the context length", errors.ContextExceeded), (502, "upstream", errors.Overloaded),
    ],
)  # fmt: skip
async def test_each_refusal_has_its_error(
    wire: Wire, ollama: OllamaProvider, ask: Any, status: int, error: str, kind: Any
) -> None:
    wire.scene = Scene(status=status, error=error)

    with pytest.raises(errors.ProviderError, match=error) as refused:
        await ollama.answer("m", ask(), str)

    assert kind is type(refused.value)


async def test_an_error_in_mid_stream_breaks_off(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    frame = b'{"message":{"role":"assistant","content":"Ca"},"done":false}\n'
    wire.frames = lambda _: ([frame, b'{"error":"oops"}\n'], b"")

    with pytest.raises(errors.BrokenOff, match="oops") as broken:
        await ollama.answer("m", ask(), str)

    assert "Ca" == broken.value.raw


async def test_an_address_without_a_server_is_unreachable(
    monkeypatch: pytest.MonkeyPatch, ollama: OllamaProvider, ask: Any
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")

    with pytest.raises(errors.Unreachable, match=r"127\.0\.0\.1:9"):
        await ollama.answer("m", ask(), str)
    (status,) = await ollama.check()

    assert not status.ok
    assert "ollama.com/download" in status.hint


async def test_check_lists_models_for_text(wire: Wire, ollama: OllamaProvider) -> None:
    wire.fixed["/api/tags"] = {"models": [
        {"model": "llama3.2:1b"}, {"model": "bge:latest", "details": {"family": "bert"}}, {"model": "qwen3:latest"},
    ]}  # fmt: skip

    assert [("ollama:llama3.2:1b", True), ("ollama:qwen3:latest", True)] == [
        (status.name, status.ok) for status in await ollama.check()
    ]
    assert (True,) == tuple(status.ok for status in await ollama.check("qwen3"))
    assert ["ollama pull gemma3"] == [status.hint for status in await ollama.check("gemma3")]


async def test_check_says_that_nothing_is_pulled_or_allowed(wire: Wire, ollama: OllamaProvider) -> None:
    wire.fixed["/api/tags"] = {"models": []}
    (nothing,) = await ollama.check()
    del wire.fixed["/api/tags"]
    wire.scene = Scene(status=401)
    (refused,) = await ollama.check()

    assert (False, "ollama pull llama3.2") == (nothing.ok, nothing.hint)
    assert (False, True) == (refused.ok, "OLLAMA_API_KEY" in refused.detail)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1:11434", True), ("http://localhost", True), ("0.0.0.0", True), ("[::1]:99", True), (":11434", True),
        ("https://ollama.com", False), ("10.0.0.7:11434", False), ("localhost.evil.example", False),
    ],
)  # fmt: skip
def test_addresses_of_this_machine(address: str, local: bool) -> None:
    assert local == is_local(address)


def test_certificates_are_loaded_unless_the_server_is_on_this_machine_and_without_tls() -> None:
    assert trusted("https://127.0.0.1:11434") is True
    assert trusted("http://10.0.0.7:11434") is True
    none = trusted("http://127.0.0.1:11434")
    assert isinstance(none, ssl.SSLContext)
    assert (ssl.CERT_REQUIRED, []) == (none.verify_mode, none.get_ca_certs())


class Coded(Struct):
    """A pattern without anchors makes no grammar."""

    code: Annotated[str, Meta(pattern="so")]


async def test_a_schema_that_makes_no_grammar_goes_into_the_prompt(
    ollama: OllamaProvider, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_vendors(monkeypatch) as vendors:
        answers = [await ollama.answer("llama3.2", ask("score:1"), form) for form in (Coded, Coded, dict[str, int])]
        forms = [body["format"] for body in vendors.ollama.requests]

    assert [Coded("so it is")] * 2 == [each.value for each in answers[:2]]
    assert ["json", "json", "json_schema"] == [each.outcome.parameters["structured_output"] for each in answers]
    assert ["object", "json", "json", "object"] == [each if each == "json" else each["type"] for each in forms]


async def test_the_outcome_has_the_wanted_and_the_sent_thinking(
    ollama: OllamaProvider, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_vendors(monkeypatch), ollama.stream("qwen3", ask(think="off", max_tokens=200)) as stream:
        _ = [chunk async for chunk in stream]

    assert ("off", False) == (stream.outcome.parameters["think"], stream.outcome.parameters["thinking"])


async def test_an_error_of_a_compatible_server_may_be_an_object(wire: Wire, ollama: OllamaProvider, ask: Any) -> None:
    wire.scene = Scene(status=503, error={"message": "overloaded", "type": "overloaded_error"})

    with pytest.raises(errors.Overloaded, match="Ollama says: overloaded"):
        async with ollama.stream("m", ask()) as stream:
            _ = [chunk async for chunk in stream]


def test_a_response_that_breaks_the_protocol_is_broken_off() -> None:
    assert isinstance(translate(ValueError("Expecting value")), errors.BrokenOff)
