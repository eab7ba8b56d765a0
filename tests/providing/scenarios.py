"""What every provider must be able to do with every vendor as it is today: the rows of the table.

A scenario is told apart by its sentence.  ``without`` names the columns to which it does not apply, each with a reason.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, get_args

import msgspec

from providers.base import Segment, Think
from providers.errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    Empty,
    Malformed,
    NotAuthorised,
    Overloaded,
    PromptCut,
    ProviderError,
    RateLimited,
    Refused,
    Starved,
    Stopped,
    ThoughtAloud,
    TimedOut,
    ToolCalled,
    UnknownModel,
    Unreachable,
    WrongType,
)
from providers.models import known
from providers.pricing import cost
from providers.schema import schema
from tests.providing.asked import everything
from tests.providing.stall import SPEECH, WORDS, Column, Stall, billed
from tests.providing.vendors import schemas
from tests.providing.vendors.gemini import Door
from tests.providing.vendors.openai_reply import Shown

Check = Callable[[Stall], Awaitable[None]]
VENDORS: Final = ("openai", "anthropic", "gemini", "ollama")
GATEWAY: Final = "openai at a gateway"
SETTINGS: Final[tuple[Think, ...]] = get_args(Think)
THOUGHT: Final = "I weigh what was said."
"""How the fake's thoughts begin."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """``behaviour`` is each model's, as in ``Behaviour``."""

    name: str
    check: Check
    without: Mapping[str, str] = field(default_factory=dict)
    behaviour: Mapping[str, Any] = field(default_factory=dict)

    def why(self, column: Column) -> str:
        """Why it does not apply to a column; empty where it does."""
        return self.without.get(column.name, "")


ALL: Final[list[Scenario]] = []


def scenario(
    name: str, *, without: Mapping[str, str] | None = None, only: tuple[str, ...] = (), why: str = "", **behaviour: Any
) -> Callable[[Check], Check]:
    """Add a row.  ``only`` names the columns to which it applies; ``why`` says why not to the others."""
    assert bool(only) == bool(why), name
    others = {each: why for each in (*VENDORS, GATEWAY) if only and each not in only}

    def add(check: Check) -> Check:
        ALL.append(Scenario(name=name, check=check, without=others | dict(without or {}), behaviour=behaviour))
        return check

    return add


@cache
def questions() -> Mapping[str, Any]:
    """The type of each question that Moot asks, by what it is for; a second schema for the same has a number."""
    found: dict[str, Any] = {}
    seen: set[bytes] = set()
    for _, ask in everything()[0]:
        form = msgspec.json.encode(schema(ask.answer_type))
        if form not in seen:
            seen.add(form)
            alike = sum(name.partition(" ")[0] == ask.purpose for name in found)
            found[f"{ask.purpose} {alike + 1}" if alike else ask.purpose] = ask.answer_type
    return found


def score() -> Any:
    """The question for a turn's score by rubric v1."""
    return questions()["score"]


# Thinking


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
        again = int(at.column.is_gateway or known(model) is None)   # whoever thinks unexpectedly is starved once
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


# Structured output


@scenario("the schemas of all questions of all formats are taken")
async def _(at: Stall) -> None:
    for name, type_ in questions().items():
        outcome = await at.used(type_)   # the fake's smallest answer may be off a bound that the vendor's dialect lacks
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
    at.elsewhere()   # where more is tried
    model, asked = at.sells("somebody/nova-1"), {}
    if at.column.is_gateway:
        at.behind(limits=("max_completion_tokens",))
    if at.column.provider == "gemini":
        at.sells(model, thinks=False)   # refuses to be asked for thoughts
    if at.column.provider == "ollama":
        model, asked = at.sells("qwen3:old", thinks=False, capabilities=("completion",)), {"think": "high"}
    answers = await asyncio.gather(*(at.ask(score(), model, again=1, **asked) for _ in range(6)))

    assert 6 == len(answers)
    assert 6 < len(at.house.asked)


# Books


