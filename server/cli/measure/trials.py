"""Real calls to a model: whether it thinks, keeps to a form and reads from a cache, its speed and its cost."""

import time
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from providers.base import ModelStatus, Outcome, Request, Segment
from providers.catalog.addresses import VENDORS, is_free
from providers.catalog.models import known_model
from providers.catalog.pricing import cost, prepare
from providers.errors import ProviderError
from providers.registry import KEYED, Registry
from server.debate.calls import time_limit

CALL_S: Final = 60.0
"""Seconds that one call may take."""
TEXT_TOKENS: Final = 60
ANSWER_TOKENS: Final = 150
CHEAP_USD: Final = 0.01
"""Most that finding out whether a prompt is cached may cost."""
CHARACTERS_PER_TOKEN: Final = 4
DEBATE: Final = "doctor"
ONLY_IF_NAMED: Final = frozenset({"scripted"})
"""Providers that are tried only if one of their models is named."""
LINE: Final = "Trams share one track, carry many people and need no parking; cars need all three of them. "
SYSTEM: Final = Segment("system", "You answer in one short sentence.")
ASK: Final = Segment("user", "What is the strongest reason for a tram?")
QUESTION: Final = Segment("user", "Is a tram a vehicle on rails?  Answer as JSON: whether it is, and why in few words.")


class RailsAnswer(Struct, frozen=True, kw_only=True):
    """The answer to the typed question."""

    reason: Annotated[str, Meta(max_length=120)]
    is_on_rails: bool


class ModelTrial(Struct, frozen=True, kw_only=True):
    """What the calls to a model showed.  ``cached_tokens`` are those of a repeated prompt; None without one."""

    name: str
    ok: bool
    detail: str
    answered_by: str = ""
    thought_tokens: int = 0
    structured_output: str = ""
    cached_tokens: int | None = None
    tokens_per_s: float | None = None
    latency_ms: int = 0
    cost_usd: float | None = 0.0
    """None if the cost is unknown."""
    notice: str = ""


def candidates(statuses: Iterable[ModelStatus]) -> tuple[str, ...]:
    """One model of each provider that answers: its usual model, or else the first in its list.  A baseline is none."""
    usual = {model.partition(":")[0]: model for _, model in KEYED}
    first: dict[str, str] = {}
    for status in statuses:
        if status.ok and not status.baseline and status.provider not in ONLY_IF_NAMED:
            first.setdefault(status.provider, usual.get(status.provider, status.name))
    return tuple(first.values())


async def try_out(registry: Registry, name: str) -> ModelTrial:
    """Call a model two or three times.  A ``ProviderError`` becomes the ``detail`` of the trial."""
    spent: list[Outcome] = []
    status = await registry.check(name)
    began = time.monotonic()
    try:
        learned = await _learned(registry, name, spent)
    except ProviderError as error:
        learned = ModelTrial(name=name, ok=False, detail=f"{error.kind}: {error.message}")
    costs = [each.cost_usd for each in spent]
    return msgspec.structs.replace(
        learned,
        notice=status.notice,
        latency_ms=round((time.monotonic() - began) * 1000),
        cost_usd=None if None in costs else sum(each for each in costs if each is not None),
    )


async def _learned(registry: Registry, name: str, spent: list[Outcome]) -> ModelTrial:
    """Make the calls one after the other; ``spent`` gets the outcome of each, also if a later one fails."""
    if name.partition(":")[0] in VENDORS:
        await prepare()
    padding = _padding(name)
    prompt = (SYSTEM, *([Segment("user", padding, ends_prefix=True)] if padding else []), ASK)
    first, first_s = await _speech(registry, name, prompt, 1)
    spent.append(first)
    async with registry.call(name, DEBATE) as call:
        with time_limit(CALL_S):
            answer = await call.answer(_request("doctor:answer", (SYSTEM, QUESTION), 1), RailsAnswer)
        call.used(answer.outcome)
    spent.append(answer.outcome)
    again = None
    if padding:
        again, _ = await _speech(registry, name, prompt, 2)
        spent.append(again)
    thought = max(each.tokens.thought for each in spent)
    thinks = thought or any(each.reasoning for each in spent)
    output = first.tokens.output
    return ModelTrial(
        name=name,
        ok=True,
        detail="it speaks and answers" + (", and thinks" if thinks else ""),
        answered_by=first.model,
        thought_tokens=thought,
        structured_output=str(answer.outcome.parameters.get("structured_output") or ""),
        cached_tokens=None if again is None else again.tokens.cached,
        tokens_per_s=round(output / first_s, 1) if output and first_s > 0 else None,
    )


async def _speech(registry: Registry, name: str, prompt: tuple[Segment, ...], attempt: int) -> tuple[Outcome, float]:
    """Stream one short text to its end; its outcome, and the seconds that it took."""
    began = time.monotonic()
    async with registry.call(name, DEBATE) as call:
        with time_limit(CALL_S):
            async for _ in call.stream(_request("doctor:text", prompt, attempt)):
                pass
        call.used(call.outcome)
    return call.outcome, time.monotonic() - began


def _request(key: str, prompt: Sequence[Segment], attempt: int) -> Request:
    tokens = TEXT_TOKENS if key == "doctor:text" else ANSWER_TOKENS
    return Request(
        key=key,
        turn=0,
        attempt=attempt,
        prompt=tuple(prompt),
        max_tokens=tokens,
        temperature=0.2,
        idle_timeout_s=CALL_S,
        think="low",
    )


def _padding(name: str) -> str:
    """Text that makes a prompt long enough for its vendor to cache it; empty if that is unknown or too expensive."""
    provider, _, model = name.partition(":")
    found = known_model(name)
    if found is None or found.cache_least is None or provider not in VENDORS or is_free(name):
        return ""
    least = round(found.cache_least * 1.3)
    costs = cost(provider, model, 2 * least, 0)
    if costs is None or costs > CHEAP_USD:
        return ""
    return LINE * (1 + least * CHARACTERS_PER_TOKEN // len(LINE))
