"""Rows of the table: typed questions and their answers."""

import asyncio
from typing import Any, Final

from providers.errors import Malformed
from tests.providers.scenarios.scenario import questions, scenario, score
from tests.providers.scenarios.session import SPEECH, VendorSession
from tests.providers.vendors import schemas


@scenario("the schemas of all questions of all formats are accepted")
async def _(session: VendorSession) -> None:
    for name, type_ in questions().items():
        outcome = await session.outcome_of(
            type_
        )  # the fake's smallest answer may break a bound that the vendor's dialect leaves out
        assert "json_schema" == outcome.parameters["structured_output"], name

    assert len(questions()) == len(session.vendor.requests) == len(session.vendor.bills)
    assert all(session.vendor.schema_of(body) for body in session.vendor.requests)


@scenario("after a truncated answer the next call still uses structured output")
async def _(session: VendorSession) -> None:
    session.add_fault("truncated JSON")
    session.add_fault("length stop", first=2)
    await session.fails(Malformed, type_=score())
    await session.fails(Malformed, type_=score())
    await session.ask(score())

    assert [True] * 3 == [session.vendor.schema_of(body) is not None for body in session.vendor.requests]


COMPLAINTS: Final = {
    "openai": "In context=('properties', 'components'), 'type' is not permitted.",
    "anthropic": "output_config.format.schema: Schema is too complex.",
    "gemini": "The specified schema produces a constraint that has too many states for serving.",
    "ollama": "invalid JSON schema in format",
}


@scenario("a schema that the vendor refuses goes into the prompt, and other questions keep theirs")
async def _(session: VendorSession) -> None:
    rule, complaint = getattr(schemas, session.column.provider), COMPLAINTS[session.column.provider]

    def refuses(form: Any, **more: Any) -> str | None:
        if "components" in form.get("properties", {}):
            return complaint
        found: str | None = rule(form, **more)
        return found

    session.patch.setattr(schemas, session.column.provider, refuses)
    answer = await session.ask(score())
    sibling = await session.ask(questions()["compare"])

    assert isinstance(answer.value, score())
    assert answer.outcome.parameters["structured_output"] != "json_schema"
    assert "json_schema" == sibling.outcome.parameters["structured_output"]
    assert session.vendor.schema_of(session.vendor.requests[-1]) is not None


@scenario("several questions at once with the same refusal all succeed")
async def _(session: VendorSession) -> None:
    session.as_compatible_server()  # compatible servers get more parameters
    model, asked = session.add_model("somebody/nova-1"), {}
    if session.column.is_gateway:
        session.change_gateway(limits=("max_completion_tokens",))
    if session.column.provider == "gemini":
        session.add_model(model, thinks=False)  # it refuses a request for thinking
    if session.column.provider == "ollama":
        model, asked = session.add_model("qwen3:old", thinks=False, capabilities=("completion",)), {"think": "high"}
    answers = await asyncio.gather(*(session.ask(score(), model, again=1, **asked) for _ in range(6)))

    assert 6 == len(answers)
    assert 6 < len(session.vendor.requests)


for kind in (
    "another case",
    "prose around JSON",
    "code fence",
    "trailing comma",
    "one object too deep",
    "one object too flat",
    "extra field",
):

    @scenario(f"an answer with {kind}: read" if kind != "another case" else "enumerated words in another case: read")
    async def _(session: VendorSession, kind: str = kind) -> None:
        for name in ("score", "compare"):
            whole = (await session.ask(questions()[name])).value
            session.add_fault(kind)

            assert whole == (await session.ask(questions()[name])).value, name


for kind in ("split surrogate", "split UTF-8", "U+2028", "cut in mid-character"):
    more = {"U+2028": "\u2028", "cut in mid-character": ""}.get(kind, "\N{GRINNING FACE}")

    @scenario(f"{kind}: the text is complete", says=f"{SPEECH} Größe, 電車")
    async def _(session: VendorSession, kind: str = kind, more: str = more) -> None:
        plain, _ = await session.speak()
        session.add_fault(kind)
        text, _ = await session.speak()

        assert plain == text.replace(more, "", 1) if more else text
        assert more in text
        assert f"{SPEECH} Größe, 電車" == plain
