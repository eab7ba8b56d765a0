"""Rows of the table: the cost of calls, also of failed ones."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from providers.base import Segment
from providers.catalog.pricing import cost
from providers.errors import (
    BrokenOff,
    Empty,
    Malformed,
    ProviderError,
    Refused,
    Stopped,
    TimedOut,
    ToolCalled,
    WrongType,
)
from tests.providers.scenarios.scenario import scenario, score
from tests.providers.scenarios.session import VendorSession, billed


def booked(
    what: str,
    kind: str,
    *errors: type[ProviderError],
    of_question: bool = False,
    without: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    **asked: Any,
) -> None:
    """Add a row: a call that fails in this way is billed, and its error has the tokens."""

    @scenario(f"{what} is an error with its tokens, as billed", without=without)
    async def _(session: VendorSession) -> None:
        session.add_fault(kind, value=(values or {}).get(session.column.provider))
        error = await session.fails(*errors, type_=score() if of_question else None, **asked)

        assert error.outcome is not None
        assert [billed(each) for each in session.vendor.bills] == [error.outcome.tokens]
        await session.check_speech()


NO_WORD: Final = {"ollama": "Ollama has no word for it"}
booked("a refusal", "refusal", Refused, without=NO_WORD)
booked("a refused question", "refusal", Refused, without=NO_WORD, of_question=True)
booked("a truncated answer", "length stop", Malformed, of_question=True)
booked("an answer without text", "empty", Empty)
booked("a tool call", "tool call", ToolCalled)
booked("a tool call instead of an answer", "tool call", ToolCalled, of_question=True)
booked(
    "an end for another reason of the vendor",
    "finish",
    Stopped,
    without=NO_WORD,
    values={"openai": "insufficient_system_resource", "anthropic": "pause_turn", "gemini": "OTHER"},
)
booked(
    "a blocked answer (content_filter, SAFETY)",
    "finish",
    Refused,
    without=NO_WORD | {"anthropic": "it says refusal, see there"},
    values={"openai": "content_filter", "gemini": "PROHIBITED_CONTENT"},
)


@scenario(
    "a stream that breaks off or falls silent: its error has the tokens reported so far",
    only=("anthropic", "gemini"),
    why="it reports its tokens at the end",
)
async def _(session: VendorSession) -> None:
    session.as_remote_server()
    for kind in ("garbage", "quits early", "silence"):
        session.add_fault(kind)
        error = await session.fails(BrokenOff, TimedOut, type_=score(), idle_timeout_s=0.3)
        outcome, bill = error.outcome, session.vendor.bills[-1]

        assert outcome.is_partial
        assert (bill.model, bill.input) == (outcome.model, outcome.tokens.input)
        assert (
            0
            < outcome.cost_usd
            == cost(session.column.provider, bill.model, outcome.tokens.input, outcome.tokens.output)
        )


class Coded(msgspec.Struct):
    """A type that the fake never answers with: it ignores patterns."""

    code: Annotated[str, msgspec.Meta(pattern="^x+$")]


@scenario("an answer of another type is an error with its tokens, as billed")
async def _(session: VendorSession) -> None:
    error = await session.fails(WrongType, type_=Coded)

    assert [billed(each) for each in session.vendor.bills] == [error.outcome.tokens]
    await session.ask(score())


@scenario("a dated name keeps its price", without={"ollama": "its answers bear the name that was asked for"})
async def _(session: VendorSession) -> None:
    model, dated = {
        "openai": ("gpt-4.1", "gpt-4.1-2025-04-14"), "anthropic": ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        "gemini": ("gemini-2.5-flash", "gemini-2.5-flash-001"),
    }[session.column.provider]  # fmt: skip
    session.as_remote_server()
    session.add_model(model, billed_as=dated, thought=0)
    _, outcome = await session.speak(model)
    used = outcome.tokens

    assert dated == outcome.model
    assert outcome.cost_usd is not None
    assert 0 < outcome.cost_usd == cost(session.column.provider, model, used.input, used.output)


@scenario("a name without a price costs None, never 0")
async def _(session: VendorSession) -> None:
    session.as_remote_server()
    _, outcome = await session.speak(session.add_model("somebody/nova-1", thought=0))

    assert outcome.cost_usd is None


@scenario("a model on this machine costs nothing")
async def _(session: VendorSession) -> None:
    _, outcome = await session.speak()

    assert 0.0 == outcome.cost_usd


CACHED: Final = {"ollama": "Ollama counts what it keeps among the prompt's tokens, and does not say how much it was"}
LONG: Final = "The square was a car park until the trams came back. " * 400


@scenario("tokens read from the cache and written to it are counted", without=CACHED)
async def _(session: VendorSession) -> None:
    prompt = (Segment("system", "You debate."), Segment("user", LONG, ends_prefix=True), Segment("user", "Speak."))
    outcomes = [(await session.speak(prompt=prompt))[1] for _ in range(2)]

    assert [billed(each) for each in session.vendor.bills] == [each.tokens for each in outcomes]
    assert 1000 < outcomes[1].tokens.cached < outcomes[1].tokens.input


@scenario("… also where writing to the cache is billed", only=("openai", "anthropic"), why="it costs nothing there")
async def _(session: VendorSession) -> None:
    model = {"openai": "gpt-5.6-sol", "anthropic": "claude-sonnet-5-5"}[session.column.provider]
    _, outcome = await session.speak(model, prompt=(Segment("user", LONG, ends_prefix=True), Segment("user", "Speak.")))

    assert 1000 < outcome.tokens.written == session.vendor.bills[0].written
    assert billed(session.vendor.bills[0]) == outcome.tokens
