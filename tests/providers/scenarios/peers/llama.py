"""llama.cpp's own server with real weights, in the protocols of OpenAI and Anthropic."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

import msgspec
import pytest

from providers.base import Segment
from providers.embedded.process import LlamaProcess
from providers.embedded.provider import locate
from providers.errors import ContextExceeded, Malformed, NotAuthorised
from tests.providers.scenarios.peers.peer import Peer, PeerSession
from tests.providers.scenarios.scenario import score
from tests.providers.scenarios.session import request


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


@LLAMA.row("it speaks, its tokens are reported, and it costs nothing")
async def _(session: PeerSession) -> None:
    text, outcome = await session.speak(prompt=TALE, max_tokens=24, **PATIENT)

    assert text.strip()
    assert "length" == outcome.finish
    assert 0 < outcome.tokens.output <= 24
    assert outcome.tokens.input > 5
    assert 0.0 == outcome.cost_usd


@LLAMA.row("a typed question is answered by its schema", without=("anthropic",))
async def _(session: PeerSession) -> None:
    answer = await session.ask(Points, prompt=TALE, max_tokens=60, **PATIENT)

    assert 0 <= answer.value.points <= 10
    assert "json_schema" == answer.outcome.parameters["structured_output"]


@LLAMA.row("the schema of a score by rubric v1 becomes a grammar", without=("anthropic",))
async def _(session: PeerSession) -> None:
    error = await session.fails(
        Malformed, type_=score(), prompt=TALE, max_tokens=40, **PATIENT
    )  # too few tokens for a whole answer

    assert "json_schema" == error.outcome.parameters["structured_output"]
    assert error.raw.lstrip().startswith("{")


@LLAMA.row("for a server that ignores schemas, the next call uses another method", without=("openai",))
async def _(session: PeerSession) -> None:
    outcomes = [await session.outcome_of(Points, prompt=TALE, max_tokens=40, **PATIENT) for _ in range(3)]

    assert ["json_schema", "tool", "prompt"] == [each.parameters["structured_output"] for each in outcomes]


@LLAMA.row("cached tokens are counted")
async def _(session: PeerSession) -> None:
    _, first = await session.speak(prompt=LONG, max_tokens=4, **PATIENT)
    _, second = await session.speak(prompt=LONG, max_tokens=4, **PATIENT)

    assert first.tokens.input == second.tokens.input
    assert 200 < second.tokens.cached <= second.tokens.input


@LLAMA.row("a prompt that is too long: ContextExceeded, and the next call works")
async def _(session: PeerSession) -> None:
    await session.fails(ContextExceeded, prompt=(Segment("user", "A tram, a bus, a car. " * 4000),), **PATIENT)

    assert (await session.speak(prompt=TALE, max_tokens=8, **PATIENT))[0]


@LLAMA.row("leaving a stream ends the call")
async def _(session: PeerSession) -> None:
    async with session.provider.stream(session.model, request(prompt=TALE, max_tokens=2000, **PATIENT)) as stream:
        async for _ in stream:
            break

    assert (await session.speak(prompt=TALE, max_tokens=8, **PATIENT))[0]


@LLAMA.row("a wrong key: NotAuthorised")
async def _(session: PeerSession) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            patch.setenv(name, "another")
        await session.fails(NotAuthorised, prompt=TALE)


@LLAMA.row("doctor has a row")
async def _(session: PeerSession) -> None:
    status = await session.check()
    every = await session.provider.check()

    assert status.ok, status.detail
    assert every
