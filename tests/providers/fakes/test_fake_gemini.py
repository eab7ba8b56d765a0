"""The fake of Gemini, called by Google's own SDK."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai.errors import APIError, ClientError
from google.genai.types import GenerateContentConfig, HttpOptions, ThinkingConfig

from tests.providers.vendors.faults import Fault
from tests.providers.vendors.gemini import Gemini, GeminiProxy
from tests.providers.vendors.running import PLAIN, running_vendors
from tests.providers.vendors.vendor import Bill

pytestmark = pytest.mark.anyio
FLASH, PRO, THREE, FOUR = "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3.8-flash", "gemini-4-neon"
TIE = {"type": "object", "properties": {"winner": {"enum": ["pro", "con", "tie"]}}, "required": ["winner"]}


@pytest.fixture
async def vendor() -> AsyncIterator[Gemini]:
    async with running_vendors() as vendors:
        yield vendors.gemini


@pytest.fixture
async def sdk(vendor: Gemini) -> AsyncIterator[Any]:
    async with connected(vendor) as client:
        yield client


@asynccontextmanager
async def connected(vendor: Gemini, version: str = "v1", key: str = "") -> AsyncIterator[Any]:
    """The SDK does not close the connections of a client that it did not make."""
    async with httpx2.AsyncClient(verify=PLAIN) as http:
        unused = httpx2.Client(verify=PLAIN)
        options = HttpOptions(base_url=vendor.url, api_version=version, httpx_async_client=http, httpx_client=unused)
        async with genai.Client(api_key=key or vendor.key, http_options=options).aio as client:
            yield client


async def streamed(sdk: Any, model: str = FLASH, text: str = "Speak.", **config: Any) -> list[Any]:
    given = GenerateContentConfig(**config)
    return [each async for each in await sdk.models.generate_content_stream(model=model, contents=text, config=given)]


def parts_of(chunks: list[Any]) -> list[Any]:
    return [part for chunk in chunks for part in chunk.candidates[0].content.parts or ()]


def text_of(chunks: list[Any]) -> str:
    return "".join(part.text or "" for part in parts_of(chunks) if not part.thought)


@pytest.mark.slow
async def test_thinking_uses_up_the_limit_and_no_text_is_left(sdk: Any, vendor: Gemini) -> None:
    chunks = await streamed(sdk, max_output_tokens=328)

    usage = chunks[-1].usage_metadata
    assert ("", "MAX_TOKENS") == (text_of(chunks), chunks[-1].candidates[0].finish_reason)
    assert (328, None) == (usage.thoughts_token_count, usage.candidates_token_count)
    assert [Bill(FLASH, usage.prompt_token_count, 328, thought=328, is_usage_sent=True)] == vendor.bills


async def test_thoughts_come_only_where_they_are_asked_for(sdk: Any) -> None:
    quiet = await streamed(sdk)
    shown = await streamed(sdk, thinking_config=ThinkingConfig(include_thoughts=True))

    assert not any(part.thought for part in parts_of(quiet))
    assert any(part.thought for part in parts_of(shown))
    assert quiet[-1].usage_metadata.thoughts_token_count == shown[-1].usage_metadata.thoughts_token_count == 600


@pytest.mark.parametrize(
    ("model", "asked", "thought"),
    [
        (FLASH, {"thinking_budget": 0}, None),
        (FLASH, {"thinking_budget": 200}, 200),
        (FLASH, {"thinking_budget": -1}, 600),
        (PRO, {"thinking_budget": 128}, 128),
        ("gemini-2.5-flash-lite", {}, None),
        (THREE, {"thinking_level": "LOW"}, 240),
        (THREE, {"thinking_budget": 200}, 200),
        (FOUR, {"thinking_level": "XHIGH"}, 2400),
    ],
)
async def test_the_thinking_of_a_call(sdk: Any, model: str, asked: dict[str, Any], thought: int | None) -> None:
    chunks = await streamed(sdk, model, thinking_config=ThinkingConfig(**asked))

    assert thought == chunks[-1].usage_metadata.thoughts_token_count


@pytest.mark.parametrize(
    ("model", "asked", "complaint"),
    [
        (PRO, {"thinking_budget": 0}, "Budget 0 is invalid. This model only works in thinking mode."),
        (PRO, {"thinking_budget": 52_428}, r"The thinking budget \(52428\) is invalid."),
        (FLASH, {"thinking_level": "LOW"}, "Thinking level is not supported for this model."),
        (THREE, {"thinking_level": "MINIMAL"}, "Thinking level MINIMAL is not supported"),
        (THREE, {"thinking_level": "LOW", "thinking_budget": 200}, "only one of thinking budget and thinking level"),
        (FOUR, {"thinking_budget": 200}, "Thinking budget is not supported"),
        ("gemma-3-27b-it", {"include_thoughts": True}, "Thinking is not enabled for this model"),
    ],
)
async def test_parameters_that_a_model_refuses(sdk: Any, model: str, asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ClientError, match=complaint) as caught:
        await streamed(sdk, model, thinking_config=ThinkingConfig(**asked))

    assert (400, "INVALID_ARGUMENT") == (caught.value.code, caught.value.status)


async def test_a_schema_gives_its_most_neutral_value(sdk: Any) -> None:
    chunks = await streamed(sdk, response_json_schema=TIE, response_mime_type="application/json")

    assert '{"winner": "tie"}' == text_of(chunks)


async def test_a_schema_with_too_many_items(sdk: Any) -> None:
    schema = {"type": "array", "maxItems": 1000, "items": {"type": "string"}}
    with pytest.raises(ClientError, match="invalid argument"):
        await streamed(sdk, response_json_schema=schema, response_mime_type="application/json")


@pytest.mark.parametrize("reason", ["OTHER", "SAFETY", "MALFORMED_FUNCTION_CALL", "RECITATION", "PROHIBITED_CONTENT"])
async def test_it_stops_for_a_reason_of_the_vendor(sdk: Any, vendor: Gemini, reason: str) -> None:
    vendor.faults.append(Fault("finish", value=reason))
    chunks = await streamed(sdk)

    assert reason == chunks[-1].candidates[0].finish_reason
    assert (reason in {"SAFETY", "MALFORMED_FUNCTION_CALL"}) is (text_of(chunks) == "")


async def test_too_many_calls_say_when_to_retry(sdk: Any, vendor: Gemini) -> None:
    vendor.faults.append(Fault("429 with RetryInfo"))
    with pytest.raises(ClientError) as caught:
        await streamed(sdk)

    assert (429, "RESOURCE_EXHAUSTED") == (caught.value.code, caught.value.status)
    assert "0.25s" == caught.value.details["error"]["details"][-1]["retryDelay"]


async def test_the_cache_reads_a_long_beginning(sdk: Any) -> None:
    long = "Trams. " * 1200
    first, again = await streamed(sdk, text=long), await streamed(sdk, text=long)

    assert first[-1].usage_metadata.cached_content_token_count is None
    assert 2048 == again[-1].usage_metadata.cached_content_token_count


async def test_text_with_tags() -> None:
    async with running_vendors(tags=True, thought=50) as vendors, connected(vendors.gemini) as client:
        text = text_of(await streamed(client))

    assert text.startswith("<think>\nI weigh")
    assert "</think>" in text


async def test_models_and_keys(sdk: Any, vendor: Gemini) -> None:
    listed = [each.name async for each in await sdk.models.list()]
    one = await sdk.models.get(model=FLASH)

    assert f"models/{FLASH}" in listed
    assert 1_048_576 == one.input_token_limit
    async with connected(vendor, key="wrong") as client:
        with pytest.raises(ClientError, match="API key not valid") as caught:
            await streamed(client)
    assert 400 == caught.value.code


async def test_an_alias_is_known_at_v1beta_only(sdk: Any, vendor: Gemini) -> None:
    with pytest.raises(ClientError, match="is not found for API version v1,"):
        await streamed(sdk, "gemini-flash-latest")
    async with connected(vendor, "v1beta") as client:
        chunks = await streamed(client, "gemini-flash-latest")

    assert THREE == chunks[-1].model_version == vendor.bills[0].model


async def test_another_server_in_front(sdk: Any, vendor: Gemini) -> None:
    vendor.proxy = GeminiProxy(get=404, v1=405)
    with pytest.raises(APIError) as v1:
        await sdk.models.get(model=FLASH)
    async with connected(vendor, "v1beta") as client:
        with pytest.raises(APIError) as v1beta:
            await client.models.get(model=FLASH)
        response = await streamed(client)

    assert (405, 404) == (v1.value.code, v1beta.value.code)
    assert text_of(response)
