"""Rows of the table: models that think, and how they are asked to."""

from typing import Any, Final

from providers.base import Think
from providers.errors import Starved
from providers.models import known_model
from tests.providers.scenarios import SETTINGS, scenario, score
from tests.providers.stall import SPEECH, WORDS, Stall, billed


@scenario("a model that thinks by default (600 unseen tokens, limit 328) speaks")
async def _(at: Stall) -> None:
    text, outcome = await at.speak()

    assert SPEECH == text
    assert at.house.books[-1].output > WORDS
    assert billed(at.house.books[-1]) == outcome.tokens
    assert 1 == len(at.house.asked)


@scenario("… and so does one that nobody knows, at the second call at the latest")
async def _(at: Stall) -> None:
    stranger = at.sells("somebody/nova-1")

    assert SPEECH == (await at.speak(stranger, again=1))[0]
    assert SPEECH == (await at.speak(stranger))[0]


@scenario("it answers a typed question: the score of rubric v1")
async def _(at: Stall) -> None:
    answer = await at.ask(score())

    assert isinstance(answer.value, score())
    assert 1 == len(at.house.asked)


async def _settings(at: Stall, settings: tuple[Think, ...], type_: Any = None) -> None:
    for model in speaking_models(at):
        spent: dict[str, int] = {}
        again = int(at.column.is_gateway or known_model(model) is None)  # whoever thinks unexpectedly is starved once
        for think in settings:
            if type_ is None:
                text, outcome = await at.speak(model, think=think, again=again)
                assert SPEECH == text, f"{model} at {think}"
            else:
                outcome = (await at.ask(type_, model, think=think)).outcome
            assert think == outcome.parameters["think"]
            spent[think] = at.house.books[-1].output
        rising = [spent[think] for think in settings if think != "default"]
        assert sorted(rising) == rising, f"{model}: {spent}"

    assert len(at.house.books) == len(at.house.asked), "a call was refused before"


GATED: Final = [
    "openai/gpt-5-mini", "openai/o3", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "qwen/qwen3-32b",
    "deepseek/deepseek-r1", "openai/gpt-oss-120b", "meta-llama/llama-3.3-70b-instruct", "x-ai/grok-4",
]  # fmt: skip


def speaking_models(at: Stall) -> list[str]:
    """All models of a vendor that speak; names of any vendor at a gateway."""
    if at.column.is_gateway:
        return GATED
    return [name for name in at.house.models if not name.startswith("nomic")]


@scenario("every model takes every setting of think (default, off, low, medium, high) and speaks")
async def _(at: Stall) -> None:
    await _settings(at, SETTINGS)


@scenario("… and answers the typed question (default, off, high)")
async def _(at: Stall) -> None:
    await _settings(at, ("default", "off", "high"), score())


@scenario("a model that eats any room is starved, its tokens are told, and it gets more room", thought=20_000)
async def _(at: Stall) -> None:
    model = at.sells("somebody/nova-1")
    first = await at.fails(Starved, model=model)
    second = await at.fails(Starved, model=model)

    assert [billed(each) for each in at.house.books] == [first.outcome.tokens, second.outcome.tokens]
    assert first.outcome.parameters["limit"] < second.outcome.parameters["limit"]
    assert SPEECH == (await at.speak(model, again=2))[0]
