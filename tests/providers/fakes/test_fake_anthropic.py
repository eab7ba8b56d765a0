"""The fake of Anthropic, called by Anthropic's own SDK."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from anthropic import APIStatusError, AsyncAnthropic, AuthenticationError, BadRequestError, NotFoundError

from tests.providers.vendors.anthropic import Anthropic
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import PLAIN, running_vendors
from tests.providers.vendors.vendor import Bill

pytestmark = pytest.mark.anyio
NEW = "claude-sonnet-5-5"
TIE = {
    "type": "object",
    "properties": {"winner": {"enum": ["pro", "con", "tie"]}},
    "required": ["winner"],
    "additionalProperties": False,
}
TOOL = {"name": "answer", "input_schema": TIE}
LONG = "Trams. " * 1000


@pytest.fixture
async def vendor() -> AsyncIterator[Anthropic]:
    async with running_vendors() as vendors:
        yield vendors.anthropic


@pytest.fixture
async def sdk(vendor: Anthropic) -> AsyncIterator[AsyncAnthropic]:
    http = httpx2.AsyncClient(verify=PLAIN)
    async with AsyncAnthropic(base_url=vendor.url, api_key=vendor.key, max_retries=0, http_client=http) as client:
        yield client


async def ask(sdk: AsyncAnthropic, model: str = NEW, text: str = "Speak.", limit: int = 4000, **more: Any) -> Any:
    given: Any = {"messages": [{"role": "user", "content": text}]} | more
    return await sdk.messages.create(model=model, max_tokens=limit, **given)


async def streamed(sdk: AsyncAnthropic, model: str = NEW, limit: int = 4000, **more: Any) -> tuple[Any, list[str]]:
    """The complete message, and the types of its events."""
    given: Any = {"messages": [{"role": "user", "content": "Speak."}]} | more
    async with sdk.messages.stream(model=model, max_tokens=limit, **given) as stream:
        kinds = [getattr(getattr(event, "delta", event), "type", "") async for event in stream]
        return await stream.get_final_message(), kinds


async def test_thinking_uses_up_the_limit_and_no_text_is_left(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    response, kinds = await streamed(sdk, limit=328)

    assert ("max_tokens", 328, 328) == (
        response.stop_reason,
        response.usage.output_tokens,
        response.usage.output_tokens_details.thinking_tokens,
    )
    assert ["thinking"] == [block.type for block in response.content]
    assert "thinking_delta" not in kinds
    assert [Bill(NEW, response.usage.input_tokens, 328, thought=328, is_usage_sent=True)] == vendor.bills


async def test_omitted_thoughts_are_a_signature_alone(sdk: AsyncAnthropic) -> None:
    response, kinds = await streamed(sdk)

    assert ["thinking", "text"] == [block.type for block in response.content]
    assert ("", True) == (response.content[0].thinking, bool(response.content[0].signature))
    assert "signature_delta" in kinds


async def test_thoughts_are_summarised_where_that_is_asked(sdk: AsyncAnthropic) -> None:
    response, kinds = await streamed(sdk, thinking={"type": "adaptive", "display": "summarized"})

    assert "thinking_delta" in kinds
    assert response.content[0].thinking.startswith("I weigh")


@pytest.mark.parametrize(
    ("model", "thought"),
    [
        ("claude-haiku-4-5", 0),
        ("claude-opus-4-8", 0),
        ("claude-sonnet-5", 600),
        ("claude-opus-5-5", 420),
    ],
)
async def test_how_much_a_model_thinks_by_default(sdk: AsyncAnthropic, model: str, thought: int) -> None:
    response = await ask(sdk, model)

    assert thought == response.usage.output_tokens_details.thinking_tokens


@pytest.mark.parametrize(("effort", "thought"), [("low", 240), ("medium", 420), ("high", 600), ("max", 2400)])
async def test_effort_changes_the_amount_of_thinking(sdk: AsyncAnthropic, effort: str, thought: int) -> None:
    response = await ask(sdk, output_config={"effort": effort})

    assert thought == response.usage.output_tokens_details.thinking_tokens


@pytest.mark.parametrize(
    ("model", "given", "complaint"),
    [
        (NEW, {"extra_body": {"temperature": 0.3}}, "`temperature` is deprecated for this model."),
        (NEW, {"thinking": {"type": "enabled", "budget_tokens": 1024}}, '"thinking.type.enabled" is not supported'),
        (NEW, {"thinking": {"type": "disabled"}}, "between_tools"),
        ("claude-opus-5-5", {"thinking": {"type": "disabled"}}, '"thinking.type.disabled" is not supported'),
        ("claude-opus-5", {"thinking": {"type": "disabled"}, "output_config": {"effort": "max"}}, 'at effort "max"'),
        ("claude-haiku-4-5", {"thinking": {"type": "adaptive"}}, "adaptive thinking is not supported"),
        ("claude-haiku-4-5", {"thinking": {"type": "enabled", "budget_tokens": 4000}}, "must be greater than"),
        ("claude-haiku-4-5", {"thinking": {"type": "enabled", "budget_tokens": 100}}, "greater than or equal to 1024"),
        ("claude-haiku-4-5", {"output_config": {"effort": "low"}}, "does not support the effort parameter"),
        (NEW, {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "answer"}}, "tool_choice forces tool use"),
        (NEW, {"messages": [{"role": "assistant", "content": "I"}]}, "prefill"),
    ],
)
async def test_parameters_that_a_model_refuses(
    sdk: AsyncAnthropic, model: str, given: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(BadRequestError) as caught:
        await ask(sdk, model, **given)

    assert complaint in str(caught.value.body)


async def test_thinking_is_switched_off_where_the_model_allows_it(sdk: AsyncAnthropic) -> None:
    new = await ask(sdk, thinking={"type": "between_tools"})
    old = await ask(sdk, "claude-sonnet-5", thinking={"type": "disabled"})

    assert [0, 0] == [each.usage.output_tokens_details.thinking_tokens for each in (new, old)]


async def test_a_format_gives_its_most_neutral_value(sdk: AsyncAnthropic) -> None:
    response = await ask(sdk, output_config={"format": {"type": "json_schema", "schema": TIE}})

    assert '{"winner": "tie"}' == response.content[-1].text


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "object", "properties": {}}, "'additionalProperties' must be explicitly set to false"),
        (TIE | {"properties": {"winner": {"type": "string", "maxLength": 9}}}, "property 'maxLength' is not supported"),
        (TIE | {"properties": {"winner": {"type": "integer", "minimum": 0}}}, "property 'minimum' is not supported"),
        (
            TIE | {"properties": {"winner": {"type": "array", "minItems": 2, "items": TIE}}},
            "'minItems' values other than",
        ),
    ],
)
async def test_a_format_is_checked(sdk: AsyncAnthropic, schema: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        await ask(sdk, output_config={"format": {"type": "json_schema", "schema": schema}})

    assert complaint in str(caught.value.body)


async def test_a_forced_tool_gives_its_input(sdk: AsyncAnthropic) -> None:
    response, _ = await streamed(sdk, "claude-haiku-4-5", tools=[TOOL], tool_choice={"type": "tool", "name": "answer"})

    assert ("tool_use", {"winner": "tie"}) == (response.stop_reason, response.content[-1].input)


async def test_the_cache_writes_once_and_reads_after(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    marked = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    first = await ask(sdk, messages=[{"role": "user", "content": [marked, {"type": "text", "text": "One."}]}])
    again = await ask(sdk, messages=[{"role": "user", "content": [marked, {"type": "text", "text": "Another."}]}])

    cached = [(each.cache_creation_input_tokens, each.cache_read_input_tokens) for each in (first.usage, again.usage)]
    assert [(1752, 0), (0, 1752)] == cached
    assert vendor.bills[1].input == again.usage.input_tokens + 1752


async def test_below_the_minimum_the_cache_is_silent(sdk: AsyncAnthropic) -> None:
    marked = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    response = await ask(sdk, "claude-haiku-4-5", messages=[{"role": "user", "content": [marked]}])

    assert (0, 0) == (response.usage.cache_creation_input_tokens, response.usage.cache_read_input_tokens)


async def test_another_format_is_another_prompt_to_the_cache(sdk: AsyncAnthropic) -> None:
    part = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    marked: Any = [{"role": "user", "content": [part]}]
    await ask(sdk, messages=marked)
    response = await ask(sdk, messages=marked, output_config={"format": {"type": "json_schema", "schema": TIE}})

    assert 0 == response.usage.cache_read_input_tokens


async def test_a_prompt_that_is_too_long(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    vendor.models[NEW] = replace(vendor.models[NEW], window=100)
    with pytest.raises(BadRequestError, match="prompt is too long: 1752 tokens > 100 maximum"):
        await ask(sdk, text=LONG)


async def test_overloaded_before_the_stream_and_within_it(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    vendor.faults += [Fault("529"), Fault("error in mid-stream", first=2)]
    with pytest.raises(APIStatusError) as before:
        await streamed(sdk)
    with pytest.raises(APIStatusError) as within:
        await streamed(sdk)

    assert (529, 200) == (before.value.status_code, within.value.status_code)
    assert "overloaded_error" in str(within.value.body)


async def test_a_refusal_is_an_answer(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    vendor.faults.append(Fault("refusal"))
    response, _ = await streamed(sdk)

    assert ("refusal", []) == (response.stop_reason, response.content)
    assert "general_harms" == response.stop_details.category


async def test_the_listing_reports_capabilities(sdk: AsyncAnthropic) -> None:
    listed = [each.id async for each in sdk.models.list()]
    one = await sdk.models.retrieve(NEW)

    assert NEW in listed
    assert one.capabilities is not None
    types = one.capabilities.thinking.types
    assert (True, False, True) == (types.adaptive.supported, types.disabled.supported, types.between_tools.supported)
    with pytest.raises(NotFoundError, match="model: claude-9"):
        await sdk.models.retrieve("claude-9")
    with pytest.raises(AuthenticationError):
        await ask(sdk.with_options(api_key="wrong"))


async def test_a_dated_name_is_billed(sdk: AsyncAnthropic, vendor: Anthropic) -> None:
    response = await ask(sdk, "claude-haiku-4-5")

    assert "claude-haiku-4-5-20251001" == response.model == vendor.bills[0].model
