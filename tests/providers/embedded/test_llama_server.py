"""llama.cpp's own server, with real weights, called by the vendors' SDKs in the vendors' protocols."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
import pytest
from msgspec import Meta, Struct

from events.store.log import follow
from events.types import ModelAnswered, TurnScored, TurnSpoken
from providers import errors
from providers.anthropic import AnthropicProvider
from providers.base import Segment
from providers.embedded.process import LlamaProcess
from providers.embedded.provider import locate
from providers.openai import OpenAIProvider
from server.debate.commands import Halt
from server.settings import Settings
from tests.server.harness import check_sound, harness, is_end

pytestmark = [pytest.mark.anyio, pytest.mark.embedded]
HELLO = (Segment("system", "You are brief."), Segment("user", "Say something about cities."))


class Score(Struct):
    points: Annotated[int, Meta(ge=0, le=10)]
    reason: Annotated[str, Meta(max_length=60)]


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LlamaProcess]:
    child = LlamaProcess(locate("smollm2"))
    client = await child.client()
    key = client.headers["authorization"].removeprefix("Bearer ")
    base = str(client.base_url).rstrip("/")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{base}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", base)
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    yield child
    await child.stop()


@pytest.mark.slow
@pytest.mark.parametrize("make", [OpenAIProvider, AnthropicProvider])
async def test_the_contract_without_faults_holds_on_a_real_server(server: LlamaProcess, make: Any, ask: Any) -> None:
    provider = make()
    try:
        async with provider.stream("smollm2", ask(prompt=HELLO, max_tokens=24)) as stream:
            chunks = [chunk async for chunk in stream]
        outcome = stream.outcome
        with anyio.move_on_after(5) as walked_away:
            async with provider.stream("smollm2", ask(prompt=HELLO, max_tokens=2000)) as stream:
                async for _ in stream:
                    break
        statuses = [*await provider.check(), *await provider.check("smollm2")]
    finally:
        await provider.close()

    assert len(chunks) > 3
    assert "length" == outcome.finish
    assert 0 < outcome.tokens.output <= 24
    assert outcome.tokens.input > 5
    assert 0.0 == outcome.cost_usd
    assert not walked_away.cancelled_caught
    assert all(status.ok for status in statuses)


@pytest.mark.slow
async def test_a_typed_answer_comes_by_the_schema(server: LlamaProcess, ask: Any) -> None:
    provider = OpenAIProvider()
    answer = await provider.answer("smollm2", ask("score:1", prompt=HELLO, max_tokens=160), Score)
    await provider.close()

    assert 0 <= answer.value.points <= 10
    assert "json_schema" == answer.outcome.parameters["structured_output"]


@pytest.mark.slow
async def test_a_server_that_ignores_schemas_and_tools_gets_the_schema_in_the_prompt(
    server: LlamaProcess, ask: Any
) -> None:
    """llama.cpp's ``/v1/messages`` takes no schema, and so small a model rarely answers in JSON without one."""
    provider = AnthropicProvider()
    means: list[object] = []
    for _ in range(3):
        outcome = None
        try:
            outcome = (await provider.answer("smollm2", ask("score:1", prompt=HELLO, max_tokens=24), Score)).outcome
        except errors.Malformed as error:
            outcome = error.outcome
        means.append(outcome and outcome.parameters["structured_output"])
    await provider.close()

    assert ["json_schema", "tool", "prompt"] == means


@pytest.mark.thorough
async def test_three_providers_hold_a_debate(server: LlamaProcess) -> None:
    """Until the second turn is spoken: by then each provider has had its part, and the rest takes half a minute."""
    settings = Settings(store="memory:", idle_timeout_s=60)
    async with harness(settings=settings) as h:
        debate = await h.open(
            "anthropic:smollm2",
            turns=2,
            judge="embedded:smollm2",
            con={"model": "openai:smollm2"},
            max_words=30,
        )
        with anyio.fail_after(110):
            async for record in follow(h.log, debate):
                if is_end(record) or (isinstance(record.event, TurnSpoken) and record.event.side == "con"):
                    break
        await h.moderators.act(debate, Halt("the test has seen enough", by="test"))
        records = await check_sound(h.log, debate)

    events = [record.event for record in records]
    assert ["pro", "con"] == [event.side for event in events if isinstance(event, TurnSpoken)]
    assert [1] == [event.turn for event in events if isinstance(event, TurnScored)]
    assert {"speak", "score", "claims"} <= {event.purpose for event in events if isinstance(event, ModelAnswered)}
