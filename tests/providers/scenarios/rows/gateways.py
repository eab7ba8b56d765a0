"""Rows of the table: gateways, and thinking in all its forms."""

from typing import Any, Final

from providers.errors import ThinkingAsText
from tests.providers.scenarios.scenario import GATEWAY, THOUGHT, scenario, score
from tests.providers.scenarios.session import SPEECH, VendorSession
from tests.providers.vendors.gemini import GeminiProxy
from tests.providers.vendors.openai_reply import Shown


def gateway_scenario(what: str, *, calls: int, **rules: Any) -> None:
    @scenario(f"a gateway that takes {what}", only=(GATEWAY,), why="it is the vendor's own address")
    async def _(session: VendorSession) -> None:
        session.change_gateway(**rules)
        for model in ("openai/gpt-5-mini", "somebody/nova-1"):
            session.vendor.requests.clear()
            assert SPEECH == (await session.speak(model, again=1))[0]
            for _ in range(calls - 1):
                await session.outcome_of(score(), model, again=1)  # it may ignore how the answer was requested
            answer = await session.ask(score(), model)

            assert isinstance(answer.value, score())
            refused = len(session.vendor.requests) - len(session.vendor.bills)
            session.vendor.requests.clear()
            await session.check_speech(model)
            assert 1 == len(session.vendor.requests), f"{model}: still refused after {refused} refusals"
            session.vendor.bills.clear()


gateway_scenario("max_tokens only", calls=1, limits=("max_tokens",))
gateway_scenario("max_completion_tokens only", calls=1, limits=("max_completion_tokens",))
gateway_scenario("no limit at all", calls=1, limits=())
gateway_scenario("no response_format", calls=1, takes_format=False)
gateway_scenario("response_format and ignores it", calls=3, ignores=("response_format",))


SHAPES: Final[tuple[Shown, ...]] = ("reasoning_content", "reasoning", "reasoning_details", "content list", "tags")
for shape in SHAPES:

    @scenario(f"thinking sent as {shape}: never in the text", only=(GATEWAY,), why="another vendor's way")
    async def _(session: VendorSession, shape: Shown = shape) -> None:
        session.change_gateway(shows=shape)
        for model in ("somebody/nova-1", "qwen/qwen3-32b"):
            text, outcome = await session.speak(model, again=1)

            assert SPEECH == text
            assert THOUGHT in outcome.reasoning


@scenario(
    "an opening `<think>` that the server removed: the second call is right",
    only=(GATEWAY,),
    why="the vendor's own template is whole",
)
async def _(session: VendorSession) -> None:
    session.change_gateway(shows="swallowed tag")
    error = await session.fails(ThinkingAsText, model=session.add_model("somebody/nova-1"), max_tokens=2000)
    text, outcome = await session.speak("somebody/nova-1", max_tokens=2000)
    known, _ = await session.speak("deepseek/deepseek-r1")
    answer = await session.ask(score(), "somebody/nova-1")

    assert isinstance(answer.value, score())
    assert THOUGHT in error.raw
    assert SPEECH == text == known
    assert THOUGHT in outcome.reasoning


@scenario(
    "visible thinking: never in the text",
    without={"openai": "OpenAI shows none in chat completions", GATEWAY: "see the shapes above"},
)
async def _(session: VendorSession) -> None:
    text, outcome = await session.speak(think="high")

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning


@scenario("full `<think>` tags in the text", without={"anthropic": "Claude writes no tags"}, tags=True)
async def _(session: VendorSession) -> None:
    if session.column.is_gateway:
        session.change_gateway(shows="tags")
    text, outcome = await session.speak()
    answer = await session.ask(score())

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning
    assert isinstance(answer.value, score())


@scenario(
    "a server that lists no models: the status says so, and the model answers",
    without={"ollama": "Ollama lists its own"},
)
async def _(session: VendorSession) -> None:
    session.as_compatible_server()
    session.add_fault("404", of="listing", times=99)
    status = await session.check()
    rows = await session.provider.check()

    assert status.ok, status.detail
    assert status.detail
    assert rows
    assert all(each.detail for each in rows)
    await session.check_speech()


for answers in ({"get": 404}, {"get": 405}, {"v1": 404}, {"v1": 405}, {"get": 404, "v1": 405}):

    @scenario(
        f"a proxy in front of Gemini: {', '.join(f'{name} → {status}' for name, status in answers.items())}",
        only=("gemini",),
        why="it is Gemini's",
    )
    async def _(session: VendorSession, answers: Any = answers) -> None:
        session.as_compatible_server()
        session.vendor.proxy = GeminiProxy(**answers)
        status = await session.check()

        assert status.ok, status.detail
        await session.check_speech()
