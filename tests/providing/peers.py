"""Servers that are not ours, in the place of the fake: what they can show of the table.

``llama``: llama.cpp's own server with real weights, in the protocols of OpenAI and Anthropic.  ``aimock``: npm's
``@copilotkit/aimock``, a mock of four vendors, which answers by fixtures and breaks things.  ``litellm``: LiteLLM's
proxy, a gateway that speaks OpenAI's protocol.  The last two are executables of their own, which a variable names.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import httpx
import msgspec
import pytest

from providers.base import Segment
from providers.embedded import locate
from providers.errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    Malformed,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    Starved,
    ToolCalled,
    Unreachable,
)
from providers.llama_process import LlamaProcess
from providers.schema import schema
from tests.providing.scenarios import score
from tests.providing.stall import SPEECH, Caller, request, without_certificates
from tests.providing.vendors import faults, saying
from tests.shell.vendors import registry

THOUGHT: Final = "I weigh what was said before I speak."
READY_S: Final = 60.0


class Visit(Caller):
    """A provider before a peer."""

    def says(self, word: str) -> dict[str, Any]:
        """What a call asks that ``word`` is the cue of."""
        return {"prompt": (Segment("system", "You debate."), Segment("user", f"Now do this: {word}."))}


Check = Callable[[Visit], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """A scenario that a peer can show.  ``without`` names the columns in which it cannot."""

    name: str
    check: Check
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Peer:
    """``models`` by provider; ``opened`` starts it and gives the environment that leads to it."""

    models: Mapping[str, str]
    opened: Callable[[str], AbstractAsyncContextManager[Mapping[str, str]]]
    variable: str = ""
    rows: list[Row] = field(default_factory=list)

    def shows(self, name: str, *, without: tuple[str, ...] = ()) -> Callable[[Check], Check]:
        def add(check: Check) -> Check:
            self.rows.append(Row(name, check, without))
            return check

        return add


@asynccontextmanager
async def visiting(environment: Mapping[str, str], provider: str, model: str) -> AsyncIterator[Visit]:
    """A provider of our own before a peer that runs."""
    with pytest.MonkeyPatch.context() as patch:
        without_certificates(patch)
        for name, value in environment.items():
            patch.setenv(name, value)
        providers = registry()
        try:
            yield Visit(providers.provider(provider), model)
        finally:
            await providers.close()


async def tabled(name: str, executable: str, table: Callable[..., Any], cell: Callable[..., Any]) -> tuple[str, bool]:
    """The table of one peer."""
    peer = PEERS[name]
    if peer.variable and not executable:
        sys.exit(f"--peer {name} wants --{name} PATH, or {peer.variable}")
    async with peer.opened(executable) as environment:
        cells = [
            cell(row.name, f"{provider} at {name}", _run(row, environment, provider, model),
                 "it cannot show that" if provider in row.without else "")
            for row in peer.rows for provider, model in peer.models.items()
        ]   # fmt: skip
        found: tuple[str, bool] = await table(cells)
        return found


def _run(row: Row, environment: Mapping[str, str], provider: str, model: str) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        async with visiting(environment, provider, model) as visit:
            await row.check(visit)

    return run


@asynccontextmanager
async def running(*command: str, health: str, **more: str) -> AsyncIterator[None]:
    """A server in a process of its own, from the moment in which it answers at ``health``."""
    child = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | more
    )
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            until = time.monotonic() + READY_S
            while not await _is_well(client, health):
                if child.returncode is not None or time.monotonic() > until:
                    raise Unreachable(f"{command[0]} did not start")
                await asyncio.sleep(0.1)
        yield
    finally:
        if child.returncode is None:
            child.terminate()
        await child.wait()


async def _is_well(client: httpx.AsyncClient, health: str) -> bool:
    try:
        return (await client.get(health)).is_success
    except httpx.HTTPError:
        return False


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


# llama.cpp


@asynccontextmanager
async def llama(_: str) -> AsyncIterator[Mapping[str, str]]:
    child = LlamaProcess(locate("smollm2"))
    client = await child.ready()
    key, base = client.headers["authorization"].removeprefix("Bearer "), str(client.base_url).rstrip("/")
    try:
        yield {"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": key, "ANTHROPIC_BASE_URL": base,
               "ANTHROPIC_API_KEY": key}   # fmt: skip
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
    error = await at.fails(Malformed, type_=score(), prompt=TALE, max_tokens=40, **PATIENT)   # too few tokens for it

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


# aimock


def fixture(cue: str, response: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"match": {"userMessage": cue}, "response": dict(response), **more}


def failure(status: int, message: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}, "status": status, **more}


def answer_of(type_: Any) -> str:
    return json.dumps(saying.smallest(schema(type_)))


STORM: Final = ("drop", "malformed", "rateLimit", "disconnect")
USAGE: Final = {"prompt_tokens": 900, "completion_tokens": 328, "total_tokens": 1228, "input_tokens": 900,
                "output_tokens": 328, "promptTokenCount": 900, "candidatesTokenCount": 328, "totalTokenCount": 1228}
"""Each protocol takes its own names of these."""


def fixtures() -> list[dict[str, Any]]:
    """What aimock answers, by a cue in the prompt."""
    typed = answer_of(score())
    speech = {"content": SPEECH}
    return [
        fixture("think first", {"content": SPEECH, "reasoning": THOUGHT}),
        fixture("score it", {"content": typed}),
        *(fixture(f"with {kind}", {"content": faults.changed(kind, typed)}) for kind in READ),
        fixture("limit me", failure(429, "slow down", "rate_limit_error", retryAfter=7)),
        fixture("be busy", failure(503, "overloaded", "overloaded_error")),
        fixture("mistake the key", failure(401, "invalid api key", "authentication_error")),
        fixture("overflow", failure(400, "prompt is too long: 9 tokens > 8 maximum", "invalid_request_error")),
        fixture("refuse it", failure(400, "something is wrong with it", "invalid_request_error")),
        fixture("cut it", speech, truncateAfterChunks=3, latency=50),
        fixture("hang up", speech, disconnectAfterMs=200, latency=80),
        fixture("call a tool", {"toolCalls": [{"name": "answer", "arguments": "{}"}]}),
        fixture("starve", {"content": "", "finishReason": "length", "usage": USAGE}),
        fixture("count it", {"content": SPEECH, "usage": USAGE}),
        *(fixture(f"chaos {kind}", speech, chaos={f"{kind}Rate": 1}) for kind in STORM),
        fixture("speak", speech),
    ]


READ: Final = ("another case", "code fence", "prose around JSON", "trailing comma", "one object too deep",
               "one object too flat")   # fmt: skip


@asynccontextmanager
async def aimock(executable: str) -> AsyncIterator[Mapping[str, str]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fixtures.json"
        path.write_text(json.dumps({"fixtures": fixtures()}))
        asked = (executable, "-p", str(port), "-h", "127.0.0.1", "-f", str(path), "--log-level", "silent")
        async with running(*asked, health=f"{url}/health"):
            yield {
                "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url, "GOOGLE_GEMINI_BASE_URL": url,
                "OLLAMA_HOST": url, "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k",
            }


AIMOCK: Final = Peer(
    models={"openai": "gpt-5-mini", "anthropic": "claude-sonnet-5-5", "gemini": "gemini-2.5-flash", "ollama": "qwen3"},
    opened=aimock, variable="MOOT_AIMOCK",
)


@AIMOCK.shows("it speaks")
async def _(at: Visit) -> None:
    await at.speaks(**at.says("speak"))


@AIMOCK.shows("thoughts are never in the text")
async def _(at: Visit) -> None:
    text, outcome = await at.speak(**at.says("think first"))

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning or at.provider.name == "ollama", "it has another field for them than Ollama"


@AIMOCK.shows("a typed question is answered: the score of rubric v1")
async def _(at: Visit) -> None:
    answer = await at.ask(score(), **at.says("score it"))

    assert isinstance(answer.value, score())


for kind in READ:

    @AIMOCK.shows(f"an answer with {kind}: read")
    async def _(at: Visit, kind: str = kind) -> None:
        whole = await at.ask(score(), **at.says("score it"))
        changed = await at.ask(score(), **at.says(f"with {kind}"))

        assert whole.value == changed.value


@AIMOCK.shows("429 with Retry-After: how long to wait is told")
async def _(at: Visit) -> None:
    error = await at.fails(RateLimited, **at.says("limit me"))

    assert 7.0 == error.retry_after_s
    await at.speaks(**at.says("speak"))


FAILURES: Final[Mapping[str, type[ProviderError]]] = {
    "be busy": Overloaded, "mistake the key": NotAuthorised, "overflow": ContextExceeded, "refuse it": BadRequest,
    "cut it": BrokenOff, "hang up": BrokenOff, "call a tool": ToolCalled, "chaos drop": Overloaded,
    "chaos malformed": BrokenOff, "chaos rateLimit": RateLimited, "chaos disconnect": BrokenOff,
}   # fmt: skip
NAMES: Final = {
    "be busy": "503", "mistake the key": "401", "overflow": "“prompt is too long”", "refuse it": "400",
    "cut it": "a stream that is cut", "hang up": "a connection that is closed in mid-stream",
    "call a tool": "a call of a tool",
}   # fmt: skip
for cue, kind_of_error in FAILURES.items():

    @AIMOCK.shows(f"{NAMES.get(cue, cue)}: {kind_of_error.__name__}, and the next call works")
    async def _(at: Visit, cue: str = cue, error: type[ProviderError] = kind_of_error) -> None:
        await at.fails(error, **at.says(cue))
        await at.speaks(**at.says("speak"))


@AIMOCK.shows("usage is told", without=("ollama",))
async def _(at: Visit) -> None:
    _, outcome = await at.speak(**at.says("count it"))

    assert (900, 328) == (outcome.tokens.input, outcome.tokens.output)


@AIMOCK.shows("a limit that was used up without any text: Starved, with its tokens", without=("ollama",))
async def _(at: Visit) -> None:
    error = await at.fails(Starved, **at.says("starve"))

    assert 328 == error.outcome.tokens.output


@AIMOCK.shows("doctor has a row for the model, with its reason")
async def _(at: Visit) -> None:
    status = await at.check()
    every = await at.provider.check()

    assert (at.provider.name != "ollama") == status.ok, status.detail   # whose list names no qwen3
    assert all(each.detail for each in (status, *every))


# LiteLLM


LITELLM_KEY: Final = "sk-peer"
CONFIG: Final = """\
model_list:
  - {{model_name: speaks, litellm_params: {{model: openai/gpt-5-mini, api_key: x, mock_response: {speech}}}}}
  - {{model_name: scores, litellm_params: {{model: openai/gpt-5-mini, api_key: x, mock_response: {score}}}}}
  - {{model_name: limited, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.RateLimitError}}}}
  - {{model_name: breaks, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.InternalServerError}}}}
  - {{model_name: overflows, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.ContextWindowExceededError}}}}