def booked(
    what: str, kind: str, *errors: type[ProviderError], of_question: bool = False,
    without: Mapping[str, str] | None = None, values: Mapping[str, str] | None = None, **asked: Any,
) -> None:
    """A row: a call that fails so, is paid for, and tells its tokens."""

    @scenario(f"{what} is an error that tells its tokens, as they are billed", without=without)
    async def _(at: Stall) -> None:
        at.breaks(kind, value=(values or {}).get(at.column.provider))
        error = await at.fails(*errors, type_=score() if of_question else None, **asked)

        assert error.outcome is not None
        assert [billed(each) for each in at.house.books] == [error.outcome.tokens]
        await at.speaks()


NO_WORD: Final = {"ollama": "Ollama has no word for it"}
booked("a refusal", "refusal", Refused, without=NO_WORD)
booked("a refused question", "refusal", Refused, without=NO_WORD, of_question=True)
booked("a truncated answer", "length stop", Malformed, of_question=True)
booked("an answer without text", "empty", Empty)
booked("a call of a tool", "tool call", ToolCalled)
booked("a call of a tool in place of an answer", "tool call", ToolCalled, of_question=True)
booked(
    "an end for a reason of the vendor's own", "finish", Stopped, without=NO_WORD,
    values={"openai": "insufficient_system_resource", "anthropic": "pause_turn", "gemini": "OTHER"},
)
booked(
    "a blocked answer (content_filter, SAFETY)", "finish", Refused,
    without=NO_WORD | {"anthropic": "it says refusal, see there"},
    values={"openai": "content_filter", "gemini": "PROHIBITED_CONTENT"},
)


class Coded(msgspec.Struct):
    """What no answer of the fake is: it knows nothing of patterns."""

    code: Annotated[str, msgspec.Meta(pattern="^x+$")]


@scenario("an answer of another shape is an error that tells its tokens, as they are billed")
async def _(at: Stall) -> None:
    error = await at.fails(WrongType, type_=Coded)

    assert [billed(each) for each in at.house.books] == [error.outcome.tokens]
    await at.ask(score())


@scenario("a dated name keeps its price", without={"ollama": "its answers bear the name that was asked for"})
async def _(at: Stall) -> None:
    model, dated = {
        "openai": ("gpt-4.1", "gpt-4.1-2025-04-14"), "anthropic": ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        "gemini": ("gemini-2.5-flash", "gemini-2.5-flash-001"),
    }[at.column.provider]   # fmt: skip
    at.far_away()
    at.sells(model, billed_as=dated, thought=0)
    _, outcome = await at.speak(model)
    used = outcome.tokens

    assert dated == outcome.model
    assert outcome.cost_usd is not None
    assert 0 < outcome.cost_usd == cost(at.column.provider, model, used.input, used.output)


@scenario("a name that nobody has a price for costs None, and never nothing")
async def _(at: Stall) -> None:
    at.far_away()
    _, outcome = await at.speak(at.sells("somebody/nova-1", thought=0))

    assert outcome.cost_usd is None


@scenario("what runs on this machine costs nothing")
async def _(at: Stall) -> None:
    _, outcome = await at.speak()

    assert 0.0 == outcome.cost_usd


CACHED: Final = {"ollama": "Ollama counts what it keeps among the prompt's tokens, and does not say how much it was"}
LONG: Final = "The square was a car park until the trams came back. " * 400


@scenario("cached tokens are counted, and what was put into the cache", without=CACHED)
async def _(at: Stall) -> None:
    prompt = (Segment("system", "You debate."), Segment("user", LONG), Segment("user", "Speak."))
    outcomes = [(await at.speak(prompt=prompt))[1] for _ in range(2)]

    assert [billed(each) for each in at.house.books] == [each.tokens for each in outcomes]
    assert 1000 < outcomes[1].tokens.cached < outcomes[1].tokens.input


