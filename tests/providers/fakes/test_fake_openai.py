"""The fake of OpenAI, called by OpenAI's own SDK."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, APIError, AsyncOpenAI, AuthenticationError, BadRequestError, NotFoundError

from tests.providers.vendors.faults import Fault
from tests.providers.vendors.openai import Gateway, OpenAI, OpenAIModel
from tests.providers.vendors.running import PLAIN, running_vendors
from tests.providers.vendors.vendor import Bill

pytestmark = pytest.mark.anyio
TIE = {
    "type": "object",
    "properties": {"winner": {"type": "string", "enum": ["pro", "con", "tie"]}},
    "required": ["winner"],
    "additionalProperties": False,
}


@pytest.fixture
async def vendor() -> AsyncIterator[OpenAI]:
    async with running_vendors() as vendors:
        yield vendors.openai


@pytest.fixture
async def sdk(vendor: OpenAI) -> AsyncIterator[AsyncOpenAI]:
    http = httpx2.AsyncClient(verify=PLAIN)
    async with AsyncOpenAI(base_url=vendor.url, api_key=vendor.key, max_retries=0, http_client=http) as client:
        yield client


async def ask(sdk: AsyncOpenAI, model: str = "gpt-5-mini", text: str = "Speak.", **more: Any) -> Any:
    given: Any = {"messages": [{"role": "user", "content": text}]} | more
    return await sdk.chat.completions.create(model=model, **given)


async def streamed(sdk: AsyncOpenAI, model: str = "gpt-5-mini", **more: Any) -> list[Any]:
    stream = await ask(sdk, model, stream=True, stream_options={"include_usage": True}, **more)
    return [part async for part in stream]


def text_of(parts: list[Any]) -> str:
    return "".join(part.choices[0].delta.content or "" for part in parts if part.choices)


def typed(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


async def test_thinking_uses_up_the_limit_and_no_text_is_left(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    parts = await streamed(sdk, max_completion_tokens=328)

    assert text_of(parts) == ""
    assert [part.choices[0].finish_reason for part in parts if part.choices][-1] == "length"
    usage = parts[-1].usage
    assert (328, 328) == (usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens)
    assert [Bill("gpt-5-mini-2025-08-07", usage.prompt_tokens, 328, thought=328, is_usage_sent=True)] == vendor.bills


async def test_a_part_of_the_text_fits(sdk: AsyncOpenAI) -> None:
    parts = await streamed(sdk, max_completion_tokens=610)

    assert 40 == len(text_of(parts))
    assert 600 == parts[-1].usage.completion_tokens_details.reasoning_tokens


async def test_a_speech_has_natural_length_and_varies(sdk: AsyncOpenAI) -> None:
    one, two = text_of(await streamed(sdk)), text_of(await streamed(sdk))

    assert one != two
    assert 60 <= len(one.split()) <= 80
    assert one.endswith(".")


@pytest.mark.parametrize(("effort", "thought"), [("minimal", 60), ("low", 240), ("medium", 600), ("high", 1200)])
async def test_effort_changes_the_amount_of_thinking(sdk: AsyncOpenAI, effort: str, thought: int) -> None:
    response = await ask(sdk, reasoning_effort=effort)

    assert thought == response.usage.completion_tokens_details.reasoning_tokens
    assert "gpt-5-mini-2025-08-07" == response.model


@pytest.mark.parametrize(
    ("model", "given", "param"),
    [
        ("gpt-5-mini", {"temperature": 0.3}, "temperature"),
        ("gpt-5-mini", {"max_tokens": 300}, "max_tokens"),
        ("gpt-5-mini", {"reasoning_effort": "none"}, "reasoning_effort"),
        ("gpt-5.6-luna", {"reasoning_effort": "minimal"}, "reasoning_effort"),
        ("gpt-4.1", {"reasoning_effort": "low"}, "reasoning_effort"),
        ("gpt-5-mini", {"max_completion_tokens": 0}, "max_completion_tokens"),
        ("gpt-6-astra", {"temperature": 1}, "temperature"),
    ],
)
async def test_parameters_that_a_model_refuses(sdk: AsyncOpenAI, model: str, given: dict[str, Any], param: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        await ask(sdk, model, **given)

    assert param == caught.value.param
    assert f"'{param}'" in caught.value.message


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("gpt-5.1", {"temperature": 0.3}),
        ("gpt-5.6-sol", {"temperature": 0.3, "reasoning_effort": "none"}),
        ("gpt-4.1", {"temperature": 0.3, "max_tokens": 90}),
        ("gpt-5-mini", {"temperature": 1, "seed": 7}),
    ],
)
async def test_parameters_that_a_model_takes(sdk: AsyncOpenAI, model: str, given: dict[str, Any]) -> None:
    response = await ask(sdk, model, **given)

    assert response.choices[0].message.content


async def test_a_strict_schema_gives_its_most_neutral_value(sdk: AsyncOpenAI) -> None:
    response = await ask(sdk, response_format=typed(TIE))

    assert '{"winner": "tie"}' == response.choices[0].message.content


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        (TIE | {"properties": {"winner": {"enum": ["pro"]}}}, "('properties', 'winner'), schema must have a 'type'"),
        (TIE | {"additionalProperties": True}, "'additionalProperties' is required to be supplied and to be false"),
        (TIE | {"required": []}, "Missing 'winner'"),
        (TIE | {"properties": {"winner": {"type": "string", "maxLength": 9}}}, "'maxLength' is not permitted"),
        ({"type": "array", "items": {"type": "string"}}, """schema must be a JSON Schema of 'type: "object"'"""),
        ({"anyOf": [TIE]}, """schema must be a JSON Schema of 'type: "object"'"""),
        (TIE | {"properties": {"winner": {"type": "array"}}}, "array schema missing items"),
    ],
)
async def test_a_strict_schema_is_checked(sdk: AsyncOpenAI, schema: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadRequestError, match="Invalid schema for response_format 'answer'") as caught:
        await ask(sdk, response_format=typed(schema))

    assert complaint in caught.value.message


async def test_a_schema_in_words_is_answered_too(sdk: AsyncOpenAI) -> None:
    words = '{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}'
    response = await ask(sdk, text=f"Give JSON of this form: {words}")

    assert '{"a": 0}' == response.choices[0].message.content


async def test_the_cache_knows_a_long_beginning(sdk: AsyncOpenAI) -> None:
    long = "Trams. " * 1000
    first = await ask(sdk, text=long)
    again = await ask(sdk, text=long + "And now?")

    assert 0 == first.usage.prompt_tokens_details.cached_tokens
    assert 1664 == again.usage.prompt_tokens_details.cached_tokens
    assert 1754 == again.usage.prompt_tokens


async def test_newer_models_cache_at_breakpoints_and_report_what_they_write(sdk: AsyncOpenAI) -> None:
    messages = [{"role": "user", "content": "Trams. " * 1000}]
    first = await ask(sdk, "gpt-5.6-luna", messages=messages)
    again = await ask(sdk, "gpt-5.6-luna", messages=messages)
    other = await ask(sdk, "gpt-5.6-luna", messages=[*messages, {"role": "user", "content": "And now?"}])

    assert first.usage.prompt_tokens == first.usage.prompt_tokens_details.cache_write_tokens
    assert first.usage.prompt_tokens == again.usage.prompt_tokens_details.cached_tokens
    assert 0 == other.usage.prompt_tokens_details.cached_tokens


def marked(text: str, role: str = "user") -> dict[str, Any]:
    part = {"type": "text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}
    return {"role": role, "content": [part]}


async def test_breakpoints_are_read_and_written_where_a_call_sets_them(sdk: AsyncOpenAI) -> None:
    explicit = {"mode": "explicit"}
    long, end = "Trams. " * 1000, {"role": "user", "content": "And now?"}
    calls: list[list[dict[str, Any]]] = [
        [{"role": "user", "content": long}, end],
        [marked(long), end],
        [marked(long), marked("More."), end],
        [{"role": "user", "content": long}, marked("More."), marked("And more."), end],
        [marked(long), *(marked(f"Part {number}.") for number in range(4))],
    ]
    bills = []
    for messages in calls:
        usage = (await ask(sdk, "gpt-6-luna", messages=messages, prompt_cache_options=explicit)).usage
        details = usage.prompt_tokens_details
        bills.append((details.cached_tokens, getattr(details, "cache_write_tokens", 0) or 0))

    assert [(0, 0), (0, 1752), (1752, 3), (1755, 4), (1752, 14)] == bills


async def test_breakpoints_are_refused_by_older_models_by_gateways_and_in_answers(
    sdk: AsyncOpenAI, vendor: OpenAI
) -> None:
    with pytest.raises(BadRequestError, match="prompt_cache_options"):
        await ask(sdk, "gpt-5.5", prompt_cache_options={"mode": "explicit"})
    with pytest.raises(BadRequestError, match="prompt_cache_breakpoint"):
        await ask(sdk, "gpt-5.5", messages=[marked("Trams.")])
    with pytest.raises(BadRequestError, match="assistant"):
        await ask(sdk, "gpt-6-luna", messages=[marked("Trams.", "assistant"), {"role": "user", "content": "And?"}])
    vendor.gateway = Gateway()
    with pytest.raises(BadRequestError, match="Unrecognized request argument"):
        await ask(sdk, "gpt-6-luna", prompt_cache_options={"mode": "explicit"})


async def test_the_form_of_the_answer_is_part_of_what_is_cached(sdk: AsyncOpenAI) -> None:
    long = "Trams. " * 1000
    first, other, again = [
        (await ask(sdk, text=long, **form)).usage.prompt_tokens_details.cached_tokens
        for form in ({}, {"response_format": typed(TIE)}, {"response_format": typed(TIE)})
    ]

    assert [0, 0] == [first, other]
    assert again > 1000


async def test_models_are_listed_and_keys_are_checked(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    listed = [each.id async for each in sdk.models.list()]

    assert "gpt-5-mini" in listed
    with pytest.raises(NotFoundError, match="does not exist or you do not have access"):
        await ask(sdk, "o4-mini")
    with pytest.raises(AuthenticationError):
        await ask(sdk.with_options(api_key="wrong"))


async def test_a_prompt_that_is_too_long(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.models["gpt-5-mini"] = replace(vendor.models["gpt-5-mini"], window=100)
    with pytest.raises(BadRequestError) as caught:
        await ask(sdk, text="Trams. " * 100)

    assert "context_length_exceeded" == caught.value.code


@pytest.mark.parametrize(
    ("limits", "good", "bad"),
    [
        (("max_tokens",), "max_tokens", "max_completion_tokens"),
        (("max_completion_tokens",), "max_completion_tokens", "max_tokens"),
    ],
)
async def test_a_gateway_takes_one_limit(
    sdk: AsyncOpenAI, vendor: OpenAI, limits: tuple[str, ...], good: str, bad: str
) -> None:
    vendor.gateway = Gateway(limits=limits)
    response = await ask(sdk, "anything", **{good: 5000})

    assert response.choices[0].message.content
    with pytest.raises(BadRequestError, match=bad):
        await ask(sdk, "anything", **{bad: 5000})


async def test_a_gateway_without_response_format(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.gateway = Gateway(takes_format=False)
    with pytest.raises(BadRequestError, match="response_format"):
        await ask(sdk, "anything", response_format=typed(TIE))

    vendor.gateway = Gateway(ignores=("response_format",))
    assert "winner" not in (await ask(sdk, "anything", response_format=typed(TIE))).choices[0].message.content


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_details"])
async def test_a_gateway_shows_thoughts_in_a_field(sdk: AsyncOpenAI, vendor: OpenAI, field: Any) -> None:
    vendor.gateway = Gateway(shows=field, model=OpenAIModel(thought=50))
    parts = await streamed(sdk, "anything")

    shown = [getattr(part.choices[0].delta, field, None) for part in parts if part.choices]
    assert any(shown)
    assert "I weigh" not in text_of(parts)


async def test_a_gateway_sends_content_as_a_list(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.gateway = Gateway(shows="content list", model=OpenAIModel(thought=50))
    parts = await streamed(sdk, "anything")

    contents: list[Any] = [part.choices[0].delta.content for part in parts if part.choices]
    assert "thinking" in {each[0]["type"] for each in contents if isinstance(each, list)}


async def test_a_template_removes_the_opening_tag(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.gateway = Gateway(shows="swallowed tag", model=OpenAIModel(thought=50))
    text = text_of(await streamed(sdk, "anything"))

    assert text.startswith("I weigh")
    assert 1 == text.count("</think>")
    assert "<think>" not in text


async def test_an_error_in_mid_stream(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.faults.append(Fault("error in mid-stream"))
    with pytest.raises(APIError, match="Provider disconnected"):
        await streamed(sdk)

    assert not vendor.bills[0].is_usage_sent
    assert text_of(await streamed(sdk))


async def test_a_tool_call_and_a_refusal_as_answers(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.faults += [Fault("tool call"), Fault("refusal", first=2), Fault("finish", first=3, value="content_filter")]
    called, refused, filtered = [(await ask(sdk)).choices[0] for _ in range(3)]

    assert ("tool_calls", None, "answer") == (
        called.finish_reason,
        called.message.content,
        called.message.tool_calls[0].function.name,
    )
    assert ("stop", "I'm sorry, I can't help with that.") == (refused.finish_reason, refused.message.refusal)
    assert "content_filter" == filtered.finish_reason


@pytest.mark.parametrize("kind", ["split surrogate", "U+2028", "cut in mid-character"])
async def test_characters_survive_the_wire(sdk: AsyncOpenAI, vendor: OpenAI, kind: str) -> None:
    vendor.faults.append(Fault(kind))
    text = text_of(await streamed(sdk))

    whole = text.encode("utf-16", "surrogatepass").decode("utf-16")
    assert {"split surrogate": "\N{GRINNING FACE}", "U+2028": "\u2028"}.get(kind, ".") in whole


async def test_half_a_character_is_on_the_wire(vendor: OpenAI) -> None:
    vendor.faults.append(Fault("split UTF-8"))
    body = {"model": "gpt-5-mini", "messages": [], "stream": True}
    async with httpx2.AsyncClient(verify=PLAIN) as client:
        response = await client.post(
            f"{vendor.url}/chat/completions", json=body, headers={"authorization": f"Bearer {vendor.key}"}
        )

    assert b'\xf0\x9f"' in response.content
    assert b'"\x98\x80' in response.content


async def test_a_closed_vendor_listens_again(sdk: AsyncOpenAI, vendor: OpenAI) -> None:
    vendor.stop_listening()
    with pytest.raises(APIConnectionError):
        await ask(sdk)
    await vendor.listen()

    assert (await ask(sdk)).choices[0].message.content


async def test_each_answer_reports_the_rate_limits(sdk: AsyncOpenAI) -> None:
    given: Any = [{"role": "user", "content": "Speak."}]
    response = await sdk.chat.completions.with_raw_response.create(model="gpt-5-mini", messages=given)

    assert "120ms" == response.headers["x-ratelimit-reset-requests"]
