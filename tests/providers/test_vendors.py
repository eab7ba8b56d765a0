"""Each vendor's protocol: requests, thinking, caches, refusals, and refused parameters."""

import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import pytest

from providers import errors
from providers.anthropic import AnthropicProvider
from providers.base import Segment
from providers.gemini import GeminiProvider
from providers.openai import OpenAIProvider
from providers.testing.contract import PointsAnswer, used
from providers.testing.wire import Scene, Wire, llama_frames, playing
from tests.providers.vendor_frames import anthropic_frames, gemini_frames
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.openai import marks, text_of
from tests.providers.vendors.running import running_vendors

pytestmark = pytest.mark.anyio

GOOD = ('{"points":7,"quote":"x"}',)
LONG = (Segment("system", "You judge."), *(Segment("user", text) for text in ("Turn 1", "Turn 2", "PointsAnswer.")))


SPOKEN = (
    Segment("system", "You judge."),
    Segment("user", "Motion"),
    Segment("user", "Turn 1"),
    Segment("assistant", "Turn 2"),
    Segment("user", "Turn 3", ends_prefix=True),
    Segment("user", "Speak."),
)


async def speak(provider: Any, request: Any, model: str = "m") -> tuple[str, Any]:
    async with provider.stream(model, request) as stream:
        text = "".join([chunk async for chunk in stream])
    return text, stream.outcome


