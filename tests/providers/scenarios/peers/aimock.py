"""npm's ``@copilotkit/aimock``, a mock of four vendors with fixed answers and faults."""

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from providers.errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    Starved,
    ToolCalled,
)
from tests.providers.scenarios.peers.peer import Peer, PeerSession, answer_of, free_port, running
from tests.providers.scenarios.scenario import score
from tests.providers.scenarios.session import SPEECH
from tests.providers.vendors import faults

THOUGHT: Final = "I weigh what was said before I speak."


def fixture(cue: str, response: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"match": {"userMessage": cue}, "response": dict(response), **more}


def failure(status: int, message: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}, "status": status, **more}


CHAOS: Final = ("drop", "malformed", "rateLimit", "disconnect")
USAGE: Final = {
    "prompt_tokens": 900,
    "completion_tokens": 328,
    "total_tokens": 1228,
    "input_tokens": 900,
    "output_tokens": 328,
    "promptTokenCount": 900,
    "candidatesTokenCount": 328,
    "totalTokenCount": 1228,
}
"""Each protocol uses its own names among these."""


def fixtures() -> list[dict[str, Any]]:
    """The answers of aimock, each selected by a cue in the prompt."""
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
        *(fixture(f"chaos {kind}", speech, chaos={f"{kind}Rate": 1}) for kind in CHAOS),
        fixture("speak", speech),
    ]


READ: Final = ("another case", "code fence", "prose around JSON", "trailing comma", "one object too deep",
               "one object too flat")  # fmt: skip


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
                "OPENAI_BASE_URL": f"{url}/v1",
                "ANTHROPIC_BASE_URL": url,
                "GOOGLE_GEMINI_BASE_URL": url,
                "OLLAMA_HOST": url,
                "OPENAI_API_KEY": "k",
                "ANTHROPIC_API_KEY": "k",
                "GEMINI_API_KEY": "k",
            }


AIMOCK: Final = Peer(
    models={"openai": "gpt-5-mini", "anthropic": "claude-sonnet-5-5", "gemini": "gemini-2.5-flash", "ollama": "qwen3"},
    opened=aimock,
    variable="MOOT_AIMOCK",
)


@AIMOCK.row("it speaks")
async def _(session: PeerSession) -> None:
    await session.check_speech(**session.cue("speak"))


@AIMOCK.row("thinking is never in the text")
async def _(session: PeerSession) -> None:
    text, outcome = await session.speak(**session.cue("think first"))

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning or session.provider.name == "ollama", (
        "aimock uses another field for it than Ollama"
    )


@AIMOCK.row("a typed question is answered: the score of rubric v1")
async def _(session: PeerSession) -> None:
    answer = await session.ask(score(), **session.cue("score it"))

    assert isinstance(answer.value, score())


for kind in READ:

    @AIMOCK.row(f"an answer with {kind}: read")
    async def _(session: PeerSession, kind: str = kind) -> None:
        whole = await session.ask(score(), **session.cue("score it"))
        changed = await session.ask(score(), **session.cue(f"with {kind}"))

        assert whole.value == changed.value


@AIMOCK.row("429 with Retry-After: the wait is in the error")
async def _(session: PeerSession) -> None:
    error = await session.fails(RateLimited, **session.cue("limit me"))

    assert 7.0 == error.retry_after_s
    await session.check_speech(**session.cue("speak"))


FAILURES: Final[Mapping[str, type[ProviderError]]] = {
    "be busy": Overloaded, "mistake the key": NotAuthorised, "overflow": ContextExceeded, "refuse it": BadRequest,
    "cut it": BrokenOff, "hang up": BrokenOff, "call a tool": ToolCalled, "chaos drop": Overloaded,
    "chaos malformed": BrokenOff, "chaos rateLimit": RateLimited, "chaos disconnect": BrokenOff,
}  # fmt: skip
NAMES: Final = {
    "be busy": "503", "mistake the key": "401", "overflow": "“prompt is too long”", "refuse it": "400",
    "cut it": "a stream that is cut", "hang up": "a connection that is closed within the stream",
    "call a tool": "a tool call",
}  # fmt: skip
for cue, kind_of_error in FAILURES.items():

    @AIMOCK.row(f"{NAMES.get(cue, cue)}: {kind_of_error.__name__}, and the next call works")
    async def _(session: PeerSession, cue: str = cue, error: type[ProviderError] = kind_of_error) -> None:
        await session.fails(error, **session.cue(cue))
        await session.check_speech(**session.cue("speak"))


@AIMOCK.row("usage is reported", without=("ollama",))
async def _(session: PeerSession) -> None:
    _, outcome = await session.speak(**session.cue("count it"))

    assert (900, 328) == (outcome.tokens.input, outcome.tokens.output)


@AIMOCK.row("a limit that is used up without text: Starved, with its tokens", without=("ollama",))
async def _(session: PeerSession) -> None:
    error = await session.fails(Starved, **session.cue("starve"))

    assert 328 == error.outcome.tokens.output


@AIMOCK.row("doctor has a row for the model, with the reason")
async def _(session: PeerSession) -> None:
    status = await session.check()
    every = await session.provider.check()

    assert (session.provider.name != "ollama") == status.ok, status.detail  # its list for Ollama has no qwen3
    assert all(each.detail for each in (status, *every))
