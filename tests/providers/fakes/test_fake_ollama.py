"""The fake of Ollama, called by Ollama's own SDK."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from ollama import AsyncClient, ResponseError

from tests.providers.vendors.faults import Fault
from tests.providers.vendors.ollama import Ollama
from tests.providers.vendors.running import PLAIN, running_vendors
from tests.providers.vendors.vendor import Bill

pytestmark = pytest.mark.anyio
TIE = {"type": "object", "properties": {"winner": {"enum": ["pro", "con", "tie"]}}, "required": ["winner"]}


@pytest.fixture
async def vendor() -> AsyncIterator[Ollama]:
    async with running_vendors() as vendors:
        yield vendors.ollama


@pytest.fixture
async def sdk(vendor: Ollama) -> AsyncIterator[AsyncClient]:
    client: Any = AsyncClient(host=vendor.url, verify=PLAIN)
    yield client
    await client.close()


async def ask(sdk: Any, model: str = "qwen3", text: str = "Speak.", limit: int = 4000, **more: Any) -> Any:
    """The last line, with the complete message."""
    given = {"messages": [{"role": "user", "content": text}], "options": {"num_predict": limit}} | more
    lines = [each async for each in await sdk.chat(model, stream=True, **given)]
    lines[-1].message.content = "".join(each.message.content or "" for each in lines)
    lines[-1].message.thinking = "".join(each.message.thinking or "" for each in lines)
    return lines[-1]


async def test_thinking_uses_up_the_limit_and_no_text_is_left(sdk: AsyncClient, vendor: Ollama) -> None:
    response = await ask(sdk, limit=328)

    assert ("", "length", 328) == (response.message.content, response.done_reason, response.eval_count)
    assert response.message.thinking.startswith("I weigh")
    assert [Bill("qwen3", response.prompt_eval_count, 328, is_usage_sent=True)] == vendor.bills


@pytest.mark.parametrize(
    ("model", "think", "thinks"),
    [
        ("qwen3", None, True),
        ("qwen3", False, False),
        ("qwen3", True, True),
        ("llama3.2", None, False),
        ("llama3.2", False, False),
        ("gpt-oss:20b", False, True),
    ],
)
async def test_which_models_think(sdk: AsyncClient, model: str, think: bool | None, thinks: bool) -> None:
    response = await ask(sdk, model, think=think)

    assert thinks is (response.eval_count > 500)
    assert response.message.content


@pytest.mark.parametrize(("level", "thought"), [("low", 240), ("medium", 600), ("high", 1200)])
async def test_levels_change_the_amount_of_thinking(sdk: AsyncClient, level: str, thought: int) -> None:
    response = await ask(sdk, "gpt-oss:20b", think=level, limit=thought)

    assert ("length", "") == (response.done_reason, response.message.content)
    assert "stop" == (await ask(sdk, "gpt-oss:20b", think=level, limit=thought + 200)).done_reason


@pytest.mark.parametrize(
    ("model", "more", "complaint"),
    [
        ("llama3.1:8b", {"think": True}, '"llama3.1:8b" does not support thinking'),
        ("qwen3", {"think": "lots"}, "invalid think value"),
        ("qwen9", {}, "model 'qwen9' not found"),
        ("qwen3", {"keep_alive": "300"}, "missing unit in duration"),
        ("nomic-embed-text", {}, "does not support chat"),
    ],
)
async def test_refused_requests(sdk: AsyncClient, model: str, more: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ResponseError, match=complaint) as caught:
        await ask(sdk, model, **more)

    assert caught.value.status_code in {400, 404}


async def test_a_long_prompt_is_cut_without_an_error(sdk: AsyncClient, vendor: Ollama) -> None:
    messages = [
        {"role": "system", "content": "You debate."},
        {"role": "user", "content": "Trams. " * 4000},
        {"role": "user", "content": "Speak."},
    ]
    response = await ask(sdk, "llama3.2", messages=messages)
    whole = await ask(sdk, "llama3.2", messages=messages, options={"num_ctx": 8192})

    assert response.prompt_eval_count < 20
    assert 7000 < whole.prompt_eval_count < 7100
    assert 2 == vendor.loads


async def test_chinese_has_more_tokens(sdk: AsyncClient) -> None:
    response = await ask(sdk, "llama3.2", text="电车" * 700)

    assert 1002 == response.prompt_eval_count


async def test_a_format_gives_its_most_neutral_value(sdk: AsyncClient) -> None:
    response = await ask(sdk, format=TIE)

    assert '{"winner": "tie"}' == response.message.content


async def test_an_import_writes_its_tags(sdk: AsyncClient) -> None:
    response = await ask(sdk, "imported", think=False)

    assert response.message.content.startswith("<think>\nI weigh")
    assert not response.message.thinking


async def test_the_listings(sdk: AsyncClient) -> None:
    listed = [each.model for each in (await sdk.list()).models]
    shown = await sdk.show("qwen3")

    assert "qwen3:latest" in listed
    assert ["completion", "tools", "thinking"] == shown.capabilities
    assert shown.modelinfo is not None
    assert 40_960 == shown.modelinfo["qwen3.context_length"]


async def test_an_error_in_mid_stream(sdk: AsyncClient, vendor: Ollama) -> None:
    vendor.faults.append(Fault("error in mid-stream"))
    with pytest.raises(ResponseError, match="unexpected EOF") as caught:
        await ask(sdk)

    assert -1 == caught.value.status_code


async def test_a_line_separator_stands_raw_within_a_line(vendor: Ollama) -> None:
    vendor.faults.append(Fault("U+2028"))
    async with httpx.AsyncClient(verify=PLAIN) as client:
        response = await client.post(f"{vendor.url}/api/chat", json={"model": "llama3.2", "messages": []})

    assert 1 == sum("\u2028".encode() in line for line in response.content.split(b"\n"))


async def test_tools_and_one_answer(sdk: AsyncClient, vendor: Ollama) -> None:
    vendor.faults.append(Fault("tool call"))
    called = await sdk.chat("llama3.2", [{"role": "user", "content": "Speak."}])
    response = await sdk.chat("llama3.2", [{"role": "user", "content": "Speak."}])

    assert called.message.tool_calls
    assert response.message.content
    assert vendor.bills[1].output == response.eval_count
