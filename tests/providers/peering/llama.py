"""llama.cpp's own server with real weights, in the protocols of OpenAI and Anthropic."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

import msgspec
import pytest

from providers.base import Segment
from providers.embedded import locate
from providers.errors import ContextExceeded, Malformed, NotAuthorised
from providers.llama.process import LlamaProcess
from tests.providers.peer import Peer, Visit
from tests.providers.scenarios import score
from tests.providers.stall import request


@asynccontextmanager
async def llama(_: str) -> AsyncIterator[Mapping[str, str]]:
    child = LlamaProcess(locate("smollm2"))
    client = await child.ready()
    key, base = client.headers["authorization"].removeprefix("Bearer "), str(client.base_url).rstrip("/")
    try:
        yield {"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": key, "ANTHROPIC_BASE_URL": base,
               "ANTHROPIC_API_KEY": key}  # fmt: skip
    finally:
        await child.stop()


LLAMA: Final = Peer(models={"openai": "smollm2", "anthropic": "smollm2"}, opened=llama)
PATIENT: Final[dict[str, Any]] = {"idle_timeout_s": 60.0}
TALE: Final = (Segment("system", "You are brief."), Segment("user", "Say something about cities."))
LONG: Final = (Segment("system", "The square was a car park. " * 60), Segment("user", "Say one word."))


class Points(msgspec.Struct):
    points: Annotated[int, msgspec.Meta(ge=0, le=10)]


@LLAMA.shows("it speaks, its tokens are told, and it costs nothing")
async def _(at: Visit) -> None:
    text, outcome = await at.speak(prompt=TALE, max_tokens=24, **PATIENT)

    assert text.strip()
    assert "length" == outcome.finish
    assert 0 < outcome.tokens.output <= 24
    assert outcome.tokens.input > 5
    assert 0.0 == outcome.cost_usd


@LLAMA.shows("a typed question is answered by its schema", without=("anthropic",))
async def _(at: Visit) -> None:
    answer = await at.ask(Points, prompt=TALE, max_tokens=60, **PATIENT)

    assert 0 <= answer.value.points <= 10
    assert "json_schema" == answer.outcome.parameters["structured_output"]


@LLAMA.shows("the score of rubric v1 is a grammar to it", without=("anthropic",))
async def _(at: Visit) -> None:
    error = await at.fails(Malformed, type_=score(), prompt=TALE, max_tokens=40, **PATIENT)  # too few tokens for it

    assert "json_schema" == error.outcome.parameters["structured_output"]
    assert error.raw.lstrip().startswith("{")


@LLAMA.shows("a server that passes over schemas is asked otherwise the next time", without=("openai",))
async def _(at: Visit) -> None:
    outcomes = [await at.used(Points, prompt=TALE, max_tokens=40, **PATIENT) for _ in range(3)]

    assert ["json_schema", "tool", "prompt"] == [each.parameters["structured_output"] for each in outcomes]


@LLAMA.shows("cached tokens are counted")
async def _(at: Visit) -> None:
    _, first = await at.speak(prompt=LONG, max_tokens=4, **PATIENT)
    _, second = await at.speak(prompt=LONG, max_tokens=4, **PATIENT)

    assert first.tokens.input == second.tokens.input
    assert 200 < second.tokens.cached <= second.tokens.input


@LLAMA.shows("a prompt that is too long: ContextExceeded, and the next call works")
async def _(at: Visit) -> None:
    await at.fails(ContextExceeded, prompt=(Segment("user", "A tram, a bus, a car. " * 4000),), **PATIENT)

    assert (await at.speak(prompt=TALE, max_tokens=8, **PATIENT))[0]


@LLAMA.shows("who walks away is not waited for")
async def _(at: Visit) -> None:
    async with at.provider.stream(at.model, request(prompt=TALE, max_tokens=2000, **PATIENT)) as stream:
        async for _ in stream:
            break

    assert (await at.speak(prompt=TALE, max_tokens=8, **PATIENT))[0]


@LLAMA.shows("a wrong key: NotAuthorised")
async def _(at: Visit) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            patch.setenv(name, "another")
        await at.fails(NotAuthorised, prompt=TALE)


@LLAMA.shows("doctor has a row")
async def _(at: Visit) -> None:
    status = await at.check()
    every = await at.provider.check()

    assert status.ok, status.detail
    assert every
