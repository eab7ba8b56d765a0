"""The protocol of a provider: it streams text, and it answers typed questions.

A provider translates one SDK and decides nothing: no retry, no default answer, no scoring.  Every failure is a
``ProviderError``.  Cancelling a call closes its connection.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from itertools import groupby
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

from msgspec import Struct, field

T = TypeVar("T")
Role = Literal["system", "user", "assistant"]
Think = Literal["default", "off", "low", "medium", "high"]
"""How much a model should think before it answers; ``default`` leaves it to the vendor."""

Parameters = dict[str, str | int | float | bool | None]
"""The parameters of a call without the prompt, as the event records them."""


class Segment(Struct, frozen=True):
    """A part of a prompt.  Adjacent segments with the same role form one message, joined by a blank line."""

    role: Role
    text: str
    ends_prefix: bool = False
    """Further prompts begin with the same segments up to this one: a vendor may keep them in its cache."""


class Tokens(Struct, frozen=True, kw_only=True):
    """Tokens of one call as the vendor reported them; 0 if it reported none.

    ``input`` includes ``cached`` (read from the vendor's cache) and ``written`` (written to it); ``output`` includes
    ``thought`` (used for thinking, visible or not).
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    thought: int = 0


class Speech(Struct, frozen=True, kw_only=True):
    """A text of one speaker: ``name`` is ``3`` for turn 3 and ``PRO-1`` for an argument."""

    name: str
    speaker: str
    """``A`` for the speaker who spoke first, ``B`` for the other one."""
    text: str
    kind: Literal["turn", "argument", "answer", "reply", "closing", "text"] = "turn"
    """An ``answer`` is the opponent's to an argument in cross-examination, a ``reply`` that of the argument's side, a
    ``text`` an artifact without a speaker."""
    answers: str = ""
    """The name of the argument that an answer or a reply is about."""


class RegisterEntry(Struct, frozen=True, kw_only=True):
    """A premise or a flagged claim on record: ``kind`` is ``premise``, or the kind of claim."""

    name: str
    kind: str
    speaker: str
    speech: str
    """The name of the speech in which it stands."""
    text: str
    quote: str


class Term(Struct, frozen=True, kw_only=True):
    """What the rubric says of a part of an answer: a component, a criterion, a kind of claim."""

    name: str
    asks: str = ""
    anchors: dict[str, str] = {}
    """What earns so many points: a number of points in digits, and a sentence."""
    part_of: str = ""
    """The dimension of a component."""


JOINS: Final = "_and_"
"""Stands between the purposes of two questions that are asked in one call."""


def purposes_of(purpose: str) -> tuple[str, ...]:
    """The purposes that a call serves: ``score`` and ``claims`` for ``score_and_claims``.

    The answer of such a call has the members of both answers side by side.
    """
    return tuple(purpose.split(JOINS))


class Material(Struct, frozen=True, kw_only=True):
    """What a typed question is about, as values: for a provider that does not read prompts.

    It holds what the prompt holds, without sides and names of models.  ``purpose`` is that of the question (``score``,
    ``compare`` …), and ``about`` names the speeches that it asks about, in the order of the prompt.
    """

    purpose: str
    motion: str
    speeches: tuple[Speech, ...]
    about: tuple[str, ...] = ()
    register: tuple[RegisterEntry, ...] = ()
    kinds: tuple[str, ...] = ()
    """The kinds of suspect claims that the question names."""
    language: str = "en"
    """BCP 47 tag of the language of the speeches."""
    terms: tuple[Term, ...] = ()
    """What the rubric says of the parts of the answer, in the order of the prompt."""
    context: str = ""
    """What else the question shows: two readings that differ, a rater's part, the positions of other judges."""
    least_quote: int = 1
    """Minimum number of characters of a valid quote."""
    most_words: dict[str, int] = {}
    """The most words of a part of the answer, by its path (``PRO-1.answer``); the empty path is the whole answer."""


class CallProgress:
    """What came of a call so far.  Its caller reads it if the call ends without an answer: also if it is cancelled."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.outcome: Outcome | None = None
        """What the vendor has reported; None if it has reported no tokens."""

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        """Further text came."""
        self._pieces.append(text)


class Request(Struct, frozen=True, kw_only=True):
    """One call.  ``key`` names its purpose (``speak:pro``, ``score:3``, ``compare:2-3``); only ``scripted`` reads it.

    ``attempt`` counts from 1 within the key.  ``idle_timeout_s`` limits the wait for each piece of text.
    ``max_tokens`` is for the answer alone: a provider adds the tokens that the model needs for thinking.
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
    material: Material | None = None
    """What a question of a judge is about; None for a speech, and for questions that give none."""
    debate: str = ""
    """The id of the debate.  Only a provider that asks people or gathers calls reads it; it stays in this process."""
    call: str = ""
    """The name of the call in its debate, which is the same after a restart; likewise."""
    limit_s: float | None = None
    """Seconds after which the caller gives the call up; None if the provider need not know."""
    progress: CallProgress = field(default_factory=CallProgress)
    """Where the provider keeps what comes."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of a finished call, without its text.

    ``cost_usd`` is None if the price is unknown.  ``reasoning`` is only shown to the director.
    ``finish``: the model ended by itself (``stop``) or reached its limit of tokens (``length``).
    ``is_partial``: the call has not finished.  The vendor has reported these tokens by now, and more may follow.
    """

    model: str
    tokens: Tokens
    latency_ms: int
    cost_usd: float | None
    finish: Literal["stop", "length"] = "stop"
    reasoning: str = ""
    parameters: Parameters = {}
    is_partial: bool = False


class Answer(Struct, Generic[T], frozen=True, kw_only=True):
    """A typed answer: the validated value, and the model's own text."""

    value: T
    raw: str
    outcome: Outcome


class TextStream(Protocol):
    """Text as it arrives.  ``outcome`` is available after the iteration."""

    def __aiter__(self) -> AsyncIterator[str]:
        """The pieces of text, none of them empty."""
        ...

    @property
    def outcome(self) -> Outcome:
        """The outcome of the call.  Raises ``RuntimeError`` while the stream runs."""
        ...


class ModelStatus(Struct, frozen=True, kw_only=True):
    """Whether a model answers, and what to do if it does not.  ``name`` is the full ``provider:model``."""

    name: str
    provider: str
    ok: bool
    detail: str
    hint: str = ""
    caveat: str = ""
    window: int | None = None
    """Tokens of a prompt and its answer together, or as many as the model handles well; None if unknown."""
    notice: str = ""
    """What its user should know: the model is announced to end, or Moot does not know it."""
    baseline: str = ""
    """The name of a judge that counts and understands nothing, for a sentence ("the lexical baseline"); else empty.

    A baseline only judges, and a debate that it judges has no winner."""


class Provider(Protocol):
    """One vendor.  It is constructed without arguments and without I/O; ``close`` ends what it started."""

    name: str

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """Stream text.  ``model`` is the part of the name after the first colon."""
        ...

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer a question with a value of ``type_``, a msgspec type, by the vendor's structured output."""
        ...

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The models that answer now, or only ``model``, within five seconds.  Raises no ``ProviderError``."""
        ...

    def caveat(self, model: str) -> str:
        """What readers must know about this model; empty if nothing."""
        ...

    async def close(self) -> None:
        """Release connections and child processes."""
        ...


def messages(prompt: tuple[Segment, ...]) -> list[dict[str, Any]]:
    """The prompt as chat messages: adjacent segments of one role are joined by a blank line."""
    return [
        {"role": role, "content": "\n\n".join(each.text for each in segments)}
        for role, segments in groupby(prompt, key=lambda each: each.role)
    ]
