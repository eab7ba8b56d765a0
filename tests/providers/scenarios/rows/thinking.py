"""Rows of the table: models that think, and their settings."""

from typing import Any, Final

from providers.base import Think
from providers.catalog.models import known_model
from providers.errors import Starved
from tests.providers.scenarios.scenario import SETTINGS, scenario, score
from tests.providers.scenarios.session import SPEECH, WORDS, VendorSession, billed


@scenario("a model that thinks by default (600 unseen tokens, limit 328) speaks")
async def _(session: VendorSession) -> None:
    text, outcome = await session.speak()

    assert SPEECH == text
    assert session.vendor.bills[-1].output > WORDS
    assert billed(session.vendor.bills[-1]) == outcome.tokens
    assert 1 == len(session.vendor.requests)


@scenario("… and so does an unknown model, at the latest at the second call")
async def _(session: VendorSession) -> None:
    stranger = session.add_model("somebody/nova-1")

    assert SPEECH == (await session.speak(stranger, again=1))[0]
    assert SPEECH == (await session.speak(stranger))[0]


@scenario("it answers a typed question: the score of rubric v1")
async def _(session: VendorSession) -> None:
    answer = await session.ask(score())

    assert isinstance(answer.value, score())
    assert 1 == len(session.vendor.requests)


async def _settings(session: VendorSession, settings: tuple[Think, ...], type_: Any = None) -> None:
    for model in speaking_models(session):
        spent: dict[str, int] = {}
        again = int(
            session.column.is_gateway or known_model(model) is None
        )  # a model that thinks unexpectedly fails once with Starved
        for think in settings:
            if type_ is None:
                text, outcome = await session.speak(model, think=think, again=again)
                assert SPEECH == text, f"{model} at {think}"
            else:
                outcome = (await session.ask(type_, model, think=think)).outcome
            assert think == outcome.parameters["think"]
            spent[think] = session.vendor.bills[-1].output
        rising = [spent[think] for think in settings if think != "default"]
        assert sorted(rising) == rising, f"{model}: {spent}"

    assert len(session.vendor.bills) == len(session.vendor.requests), "a call was refused before"


GATED: Final = [
    "openai/gpt-5-mini", "openai/o3", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "qwen/qwen3-32b",
    "deepseek/deepseek-r1", "openai/gpt-oss-120b", "meta-llama/llama-3.3-70b-instruct", "x-ai/grok-4",
]  # fmt: skip


def speaking_models(session: VendorSession) -> list[str]:
    """All models of a vendor that generate text; at a gateway, names of any vendor."""
    if session.column.is_gateway:
        return GATED
    return [name for name in session.vendor.models if not name.startswith("nomic")]


@scenario("every model takes every setting of think (default, off, low, medium, high) and speaks")
async def _(session: VendorSession) -> None:
    await _settings(session, SETTINGS)


@scenario("… and answers the typed question (default, off, high)")
async def _(session: VendorSession) -> None:
    await _settings(session, ("default", "off", "high"), score())


@scenario("a model that uses any room fails with Starved and its tokens, and gets more room", thought=20_000)
async def _(session: VendorSession) -> None:
    model = session.add_model("somebody/nova-1")
    first = await session.fails(Starved, model=model)
    second = await session.fails(Starved, model=model)

    assert [billed(each) for each in session.vendor.bills] == [first.outcome.tokens, second.outcome.tokens]
    assert first.outcome.parameters["limit"] < second.outcome.parameters["limit"]
    assert SPEECH == (await session.speak(model, again=2))[0]
