"""Rows of the table: Ollama's window, which cuts a prompt without an error."""

from typing import Final

from providers.base import Segment
from providers.errors import PromptCut
from tests.providers.scenarios.scenario import scenario
from tests.providers.scenarios.session import SPEECH, VendorSession, billed

OLLAMA: Final = "only Ollama cuts a prompt without an error"


@scenario("num_ctx holds a Chinese prompt", only=("ollama",), why=OLLAMA)
async def _(session: VendorSession) -> None:
    prompt = (Segment("system", "你是辩手。"), Segment("user", "電車比汽車載客更多。" * 1200))
    text, outcome = await session.speak(prompt=prompt)
    window = session.vendor.requests[-1]["options"]["num_ctx"]

    assert SPEECH == text
    assert 8192 < outcome.tokens.input < window


@scenario(
    "a prompt that was cut fails with PromptCut, and the next call has a larger window", only=("ollama",), why=OLLAMA
)
async def _(session: VendorSession) -> None:
    rare = (Segment("user", "\ua500\ua549" * 8000),)  # Vai, which the estimate does not count as dense
    error = await session.fails(PromptCut, model=session.column.plain, prompt=rare)
    text, outcome = await session.speak(session.column.plain, prompt=rare)
    windows = [body["options"]["num_ctx"] for body in session.vendor.requests]

    assert billed(session.vendor.bills[0]) == error.outcome.tokens
    assert SPEECH == text
    assert windows[0] <= error.outcome.tokens.input + 8 < outcome.tokens.input < windows[1]


@scenario("keep_alive: a model stays loaded between turns", only=("ollama",), why="the others are hosted")
async def _(session: VendorSession) -> None:
    await session.speak()
    await session.speak()

    assert {"15m"} == {body["keep_alive"] for body in session.vendor.requests}
    assert 1 == session.vendor.loads
