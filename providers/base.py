"""What a model is to Moot: something that streams text, and something that answers a typed question.

A provider translates one SDK and decides nothing: no retry, no default answer, no scoring.  Everything that can go
wrong is a ``ProviderError``.  Cancelling a call closes its connection.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

T = TypeVar("T")
Role = Literal["system", "user", "assistant"]
Think = Literal["default", "off", "low", "medium", "high"]
"""How much a model is asked to think before it answers; ``default`` asks for nothing and leaves it to the vendor."""

Parameters = dict[str, str | int | float | bool | None]
"""What was asked of the vendor beside the prompt, as it is recorded."""


class Segment(Struct, frozen=True):
    """A piece of a prompt.  Neighbours of the same role form one message, joined by a blank line."""

    role: Role
    text: str


class Tokens(Struct, frozen=True, kw_only=True):
    """Tokens of one call as the provider reported them; 0 where it says nothing.

    ``input`` includes ``cached`` (read from the vendor's cache) and ``written`` (put there); ``output`` includes
    ``thought`` (spent on thinking, shown or not).
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    thought: int = 0


class Request(Struct, frozen=True, kw_only=True):
    """One call.  ``key`` names what is asked (``speak:pro``, ``score:3``, ``compare:2-3``): only ``scripted`` reads it.

    ``attempt`` counts from 1 within the key.  ``idle_timeout_s`` bounds the wait for the first and each further text.
    ``max_tokens`` is what the answer itself may have: a provider adds the room that the model needs for thinking.
    """

    key: str
    turn: int
    attempt: int
    prompt: tuple[Segment, ...]
    max_tokens: int
    temperature: float
    seed: int | None = None
    idle_timeout_s: float = 60.0
    think: Think = "default"


class Outcome(Struct, frozen=True, kw_only=True):
    """How a finished call went.

    ``cost_usd`` is None where no price is known.  ``reasoning`` is never shown to anybody but the director.
    ``finish``: the model ended by itself (``stop``) or ran into ``max_tokens`` (``length``).
    """

    model: str
    tokens: Tokens
    latency_ms: int
    cost_usd: float | None
    finish: Literal["stop", "length"] = "stop"
    reasoning: str = ""
    parameters: Parameters = {}


class Answer(Struct, Generic[T], frozen=True, kw_only=True):
    """A typed answer: the value, validated, and the model's own bytes."""

    value: T
    raw: str
    outcome: Outcome


class TextStream(Protocol):
    """Text as it comes.  ``outcome`` may be read once the iteration has ended."""

    def __aiter__(self) -> AsyncIterator[str]:
        """Chunks of text, none of them empty."""
        ...

    @property
    def outcome(self) -> Outcome:
        """How it went.  Raises ``RuntimeError`` while the stream runs."""
        ...


class ModelStatus(Struct, frozen=True, kw_only=True):
    """Whether a model answers, and what to do when it does not.  ``name`` is the full ``provider:model``."""

    name: str
    provider: str
    ok: bool
    detail: str
    hint: str = ""
    caveat: str = ""
    window: int | None = None
    """Tokens that a prompt and its answer may have together, or that the model reads well; None where nobody says."""
    notice: str = ""
    """What its user should know: the model is announced to end, or nothing is known of it here."""


class Provider(Protocol):
    """One vendor, one SDK.  Constructed without arguments and without I/O; ``close`` ends what it started."""

    name: str

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """Speak.  ``model`` is the part of the name after the first colon."""
        ...

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer a question whose answer is of ``type_`` (a msgspec type), by the provider's own structured output."""
        ...

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Which models answer now, within five seconds; with ``model`` only that one.  Never raises a ProviderError."""
        ...

    def caveat(self, model: str) -> str:
        """What readers must know of this model, or nothing."""
        ...

    async def close(self) -> None:
        """Release connections and child processes."""
        ...


def messages(prompt: tuple[Segment, ...]) -> list[dict[str, Any]]:
    """The prompt as chat messages: neighbours of one role joined by a blank line."""
    joined: list[dict[str, Any]] = []
    for segment in prompt:
        if joined and joined[-1]["role"] == segment.role:
            joined[-1]["content"] += "\n\n" + segment.text
        else:
            joined.append({"role": segment.role, "content": segment.text})
    return joined
