"""Rows of the table: failures, after which the next call works."""

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
from tests.providers.scenarios.scenario import GATEWAY, scenario, score
from tests.providers.scenarios.session import SPEECH, VendorSession


@scenario("a prompt that is too long: ContextExceeded, in each vendor's words")
async def _(session: VendorSession) -> None:
    session.add_fault("context overflow")
    await session.fails(ContextExceeded)
    await session.check_speech()


@scenario("an error within a stream is classified by its kind")
async def _(session: VendorSession) -> None:
    session.add_fault("error in mid-stream")
    error = await session.fails(*((BrokenOff,) if session.column.provider == "ollama" else (Overloaded,)))

    assert error.raw != SPEECH
    await session.check_speech()


WAITS: Final = 30.4
ELSEWHERE: Final = "another vendor's way"
for kind, columns in {
    "429 with retry-after": (), "429 with a fraction": (), "429 with a date": (), "429 with retry-after-ms": (),
    "429 with RetryInfo": ("gemini",), "429 with x-ratelimit-reset": ("openai", GATEWAY),
    "429 with anthropic-ratelimit": ("anthropic",),
}.items():  # fmt: skip

    @scenario(f"{kind}: the wait is in the error", only=columns, why=ELSEWHERE if columns else "")
    async def _(session: VendorSession, kind: str = kind) -> None:
        session.add_fault(kind, value=WAITS)
        error = await session.fails(RateLimited)

        assert error.retry_after_s is not None
        assert WAITS - 2 < error.retry_after_s < WAITS + 2
        await session.check_speech()


@scenario("a redirect to another origin is refused, and the key is not sent")
async def _(session: VendorSession) -> None:
    session.add_fault("redirect")
    error = await session.fails(BadRequest)
    session.add_fault("redirect", of="listing", times=9)
    status = await session.check()

    assert "redirects to" in error.message
    assert not status.ok
    assert "redirects to" in status.detail
    assert [] == session.vendor.redirected
    session.vendor.faults.clear()
    await session.check_speech()


@scenario("a key that the server repeats is in no error")
async def _(session: VendorSession) -> None:
    session.vendor.echo = True
    session.add_fault("400")
    error = await session.fails(BadRequest)

    assert session.vendor.key not in f"{error} {error.message} {error.raw}"


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
    "odd part": (BrokenOff,),
    "odd error": (BrokenOff,),
    "silence": (TimedOut,),
    "slow drip": (TimedOut,),
    "endless": (TimedOut,),
}
"""Faults of the transport, each with its error."""
IDLE_S: Final = 0.1
for kind, errors in KINDS.items():

    @scenario(f"{kind}: {errors[0].__name__}, in time, and the next call works")
    async def _(session: VendorSession, kind: str = kind, errors: Any = errors) -> None:
        session.patch.setattr("providers.answers.streaming.LONGEST_CALL", 2)
        waits = TimedOut in errors
        options: dict[str, Any] = {"idle_timeout_s": IDLE_S} if waits else {}
        for type_ in (None,) if waits else (None, score()):
            session.add_fault(kind)
            await session.fails(*errors, type_=type_, **options)
        await session.check_speech()
        await session.ask(score())


@scenario("no server at the address: Unreachable, and the next call works when it is back")
async def _(session: VendorSession) -> None:
    await session.check_speech()
    session.vendor.stop_listening()
    await session.fails(Unreachable)
    status = await session.check()
    await session.vendor.listen()

    assert not status.ok
    await session.check_speech()