class TestAnthropic:
    @pytest.fixture
    async def wire(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
        async with playing(anthropic_frames) as wire:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", wire.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "the-key")
            yield wire

    @pytest.fixture
    async def provider(self) -> AsyncIterator[AnthropicProvider]:
        made = AnthropicProvider()
        yield made
        await made.close()

    async def test_the_transcript_is_cached_and_the_question_is_not(self, wire: Wire, provider: Any, ask: Any) -> None:
        await speak(provider, ask(prompt=LONG))
        (body,), (headers,) = wire.asked, wire.headers
        blocks = body["messages"][0]["content"]

        assert "Bearer the-key" == headers["authorization"]
        assert [{"type": "text", "text": "You judge."}] == body["system"]
        assert ["Turn 1", "Turn 2", "PointsAnswer."] == [block["text"] for block in blocks]
        assert [False, True, False] == ["cache_control" in block for block in blocks]

    async def test_an_answer_is_held_to_a_schema_in_the_vendors_dialect(
        self, wire: Wire, provider: Any, ask: Any
    ) -> None:
        wire.scene = Scene(texts=GOOD)

        answer = await provider.answer("m", ask(), PointsAnswer)
        form = wire.asked[0]["output_config"]["format"]

        assert "json_schema" == form["type"] == answer.outcome.parameters["structured_output"]
        assert {"type": "integer", "description": "minimum 0, maximum 10"} == form["schema"]["properties"]["points"]

    async def test_a_model_without_schemas_gets_a_tool_and_the_outcome_says_so(
        self, wire: Wire, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wire.refuse_once(400, {"type": "invalid_request_error", "message": "output_config: not supported"})
        wire.frames = tool_frames
        wire.scene = Scene(texts=GOOD)

        answer = await provider.answer("m", ask(), PointsAnswer)
        again = await provider.answer("m", ask(), PointsAnswer)

        assert PointsAnswer(7, "x") == answer.value == again.value
        assert "tool" == answer.outcome.parameters["structured_output"]
        assert [True, False, False] == ["output_config" in body for body in wire.asked]
        assert {"type": "tool", "name": "answer"} == wire.asked[1]["tool_choice"]

    async def test_the_arguments_of_a_tool_are_no_speech(self, wire: Wire, provider: Any, ask: Any) -> None:
        def frames(scene: Scene) -> Frames:
            first, last = anthropic_frames(scene)
            called, _ = tool_frames(Scene(texts=("{}",)))
            return [*called, *first[1:]], last

        wire.frames = frames

        assert "Cars are loud." == (await speak(provider, ask()))[0]

    async def test_thinking_is_kept_apart_and_gets_room_from_then_on(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = thinking_frames

        text, outcome = await speak(provider, ask())
        await speak(provider, ask())

        assert ("Cars are loud.", "Hm. Let me see.") == (text, outcome.reasoning)
        assert [64, 64 + 16384] == [body["max_tokens"] for body in wire.asked]

    async def test_a_refusal_is_a_refusal(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = ending("refusal")

        with pytest.raises(errors.Refused):
            await speak(provider, ask())

    async def test_a_full_window_is_a_full_window(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = ending("model_context_window_exceeded")

        with pytest.raises(errors.ContextExceeded):
            await speak(provider, ask())

    async def test_an_error_in_mid_stream_is_classified(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = failing("overloaded_error")

        with pytest.raises(errors.Overloaded) as failed:
            await speak(provider, ask())

        assert "Cars are loud." == failed.value.raw

    async def test_cached_tokens_count_as_read(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = cached_frames

        _, outcome = await speak(provider, ask())

        assert (111, 3) == (outcome.tokens.input, outcome.tokens.output)


def sse(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\n".encode() + b"data: " + json.dumps({"type": kind} | more).encode() + b"\n\n"


Frames = tuple[list[bytes], bytes]


def tool_frames(scene: Scene) -> Frames:
    first, last = anthropic_frames(scene)
    made = [
        sse("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": text})
        for text in scene.texts
    ]
    block = {"type": "tool_use", "id": "t", "name": "answer", "input": {}}
    return [first[0], sse("content_block_start", index=0, content_block=block), *made], last


def thinking_frames(scene: Scene) -> Frames:
    first, last = anthropic_frames(scene)
    block = {"type": "thinking", "thinking": "", "signature": ""}
    thought = [
        sse("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": text})
        for text in ("Hm. ", "Let me see.")
    ]
    signed = sse("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "abc"})
    opened = sse("content_block_start", index=0, content_block=block)
    return [first[0], opened, *thought, signed, *first[1:]], last


def cached_frames(scene: Scene) -> Frames:
    first, last = anthropic_frames(scene)
    more = b'"input_tokens": 11, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 40'
    return [first[0].replace(b'"input_tokens": 11', more), *first[1:]], last


def ending(reason: str) -> Callable[[Scene], Frames]:
    return lambda scene: anthropic_frames(Scene(texts=scene.texts, end=reason))


def failing(kind: str) -> Callable[[Scene], Frames]:
    def frames(scene: Scene) -> Frames:
        first, _ = anthropic_frames(scene)
        return first, sse("error", error={"type": kind, "message": "too much"})

    return frames


class TestOpenAI:
    @pytest.fixture
    async def wire(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
        async with playing(llama_frames) as wire:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{wire.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "the-key")
            yield wire

    @pytest.fixture
    async def provider(self) -> AsyncIterator[OpenAIProvider]:
        made = OpenAIProvider()
        yield made
        await made.close()

    async def test_the_call_is_as_the_protocol_says(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.scene = Scene(texts=GOOD)

        answer = await provider.answer("m", ask(), PointsAnswer)
        (body,), (headers,) = wire.asked, wire.headers
        form = body["response_format"]["json_schema"]

        assert "Bearer the-key" == headers["authorization"]
        assert (64, 0.0, 7, True) == (body["max_tokens"], body["temperature"], body["seed"], body["stream"])
        assert form["strict"]
        assert {"type": "integer", "enum": list(range(11))} == form["schema"]["properties"]["points"]
        assert "json_schema" == answer.outcome.parameters["structured_output"]

    async def test_a_refused_parameter_is_left_out_and_the_outcome_says_so(
        self, wire: Wire, provider: Any, ask: Any
    ) -> None:
        wire.refuse_once(400, {"message": "Unsupported value: 'temperature' does not support 0.0 with this model."})

        text, outcome = await speak(provider, ask())

        assert "Cars are loud." == text
        assert [True, False] == ["temperature" in body for body in wire.asked]
        assert outcome.parameters["temperature"] is None

    @pytest.mark.parametrize("model", ["gpt-6-luna", "gpt-5.5"])
    @pytest.mark.parametrize("is_own", [True, False])
    async def test_only_newer_models_at_the_vendors_own_address_get_marks_for_the_cache(
        self, wire: Wire, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch, model: str, is_own: bool
    ) -> None:
        if is_own:
            monkeypatch.setattr(OpenAIProvider, "default_address", f"{wire.url}/v1")
        await speak(provider, ask(prompt=SPOKEN), model)
        (body,) = wire.asked
        texts = [text_of(each["content"]) for each in body["messages"]]

        assert ["You judge.", "Motion\n\nTurn 1", "Turn 2", "Turn 3\n\nSpeak."] == texts
        if is_own and model == "gpt-6-luna":
            assert {"mode": "explicit"} == body["prompt_cache_options"]
            assert 64 == len(body["prompt_cache_key"])
            assert [[0], [0, 1], [], [0]] == [marks(each) for each in body["messages"]]
        else:
            assert not [name for name in body if "cache" in name]
            assert {str} == {type(each["content"]) for each in body["messages"]}

    async def test_the_key_of_the_cache_is_the_same_throughout_a_debate(
        self, wire: Wire, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(OpenAIProvider, "default_address", f"{wire.url}/v1")
        other = (SPOKEN[0], Segment("user", "Another motion"), *SPOKEN[2:])
        unmarked = (SPOKEN[0], Segment("user", "Speak."))
        for prompt in (SPOKEN[:2] + SPOKEN[-2:], SPOKEN, other, unmarked):
            await speak(provider, ask(prompt=prompt), "gpt-6-luna")
        first, second, third, fourth = (body.get("prompt_cache_key") for body in wire.asked)

        assert first == second != third
        assert fourth is None
        assert {"mode": "explicit"} == wire.asked[-1]["prompt_cache_options"]

    @pytest.mark.slow
    async def test_a_call_reads_what_the_turn_before_wrote(
        self, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with running_vendors(monkeypatch) as vendors:
            monkeypatch.setattr(OpenAIProvider, "default_address", vendors.openai.url)
            rules = (Segment("system", "You judge."), Segment("user", "The rules. " * 500))
            turns = [Segment("user", f"Turn {number}: " + "Cars are loud. " * 50) for number in range(1, 9)]
            record = Segment("user", "The record.", ends_prefix=True)
            for number in range(1, 9):
                prompt = (*rules, *turns[:number], record, Segment("user", f"Question {number}"))
                await speak(provider, ask(prompt=prompt), "gpt-6-luna")
            bills = vendors.openai.bills

        assert 0 == bills[0].cached < bills[0].written < bills[0].input
        for before, after in pairwise(bills):
            assert before.cached + before.written - 10 < after.cached < before.cached + before.written
            assert after.written < 250

    async def test_refused_marks_are_left_out(
        self, wire: Wire, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(OpenAIProvider, "default_address", f"{wire.url}/v1")
        wire.refuse_once(400, {"message": "Unsupported parameter: 'prompt_cache_options' is not supported."})

        assert "Cars are loud." == (await speak(provider, ask(prompt=SPOKEN), "gpt-6-luna"))[0]
        assert ["explicit", None] == [body.get("prompt_cache_options", {}).get("mode") for body in wire.asked]
        assert not [each for each in wire.asked[1]["messages"] if marks(each)]
        assert "prompt_cache_key" not in wire.asked[1]

    async def test_reasoning_in_a_field_of_its_own_is_kept_apart(self, wire: Wire, provider: Any, ask: Any) -> None:
        def frames(scene: Scene) -> Frames:
            first, last = llama_frames(scene)
            thought = {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}]}
            return [b"data: " + json.dumps(thought).encode() + b"\n\n", *first], last

        wire.frames = frames

        assert ("Cars are loud.", "Hm.") == ((response := await speak(provider, ask()))[0], response[1].reasoning)

    async def test_a_filtered_answer_is_a_refusal(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = lambda scene: llama_frames(Scene(texts=scene.texts, end="content_filter"))

        with pytest.raises(errors.Refused):
            await speak(provider, ask())

    @pytest.mark.parametrize("reason", ["abort", "insufficient_system_resource"])
    async def test_an_answer_that_the_server_cut_short_is_no_turn(
        self, wire: Wire, provider: Any, ask: Any, reason: str
    ) -> None:
        wire.frames = lambda scene: llama_frames(Scene(texts=scene.texts, end=reason))

        with pytest.raises(errors.Stopped, match=reason) as stopped:
            await speak(provider, ask())

        assert 3 == stopped.value.outcome.tokens.output

    @pytest.mark.parametrize("end", ["reset", "quit"])
    async def test_tokens_that_were_reported_outlive_a_broken_stream(
        self, wire: Wire, provider: Any, ask: Any, end: str
    ) -> None:
        """Some servers report the tokens so far with every chunk."""

        def frames(scene: Scene) -> Frames:
            chunks, last = llama_frames(scene)
            usage = [{"prompt_tokens": 11, "completion_tokens": number} for number in range(len(chunks))]
            return [_with_usage(chunk, each) for chunk, each in zip(chunks, usage, strict=True)], last

        wire.frames, wire.scene = frames, Scene(end=end)

        with pytest.raises(errors.BrokenOff) as broken:
            await speak(provider, ask())

        assert "Cars are loud." == broken.value.raw
        outcome = used(broken.value)
        assert (11, 3, True) == (outcome.tokens.input, outcome.tokens.output, outcome.is_partial)

    async def test_a_limit_by_mistrals_name_is_a_limit(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.frames = lambda scene: llama_frames(Scene(texts=scene.texts, end="model_length"))

        assert "length" == (await speak(provider, ask()))[1].finish

    async def test_a_prompt_that_is_too_long_is_no_bad_request(self, wire: Wire, provider: Any, ask: Any) -> None:
        error = {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}
        wire.scene = Scene(status=400, error=error)

        with pytest.raises(errors.ContextExceeded):
            await speak(provider, ask())

    async def test_a_key_never_stands_in_an_error(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.scene = Scene(status=401, error={"message": "Incorrect API key provided: the-key"})

        with pytest.raises(errors.NotAuthorised, match="Incorrect API key provided: …") as refused:
            await speak(provider, ask())

        assert "the-key" not in str(refused.value)

    async def test_a_server_of_ones_own_needs_no_key(
        self, wire: Wire, provider: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY")

        text, _ = await speak(provider, ask())

        assert "Cars are loud." == text


def _with_usage(chunk: bytes, usage: dict[str, int]) -> bytes:
    """A chunk of chat completions with the tokens so far; comments stay as they are."""
    if not chunk.startswith(b"data: {"):
        return chunk
    frame = json.loads(chunk.removeprefix(b"data: "))
    return b"data: " + json.dumps(frame | {"usage": usage}).encode() + b"\n\n"


class TestGemini:
    @pytest.fixture
    async def wire(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
        async with playing(gemini_frames) as wire:
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", wire.url)
            monkeypatch.setenv("GEMINI_API_KEY", "the-key")
            yield wire

    @pytest.fixture
    async def provider(self) -> AsyncIterator[GeminiProvider]:
        made = GeminiProvider()
        yield made
        await made.close()

    async def test_the_call_is_as_gemini_reads_it(self, wire: Wire, provider: Any, ask: Any) -> None:
        wire.scene = Scene(texts=GOOD)

        await provider.answer("m", ask(prompt=LONG), PointsAnswer)
        (body,), (headers,) = wire.asked, wire.headers
        asked = body["generationConfig"]

        assert "the-key" == headers["x-goog-api-key"]
        assert "You judge." == body["systemInstruction"]["parts"][0]["text"]
        assert ["Turn 1", "Turn 2", "PointsAnswer."] == [part["text"] for part in body["contents"][0]["parts"]]
        assert (64, "application/json", 7) == (asked["maxOutputTokens"], asked["responseMimeType"], asked["seed"])
        assert 10 == asked["responseJsonSchema"]["properties"]["points"]["maximum"]

    async def test_thoughts_are_kept_apart(self, wire: Wire, provider: Any, ask: Any) -> None:
        def frames(scene: Scene) -> Frames:
            first, last = gemini_frames(scene)
            thought = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hm.", "thought": True}]}}]}
            return [b"data: " + json.dumps(thought).encode() + b"\r\n\r\n", *first], last

        wire.frames = frames

        text, outcome = await speak(provider, ask())
        await speak(provider, ask())

        assert ("Cars are loud.", "Hm.") == (text, outcome.reasoning)
        assert [64, 64 + 16384] == [body["generationConfig"]["maxOutputTokens"] for body in wire.asked]

    @pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION"])
    async def test_a_stop_by_the_vendor_is_a_refusal(self, wire: Wire, provider: Any, ask: Any, reason: str) -> None:
        wire.frames = lambda scene: gemini_frames(Scene(texts=scene.texts, end=reason))

        with pytest.raises(errors.Refused, match=reason):
            await speak(provider, ask())

    async def test_a_blocked_prompt_is_a_refusal(self, wire: Wire, provider: Any, ask: Any) -> None:
        blocked = b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\r\n\r\n'
        wire.frames = lambda _: ([], blocked)

        with pytest.raises(errors.Refused, match="blocked"):
            await speak(provider, ask())

    async def test_a_wrong_key_is_not_a_bad_request_of_gemini(self, wire: Wire, provider: Any, ask: Any) -> None:
        error = {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
        }
        wire.scene = Scene(status=400, error=error)

        with pytest.raises(errors.NotAuthorised, match="GEMINI_API_KEY"):
            await speak(provider, ask())


@pytest.mark.parametrize(
    ("provider", "variables"),
    [
        (AnthropicProvider, ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
        (OpenAIProvider, ("OPENAI_API_KEY", "OPENAI_BASE_URL")), (GeminiProvider, ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    ],
)  # fmt: skip
async def test_without_a_key_the_check_says_what_to_set(
    provider: Any, variables: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in variables:
        monkeypatch.delenv(variable, raising=False)

    (status,) = await provider().check()

    assert not status.ok
    assert variables[0] in status.hint


@pytest.mark.parametrize(("make", "name"), [(AnthropicProvider, "anthropic"), (OpenAIProvider, "openai")])
@pytest.mark.parametrize("status", ["404", "500"])
async def test_a_compatible_server_need_not_list_its_models(
    make: Any, name: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_vendors(monkeypatch) as vendors:
        vendors[name].faults.append(Fault(status, of="listing", times=3))
        (unlisted,) = await make().check("m")
        (listed,) = await make().check()
        monkeypatch.setattr(make, "default_address", vendors[name].url)  # now it is the vendor's own address
        (final,) = await make().check("m")

    assert ("404" == status, False, False) == (unlisted.ok, listed.ok, final.ok)
    assert ("lists no models" in unlisted.detail) == ("404" == status)