@scenario("… also where writing to the cache is billed", only=("openai", "anthropic"), why="it costs nothing there")
async def _(at: Stall) -> None:
    model = {"openai": "gpt-5.6-sol", "anthropic": "claude-sonnet-5-5"}[at.column.provider]
    _, outcome = await at.speak(model, prompt=(Segment("user", LONG), Segment("user", "Speak.")))

    assert 1000 < outcome.tokens.written == at.house.books[0].written
    assert billed(at.house.books[0]) == outcome.tokens


# Gateways


def gate(what: str, *, calls: int, **rules: Any) -> None:
    @scenario(f"a gateway that takes {what}", only=(GATEWAY,), why="it is the vendor's own address")
    async def _(at: Stall) -> None:
        at.behind(**rules)
        for model in ("openai/gpt-5-mini", "somebody/nova-1"):
            at.house.asked.clear()
            assert SPEECH == (await at.speak(model, again=1))[0]
            for _ in range(calls - 1):
                await at.used(score(), model, again=1)   # it may pass over how the answer was asked for
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


@scenario("an opening <think> that the server has eaten: the second call is right", only=(GATEWAY,),
          why="the vendor's own template is whole")
async def _(at: Stall) -> None:
    at.behind(shows="swallowed tag")
    error = await at.fails(ThoughtAloud, model=at.sells("somebody/nova-1"), max_tokens=2000)
    text, outcome = await at.speak("somebody/nova-1", max_tokens=2000)
    known, _ = await at.speak("deepseek/deepseek-r1")

    assert THOUGHT in error.raw
    assert SPEECH == text == known
    assert THOUGHT in outcome.reasoning


@scenario("thoughts that are shown: never in the text", without={"openai": "OpenAI shows none in chat completions",
                                                               GATEWAY: "see the shapes above"})
async def _(at: Stall) -> None:
    text, outcome = await at.speak(think="high")

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning


@scenario("full <think> tags in the text", without={"anthropic": "Claude writes no tags"}, tags=True)
async def _(at: Stall) -> None:
    if at.column.is_gateway:
        at.behind(shows="tags")
    text, outcome = await at.speak()
    answer = await at.ask(score())

    assert SPEECH == text
    assert THOUGHT in outcome.reasoning
    assert isinstance(answer.value, score())


@scenario("a server in front that lists no models: it is said, and the model speaks",
          without={"ollama": "Ollama lists its own"})
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

    @scenario(f"a server in front of Gemini: {', '.join(f'{name} → {status}' for name, status in answers.items())}",
              only=("gemini",), why="it is Gemini's")
    async def _(at: Stall, answers: Any = answers) -> None:
        at.elsewhere()
        at.house.door = Door(**answers)
        status = await at.check()

        assert status.ok, status.detail
        await at.speaks()


# What a model answers


for kind in ("another case", "prose around JSON", "code fence", "trailing comma", "one object too deep",
             "one object too flat", "extra field"):

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


# What goes wrong


@scenario("a prompt that is too long: ContextExceeded, in each vendor's words")
async def _(at: Stall) -> None:
    at.breaks("context overflow")
    error = await at.fails(ContextExceeded)

    assert not error.retryable
    await at.speaks()


@scenario("an error within a stream is no turn, and is told by its kind")
async def _(at: Stall) -> None:
    at.breaks("error in mid-stream")
    error = await at.fails(*((BrokenOff,) if at.column.provider == "ollama" else (Overloaded,)))

    assert error.raw != SPEECH
    await at.speaks()


WAITS: Final = 30.4
ELSEWHERE: Final = "another vendor's way"
for kind, told in {
    "429 with retry-after": (), "429 with a fraction": (), "429 with a date": (), "429 with retry-after-ms": (),
    "429 with RetryInfo": ("gemini",), "429 with x-ratelimit-reset": ("openai", GATEWAY),
    "429 with anthropic-ratelimit": ("anthropic",),
}.items():   # fmt: skip

    @scenario(f"{kind}: how long to wait is told", only=told, why=ELSEWHERE if told else "")
    async def _(at: Stall, kind: str = kind) -> None:
        at.breaks(kind, value=WAITS)
        error = await at.fails(RateLimited)

        assert error.retry_after_s is not None
        assert WAITS - 2 < error.retry_after_s < WAITS + 2
        await at.speaks()


