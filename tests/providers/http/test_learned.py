"""What calls show of a model: its room for thinking, and the parameters that it refuses for an hour."""

from typing import Any

import anyio
import pytest

from providers.answers.streaming import Source
from providers.base import Outcome, Tokens
from providers.catalog.models import likely_model
from providers.errors import BadRequest, ContextExceeded
from providers.http.learned import (
    EXPIRES_S,
    MIN_ROOM,
    ROOM,
    Learned,
    LearnedModels,
    adaptive_call,
    highest_limit_in,
    tokens_left_in,
)

pytestmark = pytest.mark.anyio


def ended(*, thought: int = 0, finish: Any = "stop") -> Outcome:
    tokens = Tokens(input=10, output=thought + 5, thought=thought)
    return Outcome(model="m", tokens=tokens, latency_ms=1, cost_usd=0.0, finish=finish)


@pytest.mark.parametrize(
    ("model", "think", "room"),
    [
        ("gpt-5-mini", "low", ROOM["low"]), ("gpt-5-mini", "default", ROOM["default"]), ("gpt-4.1", "medium", 0),
        ("gpt-5-mini", "off", ROOM["low"]),   # its thinking cannot be switched off
        ("claude-sonnet-5-5", "medium", ROOM["medium"]), ("claude-haiku-4-5", "default", 0),
        ("claude-haiku-4-5", "low", ROOM["low"]), ("nobody-knows-it", "high", 0),
    ],
)  # fmt: skip
def test_room_for_thinking_by_what_is_known(ask: Any, model: str, think: Any, room: int) -> None:
    assert 64 + room == Learned(likely_model(model)).token_limit(ask(max_tokens=64, think=think))


def test_an_unknown_model_that_starved_gets_room_and_more_each_time(ask: Any) -> None:
    learned, request, limits = Learned(None), ask(max_tokens=64), []
    for _ in range(3):
        limits.append(learned.token_limit(request))
        learned.record(ended(finish="length"), request, limits[-1], has_text=False)

    assert [64, 64 + MIN_ROOM, 64 + 4 * MIN_ROOM] == limits


def test_room_grows_with_the_longest_thinking_that_was_seen(ask: Any) -> None:
    learned, request = Learned(None), ask(max_tokens=64)
    learned.record(ended(thought=30_000), request, 64 + 32_768, has_text=True)

    assert 64 + 60_000 == learned.token_limit(request)


def test_the_limit_never_exceeds_that_of_the_vendor(ask: Any) -> None:
    learned = Learned(likely_model("gpt-5-mini"))

    assert learned.lower_limit(1000)
    assert not learned.lower_limit(2000)
    assert not learned.lower_limit(10)
    assert 1000 == learned.token_limit(ask(max_tokens=64, think="high"))


def test_a_refused_parameter_is_tried_again_after_an_hour() -> None:
    at = [0.0]
    learned = Learned(None, clock=lambda: at[0])
    learned.mark_unsupported("seed")
    before = learned.unsupported()
    at[0] = EXPIRES_S

    assert (frozenset({"seed"}), frozenset()) == (before, learned.unsupported())


def test_what_is_learned_belongs_to_a_model_at_an_address() -> None:
    lessons = LearnedModels(lambda _: None)
    lessons.of("here", "m").mark_unsupported("seed")

    assert [frozenset({"seed"}), frozenset(), frozenset()] == [
        lessons.of(*place).unsupported() for place in (("here", "m"), ("there", "m"), ("here", "n"))
    ]


@pytest.mark.parametrize(
    ("message", "most"),
    [
        ("max_tokens is too large: 100000. This model supports at most 16384 completion tokens", 16384),
        ("max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-x", 64000),
        ("maxOutputTokens value of 99999 but the supported range is from 1 (inclusive) to 65537 (exclusive)", 65536),
        ("`max_completion_tokens` must be less than or equal to `8192`", 8192),
        ("maximum context length is 4096 tokens. However, you requested 5096 tokens (1000 in the messages, ", 3096),
        ("This model's maximum context length is 4096 tokens and your request has 96 input tokens", 4000),
        ("This model's maximum context length is 4096 tokens. Please shorten it.", None), ("no", None),
    ],
)  # fmt: skip
def test_the_highest_limit_is_read_from_a_refusal(message: str, most: int | None) -> None:
    assert most == (highest_limit_in(message) or tokens_left_in(message))


def warm(lacks: frozenset[str], limit: int) -> dict[str, Any]:
    """The parameters for a model that may refuse a temperature."""
    return {} if "temperature" in lacks else {"temperature": 1.0}


async def test_parallel_calls_with_the_same_refusal_all_continue(ask: Any) -> None:
    """Four questions at once get the refusal of a temperature; the first of them records it."""
    learned, met, answered = Learned(None), anyio.Event(), []

    async def call(sent: Any) -> Source:
        if "temperature" in sent:
            await met.wait()
            raise BadRequest("Unsupported value: 'temperature'")
        yield "Cars."

    async def ask_one() -> None:
        pieces = [piece async for piece in adaptive_call(ask(), learned, warm, call, lambda _, sent: "temperature")]
        answered.append(pieces)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(ask_one)
        await anyio.wait_all_tasks_blocked()
        met.set()

    assert [["Cars."]] * 4 == answered


async def test_a_refusal_of_a_parameter_that_was_not_sent_is_final(ask: Any) -> None:
    sent = []

    async def call(parameters: Any) -> Source:
        sent.append(parameters)
        raise BadRequest("'temperature' again")
        yield ""

    with pytest.raises(BadRequest, match="again"):
        _ = [
            piece
            async for piece in adaptive_call(ask(), Learned(None), warm, call, lambda _, parameters: "temperature")
        ]

    assert [{"temperature": 1.0}, {}] == sent


async def test_a_limit_beyond_the_window_is_lowered_for_this_call_only(ask: Any) -> None:
    """The room that a prompt leaves in the window holds for this prompt only; a shorter one has all the room again."""
    learned, limits = Learned(likely_model("gpt-5-mini")), []

    def limited(_: frozenset[str], limit: int) -> dict[str, Any]:
        return {"limit": limit}

    async def call(sent: Any) -> Source:
        limits.append(sent["limit"])
        if len(limits) == 1:
            raise ContextExceeded("maximum context length is 4096 tokens and your request has 96 input tokens")
        yield "Cars."

    request = ask(think="medium")
    pieces = [
        [piece async for piece in adaptive_call(request, learned, limited, call, lambda _, sent: None)]
        for _ in range(2)
    ]
    whole = learned.token_limit(request)

    assert ([["Cars."]] * 2, [whole, 4000, whole]) == (pieces, limits)


async def test_a_prompt_that_leaves_no_room_is_too_long(ask: Any) -> None:
    async def call(_: Any) -> Source:
        raise ContextExceeded("maximum context length is 4096 tokens and your request has 4090 input tokens")
        yield ""

    with pytest.raises(ContextExceeded):
        _ = [piece async for piece in adaptive_call(ask(), Learned(None), warm, call, lambda _, sent: None)]
