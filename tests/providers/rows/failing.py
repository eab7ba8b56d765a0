"""Rows of the table: what goes wrong, and that the next call works."""

from collections.abc import Mapping
from typing import Any, Final

from providers.errors import (
    BadRequest,
    BrokenOff,
    ContextExceeded,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    TimedOut,
    UnknownModel,
    Unreachable,
)
from tests.providers.scenarios import GATEWAY, scenario, score
from tests.providers.stall import SPEECH, Stall


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
}.items():  # fmt: skip

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
    "400": (BadRequest,),
    "401": (NotAuthorised,),
    "403": (NotAuthorised,),
    "404": (UnknownModel,),
    "429": (RateLimited,),
    "500": (Overloaded,),
    "502": (Overloaded,),
    "503": (Overloaded,),
    "529": (Overloaded,),
    "hang up": (BrokenOff,),
    "down": (BrokenOff,),
    "wrong content type": (BrokenOff,),
    "reset": (BrokenOff,),
    "garbage": (BrokenOff,),
    "quits early": (BrokenOff,),
    "silence": (TimedOut,),
    "slow drip": (TimedOut,),
    "endless": (TimedOut,),
}
"""Faults of the transport, and what each is called."""
IDLE_S: Final = 0.1
for kind, errors in KINDS.items():

    @scenario(f"{kind}: {errors[0].__name__}, in time, and the next call works")
    async def _(at: Stall, kind: str = kind, errors: Any = errors) -> None:
        at.patch.setattr("providers.streaming.LONGEST_CALL", 2)
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
