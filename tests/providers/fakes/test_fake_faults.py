"""The faults of the fakes, tested without an SDK, so that the tests see the bytes."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.providers.vendors.faults import JSON_CHANGES, KINDS, STATUSES, Fault, changed
from tests.providers.vendors.running import KEY, PLAIN, Vendors, running_vendors
from tests.providers.vendors.vendor import FakeVendor

pytestmark = pytest.mark.anyio
NAMES = ("openai", "anthropic", "gemini", "ollama")
MODELS = {"openai": "gpt-5-mini", "anthropic": "claude-sonnet-5-5", "gemini": "gemini-2.5-flash", "ollama": "qwen3"}
HEADERS = {
    "openai": {"authorization": f"Bearer {KEY}"},
    "gemini": {"x-goog-api-key": KEY},
    "ollama": {},
    "anthropic": {"x-api-key": KEY, "anthropic-version": "2026-10-21"},
}
TOLD = [{"role": "user", "content": "Speak."}]
BODIES: dict[str, dict[str, Any]] = {
    "openai": {"stream": True, "stream_options": {"include_usage": True}},
    "anthropic": {"stream": True, "max_tokens": 4000},
    "gemini": {"contents": [{"parts": [{"text": "Speak."}]}]},
    "ollama": {"stream": True},
}
PATHS = {
    "openai": "/chat/completions",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
    "gemini": f"/v1/models/{MODELS['gemini']}:streamGenerateContent?alt=sse",
}
ENDS = {"openai": b"[DONE]", "anthropic": b"message_stop", "gemini": b"finishReason", "ollama": b'"done": true'}


@pytest.fixture
async def vendors() -> AsyncIterator[Vendors]:
    async with running_vendors(words=10) as vendors:
        yield vendors


async def ask(vendor: FakeVendor, *, timeout_s: float = 5, **more: Any) -> httpx2.Response:
    """One call without an SDK."""
    body = BODIES[vendor.name] | ({} if vendor.name == "gemini" else {"model": MODELS[vendor.name], "messages": TOLD})
    headers = {name: value.format(vendor.name) for name, value in HEADERS[vendor.name].items()}
    async with httpx2.AsyncClient(verify=PLAIN, timeout=timeout_s, **more) as client:
        return await client.post(vendor.url + PATHS[vendor.name], json=body, headers=headers)


@pytest.mark.parametrize("name", NAMES)
async def test_an_answer_is_billed_as_the_wire_reports_it(vendors: Vendors, name: str) -> None:
    vendor = vendors[name]
    response = await ask(vendor)

    assert ENDS[name] in response.content
    assert vendor.bills[0].is_usage_sent
    assert vendor.bills[0].output > 600
    assert 1 == len(vendor.requests) == len(vendor.headers)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", sorted(STATUSES))
async def test_a_status_is_an_error_in_the_vendors_shape(vendors: Vendors, name: str, kind: str) -> None:
    vendors[name].faults.append(Fault(kind))
    response = await ask(vendors[name])

    assert int(kind) == response.status_code
    assert "it went wrong" in json.dumps(response.json()["error"])
    assert [] == vendors[name].bills


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["quits early", "garbage", "error in mid-stream"])
async def test_a_stream_that_breaks_off_has_no_end_and_is_billed(vendors: Vendors, name: str, kind: str) -> None:
    vendors[name].faults.append(Fault(kind))
    response = await ask(vendors[name])

    assert ENDS[name] not in response.content
    assert [False] == [bill.is_usage_sent for bill in vendors[name].bills]
    assert ENDS[name] in (await ask(vendors[name])).content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["hang up", "reset", "down", "refused"])
async def test_a_connection_that_dies(vendors: Vendors, name: str, kind: str) -> None:
    vendors[name].faults.append(Fault(kind, value=0.001))
    with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError)):
        await ask(vendors[name])

    assert 1 == vendors[name].fault_counts[kind]


@pytest.mark.parametrize("kind", ["silence", "slow drip", "endless"])
async def test_a_stream_that_does_not_end(vendors: Vendors, kind: str) -> None:
    vendors.openai.faults.append(Fault(kind))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(vendors.openai), 0.05)

    assert [False] == [bill.is_usage_sent for bill in vendors.openai.bills]


@pytest.mark.slow
async def test_a_character_may_come_byte_by_byte(vendors: Vendors) -> None:
    vendors.ollama.faults.append(Fault("cut in mid-character"))

    assert ENDS["ollama"] in (await ask(vendors.ollama)).content


async def test_a_page_instead_of_an_answer(vendors: Vendors) -> None:
    vendors.openai.faults.append(Fault("wrong content type"))
    response = await ask(vendors.openai)

    assert ("text/html", 200) == (response.headers["content-type"], response.status_code)


@pytest.mark.parametrize("name", NAMES)
async def test_a_prompt_that_does_not_fit_in_the_vendors_words(vendors: Vendors, name: str) -> None:
    vendors[name].faults.append(Fault("context overflow"))
    response = await ask(vendors[name])

    assert 400 == response.status_code
    assert any(word in response.text for word in ("context length", "prompt is too long", "input token count"))


async def test_a_redirect_goes_to_another_origin_that_records_the_request(vendors: Vendors) -> None:
    vendors.anthropic.faults.append(Fault("redirect", times=2))
    stayed = await ask(vendors.anthropic)
    vendors.anthropic.faults.append(Fault("redirect"))
    await ask(vendors.anthropic, follow_redirects=True)

    assert 307 == stayed.status_code
    assert 1 == len(vendors.anthropic.redirected)
    assert vendors.anthropic.has_leaked  # httpx2 removes only the authorization header


@pytest.mark.parametrize(
    ("kind", "header", "value"),
    [
        ("429 with retry-after", "retry-after", "1"),
        ("429 with a fraction", "retry-after", "0.25"),
        ("429 with retry-after-ms", "retry-after-ms", "250"),
        ("429 with x-ratelimit-reset", "x-ratelimit-reset-requests", "250ms"),
    ],
)
async def test_when_to_retry(vendors: Vendors, kind: str, header: str, value: str) -> None:
    vendors.openai.faults.append(Fault(kind))
    response = await ask(vendors.openai)

    assert (429, value) == (response.status_code, response.headers[header])


async def test_when_to_retry_as_a_date(vendors: Vendors) -> None:
    vendors.openai.faults.append(Fault("429 with a date", value=30))
    until = parsedate_to_datetime((await ask(vendors.openai)).headers["retry-after"]) - datetime.now(UTC)

    assert 28 < until.total_seconds() < 32


async def test_a_careless_server_repeats_the_key(vendors: Vendors) -> None:
    vendors.openai.echo = True
    vendors.openai.faults.append(Fault("400"))

    assert vendors.openai.key in (await ask(vendors.openai)).text


def test_a_fault_applies_to_the_chosen_calls() -> None:
    fault = Fault("500", model="a", first=2, times=2, of="speech")
    calls = [("a", "speech"), ("b", "speech"), ("a", "question"), ("a", "speech"), ("a", "speech"), ("a", "speech")]

    assert [False, False, False, True, True, False] == [fault.applies(model, of) for model, of in calls]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("extra field", '{"extra": 1, "a": {"b": "tie"}}'),
        ("trailing comma", '{"a": {"b": "tie"},}'),
        ("one object too deep", '{"answer": {"a": {"b": "tie"}}}'),
        ("one object too flat", '{"b": "tie"}'),
        ("another case", '{"a": {"b": "TIE"}}'),
        ("broken JSON", '{a": {"b": "tie"}}'),
        ("truncated JSON", '{"a": {"b'),
        ("code fence", '```json\n{"a": {"b": "tie"}}\n```'),
        ("empty", ""),
    ],
)
def test_an_answer_that_is_not_what_was_asked(kind: str, text: str) -> None:
    assert text == changed(kind, '{"a": {"b": "tie"}}')
    assert kind not in JSON_CHANGES or changed(kind, "A speech.") == "A speech."
    assert kind in KINDS


async def test_the_environment_leads_to_all_four(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch, thought=7) as vendors:
        led = {name: os.environ[name] for name in vendors.environment}

        assert vendors.environment == led
        assert {7} == {model.thought for vendor in vendors.values() for model in vendor.models.values()}


@pytest.mark.slow
async def test_the_command_prints_the_addresses() -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.providers.vendors.serve",
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert child.stdout is not None
    lines = [(await child.stdout.readline()).decode() for _ in range(8)]
    child.terminate()
    await child.communicate()

    assert all(line.startswith("export ") for line in lines)
    assert any("OLLAMA_HOST=http://127.0.0.1:" in line for line in lines)