@scenario("a redirect to another origin is refused and told, and the key stays here")
async def _(at: Stall) -> None:
    at.breaks("redirect")
    error = await at.fails(BadRequest)
    at.breaks("redirect", of="listing", times=9)
    status = await at.check()

    assert "redirects to" in error.message
    assert not status.ok
    assert "redirects to" in status.detail
    assert [] == at.house.strayed
    at.house.faults.clear()
    await at.speaks()


@scenario("a key that the server repeats stands in no error")
async def _(at: Stall) -> None:
    at.house.echo = True
    at.breaks("400")
    error = await at.fails(BadRequest)

    assert at.house.key not in f"{error} {error.message} {error.raw}"


KINDS: Final[Mapping[str, tuple[type[ProviderError], ...]]] = {
    "400": (BadRequest,), "401": (NotAuthorised,), "403": (NotAuthorised,), "404": (UnknownModel,),
    "429": (RateLimited,), "500": (Overloaded,), "502": (Overloaded,), "503": (Overloaded,), "529": (Overloaded,),
    "hang up": (BrokenOff,), "down": (BrokenOff,), "wrong content type": (BrokenOff,), "reset": (BrokenOff,),
    "garbage": (BrokenOff,), "quits early": (BrokenOff,), "silence": (TimedOut,), "slow drip": (TimedOut,),
    "endless": (TimedOut,),
}
"""Faults of the transport, and what each is called."""
IDLE_S: Final = 0.1
for kind, errors in KINDS.items():

    @scenario(f"{kind}: {errors[0].__name__}, in time, and the next call works")
    async def _(at: Stall, kind: str = kind, errors: Any = errors) -> None:
        at.patch.setattr("providers.streaming.DRIP_LIMIT", 2)
        waits = TimedOut in errors
        asked: dict[str, Any] = {"idle_timeout_s": IDLE_S} if waits else {}
        for type_ in (None,) if waits else (None, score()):
            at.breaks(kind)
            await at.fails(*errors, type_=type_, **asked)
        await at.speaks()
        await at.ask(score())


@scenario("nobody listens: Unreachable, and the next call works once somebody does")
async def _(at: Stall) -> None:
    await at.speaks()
    at.house.shut()
    await at.fails(Unreachable)
    status = await at.check()
    await at.house.listen()

    assert not status.ok
    await at.speaks()


# Ollama's window

OLLAMA: Final = "Ollama alone cuts a prompt in silence"


@scenario("num_ctx holds a Chinese prompt", only=("ollama",), why=OLLAMA)
async def _(at: Stall) -> None:
    prompt = (Segment("system", "你是辩手。"), Segment("user", "電車比汽車載客更多。" * 1200))
    text, outcome = await at.speak(prompt=prompt)
    window = at.house.asked[-1]["options"]["num_ctx"]

    assert SPEECH == text
    assert 8192 < outcome.tokens.input < window


@scenario("a prompt that was cut is PromptCut, and the next call asks for more", only=("ollama",), why=OLLAMA)
async def _(at: Stall) -> None:
    rare = (Segment("user", "\ua500\ua549" * 8000),)   # Vai, which nobody's guess counts as dense
    error = await at.fails(PromptCut, model=at.column.plain, prompt=rare)
    text, outcome = await at.speak(at.column.plain, prompt=rare)
    windows = [body["options"]["num_ctx"] for body in at.house.asked]

    assert billed(at.house.books[0]) == error.outcome.tokens
    assert SPEECH == text
    assert windows[0] <= error.outcome.tokens.input + 8 < outcome.tokens.input < windows[1]


@scenario("keep_alive: a model stays loaded between turns", only=("ollama",), why="the others are hosted")
async def _(at: Stall) -> None:
    await at.speak()
    await at.speak()

    assert {"15m"} == {body["keep_alive"] for body in at.house.asked}
    assert 1 == at.house.loads