litellm_settings: {{num_retries: 0}}
general_settings: {{master_key: {key}}}
"""


@asynccontextmanager
async def litellm(executable: str) -> AsyncIterator[Mapping[str, str]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        said = {"speech": json.dumps(SPEECH), "score": json.dumps(answer_of(score())), "key": LITELLM_KEY}
        path.write_text(CONFIG.format(**said))
        asked = (executable, "--config", str(path), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False")
        offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        async with running(*asked, health=f"{url}/health/liveliness", **offline):
            yield {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": LITELLM_KEY}


LITELLM: Final = Peer(models={"openai": "speaks"}, opened=litellm, variable="MOOT_LITELLM")


@LITELLM.shows("it speaks")
async def _(at: Visit) -> None:
    await at.speaks()


@LITELLM.shows("a typed question is answered: the score of rubric v1")
async def _(at: Visit) -> None:
    answer = await at.ask(score(), "scores")

    assert isinstance(answer.value, score())


@LITELLM.shows("usage is told")
async def _(at: Visit) -> None:
    _, outcome = await at.speak()

    assert outcome.tokens.input > 0
    assert outcome.tokens.output > 0


for model, kind_of_error in {"limited": RateLimited, "breaks": Overloaded, "overflows": ContextExceeded}.items():

    @LITELLM.shows(f"{kind_of_error.__name__}, and the next call works")
    async def _(at: Visit, model: str = model, error: type[ProviderError] = kind_of_error) -> None:
        await at.fails(error, model=model)
        await at.speaks()


@LITELLM.shows("a model that it does not have is refused")
async def _(at: Visit) -> None:
    await at.fails(ProviderError, model="nobody")
    await at.speaks()


@LITELLM.shows("doctor has a row for the model, with its reason")
async def _(at: Visit) -> None:
    status = await at.check()

    assert status.ok, status.detail


PEERS: Final = {"aimock": AIMOCK, "litellm": LITELLM, "llama": LLAMA}
