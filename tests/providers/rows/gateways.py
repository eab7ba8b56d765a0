"""Rows of the table: servers in front of a model, and thoughts in all their shapes."""

from typing import Any, Final

from providers.errors import ThinkingAsText
from tests.providers.scenarios import GATEWAY, THOUGHT, scenario, score
from tests.providers.stall import SPEECH, Stall
from tests.providers.vendors.gemini import Door
from tests.providers.vendors.openai_reply import Shown


def gate(what: str, *, calls: int, **rules: Any) -> None:
    @scenario(f"a gateway that takes {what}", only=(GATEWAY,), why="it is the vendor's own address")
    async def _(at: Stall) -> None:
        at.behind(**rules)
        for model in ("openai/gpt-5-mini", "somebody/nova-1"):
            at.house.asked.clear()
            assert SPEECH == (await at.speak(model, again=1))[0]
            for _ in range(calls - 1):
                await at.used(score(), model, again=1)  # it may pass over how the answer was asked for
            answer = await at.ask(score(), model)

            assert isinstance(answer.value, score())
            refused = len(at.house.asked) - len(at.house.books)
            at.house.asked.clear()
            await at.speaks(model)
            assert 1 == len(at.house.asked), f"{model}: still refused after {refused} refusals"
            at.house.books.clear()


gate("max_tokens only", calls=1, limits=("max_tokens",))
gate("max_completion_tokens only", calls=1, limits=("max_completion_tokens",))
gate("no limit at all", calls=1, limits=())
gate("no response_format", calls=1, takes_format=False)
gate("response_format and passes over it", calls=3, ignores=("response_format",))


SHAPES: Final[tuple[Shown, ...]] = ("reasoning_content", "reasoning", "reasoning_details", "content list", "tags")
for shape in SHAPES:

    @scenario(f"thoughts told as {shape}: never in the text", only=(GATEWAY,), why="another vendor's way")
    async def _(at: Stall, shape: Shown = shape) -> None:
        at.behind(shows=shape)
        for model in ("somebody/nova-1", "qwen/qwen3-32b"):
            text, outcome = await at.speak(model, again=1)

            assert SPEECH == text
            assert THOUGHT in outcome.reasoning


@scenario(
    "an opening `<think>` that the server has eaten: the second call is right",
    only=(GATEWAY,),
    why="the vendor's own template is whole",
)
async def _(at: Stall) -> None:
    at.behind(shows="swallowed tag")
    error = await at.fails(ThinkingAsText, model=at.sells("somebody/nova-1"), max_tokens=2000)
    text, outcome = await at.speak("somebody/nova-1", max_tokens=2000)
    known, _ = await at.speak("deepseek/deepseek-r1")
    answer = await at.ask(score(), "somebody/nova-1")

    assert isinstance(answer.value, score())
    assert THOUGHT in error.raw
    assert SPEECH == text == known
    assert THOUGHT in outcome.reasoning


@scenario(
    "thoughts that are shown: never in the text",
    without={"openai": "OpenAI shows none in chat completions", GATEWAY: "see the shapes above"},
)
async def _(at: Stall) -> None:
    text, outcome = await at.speak(think="high")

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning


@scenario("full `<think>` tags in the text", without={"anthropic": "Claude writes no tags"}, tags=True)
async def _(at: Stall) -> None:
    if at.column.is_gateway:
        at.behind(shows="tags")
    text, outcome = await at.speak()
    answer = await at.ask(score())

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning
    assert isinstance(answer.value, score())


@scenario(
    "a server in front that lists no models: it is said, and the model speaks",
    without={"ollama": "Ollama lists its own"},
)
async def _(at: Stall) -> None:
    at.elsewhere()
    at.breaks("404", of="listing", times=99)
    status = await at.check()
    rows = await at.provider.check()

    assert status.ok, status.detail
    assert status.detail
    assert rows
    assert all(each.detail for each in rows)
    await at.speaks()


for answers in ({"get": 404}, {"get": 405}, {"v1": 404}, {"v1": 405}, {"get": 404, "v1": 405}):

    @scenario(
        f"a server in front of Gemini: {', '.join(f'{name} → {status}' for name, status in answers.items())}",
        only=("gemini",),
        why="it is Gemini's",
    )
    async def _(at: Stall, answers: Any = answers) -> None:
        at.elsewhere()
        at.house.door = Door(**answers)
        status = await at.check()

        assert status.ok, status.detail
        await at.speaks()
