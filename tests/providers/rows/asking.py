"""Rows of the table: typed questions, and what models answer to them."""

import asyncio
from typing import Any, Final

from providers.errors import Malformed
from tests.providers.scenarios import questions, scenario, score
from tests.providers.stall import SPEECH, Stall
from tests.providers.vendors import schemas


@scenario("the schemas of all questions of all formats are taken")
async def _(at: Stall) -> None:
    for name, type_ in questions().items():
        outcome = await at.used(type_)  # the fake's smallest answer may be off a bound that the vendor's dialect lacks
        assert "json_schema" == outcome.parameters["structured_output"], name

    assert len(questions()) == len(at.house.asked) == len(at.house.books)
    assert all(at.house.form_of(body) for body in at.house.asked)


@scenario("after a truncated answer the next call asks for structured output all the same")
async def _(at: Stall) -> None:
    at.breaks("truncated JSON")
    at.breaks("length stop", first=2)
    await at.fails(Malformed, type_=score())
    await at.fails(Malformed, type_=score())
    await at.ask(score())

    assert [True] * 3 == [at.house.form_of(body) is not None for body in at.house.asked]


COMPLAINTS: Final = {
    "openai": "In context=('properties', 'components'), 'type' is not permitted.",
    "anthropic": "output_config.format.schema: Schema is too complex.",
    "gemini": "The specified schema produces a constraint that has too many states for serving.",
    "ollama": "invalid JSON schema in format",
}


@scenario("a schema that the vendor refuses is put into words, and other questions keep theirs")
async def _(at: Stall) -> None:
    rule, complaint = getattr(schemas, at.column.provider), COMPLAINTS[at.column.provider]

    def refuses(form: Any, **more: Any) -> str | None:
        if "components" in form.get("properties", {}):
            return complaint
        found: str | None = rule(form, **more)
        return found

    at.patch.setattr(schemas, at.column.provider, refuses)
    answer = await at.ask(score())
    sibling = await at.ask(questions()["compare"])

    assert isinstance(answer.value, score())
    assert answer.outcome.parameters["structured_output"] != "json_schema"
    assert "json_schema" == sibling.outcome.parameters["structured_output"]
    assert at.house.form_of(at.house.asked[-1]) is not None


@scenario("several questions at once that get the same refusal all succeed")
async def _(at: Stall) -> None:
    at.elsewhere()  # where more is tried
    model, asked = at.sells("somebody/nova-1"), {}
    if at.column.is_gateway:
        at.behind(limits=("max_completion_tokens",))
    if at.column.provider == "gemini":
        at.sells(model, thinks=False)  # refuses to be asked for thoughts
    if at.column.provider == "ollama":
        model, asked = at.sells("qwen3:old", thinks=False, capabilities=("completion",)), {"think": "high"}
    answers = await asyncio.gather(*(at.ask(score(), model, again=1, **asked) for _ in range(6)))

    assert 6 == len(answers)
    assert 6 < len(at.house.asked)


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
    async def _(at: Stall, kind: str = kind) -> None:
        for name in ("score", "compare"):
            whole = (await at.ask(questions()[name])).value
            at.breaks(kind)

            assert whole == (await at.ask(questions()[name])).value, name


for kind in ("split surrogate", "split UTF-8", "U+2028", "cut in mid-character"):
    more = {"U+2028": "\u2028", "cut in mid-character": ""}.get(kind, "\N{GRINNING FACE}")

    @scenario(f"{kind}: the text is whole", says=f"{SPEECH} Größe, 電車")
    async def _(at: Stall, kind: str = kind, more: str = more) -> None:
        plain, _ = await at.speak()
        at.breaks(kind)
        text, _ = await at.speak()

        assert plain == text.replace(more, "", 1) if more else text
        assert more in text
        assert f"{SPEECH} Größe, 電車" == plain
